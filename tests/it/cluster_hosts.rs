//! The host that plays a turn dies, or is told to end.
use crate::cluster_bench::PATIENCE;
use crate::cluster_bench::{ClusterBench, count, events, is_failure, is_speech, quick};
use crate::support::TestCluster;
use agon_core::{Answered, Event, Given};
use agon_testkit::until;

#[test]
fn a_turn_whose_host_is_killed_is_played_elsewhere_and_has_one_result() {
    let mut stage = ClusterBench::start(quick(1, 2).own_rehearsals().rehearsal(&["--token-interval", "10ms"]));
    stage.submit("host-dies", 2);
    let (player, server) = stage.player();
    let before = server.calls().unwrap().len();

    stage.cluster.member(&player).unwrap().kill();

    let records = stage.finishes("host-dies");
    assert_eq!(count(&records, is_speech), 4);
    let died = format!("scripted-{player}-");
    let hosts: Vec<String> = events(&records)
        .into_iter()
        .filter_map(|event| match event {
            Event::Answered(said @ Answered { given: Given::Speech(_), .. }) => said.call.host.clone(),
            _ => None,
        })
        .collect();
    assert!(hosts.len() == 4 && hosts[before..].iter().all(|host| !host.starts_with(&died)), "{player}: {hosts:?}");
}

#[test]
fn a_host_that_is_told_to_end_loses_no_turn() {
    let mut stage = ClusterBench::start(quick(1, 2).own_rehearsals());
    stage.submit("host-ends", 5);
    stage.speeches("host-ends", 2);
    let (player, _) = stage.player();

    let status = stage.cluster.member(&player).unwrap().process().unwrap().terminate().unwrap();

    assert!(status.success(), "{status}");
    let records = stage.finishes("host-ends");
    assert_eq!((count(&records, is_speech), count(&records, is_failure)), (10, 0));
    assert_eq!(stage.paid_twice(), Vec::<String>::new());
}

#[test]
fn a_host_that_was_told_to_end_has_gone_and_is_not_called_silent() {
    let mut cluster = TestCluster::start().nats().gateway().hosts(3);
    let log = |cluster: &mut TestCluster| cluster.member("gateway").log();
    assert!(cluster.member("host-2").terminate().unwrap().success());
    until("the gateway notices", PATIENCE, || Ok(log(&mut cluster).contains("drained host has gone").then_some(())))
        .unwrap();
    let said = log(&mut cluster);
    assert!(!said.contains("host is silent"), "{said}");
    // a third one is still heard, so that silence is not the bus's
    cluster.member("host-1").kill();
    until("the gateway misses it", PATIENCE, || Ok(log(&mut cluster).contains("host is silent").then_some(())))
        .unwrap();
}

#[test]
fn a_host_whose_line_is_cut_loses_its_turn_to_another_and_its_late_answer_is_dropped() {
    let stage =
        ClusterBench::start(quick(1, 2).own_rehearsals().behind_proxies().rehearsal(&["--token-interval", "10ms"]));
    let mut stage = stage;
    stage.submit("host-cut", 2);
    let (player, _) = stage.player();

    stage.cluster.member(&player).unwrap().line().unwrap().cut();
    stage.speeches("host-cut", 1);
    stage.cluster.member(&player).unwrap().line().unwrap().heal();

    let records = stage.finishes("host-cut");
    assert_eq!(count(&records, is_speech), 4);
    assert!(stage.cluster.member(&player).unwrap().runs());
}
