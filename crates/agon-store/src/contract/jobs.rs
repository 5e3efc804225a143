use super::{Rig, debate};
use crate::{Job, Jobs};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(30);
const MOMENT: Duration = Duration::from_millis(5);

async fn take(store: &impl Jobs) -> Option<Job> {
    store.take("owner", LEASE).await.unwrap()
}

pub(crate) async fn the_job_that_is_free_longest_is_taken_first(rig: &impl Rig) {
    let store = rig.store();
    for name in ["z", "a", "m"] {
        store.enqueue(&debate(name)).await.unwrap();
        rig.pass(MOMENT).await;
    }
    let mut order = vec![];
    while let Some(job) = take(store.as_ref()).await {
        assert_eq!(job.deliveries, 1);
        order.push(job.debate);
    }
    assert_eq!(order, [debate("z"), debate("a"), debate("m")]);
}

pub(crate) async fn a_debate_has_one_job(rig: &impl Rig) {
    let store = rig.store();
    store.enqueue(&debate("a")).await.unwrap();
    store.enqueue(&debate("a")).await.unwrap();
    let job = take(store.as_ref()).await.unwrap();
    store.enqueue(&debate("a")).await.unwrap();
    assert_eq!(take(store.as_ref()).await, None);
    assert!(store.extend(&job, LEASE).await.unwrap());
}

pub(crate) async fn an_expired_lease_frees_the_job(rig: &impl Rig) {
    let store = rig.store();
    store.enqueue(&debate("a")).await.unwrap();
    let first = take(store.as_ref()).await.unwrap();
    rig.pass(LEASE - MOMENT).await;
    assert_eq!(take(store.as_ref()).await, None);
    rig.pass(MOMENT).await;
    let second = take(store.as_ref()).await.unwrap();
    assert_eq!((second.debate, second.deliveries), (debate("a"), 2));
    assert_ne!(second.token, first.token);
}

pub(crate) async fn an_extended_lease_holds(rig: &impl Rig) {
    let store = rig.store();
    store.enqueue(&debate("a")).await.unwrap();
    let job = take(store.as_ref()).await.unwrap();
    for _ in 0..3 {
        rig.pass(LEASE - MOMENT).await;
        assert!(store.extend(&job, LEASE).await.unwrap());
        assert_eq!(take(store.as_ref()).await, None);
    }
    rig.pass(LEASE).await;
    assert_eq!(take(store.as_ref()).await.unwrap().deliveries, 2);
}

pub(crate) async fn a_stale_token_changes_nothing(rig: &impl Rig) {
    let store = rig.store();
    store.enqueue(&debate("a")).await.unwrap();
    let stale = take(store.as_ref()).await.unwrap();
    rig.pass(LEASE).await;
    let current = take(store.as_ref()).await.unwrap();
    assert!(!store.extend(&stale, LEASE).await.unwrap());
    store.release(&stale, Duration::ZERO).await.unwrap();
    store.complete(&stale).await.unwrap();
    assert_eq!(take(store.as_ref()).await, None);
    assert!(store.extend(&current, LEASE).await.unwrap());
}

pub(crate) async fn a_released_job_is_free_after_its_delay(rig: &impl Rig) {
    let store = rig.store();
    store.enqueue(&debate("a")).await.unwrap();
    let job = take(store.as_ref()).await.unwrap();
    store.release(&job, MOMENT * 2).await.unwrap();
    assert!(!store.extend(&job, LEASE).await.unwrap());
    assert_eq!(take(store.as_ref()).await, None);
    rig.pass(MOMENT * 2).await;
    let again = take(store.as_ref()).await.unwrap();
    assert_eq!(again.deliveries, 2);
    store.release(&again, Duration::ZERO).await.unwrap();
    assert_eq!(take(store.as_ref()).await.unwrap().deliveries, 3);
}

pub(crate) async fn a_completed_job_is_gone_and_may_come_back(rig: &impl Rig) {
    let store = rig.store();
    store.enqueue(&debate("a")).await.unwrap();
    let job = take(store.as_ref()).await.unwrap();
    store.complete(&job).await.unwrap();
    rig.pass(LEASE * 2).await;
    assert_eq!(take(store.as_ref()).await, None);
    assert!(!store.extend(&job, LEASE).await.unwrap());
    store.enqueue(&debate("a")).await.unwrap();
    assert!(!store.extend(&job, LEASE).await.unwrap());
    assert_eq!(take(store.as_ref()).await.unwrap().deliveries, 1);
}

pub(crate) async fn of_many_takers_each_job_has_one(rig: &impl Rig) {
    let store = rig.store();
    for n in 0..20 {
        store.enqueue(&debate(&n.to_string())).await.unwrap();
    }
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..30 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { take(store.as_ref()).await });
    }
    let mut taken: Vec<_> = tasks.join_all().await.into_iter().flatten().map(|job| job.debate).collect();
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 20);
}
