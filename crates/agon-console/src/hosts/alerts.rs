//! The alerts whose conditions hold now, by the figures that the page shows.
//!
//! Rules that look back over time need Prometheus: only those are here whose expression compares a figure of the moment. A test
//! compares each with the file of rules.
use super::rows::{self, EXTERNAL, OTHER, REHEARSAL, fullness, plain};
use crate::words;
use agon_proto::pb::bus::v1::BreakerState;
use agon_proto::pb::v1 as pb;
use agon_report::one_line;
use agon_server::ClusterOverview;
use std::collections::BTreeSet;

/// How urgent an alert is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AlertSeverity {
    Critical,
    Warning,
}

impl AlertSeverity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Warning => "warning",
        }
    }
}

/// A rule as the file of rules has it.
struct AlertRule {
    name: &'static str,
    severity: AlertSeverity,
    /// The figure has to be above it.
    limit: f64,
    /// Minutes for which the condition has to hold.
    minutes: u64,
    summary: &'static str,
    advice: &'static str,
}

const STALLED: AlertRule = AlertRule {
    name: "AgonDebatesStalled",
    severity: AlertSeverity::Critical,
    limit: 0.0,
    minutes: 5,
    summary: "{{ $value }} debates are stalled",
    advice: "Debates that were taken make no progress, and five minutes of takeovers have not helped. Check coordinators and \
             hosts: `agon list --state running`, `agon hosts`.",
};
const NO_COORDINATOR: AlertRule = AlertRule {
    name: "AgonNoCoordinator",
    severity: AlertSeverity::Critical,
    limit: 0.0,
    minutes: 2,
    summary: "{{ $value }} debates have no coordinator",
    advice: "No coordinator is scraped while debates wait or run. They lose nothing, and continue when one is there.",
};
const NO_HOST: AlertRule = AlertRule {
    name: "AgonNoHost",
    severity: AlertSeverity::Critical,
    limit: 0.0,
    minutes: 5,
    summary: "{{ $value }} turns wait, and there is no host",
    advice: "No host is scraped while turns are queued. A pool that scales from zero needs a machine first: see its pending pods.",
};
const NOT_SERVED: AlertRule = AlertRule {
    name: "AgonModelNotServed",
    severity: AlertSeverity::Critical,
    limit: 0.0,
    minutes: 5,
    summary: "{{ $value }} turns wait for {{ $labels.model }}, which no host serves",
    advice: "Pull the model at a model server, start a host that has it, or cancel the debates. If no host has announced the \
             model's name, its queue's slug is shown.",
};
const VERSIONS: AlertRule = AlertRule {
    name: "AgonVersionsDiffer",
    severity: AlertSeverity::Warning,
    limit: 1.0,
    minutes: 60,
    summary: "{{ $value }} versions of Agon run together for an hour",
    advice: "An upgrade is not finished. Two versions work together, so nothing is lost meanwhile.",
};
const FILLING: AlertRule = AlertRule {
    name: "AgonStreamFilling",
    severity: AlertSeverity::Warning,
    limit: 0.8,
    minutes: 10,
    summary: "The stream {{ $labels.stream }} is {{ $value | humanizePercentage }} full",
    advice: "A full stream refuses writes: debates stall or are rejected. Raise its limit or delete old debates before that.",
};
const OLDEST: AlertRule = AlertRule {
    name: "AgonOldestDebateWaits",
    severity: AlertSeverity::Warning,
    limit: 900.0,
    minutes: 5,
    summary: "A debate waits for {{ $value | humanizeDuration }}",
    advice: "The oldest debate that no coordinator has taken, batch included. Others overtake it, or the queue exceeds the \
             capacity of the coordinators.",
};
/// It looks back over five minutes, all of which have to be as the moment, and then waits for two.
const BREAKER: AlertRule = AlertRule {
    name: "AgonBreakerOpen",
    severity: AlertSeverity::Warning,
    limit: 0.0,
    minutes: 7,
    summary: "Host {{ $labels.host }} gets no answers from {{ $labels.model }}",
    advice: "Its circuit breaker has not been closed for five minutes, or its model server was unreachable. Turns go to other \
             hosts that serve the model, and wait if there is none.",
};

/// Sentences of one rule that are shown.
const MOST_SENTENCES: usize = 10;

/// A rule whose condition holds, for one thing or for several.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Alert {
    pub name: &'static str,
    pub severity: AlertSeverity,
    /// Its summary, filled in for each of them.
    sentences: Vec<String>,
    /// What it means and what to do; every other part is a command.
    pub advice: Vec<&'static str>,
    /// How long the condition has to hold.
    pub lasts: String,
}

impl Alert {
    /// The first sentences.
    pub fn first(&self) -> impl Iterator<Item = &String> {
        self.sentences.iter().take(MOST_SENTENCES)
    }
    /// Sentences that have no room.
    pub fn more(&self) -> usize {
        self.sentences.len().saturating_sub(MOST_SENTENCES)
    }
}

