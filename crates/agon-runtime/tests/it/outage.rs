//! Ports that can be away for a while.
use crate::test_bench::TestBench;
use crate::wired::{self, Mutation, PortUse, Valve};
use agon_bus::BusError;
use agon_store::StoreError;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::watch;

/// What is away.
#[derive(Default)]
pub struct Outage {
    store: AtomicBool,
    bus: AtomicBool,
    /// The store does not even answer.
    hangs: watch::Sender<bool>,
    /// Logs that were read.
    reads: AtomicUsize,
}

impl Outage {
    pub fn store(&self, away: bool) {
        self.store.store(away, Ordering::SeqCst);
    }
    pub fn hang(&self, hangs: bool) {
        self.hangs.send_replace(hangs);
    }
    pub fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }
    pub fn bus(&self, away: bool) {
        self.bus.store(away, Ordering::SeqCst);
    }
}

impl Valve for Outage {
    async fn store<T: Send, E: From<StoreError> + Send>(
        &self,
        what: PortUse,
        run: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        if what == PortUse::ReadLog {
            self.reads.fetch_add(1, Ordering::SeqCst);
        }
        self.hangs.subscribe().wait_for(|hangs| !hangs).await.unwrap();
        match self.store.load(Ordering::SeqCst) {
            true => Err(StoreError::Backend("away".to_owned()).into()),
            false => run.await,
        }
    }
    async fn bus<T: Send>(
        &self,
        _: PortUse,
        run: impl Future<Output = Result<T, BusError>> + Send,
    ) -> Result<T, BusError> {
        match self.is_connected() {
            true => run.await,
            false => Err(BusError::Failed("away".to_owned())),
        }
    }
    fn is_connected(&self) -> bool {
        !self.bus.load(Ordering::SeqCst)
    }
}

/// The same ports, which are away when the outage says so.
pub fn wire(inner: &TestBench) -> (TestBench, Arc<Outage>) {
    let outage = Arc::new(Outage::default());
    (wired::wire(inner, &outage, Mutation::None), outage)
}
