//! The three-terminals story: a cluster that is started by hand, and what its users see while things go wrong.
use crate::support::{RunningProgram, SHORT, SLOW, TestCluster, answered, example};
use nix::sys::signal::Signal;
use serde_json::Value;

/// A gateway, a coordinator in the same process, and a host, over a nats-server.
fn three_terminals() -> TestCluster {
    TestCluster::start().nats().gateway_and_coordinator().hosts(1)
}

/// The same, at a pace at which there is time to interfere.
fn slowly() -> TestCluster {
    TestCluster::start().nats().gateway_and_coordinator().hosts_with(1, &SLOW)
}

fn submit(cluster: &mut TestCluster, id: &str) {
    let said = cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--seed", "7", "--id", id]).ok();
    assert_eq!(said.stdout.trim(), id);
}

/// The events that a watch prints, to its end, which must be a good one.
fn to_the_end(watch: RunningProgram) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some(line) = watch.line() {
        events.push(serde_json::from_str(&line).unwrap());
    }
    let (status, told) = watch.wait();
    assert!(matches!(status.code(), Some(0 | 2)), "{status}: {told}");
    events
}

/// Every event is there once, in order, and the last one ends the debate.
fn assert_whole(events: &[Value], first: u64) {
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    let last = first + numbers.len() as u64;
    assert_eq!(numbers, (first..last).collect::<Vec<_>>());
    assert_eq!(events.last().unwrap()["type"], "debate_ended");
}

#[test]
fn a_debate_is_submitted_shown_and_decided_as_with_run() {
    let mut cluster = three_terminals();

    let said = cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--wait", "--id", "battery"]).ok();

    for wanted in ["Rehearsal", "== Round 1 ==", "== Decision ==", "Decided"] {
        assert!(said.stdout.contains(wanted), "{wanted}: {said:?}");
    }
    assert!(cluster.world.path("agon-reports/battery/result.json").is_file());
    let result: Value = cluster.json(&["get", "battery", "--json"]);
    assert_eq!((&result["state"], &result["rehearsal"]), (&"succeeded".into(), &true.into()));
    let list = cluster.agon(&["list"]).ok().stdout;
    assert!(list.contains("battery") && list.contains("decided"), "{list}");
}

#[test]
fn the_events_of_a_watch_are_those_of_the_log_wherever_it_begins() {
    let mut cluster = slowly();
    submit(&mut cluster, "half-way");
    let first = cluster.running(&["watch", "half-way", "--jsonl"]);
    first.read_until("speech_recorded", 1);

    let second = to_the_end(cluster.running(&["watch", "half-way", "--jsonl"]));
    let later = to_the_end(cluster.running(&["watch", "half-way", "--jsonl", "--after", "10"]));

    assert_whole(&second, 1);
    assert_whole(&later, 11);
    assert_eq!(second, cluster.events("half-way"));
    assert_eq!(later, second[10..]);
    first.wait();
}

#[test]
fn a_watch_goes_on_when_nats_dies_and_comes_back() {
    let mut cluster = slowly();
    submit(&mut cluster, "outage");
    let watch = cluster.running(&["watch", "outage", "--jsonl"]);
    watch.read_until("speech_recorded", 1);

    cluster.nats_server().kill();
    cluster.nats_server().restart().unwrap();

    to_the_end(watch);
    let events = cluster.events("outage");
    assert_whole(&events, 1);
    assert!(answered(&events).values().all(|count| *count == 1), "{:?}", answered(&events));
}

#[test]
fn a_coordinator_that_is_told_to_end_hands_its_debate_over() {
    let mut cluster = TestCluster::start().nats().gateway().coordinators(2).hosts_with(1, &SLOW);
    submit(&mut cluster, "handed-over");
    let watch = cluster.running(&["watch", "handed-over", "--jsonl"]);
    watch.read_until("speech_recorded", 1);
    let claims = |events: &[Value]| -> Vec<String> {
        let claims = events.iter().filter(|event| event["type"] == "claimed");
        claims.map(|event| event["writer"].as_str().unwrap().to_owned()).collect()
    };
    let owner = claims(&cluster.events("handed-over")).pop().unwrap();
    let owner = cluster.member_of(&owner);

    let status = cluster.member(&owner).terminate().unwrap();

    assert_eq!(status.code(), Some(0));
    to_the_end(watch);
    let events = cluster.events("handed-over");
    assert_whole(&events, 1);
    assert_eq!(claims(&events).len(), 2, "a second coordinator went on");
    assert!(answered(&events).values().all(|count| *count == 1), "{:?}", answered(&events));
}

