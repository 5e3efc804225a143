use super::*;
use agon_core::Priority;
use agon_proto::pb::bus::v1::{HostModel, ModelServerAway};
use agon_server::{CoordinatorLoad, DebateFigures, StreamFigures};
use std::time::Duration;

const FILE: &str = include_str!("../../../../../helm/agon/files/alerts.yaml");

const RULES: [AlertRule; 8] = [STALLED, NO_COORDINATOR, NO_HOST, NOT_SERVED, VERSIONS, FILLING, OLDEST, BREAKER];

/// Rules that look back over time or at processes, which a page cannot.
const NOT_HERE: [&str; 15] = [
    "AgonQueueNotDraining",
    "AgonNoGateway",
    "AgonProcessDown",
    "AgonRestarts",
    "AgonDebatesWaitLong",
    "AgonDebatesRefused",
    "AgonTurnsWaitForHost",
    "AgonHostSlow",
    "AgonFirstChunkLate",
    "AgonTurnsOvertaken",
    "AgonTurnsFail",
    "AgonDebatesFail",
    "AgonGatewayErrors",
    "AgonToolsFail",
    "AgonSpansLost",
];

/// The rules of the file: a name, and its lines as one.
fn filed() -> Vec<(&'static str, String)> {
    let rules = FILE.split("- alert: ").skip(1);
    let one = |rule: &'static str| {
        let own = rule.split("\n      # ").next().unwrap().split("\n      - record:").next().unwrap();
        let lines = own.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        (own.lines().next().unwrap().trim(), lines)
    };
    rules.map(one).collect()
}

#[test]
fn every_rule_of_the_file_is_here_or_needs_more_than_a_moment() {
    let mut known: Vec<&str> = RULES.iter().map(|rule| rule.name).chain(NOT_HERE).collect();
    let mut names: Vec<&str> = filed().into_iter().map(|(name, _)| name).collect();
    known.sort_unstable();
    names.sort_unstable();
    assert_eq!(names, known);
}

#[test]
fn rules_have_the_limits_times_and_words_of_the_file() {
    let filed = filed();
    for rule in &RULES {
        let (_, text) = filed.iter().find(|(name, _)| *name == rule.name).unwrap();
        let expression = text.split_once("expr: ").unwrap().1.split_once(" labels: severity:").unwrap().0;
        assert!(text.contains(&format!("severity: {} ", rule.severity.as_str())), "{text}");
        assert!(text.contains(&format!("summary: '{}'", rule.summary)), "{text}");
        assert!(text.contains(rule.advice), "{} in {text}", rule.advice);
        let (condition, lasts) = expression.split_once(" for: ").unwrap();
        let wait = match lasts.split_at(lasts.len() - 1) {
            (hours, "h") => hours.parse::<u64>().unwrap() * 60,
            (minutes, _) => minutes.parse().unwrap(),
        };
        let back =
            condition.split_once('[').map_or(0, |(_, window)| window.split_once("m]").unwrap().0.parse().unwrap());
        assert_eq!(wait + back, rule.minutes, "{}", rule.name);
        let limits: Vec<f64> =
            condition.split(" > ").skip(1).map(|of| of.split(' ').next().unwrap().parse().unwrap()).collect();
        assert!(!limits.is_empty() && limits.iter().all(|limit| *limit == rule.limit), "{}: {limits:?}", rule.name);
    }
}

fn host(name: &str, models: Vec<HostModel>) -> pb::Host {
    pb::Host { name: name.to_owned(), models, agon_version: "1".to_owned(), ..pb::Host::default() }
}

fn model(name: &str, breaker: BreakerState) -> HostModel {
    HostModel { name: name.to_owned(), breaker: breaker.into(), ..HostModel::default() }
}

fn calm() -> ClusterOverview {
    let mut overview = ClusterOverview { agon_version: "1".to_owned(), ..ClusterOverview::default() };
    let queued = [(Priority::Normal, 2)].into();
    let oldest = Duration::from_secs(900);
    overview.figures.debates = Some(DebateFigures { queued, oldest, running: 3, stalled: Some(0) });
    overview.figures.turns = Some([("m:1".to_owned(), 4), ("rehearsal n".to_owned(), 0)].into());
    let fill = StreamFigures { bytes: 80, byte_limit: Some(100), ..StreamFigures::default() };
    overview.figures.streams = [("AGON_LOGS".to_owned(), fill)].into();
    overview.coordinators = vec![CoordinatorLoad { agon_version: "1".to_owned(), ..CoordinatorLoad::default() }];
    overview
}

