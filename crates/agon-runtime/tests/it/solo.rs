//! A node that plays only what it admits or adopts.
use crate::cast::Cast;
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::{Death, Node, NodeConfig, Victim};
use std::time::Duration;

async fn solo(stage: &TestBench, id: &str, cast: &Cast) -> Node {
    stage.node_with(NodeConfig::solo(id.into()), vec![cast.host("gpu1", 1)]).await
}

#[tokio::test(start_paused = true)]
async fn a_debate_that_one_process_stopped_is_not_continued_by_the_next_that_plays_another() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let first = solo(&stage, "n1", &cast).await;
    first.submit(admission("stopped", sequential_spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_700)).await;
    assert!(first.drain().await);
    let left = stage.log("stopped").await.len();

    let second = solo(&stage, "n2", &cast).await;
    second.submit(admission("another", sequential_spec())).await.unwrap();
    assert_eq!(second.finished(&debate("another")).await.unwrap().0, DebateState::Succeeded);
    tokio::time::sleep(Duration::from_secs(300)).await;

    assert_eq!(stage.log("stopped").await.len(), left, "nobody has resumed it");
    second.adopt(&debate("stopped"));
    assert_eq!(second.finished(&debate("stopped")).await.unwrap().0, DebateState::Succeeded);
    assert!(second.stop().await);
}

#[tokio::test(start_paused = true)]
async fn a_server_takes_nothing_of_what_a_process_of_its_own_left() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let alone = solo(&stage, "n1", &cast).await;
    alone.submit(admission("stopped", sequential_spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_700)).await;
    assert!(alone.drain().await);
    let left = stage.log("stopped").await.len();

    let server = stage.node("server", vec![cast.host("gpu1", 1)]).await;
    server.submit(admission("served", sequential_spec())).await.unwrap();
    server.finished(&debate("served")).await.unwrap();
    tokio::time::sleep(Duration::from_secs(300)).await;

    assert_eq!(stage.log("stopped").await.len(), left, "it was not submitted to the server");
    assert!(server.stop().await);
}

#[tokio::test(start_paused = true)]
async fn an_order_that_another_process_gives_ends_a_debate_that_is_played_here() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let node = solo(&stage, "n1", &cast).await;
    node.submit(admission("unwanted", sequential_spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_700)).await;

    let order = agon_store::CancelOrder { reason: "not needed".into(), by: None };
    stage.commands.order_cancel(&debate("unwanted"), order).await.unwrap();

    assert_eq!(node.finished(&debate("unwanted")).await.unwrap().0, DebateState::Cancelled);
    assert!(node.stop().await);
}

#[tokio::test(start_paused = true)]
async fn a_debate_whose_coordinator_dies_too_often_is_left_as_it_is_and_can_be_resumed() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_secs(60));
    let node = solo(&stage, "n1", &cast).await;
    node.submit(admission("poison", sequential_spec())).await.unwrap();
    let dying = async {
        loop {
            node.strike(Victim::Coordinator(debate("poison")), Death::Panic);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::select! {
        _ = node.failed() => {}
        () = dying => {}
    }
    let log = stage.log("poison").await;
    assert!(!events(&log).any(|event| matches!(event, Event::DebateEnded { .. })));
    assert!(node.stop().await);

    let quick = Cast::new(Duration::from_millis(500));
    for n in 2..9 {
        // processes that die before they have done anything
        let node = solo(&stage, &format!("n{n}"), &cast).await;
        node.adopt(&debate("poison"));
        tokio::time::sleep(Duration::from_millis(100)).await;
        node.stop().await;
    }
    let node = solo(&stage, "last", &quick).await;
    node.adopt(&debate("poison"));
    assert_eq!(node.finished(&debate("poison")).await.unwrap().0, DebateState::Succeeded);
    assert!(node.stop().await);
}
