//! The coordinator that owns a debate dies, stands still, is told to end, or cannot be reached.
use crate::cluster_bench::{ClusterBench, count, is_claim, is_failure, is_speech, quick};
use std::time::Duration;

#[test]
fn when_an_owner_is_killed_another_goes_on_and_no_finished_turn_is_asked_again() {
    let mut stage = ClusterBench::start(quick(2, 1));
    let debates = ["owned-1", "owned-2", "owned-3"];
    debates.iter().for_each(|id| stage.submit(id, 5));
    debates.iter().for_each(|id| drop(stage.speeches(id, 2)));

    let owner = stage.owner("owned-1");
    stage.cluster.member(&owner).unwrap().kill();

    for id in debates {
        let records = stage.finishes(id);
        assert_eq!((count(&records, is_speech), count(&records, is_failure)), (10, 0), "{id}");
    }
    assert_eq!(stage.claims("owned-1", 2).iter().flat_map(|record| &record.events).filter(|e| is_claim(e)).count(), 2);
    assert_eq!(stage.paid_twice(), Vec::<String>::new());
}

#[test]
fn an_owner_that_stood_still_past_its_takeover_writes_nothing_any_more() {
    let mut stage = ClusterBench::start(quick(2, 1));
    stage.submit("zombie", 12);
    stage.speeches("zombie", 1);
    let owner = stage.owner("zombie");
    stage.cluster.member(&owner).unwrap().process().unwrap().stop().unwrap();
    let taken = stage.claims("zombie", 2).len();

    stage.cluster.member(&owner).unwrap().process().unwrap().go_on().unwrap();

    let records = stage.finishes("zombie");
    assert!(records.len() > taken, "the debate goes on");
    let zombie = stage.cluster.member(&owner).unwrap();
    assert!(zombie.runs(), "only the debate is given up, not the process");
    zombie.process().unwrap().wait_for("coordinator stops").unwrap();
    assert_eq!((count(&records, is_claim), stage.paid_twice().len()), (2, 0));
}

#[test]
fn an_owner_that_is_told_to_end_hands_over_without_waiting_to_be_missed() {
    // Nobody would be missed within the test's patience.
    let patient = "[coordinator]\nnode_silent = \"10m\"\nrunning_stale = \"10m\"\n";
    let scenario = agon_testkit::cluster::Scenario::new(crate::support::agon()).coordinators(2).settings(patient);
    let mut stage = ClusterBench::start(scenario.rehearsal(&["--latency", "300ms"]));
    stage.submit("handed-over", 6);
    stage.speeches("handed-over", 2);
    let owner = stage.owner("handed-over");

    let status = stage.cluster.member(&owner).unwrap().process().unwrap().terminate().unwrap();

    assert!(status.success(), "{status}");
    let records = stage.finishes("handed-over");
    assert_eq!(
        (count(&records, is_claim), count(&records, is_speech), count(&records, is_failure)),
        (2, 12, 0),
        "no turn is lost or doubled"
    );
    assert_eq!(stage.paid_twice(), Vec::<String>::new());
}

#[test]
fn an_owner_whose_line_is_cut_is_replaced_and_is_fenced_when_it_comes_back() {
    let mut stage = ClusterBench::start(quick(2, 1).behind_proxies());
    stage.submit("cut-off", 12);
    stage.speeches("cut-off", 1);
    let owner = stage.owner("cut-off");

    stage.cluster.member(&owner).unwrap().line().unwrap().cut();
    stage.claims("cut-off", 2);
    stage.cluster.member(&owner).unwrap().line().unwrap().heal();

    let records = stage.finishes("cut-off");
    assert_eq!((count(&records, is_speech), count(&records, is_failure)), (24, 0));
    stage.cluster.member(&owner).unwrap().process().unwrap().wait_for("coordinator stops").unwrap();
    assert_eq!(stage.paid_twice(), Vec::<String>::new());
    // It is as good as any other from here on.
    let other = stage.owner("cut-off");
    stage.cluster.member(&other).unwrap().kill();
    stage.submit("after-it", 1);
    stage.finishes("after-it");
    assert_eq!(stage.owner("after-it"), owner);
}

#[test]
fn over_slow_lines_a_debate_takes_longer_and_nothing_else() {
    let mut stage = ClusterBench::start(quick(2, 1).behind_proxies());
    for member in stage.cluster.members() {
        member.line().unwrap().delay(Duration::from_millis(40));
    }
    stage.submit("slow-line", 2);
    let records = stage.finishes("slow-line");
    assert_eq!((count(&records, is_speech), count(&records, is_failure)), (4, 0));
    assert_eq!(stage.paid_twice(), Vec::<String>::new());
}
