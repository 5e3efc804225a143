//! Who gets a host's permits: priorities by weight, as many as the server bears, and none while its breaker is open.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::{Death, Node, Victim};
use std::time::Duration;

const HALF: Duration = Duration::from_millis(500);

async fn after(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}
fn permits(node: &Node) -> u32 {
    node.hosts()[0].alive.models[0].permits
}

#[tokio::test(start_paused = true)]
async fn at_a_saturated_host_priorities_share_the_permit_by_their_weights() {
    let (_, cast, node) = scene("n1", HALF, 1).await;
    let topics = [(Priority::Batch, "a harbour"), (Priority::Normal, "a school"), (Priority::Interactive, "a bridge")];
    for (priority, topic) in topics {
        for n in 0..12 {
            let spec = DebateSpec { topic: topic.into(), max_rounds: 4, ..simultaneous_spec() };
            let id = format!("{}-{n}", priority.as_str());
            node.submit(Admission { priority, ..admission(&id, spec) }).await.unwrap();
        }
    }

    after(60).await;

    let calls = cast.state.calls.lock().unwrap().clone();
    // those that came first found an idle host
    let settled = calls.iter().skip(12).take(96);
    let order: Vec<&str> = settled.filter_map(|c| topics.iter().map(|(_, t)| *t).find(|t| c.contains(t))).collect();
    let [batch, normal, interactive] = topics.map(|(_, topic)| order.iter().filter(|of| **of == topic).count());
    assert_eq!(order.len(), 96);
    assert!(interactive.abs_diff(64) <= 2 && normal.abs_diff(24) <= 2 && batch.abs_diff(8) <= 2, "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_gets_fewer_calls_at_once_and_more_again_when_it_answers() {
    let (_, cast, node) = scene("n1", HALF, 8).await;
    cast.cue([Cue::Busy]);
    node.submit(admission("debate-0", spec())).await.unwrap();
    after(1).await;
    assert_eq!(permits(&node), 4);

    for n in 1..60 {
        node.submit(admission(&format!("debate-{n}"), spec())).await.unwrap();
    }
    after(1).await;
    assert!((3..=5).contains(&cast.running()), "{}", cast.running());
    for n in 0..60 {
        assert_eq!(node.finished(&debate(&format!("debate-{n}"))).await.unwrap().0, DebateState::Succeeded);
    }

    assert_eq!((permits(&node), cast.most_running()), (8, 8));
}

#[tokio::test(start_paused = true)]
async fn a_breaker_that_is_open_stays_open_when_its_gate_dies() {
    let (_, cast, node) = scene("n1", HALF, 1).await;
    cast.cue(std::iter::repeat_n(Cue::Fail, 1_000));
    node.submit(admission("debate-0", spec())).await.unwrap();
    after(10).await;
    assert_eq!(cast.calls(), 3, "it is open");

    for death in [Death::Kill, Death::Panic, Death::Error] {
        node.strike(Victim::Gate("m".into()), death);
        after(5).await;
    }

    assert_eq!(cast.calls(), 3);
    assert_eq!(node.hosts()[0].alive.models[0].breaker, agon_proto::BreakerState::Open);
}

#[tokio::test(start_paused = true)]
async fn a_host_whose_breaker_was_open_is_tried_again_although_another_is_well() {
    let (stage, sick, well) = (TestBench::new(), Cast::new(HALF), Cast::new(HALF));
    sick.cue(std::iter::repeat_n(Cue::Fail, 3));
    let node = stage.node("n1", vec![sick.host("gpu1", 1), well.host("gpu2", 1)]).await;

    for n in 0..150 {
        node.submit(admission(&format!("debate-{n}"), spec())).await.unwrap();
    }
    for n in 0..150 {
        assert_eq!(node.finished(&debate(&format!("debate-{n}"))).await.unwrap().0, DebateState::Succeeded);
    }

    assert!(sick.calls() > 20, "{} calls", sick.calls());
}
