use super::{StoreRig, debate, record};
use crate::{AppendError, Journal as _, StoreError};
use agon_core::{Position, Record};
use std::sync::Arc;

fn plain(records: &[Arc<Record>]) -> Vec<Record> {
    records.iter().map(|record| record.as_ref().clone()).collect()
}

pub(crate) async fn a_log_starts_at_event_1_and_grows_without_a_gap(rig: &impl StoreRig) {
    let store = rig.store().await;
    assert_eq!(store.append(&debate("a"), record(1, 2, 1)).await.unwrap().last(), Position(2));
    store.append(&debate("a"), record(3, 1, 2)).await.unwrap();
    let read = store.read(&debate("a"), Position(0)).await.unwrap();
    assert_eq!(plain(&read), [record(1, 2, 1), record(3, 1, 2)]);
}

pub(crate) async fn a_record_that_does_not_continue_the_log_is_fenced(rig: &impl StoreRig) {
    let store = rig.store().await;
    let fenced = |outcome| match outcome {
        Err(AppendError::Fenced { last }) => last,
        other => panic!("not fenced: {other:?}"),
    };
    assert_eq!(fenced(store.append(&debate("a"), record(2, 1, 1)).await), Position(0));
    store.append(&debate("a"), record(1, 2, 1)).await.unwrap();
    for first in [1, 2, 4, 0, u64::MAX] {
        let odd = Record { first: Position(first), ..record(1, 1, 9) };
        assert_eq!(fenced(store.append(&debate("a"), odd).await), Position(2));
    }
    assert_eq!(plain(&store.read(&debate("a"), Position(0)).await.unwrap()), [record(1, 2, 1)]);
}

pub(crate) async fn a_record_without_events_is_refused(rig: &impl StoreRig) {
    let store = rig.store().await;
    let empty = Record { events: vec![], ..record(1, 1, 1) };
    assert!(matches!(store.append(&debate("a"), empty).await, Err(AppendError::Store(StoreError::Backend(_)))));
    assert!(store.read(&debate("a"), Position(0)).await.unwrap().is_empty());
}

pub(crate) async fn of_many_writers_of_one_position_one_wins(rig: &impl StoreRig) {
    let store = rig.store().await;
    for first in 1..=20 {
        let mut tasks = tokio::task::JoinSet::new();
        for nonce in 0..8 {
            let store = Arc::clone(&store);
            tasks.spawn(async move { store.append(&debate("a"), record(first, 1, nonce)).await.ok() });
        }
        let won: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
        assert_eq!(won.len(), 1);
        assert_eq!(store.read(&debate("a"), Position(first - 1)).await.unwrap(), won);
    }
}

pub(crate) async fn a_reader_gets_every_record_with_later_events(rig: &impl StoreRig) {
    let store = rig.store().await;
    for n in 0..100 {
        store.append(&debate("a"), record(1 + 2 * n, 2, n)).await.unwrap();
    }
    for after in 0..=201 {
        let read = store.read(&debate("a"), Position(after)).await.unwrap();
        let expected: Vec<_> = (0..100).map(|n| record(1 + 2 * n, 2, n)).filter(|r| r.last().0 > after).collect();
        assert_eq!(plain(&read), expected, "after {after}");
    }
    for after in [i64::MAX.unsigned_abs(), i64::MAX.unsigned_abs() + 1, u64::MAX - 1, u64::MAX] {
        assert!(store.read(&debate("a"), Position(after)).await.unwrap().is_empty(), "after {after}");
    }
    assert!(store.read(&debate("unknown"), Position(0)).await.unwrap().is_empty());
}

pub(crate) async fn debates_do_not_mix(rig: &impl StoreRig) {
    let store = rig.store().await;
    let names: Vec<_> = (0..50).map(|n| debate(&n.to_string())).collect();
    for first in 1..=3 {
        let mut tasks = tokio::task::JoinSet::new();
        for (nonce, id) in (0..).zip(names.clone()) {
            let store = Arc::clone(&store);
            tasks.spawn(async move { store.append(&id, record(first, 1, nonce)).await.map(drop) });
        }
        assert!(tasks.join_all().await.iter().all(Result::is_ok));
    }
    for (nonce, id) in (0..).zip(&names) {
        let read = store.read(id, Position(0)).await.unwrap();
        assert_eq!(plain(&read), [record(1, 1, nonce), record(2, 1, nonce), record(3, 1, nonce)]);
    }
}

pub(crate) async fn forgetting_loses_nothing(rig: &impl StoreRig) {
    let store = rig.store().await;
    store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
    store.forget(&debate("a"));
    assert_eq!(plain(&store.read(&debate("a"), Position(0)).await.unwrap()), [record(1, 1, 1)]);
    store.append(&debate("a"), record(2, 1, 2)).await.unwrap();
    assert_eq!(plain(&store.read(&debate("a"), Position(1)).await.unwrap()), [record(2, 1, 2)]);
    assert_eq!(store.read(&debate("a"), Position(0)).await.unwrap().len(), 2);
}
