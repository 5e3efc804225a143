//! The cluster in rows of tables.
use crate::words;
use agon_core::Priority;
use agon_proto::pb::bus::v1::{BreakerState, HostModel, ModelServerAway};
use agon_proto::pb::v1 as pb;
use agon_report::{excerpt, one_line};
use agon_server::{ClusterOverview, CoordinatorLoad, DebateFigures, StreamFigures};
use std::collections::BTreeMap;
use std::time::Duration;

/// What stands for a figure that is not known.
pub(super) const UNKNOWN: &str = "–";
/// Characters of an error that a row shows.
const MOST_TEXT: usize = 160;
/// The queue of external participants.
pub(super) const EXTERNAL: &str = "external";
/// The rest of very many queues.
pub(super) const OTHER: &str = "other";
/// What comes before the name of a model in the queue of its rehearsed turns.
pub(super) const REHEARSAL: &str = "rehearsal ";

/// A host.
pub(super) struct HostRow {
    /// Its name as it is, for addresses.
    pub host: String,
    pub name: String,
    pub server: String,
    pub node: String,
    pub version: String,
    pub rehearsal: bool,
    pub draining: bool,
    pub silence: String,
    /// Models beside those that it lists.
    pub others: Option<String>,
    pub models: Vec<HostModelRow>,
}

impl HostRow {
    pub fn of(host: &pb::Host, now: u64) -> Self {
        let silence = host.silence.and_then(|silence| Duration::try_from(silence).ok());
        Self {
            host: host.name.clone(),
            name: one_line(&host.name),
            server: one_line(&host.server),
            node: one_line(&host.node),
            version: one_line(&host.agon_version),
            rehearsal: host.rehearsal,
            draining: host.draining,
            silence: silence.map_or_else(|| UNKNOWN.to_owned(), heard),
            others: others(host),
            models: host.models.iter().map(|model| HostModelRow::of(model, now)).collect(),
        }
    }
}

/// What a host takes beside the models that it lists.
fn others(host: &pb::Host) -> Option<String> {
    let listed = !host.models.is_empty();
    match (host.serves_any, &host.serves_prefix) {
        (true, _) => Some(if listed { "any other model" } else { "any model" }.to_owned()),
        (false, Some(prefix)) => Some(format!("any model of {}/", one_line(prefix))),
        (false, None) => (!listed).then(|| "no model".to_owned()),
    }
}

/// When something was heard last.
fn heard(silence: Duration) -> String {
    match silence.as_millis() {
        0..1_500 => "just now".to_owned(),
        ms => format!("{} ago", words::duration(u64::try_from(ms).unwrap_or(u64::MAX))),
    }
}

/// A model at a host.
pub(super) struct HostModelRow {
    pub name: String,
    pub warm: bool,
    pub running: u32,
    pub permits: u32,
    pub waiting: u32,
    pub breaker: BreakerView,
    pub speed: String,
}

impl HostModelRow {
    fn of(model: &HostModel, now: u64) -> Self {
        Self {
            name: one_line(&model.name),
            warm: model.warm == Some(true),
            running: model.running,
            permits: model.permits,
            waiting: model.waiting,
            breaker: BreakerView::of(model.breaker(), model.away.as_ref(), now),
            speed: speed(model.millitokens_per_second),
        }
    }
}

/// Whether calls are let through.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BreakerView {
    pub class: &'static str,
    pub word: &'static str,
    /// What that means now.
    pub detail: Option<String>,
}

impl BreakerView {
    pub(super) fn of(state: BreakerState, away: Option<&ModelServerAway>, now: u64) -> Self {
        if let Some(away) = away {
            return Self { class: "bad", word: "server away", detail: Some(away_words(away, now)) };
        }
        let (class, word, detail) = match state {
            BreakerState::Closed => ("good", "closed", None),
            BreakerState::HalfOpen => ("mixed", "half-open", Some("One call tries. Its success closes the breaker.")),
            BreakerState::Open => ("bad", "open", Some("No calls. After a pause one call tries.")),
            BreakerState::Unspecified => ("open", "unknown", None),
        };
        Self { class, word, detail: detail.map(str::to_owned) }
    }
}

fn away_words(away: &ModelServerAway, now: u64) -> String {
    let since = words::duration(now.saturating_sub(away.since_ms).max(1_000));
    let next = match away.next_look_ms.saturating_sub(now).div_ceil(1_000) {
        0 => "next try with the next turn".to_owned(),
        seconds => format!("next try in {seconds} s"),
    };
    format!("For {since}: {}; {next}.", excerpt(&away.why, MOST_TEXT))
}

/// Tokens a second, with a decimal where that matters.
pub(super) fn speed(millitokens: Option<u32>) -> String {
    match millitokens {
        None => UNKNOWN.to_owned(),
        Some(milli @ ..100_000) => format!("{:.1}", f64::from(milli) / 1_000.0),
        Some(milli) => words::number(u64::from(milli.saturating_add(500) / 1_000)),
    }
}

