//! The job queue as several processes see it.
use super::{on_every_server, small, until};
use crate::contract::debate;
use crate::{Jobs as _, NatsStoreConfig, StoreError};
use agon_core::Priority::Normal;
use agon_core::{DebateId, TenantId};
use std::num::NonZeroU32;
use std::time::Duration;
use tokio::time::Instant;

const ANY: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_queue_says_so_and_a_job_that_is_there_is_no_new_one() {
    on_every_server(async |rig| {
        let store = rig.open(NatsStoreConfig { max_jobs: NonZeroU32::new(3).unwrap(), ..small() }).await;
        for name in ["a", "b", "c"] {
            store.enqueue(&debate(name), Normal).await.unwrap();
        }
        assert!(matches!(store.enqueue(&debate("d"), Normal).await, Err(StoreError::Full(_))));
        store.enqueue(&debate("b"), Normal).await.unwrap();
        let job = store.take("owner", ANY).await.unwrap().unwrap();
        store.complete(&job).await.unwrap();
        store.enqueue(&debate("d"), Normal).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_extended_job_stays_and_a_left_one_goes_to_another_process() {
    on_every_server(async |rig| {
        let (holder, other) = (rig.open(small()).await, rig.open(small()).await);
        holder.enqueue(&debate("a"), Normal).await.unwrap();
        let mut held_until = Instant::now() + small().lease;
        let job = holder.take("one", ANY).await.unwrap().unwrap();
        let end = Instant::now() + small().lease * 3;
        while Instant::now() < end {
            let next = Instant::now() + small().lease;
            if !holder.extend(&job, ANY).await.unwrap() {
                assert!(Instant::now() >= held_until, "the lease was lost too early");
                break;
            }
            held_until = next;
            let taken = other.take("other", ANY).await.unwrap();
            assert!(taken.is_none() || Instant::now() >= held_until, "{taken:?} is free too early");
            tokio::time::sleep(small().lease / 4).await;
        }
        let taken = async || other.take("other", ANY).await.unwrap().is_some_and(|job| job.deliveries > 1);
        until("the job is free again", taken).await;
        assert!(!holder.extend(&job, ANY).await.unwrap());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_may_be_kept_for_longer_than_the_queues_lease_and_is_answered_all_the_same() {
    on_every_server(async |rig| {
        let (holder, other) = (rig.open(small()).await, rig.open(small()).await);
        let taken = async || other.take("other", ANY).await.unwrap().map(|job| job.debate);
        for name in ["completed", "released", "left"] {
            holder.enqueue(&debate(name), Normal).await.unwrap();
        }
        let mut jobs = Vec::new();
        for _ in 0..3 {
            jobs.push(holder.take("one", ANY).await.unwrap().unwrap());
        }
        for job in &jobs {
            assert!(holder.extend(job, small().lease * 30).await.unwrap());
        }
        tokio::time::sleep(small().lease * 2).await;
        assert_eq!(taken().await, None, "extended");
        holder.complete(&jobs[0]).await.unwrap();
        holder.release(&jobs[1], Duration::ZERO).await.unwrap();
        let until = Instant::now() + small().lease * 2;
        assert!(holder.extend(&jobs[2], small().lease * 2).await.unwrap());

        let released = other.take("other", ANY).await.unwrap().unwrap();
        assert_eq!(released.debate, debate("released"));
        other.complete(&released).await.unwrap();
        assert_eq!(taken().await, None, "the one is done, the other is kept");
        let mut left = None;
        while left.is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
            left = taken().await;
        }
        assert_eq!((left, Instant::now() >= until), (Some(debate("left")), true));
        holder.enqueue(&debate("completed"), Normal).await.unwrap();
        assert_eq!(taken().await, Some(debate("completed")), "it had left the queue");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_with_many_jobs_does_not_hold_up_others() {
    on_every_server(async |rig| {
        let config = NatsStoreConfig { lease: Duration::from_secs(60), ..small() };
        let store = rig.open(config.clone()).await;
        let in_tenant = |tenant: &str, n: u32| {
            DebateId::in_tenant(&TenantId::parse(tenant).unwrap(), &format!("debate-{n}")).unwrap()
        };
        let lane = |tenant: &str| {
            let subject = crate::nats::subjects::job(&in_tenant(tenant, 1), Normal, config.lanes.get());
            subject.split('.').nth(4).unwrap().to_owned()
        };
        let quiet = ["beta", "gamma", "delta", "epsilon"].into_iter().find(|name| lane(name) != lane("acme")).unwrap();
        for n in 0..30 {
            store.enqueue(&in_tenant("acme", n), Normal).await.unwrap();
        }
        store.enqueue(&in_tenant(quiet, 1), Normal).await.unwrap();
        let mut first = vec![];
        for _ in 0..config.lanes.get() {
            first.push(store.take("owner", ANY).await.unwrap().unwrap().debate);
        }
        assert!(first.contains(&in_tenant(quiet, 1)), "{first:?}");
    })
    .await;
}
