use super::jobs::MOMENT;
use super::{StoreRig, debate};
use crate::{CancelOrder, Commands as _, Cursor, Upkeep as _};
use agon_core::DebateId;
use std::sync::Arc;

fn order(reason: &str) -> CancelOrder {
    CancelOrder { reason: reason.to_owned(), by: Some("ada".to_owned()) }
}

/// Reads on until so many orders were told.
async fn told<R: StoreRig>(
    rig: &R,
    store: &R::Store,
    cursor: &mut Cursor,
    count: usize,
) -> Vec<(DebateId, CancelOrder)> {
    let mut told = vec![];
    for _ in 0..1_000 {
        let (orders, end) = store.orders_after(Some(*cursor)).await.unwrap();
        *cursor = end;
        told.extend(orders);
        if told.len() >= count {
            break;
        }
        rig.pass(MOMENT).await;
    }
    told
}

pub(crate) async fn the_first_order_counts<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    assert_eq!(store.cancel_ordered(&debate("a")).await.unwrap(), None);
    assert_eq!(store.order_cancel(&debate("a"), order("one")).await.unwrap(), order("one"));
    assert_eq!(store.order_cancel(&debate("a"), order("two")).await.unwrap(), order("one"));
    assert_eq!(store.cancel_ordered(&debate("a")).await.unwrap(), Some(order("one")));
    assert_eq!(store.cancel_ordered(&debate("b")).await.unwrap(), None);
}

pub(crate) async fn of_many_orders_one_counts<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..8 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.order_cancel(&debate("a"), order(&n.to_string())).await.unwrap() });
    }
    let answers = tasks.join_all().await;
    let counts = store.cancel_ordered(&debate("a")).await.unwrap().unwrap();
    assert!(answers.iter().all(|answer| *answer == counts), "{counts:?}: {answers:?}");
}

pub(crate) async fn orders_are_told_once_and_in_order<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.order_cancel(&debate("before"), order("x")).await.unwrap();
    let (none, mut cursor) = store.orders_after(None).await.unwrap();
    assert_eq!(none, []);
    for name in ["z", "a", "m"] {
        store.order_cancel(&debate(name), order(name)).await.unwrap();
    }
    let expected = ["z", "a", "m"].map(|name| (debate(name), order(name)));
    assert_eq!(told(rig, &store, &mut cursor, 3).await, expected);
    // An order that does not count is not told.
    store.order_cancel(&debate("a"), order("again")).await.unwrap();
    store.order_cancel(&debate("b"), order("b")).await.unwrap();
    assert_eq!(told(rig, &store, &mut cursor, 1).await, [(debate("b"), order("b"))]);
    assert_eq!(store.orders_after(Some(cursor)).await.unwrap(), (vec![], cursor));
}

pub(crate) async fn a_long_backlog_is_told_whole<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let (_, mut cursor) = store.orders_after(None).await.unwrap();
    let expected: Vec<_> = (0..1_100).map(|n| (debate(&n.to_string()), order("x"))).collect();
    for (id, order) in expected.clone() {
        store.order_cancel(&id, order).await.unwrap();
    }
    assert_eq!(told(rig, &store, &mut cursor, expected.len()).await, expected);
}

pub(crate) async fn a_deleted_debates_order_is_not_told_and_the_others_are<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let (_, mut cursor) = store.orders_after(None).await.unwrap();
    for name in ["a", "b", "c"] {
        store.order_cancel(&debate(name), order(name)).await.unwrap();
    }
    for name in ["a", "c"] {
        store.delete(&debate(name)).await.unwrap();
    }
    assert_eq!(told(rig, &store, &mut cursor, 1).await, [(debate("b"), order("b"))]);
    // A new debate of that name may be ordered to end as well.
    assert_eq!(store.order_cancel(&debate("c"), order("new")).await.unwrap(), order("new"));
    assert_eq!(told(rig, &store, &mut cursor, 1).await, [(debate("c"), order("new"))]);
}
