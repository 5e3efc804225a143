//! The cluster: hosts and their models, coordinators and what waits for them, streams, and the alerts whose conditions hold.
mod alerts;
mod rows;

use crate::form::Fields;
use crate::refusal::RefusedPage;
use crate::shell::{NavPlace, Shell, go_to, page, piece};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use crate::words;
use agon_proto::pb::v1 as pb;
use agon_report::one_line;
use agon_server::{ClusterOverview, Problem};
use alerts::Alert;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use rows::{CoordinatorRow, DebateCounts, HostRow, ServedModelRow, StreamRow};

/// Everything that the page shows.
struct ClusterView {
    alerts: Vec<Alert>,
    /// What cannot be counted now: alerts about it are not known to hold or not to hold.
    unknown: Vec<&'static str>,
    hosts: Vec<HostRow>,
    models: Vec<ServedModelRow>,
    coordinators: Vec<CoordinatorRow>,
    debates: Option<DebateCounts>,
    has_streams: bool,
    streams: Vec<StreamRow>,
}

impl ClusterView {
    fn of(site: &ConsoleSite, visitor: &PageVisitor) -> Result<Self, Problem> {
        let hosts = site.api().hosts(&visitor.call)?.hosts;
        let models = site.api().models(&visitor.call)?.models;
        let overview = site.api().overview(&visitor.call)?;
        Ok(Self::drawn(&hosts, &models, &overview, words::now()))
    }

    fn drawn(hosts: &[pb::Host], models: &[pb::Model], overview: &ClusterOverview, now: u64) -> Self {
        Self {
            alerts: alerts::holding(hosts, overview),
            unknown: alerts::unknown(overview),
            hosts: hosts.iter().map(|host| HostRow::of(host, now)).collect(),
            models: rows::models(models, hosts, overview),
            coordinators: overview.coordinators.iter().map(CoordinatorRow::of).collect(),
            debates: overview.figures.debates.as_ref().map(DebateCounts::of),
            has_streams: overview.has_streams,
            streams: overview.figures.streams.iter().map(|(name, fill)| StreamRow::of(name, fill)).collect(),
        }
    }
}

#[derive(Template)]
#[template(path = "hosts/page.html")]
struct HostsPage {
    shell: Shell,
    view: ClusterView,
}

#[derive(Template)]
#[template(path = "hosts/cluster.html")]
struct HostsPiece {
    shell: Shell,
    view: ClusterView,
}

/// `GET /hosts`
pub(crate) async fn show(State(site): State<ConsoleSite>, visitor: PageVisitor) -> Result<Response, RefusedPage> {
    let view = ClusterView::of(&site, &visitor).map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    let shell = Shell::of(&visitor, NavPlace::Hosts);
    if visitor.browser.piece {
        return Ok(piece(&HostsPiece { shell, view }));
    }
    Ok(page(&visitor, &shell.clone(), &HostsPage { shell, view }))
}

/// A question before a host is drained.
#[derive(Template)]
#[template(path = "hosts/ask.html")]
struct DrainPage {
    shell: Shell,
    host: String,
    name: String,
    running: u64,
}

/// `GET /hosts/{host}/drain`
pub(crate) async fn ask_drain(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    let hosts = site.api().hosts(&visitor.call).map_err(refused)?.hosts;
    let host = hosts.into_iter().find(|host| host.name == name);
    let host = host.ok_or_else(|| refused(Problem::NoHost(one_line(&name))))?;
    let shell = Shell::of(&visitor, NavPlace::Hosts);
    let running = host.models.iter().map(|model| u64::from(model.running)).sum();
    let shown = DrainPage { shell: shell.clone(), host: host.name.clone(), name: one_line(&host.name), running };
    Ok(page(&visitor, &shell, &shown))
}

/// `POST /hosts/{host}/drain`
pub(crate) async fn drain(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    _fields: Fields,
) -> Result<Response, RefusedPage> {
    order(&site, &visitor, name, false).await
}

/// `POST /hosts/{host}/undrain`
pub(crate) async fn undrain(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    _fields: Fields,
) -> Result<Response, RefusedPage> {
    order(&site, &visitor, name, true).await
}

async fn order(site: &ConsoleSite, visitor: &PageVisitor, host: String, undo: bool) -> Result<Response, RefusedPage> {
    let request = pb::DrainHostRequest { host, undo };
    let told = site.api().drain_host(&visitor.call, &request).await;
    told.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to("/hosts"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_proto::pb::bus::v1::{BreakerState, HostModel};
    use agon_server::DebateFigures;

    fn hostile() -> pb::Host {
        let model = HostModel {
            name: "<b>m\u{202e}".to_owned(),
            permits: 4,
            running: 1,
            breaker: BreakerState::Open.into(),
            ..HostModel::default()
        };
        pb::Host {
            name: "gpu/1?x=\"><script>".to_owned(),
            server: "http://a\u{7}:1".to_owned(),
            models: vec![model],
            ..pb::Host::default()
        }
    }

    fn drawn(hosts: &[pb::Host]) -> String {
        let mut overview = ClusterOverview::default();
        overview.figures.debates = Some(DebateFigures::default());
        seen(hosts, &overview)
    }

    fn seen(hosts: &[pb::Host], overview: &ClusterOverview) -> String {
        let view = ClusterView::drawn(hosts, &[], overview, 0);
        HostsPiece { shell: Shell::bare(), view }.render().unwrap()
    }

    #[test]
    fn what_cannot_be_counted_is_not_said_to_be_well() {
        let away = ClusterOverview { has_streams: true, ..ClusterOverview::default() };
        let text = seen(&[], &away);
        assert!(
            text.contains("Alerts are not known now.") && text.contains("debates, queued turns, streams"),
            "{text}"
        );
        for calm in ["No alert condition holds.", "No live host.", "No live coordinator."] {
            assert!(!text.contains(calm), "{calm}");
        }
        // what is known to be wrong is said all the same
        let text = seen(&[hostile()], &away);
        assert!(text.contains("AgonBreakerOpen") && text.contains("Alerts are not known now."), "{text}");
    }

    #[test]
    fn names_of_hosts_and_models_are_escaped_and_their_addresses_encoded() {
        let text = drawn(&[hostile()]);
        assert!(text.contains("href=\"/hosts/gpu%2F1%3Fx%3D%22%3E%3Cscript%3E/drain\""), "{text}");
        assert!(!text.contains("<script") && !text.contains("<b>m") && !text.contains('\u{202e}'), "{text}");
        assert!(text.contains("AgonBreakerOpen") && text.contains("1 of 4"));
    }

    #[test]
    fn a_host_that_drains_can_be_put_back_and_others_can_be_drained() {
        let draining = drawn(&[pb::Host { name: "a".to_owned(), draining: true, ..pb::Host::default() }]);
        assert!(draining.contains("action=\"/hosts/a/undrain\"") && !draining.contains("/hosts/a/drain"));
        let taking = drawn(&[pb::Host { name: "a".to_owned(), ..pb::Host::default() }]);
        assert!(taking.contains("/hosts/a/drain") && !taking.contains("undrain"));
    }

    #[test]
    fn a_cluster_of_one_process_without_hosts_is_told_calmly() {
        let text = drawn(&[]);
        for words in ["No alert condition holds.", "No live host.", "Everything is in this process"] {
            assert!(text.contains(words), "{words}");
        }
    }
}
