//! What a gateway tells of the whole cluster: what waits, what runs, what stands still, what fills up.
use crate::cluster_bench::{ClusterBench, PATIENCE, file, quick};
use crate::security;
use crate::security::wire::NatsWire;
use agon_testkit::cluster::Cluster;
use agon_testkit::{http_get, until};
use serde_json::Value;

/// The metrics that the gateway shows now.
fn metrics(cluster: &mut Cluster) -> String {
    let gateway = cluster.member("gateway-1").unwrap().process().unwrap();
    let line = gateway.wait_for("admin     ").unwrap();
    http_get(line.rsplit("//").next().unwrap().trim(), "/metrics").unwrap()
}

/// The value of a series, where it is told.
fn value(metrics: &str, series: &str) -> Option<f64> {
    let line = metrics.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map(|value| value.parse().unwrap())
}

/// Waits until all these series have these values.
fn shows(cluster: &mut Cluster, wanted: &[(&str, f64)]) -> String {
    let mut last = String::new();
    let shown = until(&format!("{wanted:?}"), PATIENCE, || {
        last = metrics(cluster);
        let fits = wanted.iter().all(|(series, number)| value(&last, series) == Some(*number));
        Ok(fits.then(|| last.clone()))
    });
    shown.unwrap_or_else(|error| panic!("{error}\n{last}"))
}

const RUNNING: &str = "agon_debates_running";
const STALLED: &str = "agon_debates_stalled";
const NORMAL: &str = "agon_debates_queued{priority=\"normal\"}";
const TURNS: &str = "agon_turns_queued{model=\"rehearsal scripted\"}";

#[test]
fn a_gateway_tells_what_waits_what_runs_and_what_nobody_leads_any_more() {
    let mut stage = ClusterBench::start(quick(1, 0));
    stage.cluster.member("coordinator-1").unwrap().kill();
    stage.submit("counted", 1);
    let waiting = shows(&mut stage.cluster, &[(NORMAL, 1.0), (RUNNING, 0.0), (STALLED, 0.0)]);
    assert!(value(&waiting, "agon_debates_queued_oldest_seconds").unwrap() > 0.0, "{waiting}");
    assert_eq!(value(&waiting, "agon_debates_queued{priority=\"batch\"}"), Some(0.0), "{waiting}");

    // no host has ever told the model's name
    stage.cluster.restart("coordinator-1").unwrap();
    let oldest = ("agon_debates_queued_oldest_seconds", 0.0);
    shows(&mut stage.cluster, &[(NORMAL, 0.0), oldest, (RUNNING, 1.0), (STALLED, 0.0), (TURNS, 1.0)]);

    stage.cluster.member("coordinator-1").unwrap().process().unwrap().stop().unwrap();
    shows(&mut stage.cluster, &[(RUNNING, 1.0), (STALLED, 1.0), (TURNS, 1.0)]);

    stage.cluster.member("coordinator-1").unwrap().process().unwrap().go_on().unwrap();
    shows(&mut stage.cluster, &[(RUNNING, 1.0), (STALLED, 0.0)]);
}

/// The streams that stop debates when they are full, where there are two shards.
const STREAMS: [&str; 10] = [
    "AGON_BIG",
    "AGON_CMD",
    "AGON_EVL",
    "AGON_GEN",
    "AGON_IDX",
    "AGON_JOB",
    "AGON_LOG_0",
    "AGON_LOG_1",
    "AGON_REQ",
    "AGON_RES",
];

/// The figures of streams that nats-server itself gives.
fn asked(port: u16) -> Vec<(String, f64)> {
    let mut wire = NatsWire::connect(port, None).unwrap();
    assert!(wire.listen("_INBOX_asked.>").is_empty());
    let mut figures = Vec::new();
    for stream in STREAMS {
        wire.ask(&format!("$JS.API.STREAM.INFO.{stream}"), "_INBOX_asked.here", "");
        let answer: Value = serde_json::from_str(&wire.hear().1).unwrap();
        let (state, config) = (&answer["state"], &answer["config"]);
        let mut told = |what: &str, figure: &Value| {
            figures.push((format!("agon_stream_{what}{{stream=\"{stream}\"}}"), figure.as_f64().unwrap()));
        };
        told("bytes", &state["bytes"]);
        told("limit_bytes", &config["max_bytes"]);
        if config["max_msgs"].as_i64().unwrap() > 0 {
            told("messages", &state["messages"]);
            told("limit_messages", &config["max_msgs"]);
        }
    }
    figures
}

