use super::{NatsStore, NatsStoreConfig};
use crate::contract::{StoreRig, contract_tests};
use agon_bus::nats::{NatsConfig, NatsLink, connect};
use agon_testkit::{NatsOptions, NatsServer, nats_servers};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

mod bodies;
mod eval_logs;
mod faults;
mod fencing;
mod line;
mod many_registers;
mod queue;
mod setup;
mod stream_health;
mod tail;

/// A server of one version, and the versions that are still to be tried.
struct NatsRig {
    server: NatsServer,
    program: PathBuf,
    others: Vec<PathBuf>,
}

impl NatsRig {
    fn of(mut programs: Vec<PathBuf>) -> Option<Self> {
        let program = programs.pop()?;
        let options = NatsOptions { program: Some(program.clone()), ..NatsOptions::default() };
        Some(Self { server: NatsServer::start_with(options).unwrap(), program, others: programs })
    }
    /// The first of the versions to test against.
    fn first() -> Self {
        Self::of(nats_servers()).unwrap()
    }
    async fn open(&self, config: NatsStoreConfig) -> Arc<NatsStore> {
        Arc::new(NatsStore::open(&link(&self.server.url()).await, config).await.unwrap())
    }
}

impl StoreRig for NatsRig {
    type Store = NatsStore;
    async fn store(&self) -> Arc<NatsStore> {
        let store = self.open(small()).await;
        store.ready().await;
        store
    }
    fn lease(&self) -> Duration {
        small().lease
    }
    async fn pass(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
    fn next(self) -> Option<Self> {
        Self::of(self.others)
    }
}
contract_tests!(super::NatsRig::first(); (flavor = "multi_thread", worker_threads = 2); unfenced);

/// A connection of its own.
async fn link(url: &str) -> NatsLink {
    let wait = Duration::from_secs(20);
    connect(NatsConfig { wait, ..NatsConfig::new([url], "test", "node") }).await.unwrap()
}

/// Settings with a lease that a test can wait for.
fn small() -> NatsStoreConfig {
    NatsStoreConfig { lease: Duration::from_secs(2), deadline: Duration::from_secs(10), ..NatsStoreConfig::default() }
}

/// Does something on every version to test against.
async fn on_every_server(check: impl AsyncFn(NatsRig)) {
    let mut programs = nats_servers();
    while let Some(rig) = NatsRig::of(std::mem::take(&mut programs)) {
        programs.clone_from(&rig.others);
        check(rig).await;
    }
}

/// Waits until something holds.
async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(waited.await.is_ok(), "{what}");
}
