//! Breakers, permits, deadlines, cancellation, lost hints.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_bus::{Faults, FaultyBus, MemoryBus};
use agon_core::*;
use agon_runtime::{HostConfig, Node, Scheduling, Served};
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "a-debate";

async fn begin(stage: &TestBench, cast: &Cast, spec: DebateSpec) -> Node {
    let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;
    node.submit(admission(ID, spec)).await.unwrap();
    node
}

async fn after(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

/// Waits until it holds, looking every second.
async fn within(seconds: u64, holds: impl Fn() -> bool) {
    for _ in 0..seconds {
        if holds() {
            return;
        }
        after(1).await;
    }
    assert!(holds(), "not within {seconds} s");
}

#[tokio::test(start_paused = true)]
async fn a_breaker_opens_at_the_third_failure_in_a_row_and_no_call_is_made_while_it_is_open() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    cast.cue(std::iter::repeat_n(Cue::Fail, 1_000));
    let _node = begin(&stage, &cast, spec()).await;

    after(55).await;

    assert_eq!(cast.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_lets_one_probe_through_and_closes_after_two_successes() {
    let (_, cast, node) = scene("n1", Duration::from_secs(10), 8).await;
    cast.cue(std::iter::repeat_n(Cue::Fail, 3));
    let ids: Vec<String> = (0..8).map(|n| format!("debate-{n}")).collect();
    node.submit(admission(&ids[0], spec())).await.unwrap();
    after(5).await;
    for id in &ids[1..] {
        node.submit(admission(id, spec())).await.unwrap();
    }

    after(40).await;
    assert_eq!((cast.calls(), cast.running()), (3, 0), "it is open");
    // the jitter lengthens the minute by at most a fifth, a probe takes ten seconds
    within(35, || cast.calls() == 4).await;
    for _ in 0..9 {
        assert_eq!((cast.calls(), cast.running()), (4, 1), "the first probe runs alone");
        after(1).await;
    }
    within(2, || cast.calls() == 5).await;
    for _ in 0..8 {
        assert_eq!((cast.calls(), cast.running()), (5, 1), "the second probe runs alone");
        after(1).await;
    }
    within(3, || cast.running() > 1).await;
    for id in &ids[1..] {
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_would_wait_too_long_at_an_open_breaker_fails_and_says_where() {
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 1).await;
    cast.cue(std::iter::repeat_n(Cue::Fail, 1_000));
    let mut admission = admission(ID, spec());
    admission.retry.wait_limit_ms = 5_000;

    node.submit(admission).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();

    let failures = failures(&stage.log(ID).await);
    let open = failures.iter().find(|failure| failure.cause == FailureCause::BreakerOpen).unwrap();
    assert!(open.detail.starts_with("the breaker for m is open at gpu1; calls fail since "), "{}", open.detail);
}

/// Milliseconds of a debate of three, of whom the third has a model of its own at a server that does this with every call.
async fn with_a_third(cue: Cue, turn: Duration) -> u64 {
    let stage = TestBench::new();
    let (cast, own) = (Cast::new(turn), Cast::new(turn));
    own.cue(std::iter::repeat_n(cue, 1_000));
    let served = HostConfig { models: Served::List(vec!["own".into()]), ..own.host("gpu2", 1) };
    let node = stage.node("n1", vec![cast.host("gpu1", 2), served]).await;
    let mut spec = DebateSpec { ballots: Ballots::Both, max_rounds: 5, ..spec() };
    let third = Persona { name: "Cora".into(), stance: Some("later".into()), ..spec.personas[1].clone() };
    spec.personas.push(third);
    spec.personas[2].voice.model = "own".into();
    let began = stage.clock.now();

    node.submit(admission(ID, spec)).await.unwrap();
    let (state, _) = node.finished(&debate(ID)).await.unwrap();

    assert_eq!(state, DebateState::Succeeded);
    check(&stage.log(ID).await);
    stage.clock.now().since(began)
}

#[tokio::test(start_paused = true)]
async fn a_debate_with_one_dead_persona_of_three_waits_for_the_tries_of_its_first_turn_and_for_two_probes_at_the_most()
{
    let (turn, limit) = (Duration::from_secs(10), spec().timeout_per_turn_ms);
    let tries = u64::from(RetryPolicy::default().max_attempts);
    let calm = with_a_third(Cue::Answer, turn).await;

    let silent = with_a_third(Cue::Silent, turn).await;
    let broken = with_a_third(Cue::Fail, turn).await;

    assert!(silent <= calm + tries * (limit + 1_000) + 2 * limit, "{silent} ms, and {calm} ms without it");
    assert!(broken <= calm + 3_000, "{broken} ms, and {calm} ms without it");
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_sends_turns_to_a_host_that_is_well() {
    let stage = TestBench::new();
    let (sick, well) = (Cast::new(Duration::from_millis(500)), Cast::new(Duration::from_millis(500)));
    sick.cue(std::iter::repeat_n(Cue::Fail, 1_000));
    let node = stage.node("n1", vec![sick.host("gpu1", 1), well.host("gpu2", 1)]).await;
    let ids: Vec<String> = (0..12).map(|n| format!("debate-{n}")).collect();

    for id in &ids {
        node.submit(admission(id, spec())).await.unwrap();
    }
    for id in &ids {
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
    }

    assert_eq!(sick.calls(), 3);
    assert_eq!(well.calls(), 12 * 3);
}

#[tokio::test(start_paused = true)]
async fn malformed_answers_do_not_open_the_breaker() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let judged_badly = std::iter::repeat_n(Cue::Say("I would rather not say.".into()), 10);
    cast.cue([Cue::Answer, Cue::Answer].into_iter().chain(judged_badly));
    let node = begin(&stage, &cast, spec()).await;

    node.finished(&debate(ID)).await.unwrap();
    let causes = causes(&stage.log(ID).await);
    cast.state.calls.lock().unwrap().clear();
    node.submit(admission("another", spec())).await.unwrap();
    node.finished(&debate("another")).await.unwrap();

    assert!(!causes.is_empty() && causes.iter().all(|cause| *cause == FailureCause::Malformed), "{causes:?}");
    assert!(cast.calls() >= 3, "the next debate's calls are let in");
}

#[tokio::test(start_paused = true)]
async fn where_scheduling_is_fair_debates_that_wait_for_one_permit_take_turns() {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(500)));
    let host = HostConfig { scheduling: Scheduling::Fair, ..cast.host("gpu1", 1) };
    let node = stage.node("n1", vec![host]).await;
    let topics = ["a bridge", "a school", "a harbour"];
    for (n, topic) in topics.iter().enumerate() {
        let spec = DebateSpec { topic: (*topic).into(), max_rounds: 4, ..simultaneous_spec() };
        node.submit(admission(&format!("debate-{n}"), spec)).await.unwrap();
    }
    for n in 0..topics.len() {
        node.finished(&debate(&format!("debate-{n}"))).await.unwrap();
    }

    let calls = cast.state.calls.lock().unwrap().clone();
    let order: Vec<usize> = calls.iter().filter_map(|c| topics.iter().position(|topic| c.contains(topic))).collect();
    let first_half = &order[..order.len() / 2];
    let counts: Vec<usize> = (0..topics.len()).map(|n| first_half.iter().filter(|of| **of == n).count()).collect();
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(most - least <= 2, "half of the calls: {counts:?}");
    assert_eq!(cast.most_running(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_never_answered_is_withdrawn_at_its_deadline_and_its_call_aborted() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    cast.cue([Cue::Hang]);
    let node = begin(&stage, &cast, spec()).await;

    node.finished(&debate(ID)).await.unwrap();

    assert_eq!(causes(&stage.log(ID).await), [FailureCause::Timeout]);
    assert_eq!(cast.aborted(), 1);
    assert_eq!(cast.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_comes_at_the_deadline_counts_once_either_way() {
    let limit = admission(ID, spec()).retry.wait_limit_ms + spec().timeout_per_turn_ms;

    for early in -3_000..3_000i64 {
        if early % 500 != 0 {
            continue;
        }
        let stage = TestBench::new();
        let cast = Cast::new(Duration::from_millis((limit as i64 - early) as u64));
        let node = begin(&stage, &cast, spec()).await;
        node.finished(&debate(ID)).await.unwrap();
        check(&stage.log(ID).await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_debate_ends_at_once_and_aborts_its_call() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_secs(100));
    let node = begin(&stage, &cast, spec()).await;
    after(1).await;
    let before = stage.clock.now();

    node.cancel(&debate(ID), "no longer of interest", None).await.unwrap();
    let end = node.finished(&debate(ID)).await.unwrap();
    after(1).await;

    assert_eq!(end.0, DebateState::Cancelled);
    assert!(stage.clock.now().since(before) < 2_000);
    assert_eq!((cast.aborted(), cast.running()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_debate_that_nobody_holds_can_be_cancelled() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_secs(100));
    let first = begin(&stage, &cast, spec()).await;
    after(1).await;
    first.stop().await;
    let second = stage.node("n2", vec![]).await;

    second.cancel(&debate(ID), "no longer of interest", None).await.unwrap();

    assert_eq!(second.finished(&debate(ID)).await.unwrap().0, DebateState::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn lost_doubled_and_late_messages_only_slow_things_down() {
    let calm = undisturbed(ID, sequential_spec()).await;

    for seed in 0..10 {
        let mut stage = TestBench::new();
        let faults = Faults { lose_hint: 400, double_hint: 200, delay_hint: 200, lose_work: 300, redeliver_acked: 300 };
        let bus = Arc::new(FaultyBus::new(MemoryBus::new(), seed, faults));
        stage.bus = bus.clone();
        let cast = Cast::new(Duration::from_millis(500));
        let node = stage.node("n1", vec![cast.host("gpu1", 2)]).await;
        node.submit(admission(ID, sequential_spec())).await.unwrap();
        node.finished(&debate(ID)).await.unwrap();

        let log = stage.log(ID).await;
        check(&log);
        assert!(bus.counts().lost_hints > 0, "{:?}", bus.counts());
        assert_same(&story(&log), &calm, &format!("faults of seed {seed}"));
    }
}
