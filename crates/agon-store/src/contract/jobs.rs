use super::{StoreRig, debate};
use crate::{Job, Jobs as _};
use agon_core::Priority::{self, Batch, Normal};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

pub(super) const MOMENT: Duration = Duration::from_millis(5);

pub(super) async fn take<R: StoreRig>(rig: &R, store: &R::Store) -> Option<Job> {
    store.take("owner", rig.lease()).await.unwrap()
}

async fn take_when_free<R: StoreRig>(rig: &R, store: &R::Store) -> Job {
    for _ in 0..200 {
        if let Some(job) = take(rig, store).await {
            return job;
        }
        rig.pass(rig.lease() / 8).await;
    }
    panic!("no job was ever free");
}

/// Nobody gets a job before that time. What a slow machine does after it says nothing.
async fn nothing_is_free_before<R: StoreRig>(rig: &R, store: &R::Store, until: Instant) {
    let job = take(rig, store).await;
    assert!(job.is_none() || rig.now() >= until, "{job:?} is free too early");
}

pub(crate) async fn the_job_that_is_free_longest_is_taken_first<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    for name in ["z", "a", "m"] {
        store.enqueue(&debate(name), Normal).await.unwrap();
        rig.pass(MOMENT).await;
    }
    for name in ["z", "a", "m"] {
        let job = take(rig, &store).await.unwrap();
        assert_eq!((job.debate, job.deliveries), (debate(name), 1));
    }
}

pub(crate) async fn a_debate_has_one_job<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.enqueue(&debate("a"), Normal).await.unwrap();
    store.enqueue(&debate("a"), Normal).await.unwrap();
    let until = rig.now() + rig.lease();
    let job = take(rig, &store).await.unwrap();
    store.enqueue(&debate("a"), Normal).await.unwrap();
    nothing_is_free_before(rig, &store, until).await;
    store.complete(&job).await.unwrap();
    rig.pass(rig.lease()).await;
    assert_eq!(take(rig, &store).await, None);
}

pub(crate) async fn an_expired_lease_frees_the_job<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.enqueue(&debate("a"), Normal).await.unwrap();
    let until = rig.now() + rig.lease();
    let first = take(rig, &store).await.unwrap();
    nothing_is_free_before(rig, &store, until).await;
    rig.pass(rig.lease()).await;
    let second = take_when_free(rig, &store).await;
    assert_eq!((first.deliveries, &second.debate), (1, &first.debate));
    assert!(second.deliveries > first.deliveries);
    assert_ne!(second.token, first.token);
}

pub(crate) async fn a_released_job_is_free_after_its_delay<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.enqueue(&debate("a"), Normal).await.unwrap();
    let job = take(rig, &store).await.unwrap();
    let (delay, released) = (rig.lease() / 2, rig.now());
    store.release(&job, delay).await.unwrap();
    nothing_is_free_before(rig, &store, released + delay).await;
    rig.pass(delay).await;
    let again = take_when_free(rig, &store).await;
    assert!(again.deliveries > 1);
    store.release(&again, Duration::ZERO).await.unwrap();
    assert!(take_when_free(rig, &store).await.deliveries > again.deliveries);
}

pub(crate) async fn a_completed_job_is_gone_and_may_come_back<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.enqueue(&debate("a"), Normal).await.unwrap();
    let job = take(rig, &store).await.unwrap();
    store.complete(&job).await.unwrap();
    rig.pass(rig.lease() * 2).await;
    assert_eq!(take(rig, &store).await, None);
    store.enqueue(&debate("a"), Normal).await.unwrap();
    let again = take(rig, &store).await.unwrap();
    assert_eq!((again.debate, again.deliveries), (debate("a"), 1));
}

/// Of a taker that is gone, too, and although its lease has not run out.
pub(crate) async fn a_renewed_job_is_free_whoever_holds_the_old_one<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    store.renew(&debate("a"), Normal).await.unwrap();
    let old = take(rig, &store).await.unwrap();
    store.renew(&debate("a"), Normal).await.unwrap();
    let new = take(rig, &store).await.unwrap();
    assert_eq!((&new.debate, new.token == old.token), (&old.debate, false));
    store.complete(&old).await.unwrap();
    store.release(&old, Duration::ZERO).await.unwrap();
    rig.pass(rig.lease()).await;
    assert_eq!(
        take_when_free(rig, &store).await.debate,
        new.debate,
        "what is said of the old one is not said of the new"
    );
}

pub(crate) async fn of_many_takers_each_job_has_one<R: StoreRig>(rig: &R) {
    let (store, lease) = (rig.store().await, rig.lease());
    let all: BTreeSet<_> = (0..20).map(|n| debate(&n.to_string())).collect();
    for id in &all {
        store.enqueue(id, Normal).await.unwrap();
    }
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..30 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.take("owner", lease).await.unwrap() });
    }
    let mut taken: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    while let Some(job) = take(rig, &store).await {
        taken.push(job);
    }
    // A slow machine may see a lease end meanwhile: that is another delivery.
    let first: Vec<_> = taken.into_iter().filter(|job| job.deliveries == 1).map(|job| job.debate).collect();
    assert_eq!(first.len(), all.len());
    assert_eq!(first.into_iter().collect::<BTreeSet<_>>(), all);
}

pub(crate) async fn priorities_share_the_queue_by_their_weights<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    for priority in Priority::ALL {
        for n in 0..20 {
            store.enqueue(&debate(&format!("{}-{n}", priority.as_str())), priority).await.unwrap();
        }
    }
    let mut counts = [0; 3];
    for _ in 0..24 {
        let job = take(rig, &store).await.unwrap();
        let at = Priority::ALL.iter().position(|priority| job.debate.name().contains(priority.as_str())).unwrap();
        counts[at] += 1;
    }
    assert_eq!(counts, [16, 6, 2]);
}

pub(crate) async fn a_priority_that_is_alone_does_not_wait<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    for n in 0..5 {
        store.enqueue(&debate(&n.to_string()), Batch).await.unwrap();
    }
    for _ in 0..5 {
        assert_eq!(take(rig, &store).await.unwrap().deliveries, 1);
    }
}
