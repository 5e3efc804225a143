//! What a queue keeps besides if its leases are fenced by their tokens and end to the moment.
use super::jobs::{MOMENT, take};
use super::{StoreRig, debate};
use crate::Jobs as _;
use agon_core::Priority::{Batch, Interactive, Normal};
use std::time::Duration;

pub(crate) async fn a_lease_ends_to_the_moment<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.enqueue(&debate("a"), Normal).await.unwrap();
    let first = take(rig, &store).await.unwrap();
    rig.pass(rig.lease() - MOMENT).await;
    assert_eq!(take(rig, &store).await, None);
    rig.pass(MOMENT).await;
    let second = take(rig, &store).await.unwrap();
    assert_eq!((second.debate, second.deliveries), (first.debate, 2));
}

pub(crate) async fn a_stale_token_changes_nothing<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.enqueue(&debate("a"), Normal).await.unwrap();
    let stale = take(rig, &store).await.unwrap();
    rig.pass(rig.lease()).await;
    let current = take(rig, &store).await.unwrap();
    store.release(&stale, Duration::ZERO).await.unwrap();
    store.complete(&stale).await.unwrap();
    assert_eq!(take(rig, &store).await, None);
    store.release(&current, Duration::ZERO).await.unwrap();
    assert_eq!(take(rig, &store).await.unwrap().deliveries, 3);
}

pub(crate) async fn a_job_keeps_its_first_priority<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.enqueue(&debate("a"), Batch).await.unwrap();
    store.enqueue(&debate("a"), Interactive).await.unwrap();
    store.enqueue(&debate("b"), Normal).await.unwrap();
    assert_eq!(take(rig, &store).await.unwrap().debate, debate("b"));
    assert_eq!(take(rig, &store).await.unwrap().debate, debate("a"));
    assert_eq!(take(rig, &store).await, None);
}
