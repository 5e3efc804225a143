//! Setting up.
use super::{NatsRig, link, on_every_server, small};
use crate::nats::{NatsStore, NatsStoreError};
use crate::{NatsLimits, NatsStoreConfig};
use agon_bus::nats::provision::ProvisionError;
use agon_testkit::{NatsOptions, NatsServer};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;
use tokio::task::JoinSet;

async fn open(rig: &NatsRig, config: NatsStoreConfig) -> Result<NatsStore, NatsStoreError> {
    NatsStore::open(&link(&rig.server.url()).await, config).await
}

fn count(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn setting_up_at_once_and_again_is_harmless() {
    on_every_server(async |rig| {
        let mut tasks = JoinSet::new();
        for _ in 0..6 {
            let url = rig.server.url();
            tasks.spawn(async move { NatsStore::open(&link(&url).await, small()).await.map(drop) });
        }
        for outcome in tasks.join_all().await {
            outcome.unwrap();
        }
        open(&rig, small()).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_numbers_of_shards_or_lanes_are_refused() {
    on_every_server(async |rig| {
        open(&rig, NatsStoreConfig { shards: count(2), lanes: count(2), ..small() }).await.unwrap();
        for (shards, lanes, differs) in [(1, 2, "AGON_LOG_0"), (4, 2, "AGON_LOG_0"), (2, 4, "AGON_JOB")] {
            let config = NatsStoreConfig { shards: count(shards), lanes: count(lanes), ..small() };
            let refused = open(&rig, config).await.err();
            assert!(
                matches!(&refused, Some(NatsStoreError::Differs { stream, .. }) if stream == differs),
                "{refused:?}"
            );
        }
        open(&rig, NatsStoreConfig { shards: count(2), lanes: count(2), ..small() }).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_grow_and_never_shrink() {
    on_every_server(async |rig| {
        let with = |mebibytes: u64, days: u64| {
            let log_bytes = NonZeroU64::new(mebibytes << 20).unwrap();
            let register_age = Duration::from_secs(days * 24 * 60 * 60);
            NatsStoreConfig { limits: NatsLimits { log_bytes, register_age, ..NatsLimits::default() }, ..small() }
        };
        open(&rig, with(100, 2)).await.unwrap();
        open(&rig, with(200, 3)).await.unwrap();
        for (smaller, stream_name) in [(with(100, 3), "AGON_LOG_0"), (with(200, 2), "AGON_RES")] {
            let refused = open(&rig, smaller).await.err();
            let by = matches!(&refused, Some(NatsStoreError::Stream(ProvisionError::Differs { stream, .. })) if stream == stream_name);
            assert!(by, "{refused:?}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_what_is_needed_is_refused_with_the_reason() {
    on_every_server(async |rig| {
        let program = Some(rig.program.clone());
        let options = NatsOptions { program: program.clone(), no_jetstream: true, ..NatsOptions::default() };
        let bare = NatsServer::start_with(options).unwrap();
        let refused = NatsStore::open(&link(&bare.url()).await, small()).await.err();
        assert!(matches!(refused, Some(NatsStoreError::Stream(ProvisionError::NoJetStream(_)))), "{refused:?}");
        let config = "max_payload: 65536".to_owned();
        let narrow = NatsServer::start_with(NatsOptions { program, config, ..NatsOptions::default() }).unwrap();
        let refused = NatsStore::open(&link(&narrow.url()).await, small()).await.err();
        assert!(matches!(refused, Some(NatsStoreError::SmallMessages { server: 65_536, .. })), "{refused:?}");
        let smaller = NatsStoreConfig { part_bytes: count(32 << 10), ..small() };
        NatsStore::open(&link(&narrow.url()).await, smaller).await.unwrap();
    })
    .await;
}