#[test]
fn ctrl_c_leaves_the_debate_to_the_cluster_and_says_how_to_come_back() {
    let mut cluster = slowly();
    let args = ["submit", &example(SHORT), "--rehearsal", "--wait", "--id", "left-alone", "--jsonl"];
    let waiting = cluster.running(&args);
    waiting.read_until("speech_recorded", 1);

    waiting.signal(Signal::SIGINT);

    let (status, told) = waiting.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    assert!(told.contains("agon watch left-alone"), "{told}");
    assert_whole(&to_the_end(cluster.running(&["watch", "left-alone", "--jsonl"])), 1);
}

#[test]
fn a_debate_can_be_ended_found_by_its_labels_and_removed() {
    let mut cluster = slowly();
    let args = ["submit", &example(SHORT), "--rehearsal", "--id", "unwanted", "--label", "team=infra"];
    cluster.agon(&args).ok();
    cluster.agon(&["delete", "unwanted"]).code(64);

    cluster.agon(&["cancel", "unwanted", "--reason", "no time"]).ok();

    cluster.agon(&["watch", "unwanted", "--quiet"]).code(4);
    let found = cluster.agon(&["list", "--state", "cancelled", "--label", "team", "--json"]).ok().stdout;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found[0]["id"], "unwanted");
    assert!(cluster.agon(&["list", "--label", "team=web"]).ok().stdout.is_empty());
    assert!(cluster.agon(&["list", "--model", "of-nobody"]).ok().stdout.is_empty());
    cluster.agon(&["delete", "unwanted"]).ok();
    cluster.agon(&["get", "unwanted"]).code(64);
}

#[test]
fn another_judge_reads_a_debate_that_is_over_and_only_he_is_asked() {
    let mut cluster = three_terminals();
    cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--wait", "--id", "first-court"]).ok();

    let said = cluster.agon(&["rejudge", "first-court", "--judge", "second-judge", "--id", "appeal", "--wait"]).ok();

    assert!(said.stdout.contains("first-court") && said.stdout.contains("Decided"), "{said:?}");
    let events = cluster.events("appeal");
    let asked: Vec<&Value> = events.iter().filter(|event| event["type"] == "turn_asked").collect();
    assert!(!asked.is_empty());
    assert!(asked.iter().all(|event| event["participant"] == "judge" && event["model"] == "second-judge"), "{asked:?}");
    let refused = cluster.agon(&["rejudge", "no-such-debate"]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
}

#[test]
fn the_same_request_gives_the_first_debate_again_and_another_one_is_refused() {
    let mut cluster = three_terminals();
    let again = |cluster: &mut TestCluster, topic: &str| {
        cluster.agon(&["submit", topic, "--rehearsal", "--seed", "1", "--request-id", "monday", "--rounds", "1"])
    };

    let (first, second) = (again(&mut cluster, "Tea?").ok(), again(&mut cluster, "Tea?").ok());

    assert_eq!(first.stdout, second.stdout);
    let other = again(&mut cluster, "Coffee?").code(64);
    assert!(other.stderr.contains("reason: REQUEST_ID_CONFLICT"), "{other:?}");
}

#[test]
fn a_request_whose_debate_was_deleted_makes_one_that_is_held_and_is_listed_as_it_was() {
    let mut cluster = three_terminals();
    let submit = |cluster: &mut TestCluster, more: &[&str]| {
        cluster.agon(&[&["submit", &example(SHORT), "--rehearsal", "--wait", "--quiet"], more].concat())
    };
    for _ in 0..2 {
        submit(&mut cluster, &["--request-id", "monday"]).ok();
        let found: Value = cluster.json(&["list", "--json"]);
        let id = found[0]["id"].as_str().unwrap();
        let told: Value = cluster.json(&["get", id, "--json"]);
        assert!(found[0]["rounds"].as_u64().unwrap() > 0, "{found}");
        assert_eq!(found[0]["rounds"], told["rounds"]);
        assert_eq!(found[0]["duration_ms"], told["timing"]["duration_ms"]);
        cluster.agon(&["delete", id]).ok();
    }
    submit(&mut cluster, &["--id", "named-one"]).ok();
    cluster.agon(&["delete", "named-one"]).ok();
    let refused = submit(&mut cluster, &["--id", "named-one"]).code(64);
    assert!(refused.stderr.contains("reason: DEBATE_DELETED"), "{refused:?}");
}

#[test]
fn hosts_and_plans_say_who_would_play() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator().hosts(2);

    let hosts: Value = cluster.json(&["hosts", "--json"]);
    let args = ["submit", &example(SHORT), "--rehearsal", "--validate-only", "--id", "only-planned"];
    let plan = cluster.agon(&args).ok().stdout;

    let names: Vec<&str> = hosts.as_array().unwrap().iter().map(|host| host["host"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 2, "{hosts}");
    assert!(names.iter().all(|name| plan.contains(name)) && plan.contains("qwen3:8b"), "{plan}");
    assert!(cluster.agon(&["list"]).ok().stdout.is_empty(), "nothing was begun");
}
