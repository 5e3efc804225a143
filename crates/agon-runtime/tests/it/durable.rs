//! Debates over the store that survives the process.
use crate::cast::Cast;
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::SystemClock;
use agon_store::{SqliteOptions, SqliteStore};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn stage(path: &Path) -> TestBench {
    let store = Arc::new(SqliteStore::open(path, SqliteOptions::default()).unwrap());
    TestBench::on(store, Arc::new(SystemClock))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_that_a_stopped_process_left_are_ended_by_the_next_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agon.db");
    let ids: Vec<String> = (0..50).map(|n| format!("debate-{n}")).collect();
    let cast = Cast::new(Duration::from_millis(20));
    let first = stage(&path);
    let node = first.node("n1", vec![cast.host("gpu1", 8)]).await;
    for id in &ids {
        node.submit(admission(id, sequential_spec())).await.unwrap();
    }
    node.finished(&debate(&ids[0])).await.unwrap();
    node.stop().await;
    drop(first);

    let second = stage(&path);
    let node = second.node("n2", vec![cast.host("gpu1", 8)]).await;
    ids.iter().for_each(|id| node.adopt(&debate(id)));
    for id in &ids {
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
        check(&second.log(id).await);
    }

    assert!(node.stop().await, "every task ended");
}