/// A model in the whole cluster.
pub(super) struct ServedModelRow {
    pub name: String,
    /// Scripted speakers, no model.
    pub rehearsal: bool,
    pub hosts: Vec<String>,
    pub running: u64,
    pub permits: u64,
    /// Turns in its queues; a dash where that is not known.
    pub queued: String,
    /// Nobody serves what waits.
    pub unserved: bool,
}

/// The models that hosts serve, and those that turns wait for; rehearsed ones apart.
pub(super) fn models(models: &[pb::Model], hosts: &[pb::Host], overview: &ClusterOverview) -> Vec<ServedModelRow> {
    let queues = overview.figures.turns.as_ref();
    let mut queued: BTreeMap<(bool, &str), u64> = BTreeMap::new();
    for (queue, turns) in queues.into_iter().flatten() {
        *queued.entry((queue.starts_with(REHEARSAL), plain(queue))).or_default() += turns;
    }
    let rehearses = |name: &str| hosts.iter().any(|host| host.name == name && host.rehearsal);
    let mut rows: Vec<ServedModelRow> = Vec::new();
    for (model, rehearsal) in models.iter().flat_map(|model| [(model, false), (model, true)]) {
        let served = model.hosts.iter().filter(|served| rehearses(&served.host) == rehearsal);
        let served: Vec<&pb::ServedModel> = served.collect();
        if served.is_empty() {
            continue;
        }
        let turns = queued.remove(&(rehearsal, plain(&model.name))).unwrap_or(0);
        rows.push(ServedModelRow {
            name: one_line(&model.name),
            rehearsal,
            hosts: served.iter().map(|served| one_line(&served.host)).collect(),
            running: served.iter().map(|served| u64::from(served.running)).sum(),
            permits: served.iter().map(|served| u64::from(served.permits)).sum(),
            queued: queues.map_or_else(|| UNKNOWN.to_owned(), |_| words::number(turns)),
            unserved: false,
        });
    }
    let waiting = queued.into_iter().filter(|(_, turns)| *turns > 0);
    rows.extend(waiting.map(|((rehearsal, name), turns)| unlisted(name, rehearsal, turns, hosts)));
    rows
}

/// A queue of a model that no host lists.
fn unlisted(name: &str, rehearsal: bool, turns: u64, hosts: &[pb::Host]) -> ServedModelRow {
    let takes = hosts.iter().filter(|host| takes(host, name, rehearsal));
    let takes: Vec<String> = takes.map(|host| one_line(&host.name)).collect();
    ServedModelRow {
        name: if name == EXTERNAL { "external participants".to_owned() } else { one_line(name) },
        rehearsal,
        unserved: takes.is_empty() && name != EXTERNAL && name != OTHER,
        hosts: takes,
        running: 0,
        permits: 0,
        queued: words::number(turns),
    }
}

/// Whether a host takes turns for a model.
pub(super) fn takes(host: &pb::Host, model: &str, rehearsal: bool) -> bool {
    let prefixed = |prefix: &String| model.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.starts_with('/'));
    let any = host.serves_any || host.serves_prefix.as_ref().is_some_and(prefixed);
    host.rehearsal == rehearsal && (any || lists(host, model))
}

/// Whether a host lists a model.
pub(super) fn lists(host: &pb::Host, model: &str) -> bool {
    host.models.iter().any(|listed| plain(&listed.name) == model)
}

/// The name of a queue's model, without the tag that every name has.
pub(super) fn plain(queue: &str) -> &str {
    let name = queue.strip_prefix(REHEARSAL).unwrap_or(queue);
    name.strip_suffix(":latest").unwrap_or(name)
}

/// A node that leads debates.
pub(super) struct CoordinatorRow {
    pub name: String,
    pub version: String,
    pub draining: bool,
    pub debates: String,
    pub most: Option<String>,
    pub silence: String,
}

impl CoordinatorRow {
    pub fn of(load: &CoordinatorLoad) -> Self {
        Self {
            name: load.node.as_deref().map_or_else(|| "this process".to_owned(), one_line),
            version: one_line(&load.agon_version),
            draining: load.draining,
            debates: words::number(load.debates),
            most: load.max_debates.map(words::number),
            silence: load.silence.map_or_else(|| UNKNOWN.to_owned(), heard),
        }
    }
}

