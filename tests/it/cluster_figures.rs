//! What a gateway tells of the whole cluster: what waits, what runs, what stands still.
use crate::cluster_stage::{PATIENCE, Stage, quick};
use crate::security;
use agon_testkit::{http_get, until};

/// The metrics that the gateway shows now.
fn metrics(stage: &mut Stage) -> String {
    let gateway = stage.cluster.member("gateway-1").unwrap().process().unwrap();
    let line = gateway.wait_for("admin     ").unwrap();
    http_get(line.rsplit("//").next().unwrap().trim(), "/metrics").unwrap()
}

/// The value of a series, where it is told.
fn value(metrics: &str, series: &str) -> Option<f64> {
    let line = metrics.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map(|value| value.parse().unwrap())
}

/// Waits until all these series have these values.
fn shows(stage: &mut Stage, wanted: &[(&str, f64)]) -> String {
    let mut last = String::new();
    let shown = until(&format!("{wanted:?}"), PATIENCE, || {
        last = metrics(stage);
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
    let mut stage = Stage::start(quick(1, 0));
    stage.cluster.member("coordinator-1").unwrap().kill();
    stage.submit("counted", 1);
    let waiting = shows(&mut stage, &[(NORMAL, 1.0), (RUNNING, 0.0), (STALLED, 0.0)]);
    assert!(value(&waiting, "agon_debates_queued_oldest_seconds").unwrap() > 0.0, "{waiting}");
    assert_eq!(value(&waiting, "agon_debates_queued{priority=\"batch\"}"), Some(0.0), "{waiting}");

    // no host has ever told the model's name
    stage.cluster.restart("coordinator-1").unwrap();
    let oldest = ("agon_debates_queued_oldest_seconds", 0.0);
    shows(&mut stage, &[(NORMAL, 0.0), oldest, (RUNNING, 1.0), (STALLED, 0.0), (TURNS, 1.0)]);

    stage.cluster.member("coordinator-1").unwrap().process().unwrap().stop().unwrap();
    shows(&mut stage, &[(RUNNING, 1.0), (STALLED, 1.0), (TURNS, 1.0)]);

    stage.cluster.member("coordinator-1").unwrap().process().unwrap().go_on().unwrap();
    shows(&mut stage, &[(RUNNING, 1.0), (STALLED, 0.0)]);
}

#[test]
fn a_gateway_that_loses_nats_tells_no_old_figures() {
    let mut stage = Stage::start(quick(1, 1));
    shows(&mut stage, &[(NORMAL, 0.0), (RUNNING, 0.0), (TURNS, 0.0)]);
    stage.cluster.nats.kill();
    let absent = until("the figures are gone", PATIENCE, || {
        let metrics = metrics(&mut stage);
        let gone = ["agon_debates_queued", RUNNING, STALLED, "agon_turns_queued"];
        Ok(gone.iter().all(|name| !metrics.contains(name)).then_some(metrics))
    });
    assert!(absent.unwrap().contains("agon_build_info"), "the others are there");
    stage.cluster.nats.restart().unwrap();
    shows(&mut stage, &[(NORMAL, 0.0), (RUNNING, 0.0), (TURNS, 0.0)]);
}

#[test]
fn a_gateway_whose_user_may_not_look_at_the_queue_serves_and_warns_once() {
    let mut cluster = security::without(&["$JS.API.STREAM.INFO.AGON_GEN", "$JS.API.STREAM.MSG.GET.AGON_GEN"]);
    let process = cluster.member("gateway");
    process.wait_for("agon_turns_queued is missing").unwrap();
    let admin = cluster.address("admin");

    let figures = until("the debates are counted", PATIENCE, || {
        let metrics = http_get(&admin, "/metrics")?;
        Ok((value(&metrics, NORMAL) == Some(0.0)).then_some(metrics))
    });

    assert!(!figures.unwrap().contains("agon_turns_queued"));
    assert_eq!(http_get(&admin, "/readyz").unwrap().trim(), r#"{"ready":true,"reasons":[]}"#);
    assert_eq!(cluster.member("gateway").log().matches("agon_turns_queued is missing").count(), 1);
}
