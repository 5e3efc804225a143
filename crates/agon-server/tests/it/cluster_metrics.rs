//! What a gateway's node counts of the whole cluster.
use crate::gateway_bench::*;
use agon_bus::subject::{DebateKey, Priority, Subject, Token, TurnKey};
use agon_core::ModelName;
use agon_proto::pb::v1 as pb;
use agon_runtime::{NodeConfig, Served};

/// A turn in the queue of a model, which nobody can read.
fn turn(model: &str, seat: u32) -> String {
    let key = DebateKey { tenant: Token::new("default"), debate: Token::new("some") };
    let turn = TurnKey { round: 1, seat, attempt: 1 };
    Subject::Gen { model: Token::model(model), prio: Priority::Normal, key, turn }.to_string()
}

#[tokio::test]
async fn debates_are_counted_by_priority_from_their_admission_to_their_end() {
    let stage = GatewayBench::new().await;
    let idle = stage.idle_node().await;
    let gateway = stage.gateway_before(&idle, config()).await;
    assert_eq!(
        idle.debate_figures().await.unwrap(),
        Some(agon_telemetry::DebateFigures { stalled: Some(0), ..Default::default() })
    );
    gateway.create(wanted("first-1")).await.unwrap();
    let urgent = pb::CreateDebateRequest {
        priority: agon_proto::pb::debate::v1::Priority::Interactive.into(),
        ..wanted("second-2")
    };
    gateway.create(urgent).await.unwrap();

    let figures = idle.debate_figures().await.unwrap().unwrap();
    assert_eq!(figures.queued, [(Priority::Normal, 1), (Priority::Interactive, 1)].into());
    assert_eq!((figures.running, figures.stalled), (0, Some(0)));

    let busy = stage.gateway().await;
    for id in ["first-1", "second-2"] {
        busy.finish(id).await;
    }
    let figures = idle.debate_figures().await.unwrap().unwrap();
    assert_eq!((figures.queued.len(), figures.oldest.as_millis(), figures.running), (0, 0, 0));
}

#[tokio::test]
async fn models_that_hosts_list_are_told_although_nothing_waits() {
    let stage = GatewayBench::new().await;
    let host = stage.host(Served::List(vec![ModelName::from("m:1"), ModelName::from("n:latest")]));
    let node = stage.node_with(NodeConfig::embedded("n1".into()), vec![host]).await;

    let counted = node.queue_watch().look().await.unwrap();

    let expected = [("rehearsal m:1", 0), ("rehearsal n", 0)].map(|(name, count)| (name.to_owned(), count));
    assert_eq!(counted, expected.into());
}

#[tokio::test]
async fn of_many_models_the_emptier_queues_are_one() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    for model in 0..102 {
        stage.bus.enqueue(&turn(&format!("model-{model}"), 0), b"no turn".to_vec().into()).await.unwrap();
    }
    stage.bus.enqueue(&turn("model-101", 1), b"no turn".to_vec().into()).await.unwrap();

    let counted = node.queue_watch().look().await.unwrap();

    assert_eq!((counted.len(), counted["other"], counted.values().sum::<u64>()), (101, 2, 103));
    assert_eq!(counted[Token::model("model-101").as_str()], 2, "what cannot be read is told by its token");
}

#[tokio::test]
async fn turns_of_debates_that_are_over_wait_for_nobody() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("first-1")).await.unwrap();
    gateway.finish("first-1").await;
    let node = stage.idle_node().await;
    for debate in ["first-1", "second-2"] {
        let key = DebateKey { tenant: Token::new("default"), debate: Token::new(debate) };
        let turn = TurnKey { round: 1, seat: 0, attempt: 1 };
        let left = Subject::Gen { model: Token::model("m:1"), prio: Priority::Normal, key, turn };
        stage.bus.enqueue(&left.to_string(), b"no turn".to_vec().into()).await.unwrap();
    }

    let counted = node.queue_watch().look().await.unwrap();

    assert_eq!(counted.get(Token::model("m:1").as_str()), Some(&1), "{counted:?}");
}