/// How the debates of the cluster stand.
pub(super) struct DebateCounts {
    /// By priority, the most urgent first.
    pub queued: Vec<(&'static str, String)>,
    /// How long the oldest waits, where one does.
    pub oldest: Option<String>,
    pub running: String,
    pub stalled: String,
    pub stalls: bool,
}

impl DebateCounts {
    pub fn of(figures: &DebateFigures) -> Self {
        let waiting = |priority: Priority| figures.queued.get(&priority).copied().unwrap_or(0);
        let some = figures.queued.values().any(|count| *count > 0);
        let oldest = u64::try_from(figures.oldest.as_millis()).unwrap_or(u64::MAX);
        Self {
            queued: Priority::ALL.into_iter().map(|of| (of.as_str(), words::number(waiting(of)))).collect(),
            oldest: some.then(|| words::duration(oldest)),
            running: words::number(figures.running),
            stalled: figures.stalled.map_or_else(|| UNKNOWN.to_owned(), words::number),
            stalls: figures.stalled.is_some_and(|count| count > 0),
        }
    }
}

/// How full a stream is.
pub(super) struct StreamRow {
    pub name: String,
    pub bytes: String,
    pub messages: String,
    /// In hundredths of its nearer limit, where it has one.
    pub full: Option<u64>,
}

impl StreamRow {
    pub fn of(name: &str, fill: &StreamFigures) -> Self {
        let of = |held: String, limit: Option<String>| match limit {
            Some(limit) => format!("{held} of {limit}"),
            None => held,
        };
        Self {
            name: one_line(name),
            bytes: of(size(fill.bytes), fill.byte_limit.map(size)),
            messages: of(words::number(fill.messages), fill.message_limit.map(words::number)),
            full: fullness(fill).map(|share| (share * 100.0).floor() as u64),
        }
    }
}

/// The share of its nearer limit that a stream holds.
pub(super) fn fullness(fill: &StreamFigures) -> Option<f64> {
    let share =
        |held: u64, limit: Option<u64>| limit.filter(|limit| *limit > 0).map(|limit| held as f64 / limit as f64);
    let of = [share(fill.bytes, fill.byte_limit), share(fill.messages, fill.message_limit)];
    of.into_iter().flatten().reduce(f64::max)
}

/// Bytes in the unit in which they are few.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" || value >= 100.0 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_and_sizes_read_as_people_say_them() {
        assert_eq!([None, Some(8_250), Some(99_940), Some(1_234_500)].map(speed), ["–", "8.2", "99.9", "1,235"]);
        assert_eq!([0, 1023, 1536, 200 * 1024, 3 << 30].map(size), ["0 B", "1023 B", "1.5 KiB", "200 KiB", "3.0 GiB"]);
    }

    #[test]
    fn a_breaker_says_what_happens_next() {
        let away = ModelServerAway {
            why: "no connection\u{202e}".to_owned(),
            since_ms: 10_000,
            next_look_ms: 45_500,
            breaker: BreakerState::Closed.into(),
        };
        let told = BreakerView::of(BreakerState::Open, Some(&away), 44_000);
        assert_eq!((told.class, told.word), ("bad", "server away"));
        assert_eq!(told.detail.as_deref(), Some("For 34.0 s: no connection; next try in 2 s."));
        let later = BreakerView::of(BreakerState::Open, Some(&away), 46_000).detail;
        assert_eq!(later.as_deref(), Some("For 36.0 s: no connection; next try with the next turn."));
        assert_eq!(BreakerView::of(BreakerState::Closed, None, 0).word, "closed");
        assert_eq!(BreakerView::of(BreakerState::HalfOpen, None, 0).class, "mixed");
    }

    #[test]
    fn models_are_told_apart_from_their_rehearsals_and_those_that_nobody_serves_have_rows() {
        let served = |host: &str| pb::ServedModel { host: host.to_owned(), permits: 4, ..Default::default() };
        let known = [pb::Model { name: "m:latest".to_owned(), hosts: vec![served("gpu1"), served("stage")] }];
        let host = |name: &str, rehearsal| pb::Host {
            name: name.to_owned(),
            rehearsal,
            serves_any: rehearsal,
            ..Default::default()
        };
        let hosts = [host("gpu1", false), host("stage", true)];
        let mut overview = ClusterOverview::default();
        let turns = [("m", 3), ("rehearsal m", 1), ("lost:8b", 2), ("rehearsal z", 5), ("idle", 0), (EXTERNAL, 1)];
        overview.figures.turns = Some(turns.map(|(name, count)| (name.to_owned(), count)).into());
        let rows = models(&known, &hosts, &overview);
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.name.as_str(), row.hosts.join(" "), row.queued.as_str(), row.unserved))
            .collect();
        let expected = [
            ("m:latest", "gpu1", "3", false),
            ("m:latest", "stage", "1", false),
            ("external participants", "", "1", false),
            ("lost:8b", "", "2", true),
            ("z", "stage", "5", false),
        ];
        assert_eq!(shown, expected.map(|(name, host, queued, unserved)| (name, host.to_owned(), queued, unserved)));
        overview.figures.turns = None;
        assert_eq!(models(&known, &hosts, &overview)[0].queued, UNKNOWN);
    }

    #[test]
    fn a_stream_is_as_full_as_its_nearer_limit() {
        let fill = StreamFigures { bytes: 50, byte_limit: Some(100), messages: 9, message_limit: Some(10) };
        assert_eq!(StreamRow::of("S", &fill).full, Some(90));
        assert_eq!(fullness(&StreamFigures { byte_limit: None, message_limit: None, ..fill }), None);
    }
}
