//! The job queue as several processes see it.
use super::{on_every_server, small};
use crate::contract::debate;
use crate::{Jobs as _, NatsStoreConfig, StoreError};
use agon_core::Priority::Normal;
use agon_core::{DebateId, TenantId};
use std::num::NonZeroU32;
use std::time::Duration;

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
