//! What clients see while gateways die, and what becomes of orders to end a debate.
use crate::cluster_bench::{ClusterBench, PATIENCE, count, is_claim, is_speech, quick, state};
use crate::support::{ProgramOutput, RunningProgram};
use agon_core::DebateState;
use agon_testkit::{TcpProxy, until};
use serde_json::Value;
use std::fs::File;
use std::process::Stdio;

#[test]
fn a_watcher_whose_gateway_is_killed_goes_on_at_another_and_sees_every_event_once() {
    let mut stage = ClusterBench::start(quick(1, 1).gateways(2));
    let door = TcpProxy::start(stage.cluster.member("gateway-1").unwrap().grpc.unwrap()).unwrap();
    stage.submit("watched", 4);
    let watch =
        RunningProgram::start(stage.cluster.agon(&["watch", "watched", "--jsonl", "--server", &door.address()]));
    let mut lines = vec![watch.line().unwrap(), watch.line().unwrap(), watch.line().unwrap()];

    stage.cluster.member("gateway-1").unwrap().kill();
    door.lead_to(stage.cluster.member("gateway-2").unwrap().grpc.unwrap());

    lines.extend(std::iter::from_fn(|| watch.line()));
    let told: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<u64> =
        told.iter().filter(|line| line["type"] != "delta").filter_map(|line| line["seq"].as_u64()).collect();
    let last = stage.finishes("watched").last().unwrap().last().0;
    assert_eq!(told, (1..=last).collect::<Vec<_>>());
}

fn cancel(stage: &ClusterBench, id: &str) {
    let server = stage.cluster.grpc(0).unwrap();
    ProgramOutput::of(
        &stage.cluster.agon(&["cancel", id, "--reason", "enough", "--server", &server]).output().unwrap(),
    )
    .ok();
}

#[test]
fn a_debate_that_nobody_owns_is_ended_by_whoever_takes_it() {
    let mut stage = ClusterBench::start(quick(1, 1));
    stage.cluster.member("coordinator-1").unwrap().kill();
    stage.submit("unowned", 3);
    cancel(&stage, "unowned");
    stage.cluster.restart("coordinator-1").unwrap();
    let records = stage.finishes("unowned");
    assert_eq!((state(&records), count(&records, is_claim)), (Some(DebateState::Cancelled), 1));
    assert_eq!(stage.cluster.rehearsals[0].count("finished_calls").unwrap(), count(&records, is_speech) as u64);
}

#[test]
fn a_debate_that_is_ended_in_the_middle_of_a_turn_has_one_outcome_of_that_turn() {
    let stage = ClusterBench::start(quick(2, 1));
    // More than one, so that the order meets turns at different moments.
    let debates: Vec<String> = (1..=6).map(|n| format!("ended-{n}")).collect();
    for id in &debates {
        stage.submit(id, 8);
    }
    for (at, id) in debates.iter().enumerate() {
        stage.speeches(id, 1 + at % 3);
        cancel(&stage, id);
    }
    for id in &debates {
        // The check compares each try with its register: an answer there is one in the log, and nothing else.
        let records = stage.finishes(id);
        assert_eq!(state(&records), Some(DebateState::Cancelled), "{id}");
    }
}

#[test]
fn whoever_watches_is_told_what_keeps_a_debate_that_nobody_leads_or_no_host_plays() {
    let mut stage = ClusterBench::start(quick(1, 0));
    stage.submit("unserved", 1);
    told(&stage, "unserved", "Waiting for a host that serves scripted (Ada).");
    stage.cluster.member("coordinator-1").unwrap().kill();
    told(&stage, "unserved", "no coordinator runs; `agon serve --roles coordinator` starts one");
    stage.cluster.restart("coordinator-1").unwrap();
    cancel(&stage, "unserved");
}

/// Watches without a terminal until that is said.
fn told(stage: &ClusterBench, debate: &str, wanted: &str) {
    let server = stage.cluster.grpc(0).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let said = folder.path().join("said");
    let mut watch = stage.cluster.agon(&["watch", debate, "--jsonl", "--server", &server]);
    let mut watch = watch.stdout(Stdio::null()).stderr(File::create(&said).unwrap()).spawn().unwrap();

    let read = || Ok(Some(std::fs::read_to_string(&said)?).filter(|said| said.contains(wanted)));
    let told = until("it is told", PATIENCE, read);

    watch.kill().unwrap();
    watch.wait().unwrap();
    told.unwrap();
}