fn told(hosts: &[pb::Host], overview: &ClusterOverview) -> Vec<(&'static str, String)> {
    let sentences = |alert: Alert| alert.sentences.into_iter().map(move |sentence| (alert.name, sentence));
    holding(hosts, overview).into_iter().flat_map(sentences).collect()
}

#[test]
fn at_its_limits_a_cluster_is_calm() {
    assert_eq!(told(&[host("gpu1", vec![model("m:1", BreakerState::Closed)])], &calm()), []);
    assert_eq!(told(&[], &ClusterOverview::default()), []);
}

#[test]
fn what_is_above_a_limit_is_told_with_its_figures() {
    let mut overview = calm();
    let debates = overview.figures.debates.as_mut().unwrap();
    (debates.stalled, debates.oldest) = (Some(2), Duration::from_secs(901));
    overview.figures.streams.get_mut("AGON_LOGS").unwrap().bytes = 91;
    overview.coordinators[0].agon_version = "2".to_owned();
    let hosts = [host("gpu1", vec![model("m:1", BreakerState::Open)])];
    let expected = [
        ("AgonDebatesStalled", "2 debates are stalled"),
        ("AgonOldestDebateWaits", "A debate waits for 15 min 01 s"),
        ("AgonBreakerOpen", "Host gpu1 gets no answers from m:1"),
        ("AgonStreamFilling", "The stream AGON_LOGS is 91.0 % full"),
        ("AgonVersionsDiffer", "2 versions of Agon run together for an hour"),
    ];
    assert_eq!(told(&hosts, &overview), expected.map(|(name, text)| (name, text.to_owned())));
    overview.coordinators.clear();
    assert!(told(&hosts, &overview).contains(&("AgonNoCoordinator", "5 debates have no coordinator".to_owned())));
}

#[test]
fn a_server_that_is_away_is_told_like_an_open_breaker() {
    let away = HostModel { away: Some(ModelServerAway::default()), ..model("m:1", BreakerState::Closed) };
    assert_eq!(told(&[host("gpu1", vec![away])], &calm())[0].0, "AgonBreakerOpen");
}

#[test]
fn turns_that_nobody_can_take_are_told_by_model() {
    let mut overview = calm();
    let turns = [
        ("m:1", 1),
        ("rehearsal m:1", 7),
        ("rehearsal z", 2),
        ("vendor/x", 3),
        ("n:latest", 4),
        ("external", 5),
        ("other", 6),
    ];
    overview.figures.turns = Some(turns.map(|(name, count)| (name.to_owned(), count)).into());
    let prefixed = pb::Host { serves_prefix: Some("vendor".to_owned()), ..host("api", vec![]) };
    let hosts = [host("gpu1", vec![model("m:1", BreakerState::Closed), model("n", BreakerState::Closed)]), prefixed];
    let expected = "2 turns wait for rehearsal z, which no host serves".to_owned();
    assert_eq!(told(&hosts, &overview), [("AgonModelNotServed", expected)]);
    let names: Vec<_> = told(&[], &overview).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[..2], ["AgonNoHost", "AgonModelNotServed"]);
}

#[test]
fn how_long_a_condition_has_to_last_is_told_in_round_words() {
    let lasts = |rule: &AlertRule| rule.at(9_999.0, &[]).unwrap().lasts;
    assert_eq!((lasts(&STALLED).as_str(), lasts(&VERSIONS).as_str()), ("5 min", "1 h"));
}

#[test]
fn a_rule_is_told_once_with_as_many_sentences_as_have_room() {
    let models = (0..12).map(|n| model(&format!("m:{n}"), BreakerState::Open)).collect();
    let told = holding(
        &[host("gpu1", models)],
        &ClusterOverview { agon_version: "1".to_owned(), ..ClusterOverview::default() },
    );
    let [alert] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((alert.first().count(), alert.more()), (10, 2));
}