impl AlertRule {
    /// The alert, with what stands in its summary, where the figure is above the limit.
    fn at(&self, figure: f64, words: &[(&str, String)]) -> Option<Alert> {
        let mut sentence = self.summary.to_owned();
        for (key, text) in words {
            sentence = sentence.replace(&format!("{{{{ {key} }}}}"), &one_line(text));
        }
        (figure > self.limit).then(|| Alert {
            name: self.name,
            severity: self.severity,
            sentences: vec![sentence],
            advice: self.advice.split('`').collect(),
            lasts: words::duration(self.minutes * 60_000)
                .trim_end_matches(" 00 s")
                .trim_end_matches(" 00 min")
                .to_owned(),
        })
    }
    /// The same of a count.
    fn count(&self, count: u64) -> Option<Alert> {
        self.at(count as f64, &[("$value", words::number(count))])
    }
}

/// The alerts whose conditions hold, the urgent ones first.
pub(super) fn holding(hosts: &[pb::Host], overview: &ClusterOverview) -> Vec<Alert> {
    let mut all: Vec<Alert> = of_debates(overview).into_iter().flatten().collect();
    all.extend(of_turns(hosts, overview));
    all.extend(of_breakers(hosts));
    all.extend(of_streams(overview));
    all.extend(VERSIONS.count(versions(hosts, overview)));
    let mut rules: Vec<Alert> = Vec::new();
    for alert in all {
        match rules.iter_mut().find(|known| known.name == alert.name) {
            Some(known) => known.sentences.extend(alert.sentences),
            None => rules.push(alert),
        }
    }
    rules.sort_by_key(|alert| alert.severity);
    rules
}

/// What alerts are about that cannot be counted now.
pub(super) fn unknown(overview: &ClusterOverview) -> Vec<&'static str> {
    let figures = &overview.figures;
    let streams = overview.has_streams;
    let all = [
        (figures.debates.is_none(), "debates"),
        (streams && figures.turns.is_none(), "queued turns"),
        (streams && figures.streams.is_empty(), "streams"),
    ];
    all.into_iter().filter(|(unknown, _)| *unknown).map(|(_, what)| what).collect()
}

fn of_debates(overview: &ClusterOverview) -> [Option<Alert>; 3] {
    let Some(debates) = &overview.figures.debates else { return [None, None, None] };
    let open = debates.queued.values().sum::<u64>() + debates.running;
    let oldest = debates.oldest.as_secs_f64();
    let waits = words::duration(u64::try_from(debates.oldest.as_millis()).unwrap_or(u64::MAX));
    [
        debates.stalled.and_then(|count| STALLED.count(count)),
        NO_COORDINATOR.count(open).filter(|_| overview.coordinators.is_empty()),
        OLDEST.at(oldest, &[("$value | humanizeDuration", waits)]),
    ]
}

fn of_turns(hosts: &[pb::Host], overview: &ClusterOverview) -> Vec<Alert> {
    let queues: Vec<(&String, u64)> =
        overview.figures.turns.iter().flatten().map(|(queue, turns)| (queue, *turns)).collect();
    let waiting = queues.iter().filter(|(queue, _)| *queue != EXTERNAL).map(|(_, turns)| turns).sum();
    let mut out: Vec<Alert> = NO_HOST.count(waiting).filter(|_| hosts.is_empty()).into_iter().collect();
    for (queue, turns) in queues.into_iter().filter(|(queue, _)| !serves(hosts, queue)) {
        let words = [("$value", words::number(turns)), ("$labels.model", queue.clone())];
        out.extend(NOT_SERVED.at(turns as f64, &words));
    }
    out
}

/// Whether a host is there for a queue, as the rule sees it: by the model's name, rehearsed or not. Coordinators serve external
/// participants, and the rest of many queues has no model.
fn serves(hosts: &[pb::Host], queue: &str) -> bool {
    let (model, rehearsal) = (plain(queue), queue.starts_with(REHEARSAL));
    let there = |host: &pb::Host| rows::lists(host, model) || rows::takes(host, model, rehearsal);
    queue == EXTERNAL || queue == OTHER || hosts.iter().any(there)
}

fn of_breakers(hosts: &[pb::Host]) -> Vec<Alert> {
    let mut out = Vec::new();
    for host in hosts {
        for model in &host.models {
            let open = match model.breaker() {
                BreakerState::Open | BreakerState::HalfOpen => true,
                BreakerState::Closed | BreakerState::Unspecified => model.away.is_some(),
            };
            let words = [("$labels.host", host.name.clone()), ("$labels.model", model.name.clone())];
            out.extend(BREAKER.at(if open { 1.0 } else { 0.0 }, &words));
        }
    }
    out
}

fn of_streams(overview: &ClusterOverview) -> Vec<Alert> {
    let alert = |(name, fill)| {
        let share = fullness(fill)?;
        let words = [
            ("$labels.stream", String::clone(name)),
            ("$value | humanizePercentage", format!("{:.1} %", share * 100.0)),
        ];
        FILLING.at(share, &words)
    };
    overview.figures.streams.iter().filter_map(alert).collect()
}

/// How many versions of Agon are seen together.
fn versions(hosts: &[pb::Host], overview: &ClusterOverview) -> u64 {
    let hosts = hosts.iter().map(|host| host.agon_version.as_str());
    let nodes = overview.coordinators.iter().map(|node| node.agon_version.as_str());
    let all = hosts.chain(nodes).chain([overview.agon_version.as_str()]);
    all.filter(|version| !version.is_empty()).collect::<BTreeSet<&str>>().len() as u64
}

#[cfg(test)]
mod tests;
