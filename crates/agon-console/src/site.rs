//! What handlers share, and which handler has which path.
use crate::config::ConsoleConfig;
use crate::debates::RunningFigures;
use crate::live::Hubs;
use crate::{assets, compare, debate, debates, evals, help, hosts, live, new_debate, ratings, refusal, session_pages};
use agon_server::{Api, Door, PagePorts, Problem, SitePages, call_id};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::response::Response;
use axum::routing::{get, post};
use std::sync::Arc;

/// Bytes of a form: a debate file of the usual limit, written as a form writes it.
const MOST_BYTES: usize = 12 * 1024 * 1024;

/// What handlers share.
#[derive(Clone)]
pub(crate) struct ConsoleSite(Arc<SiteState>);

struct SiteState {
    ports: PagePorts,
    config: ConsoleConfig,
    hubs: Hubs,
    running: RunningFigures,
}

impl ConsoleSite {
    pub fn api(&self) -> &Arc<Api> {
        &self.0.ports.api
    }
    pub fn door(&self) -> &Door {
        &self.0.ports.door
    }
    pub fn tls(&self) -> bool {
        self.0.ports.tls
    }
    pub fn config(&self) -> &ConsoleConfig {
        &self.0.config
    }
    /// The figures of running debates in lists.
    pub fn running(&self) -> &RunningFigures {
        &self.0.running
    }
    /// The debates that somebody watches.
    pub fn hubs(&self) -> &Hubs {
        &self.0.hubs
    }
    pub fn most_bytes(&self) -> usize {
        MOST_BYTES
    }
}

/// The console, for a gateway.
pub fn pages(config: ConsoleConfig) -> SitePages {
    SitePages { router: Box::new(move |ports| router(config, ports)), refuse: refusal::refuse }
}

fn router(config: ConsoleConfig, ports: PagePorts) -> Router {
    let site = ConsoleSite(Arc::new(SiteState {
        hubs: Hubs::new(ports.api.clone()),
        running: RunningFigures::default(),
        ports,
        config,
    }));
    Router::new()
        .route("/", get(debates::list))
        .route("/debates/{id}", get(debate::show))
        .route("/debates/{id}/live", get(live::follow))
        .route("/debates/{id}/{document}", get(debate::document))
        .route("/debates/{id}/cancel", get(debate::ask_cancel).post(debate::cancel))
        .route("/debates/{id}/delete", get(debate::ask_delete).post(debate::delete))
        .route("/debates/{id}/pause", post(debate::pause))
        .route("/debates/{id}/resume", post(debate::resume))
        .route("/debates/{id}/rejudge", get(debate::ask_rejudge).post(debate::rejudge))
        .route("/new", get(new_debate::show).post(new_debate::submit))
        .route("/new/check", post(new_debate::check_piece))
        .route("/compare", get(compare::show))
        .route("/help", get(help::index))
        .route("/help/{page}", get(help::show))
        .merge(cluster_pages())
        .route("/sign-in", get(session_pages::ask).post(session_pages::sign_in))
        .route("/sign-out", post(session_pages::sign_out))
        .route("/assets/{version}/{name}", get(assets::show))
        .method_not_allowed_fallback(no_method)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .with_state(site)
}

/// Pages of hosts, ratings and evals.
fn cluster_pages() -> Router<ConsoleSite> {
    Router::new()
        .route("/hosts", get(hosts::show))
        .route("/hosts/{host}/drain", get(hosts::ask_drain).post(hosts::drain))
        .route("/hosts/{host}/undrain", post(hosts::undrain))
        .route("/ratings", get(ratings::list))
        .route("/ratings/{persona}", get(ratings::show))
        .route("/evals", get(evals::list))
        .route("/evals/{id}", get(evals::show))
        .route("/evals/{id}/result", get(evals::result))
        .route("/evals/{id}/cells", get(evals::cells))
        .route("/evals/{id}/report", get(evals::report))
        .route("/evals/{id}/{document}", get(evals::document))
        .route("/evals/{id}/cancel", get(evals::ask_cancel).post(evals::cancel))
        .route("/evals/{id}/retry", get(evals::ask_retry).post(evals::retry))
        .route("/evals/{id}/delete", get(evals::ask_delete).post(evals::delete))
}

async fn no_method(request: Request) -> Response {
    refusal::refuse(&Problem::NoMethod, &call_id(&request.into_parts().0))
}