#[test]
fn a_gateway_tells_how_full_each_stream_is() {
    let limits = "[nats]\nshards = 2\n[nats.limits]\nregisters_mib = 3\njobs = 77\n";
    // whoever opened the logs here, with other limits, would raise them
    let mut cluster = quick(1, 1).settings(limits).start().unwrap();
    let size = "agon_stream_bytes{stream=\"AGON_RES\"}";
    shows(&mut cluster, &[(size, 0.0), ("agon_stream_limit_messages{stream=\"AGON_JOB\"}", 77.0)]);
    cluster.submit(&file("stored", 1), "stored").unwrap();

    let same = until("the gateway tells what nats-server does", PATIENCE, || {
        let asked = asked(cluster.nats.port());
        let told = metrics(&mut cluster);
        let grown = value(&told, size) > Some(0.0);
        let fits = grown && asked.iter().all(|(series, figure)| value(&told, series) == Some(*figure));
        Ok(fits.then_some((told, asked)))
    });

    let (told, asked) = same.unwrap();
    let of = |series: &str| asked.iter().find(|(name, _)| name == series).unwrap().1;
    assert!(of(size) > 0.0 && of("agon_stream_bytes{stream=\"AGON_IDX\"}") > 0.0, "{asked:?}");
    assert_eq!(of("agon_stream_limit_bytes{stream=\"AGON_RES\"}"), f64::from(3 << 20));
    let series = told.lines().filter(|line| line.starts_with("agon_stream_")).count();
    assert_eq!(series, asked.len(), "no others: {told}");
    assert_eq!(asked.len(), 2 * STREAMS.len() + 2 * 2, "messages of jobs and turns alone: {asked:?}");
}

#[test]
fn a_gateway_that_loses_nats_tells_no_old_figures() {
    let mut stage = ClusterBench::start(quick(1, 1));
    shows(&mut stage.cluster, &[(NORMAL, 0.0), (RUNNING, 0.0), (TURNS, 0.0)]);
    stage.cluster.nats.kill();
    let absent = until("the figures are gone", PATIENCE, || {
        let metrics = metrics(&mut stage.cluster);
        let gone = ["agon_debates_queued", RUNNING, STALLED, "agon_turns_queued", "agon_stream_"];
        Ok(gone.iter().all(|name| !metrics.contains(name)).then_some(metrics))
    });
    assert!(absent.unwrap().contains("agon_build_info"), "the others are there");
    stage.cluster.nats.restart().unwrap();
    shows(&mut stage.cluster, &[(NORMAL, 0.0), (RUNNING, 0.0), (TURNS, 0.0)]);
}

#[test]
fn a_gateway_whose_user_may_not_look_at_the_queue_serves_and_warns_once() {
    let mut cluster = security::without(&["$JS.API.STREAM.INFO.AGON_GEN", "$JS.API.STREAM.MSG.GET.AGON_GEN"]);
    let process = cluster.member("gateway");
    process.wait_for("agon_turns_queued is missing").unwrap();
    let admin = cluster.address("admin");

    let figures = until("the debates are counted", PATIENCE, || {
        let metrics = http_get(&admin, "/metrics")?;
        let told = value(&metrics, NORMAL) == Some(0.0) && metrics.contains("agon_stream_bytes{stream=\"AGON_RES\"}");
        Ok(told.then_some(metrics))
    });

    let figures = figures.unwrap();
    assert!(!figures.contains("agon_turns_queued") && !figures.contains("AGON_GEN"), "{figures}");
    assert_eq!(http_get(&admin, "/readyz").unwrap().trim(), r#"{"ready":true,"reasons":[]}"#);
    assert_eq!(cluster.member("gateway").log().matches("agon_turns_queued is missing").count(), 1);
    assert_eq!(cluster.member("gateway").log().matches("how full a stream is").count(), 1);
}
