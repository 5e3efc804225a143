//! Ports that can be away for a while.
use crate::test_bench::TestBench;
use agon_bus::{Backlog, Bus, BusError, Delivery, Payload, Server, Subscription};
use agon_core::{DebateId, NodeId, Position, Priority, Record, Timestamp, TurnId, TurnResult};
use agon_store::{
    AppendError, CancelOrder, Catalogue, CatalogueQuery, Commands, Cursor, DebateBacklog, DebateSummary, Job, Jobs,
    Journal, RegisterOutcome, Registers, StoreError,
};
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
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

struct OutagePorts {
    inner: TestBench,
    outage: Arc<Outage>,
}

/// The same ports, which are away when the outage says so.
pub fn wire(inner: &TestBench) -> (TestBench, Arc<Outage>) {
    let outage = Arc::new(Outage::default());
    let wired = Arc::new(OutagePorts { inner: inner.clone(), outage: outage.clone() });
    let stage = TestBench {
        bus: wired.clone(),
        journal: wired.clone(),
        registers: wired.clone(),
        jobs: wired.clone(),
        commands: wired.clone(),
        catalogue: wired,
        upkeep: None,
        clock: inner.clock.clone(),
    };
    (stage, outage)
}

impl OutagePorts {
    async fn store(&self) -> Result<&TestBench, StoreError> {
        self.outage.hangs.subscribe().wait_for(|hangs| !hangs).await.unwrap();
        match self.outage.store.load(Ordering::SeqCst) {
            true => Err(StoreError::Backend("away".to_owned())),
            false => Ok(&self.inner),
        }
    }
    fn bus(&self) -> Result<&Arc<dyn Bus>, BusError> {
        match self.outage.bus.load(Ordering::SeqCst) {
            true => Err(BusError::Failed("away".to_owned())),
            false => Ok(&self.inner.bus),
        }
    }
}

#[async_trait]
impl Journal for OutagePorts {
    async fn append(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        self.store().await?.journal.append(debate, record).await
    }
    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        self.outage.reads.fetch_add(1, Ordering::SeqCst);
        self.store().await?.journal.read(debate, after).await
    }
    fn forget(&self, debate: &DebateId) {
        self.inner.journal.forget(debate);
    }
}

#[async_trait]
impl Registers for OutagePorts {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        self.store().await?.registers.decide(debate, turn, result).await
    }
    async fn get(&self, debate: &DebateId, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError> {
        self.store().await?.registers.get(debate, turn).await
    }
}

#[async_trait]
impl Jobs for OutagePorts {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        self.store().await?.jobs.enqueue(debate, priority).await
    }
    async fn take(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        self.store().await?.jobs.take(owner, lease).await
    }
    async fn extend(&self, job: &Job, lease: Duration) -> Result<bool, StoreError> {
        self.store().await?.jobs.extend(job, lease).await
    }
    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        self.store().await?.jobs.complete(job).await
    }
    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        self.store().await?.jobs.release(job, delay).await
    }
}

#[async_trait]
impl Commands for OutagePorts {
    async fn order_cancel(&self, debate: &DebateId, order: CancelOrder) -> Result<CancelOrder, StoreError> {
        self.store().await?.commands.order_cancel(debate, order).await
    }
    async fn cancel_ordered(&self, debate: &DebateId) -> Result<Option<CancelOrder>, StoreError> {
        self.store().await?.commands.cancel_ordered(debate).await
    }
    async fn orders_after(&self, cursor: Option<Cursor>) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError> {
        self.store().await?.commands.orders_after(cursor).await
    }
}

#[async_trait]
impl Catalogue for OutagePorts {
    async fn note(&self, summary: DebateSummary) -> Result<(), StoreError> {
        self.store().await?.catalogue.note(summary).await
    }
    async fn get_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        self.store().await?.catalogue.get_summary(debate).await
    }
    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        self.store().await?.catalogue.find(query).await
    }
    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        self.store().await?.catalogue.unfinished().await
    }
    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        self.store().await?.catalogue.standing().await
    }
    async fn unnoted(&self, owner: &NodeId, before: Timestamp) -> Result<u64, StoreError> {
        self.store().await?.catalogue.unnoted(owner, before).await
    }
    async fn strike(&self, debate: &DebateId) -> Result<(), StoreError> {
        self.store().await?.catalogue.strike(debate).await
    }
}

#[async_trait]
impl Bus for OutagePorts {
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        self.bus()?.publish(subject, payload).await
    }
    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError> {
        self.bus()?.subscribe(pattern).await
    }
    fn may_have_listeners(&self, subject: &str) -> bool {
        self.inner.bus.may_have_listeners(subject)
    }
    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        self.bus()?.request(subject, payload, patience).await
    }
    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError> {
        self.bus()?.serve(pattern).await
    }
    async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        self.bus()?.enqueue(subject, payload).await
    }
    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError> {
        self.bus()?.try_pull(pattern, lease).await
    }
    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError> {
        self.bus()?.pull(pattern, lease).await
    }
    async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        self.bus()?.backlog().await
    }
    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        self.bus()?.peek(subject).await
    }
    fn is_connected(&self) -> bool {
        self.bus().is_ok() && self.inner.bus.is_connected()
    }
    async fn drain(&self) {
        self.inner.bus.drain().await;
    }
}
