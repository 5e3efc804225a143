//! Ports that count every effect of a process, and can cut it off right before or right after any of them.
use crate::test_bench::TestBench;
use agon_bus::{Backlog, Bus, BusError, Delivery, Message, Payload, Reply, Request, Server, Subscription};
use agon_core::{DebateId, NodeId, Position, Priority, Record, Timestamp, TurnId, TurnResult};
use agon_store::{
    AppendError, CancelOrder, Catalogue, CatalogueQuery, Commands, Cursor, DebateBacklog, DebateSummary, Job, Jobs,
    Journal, RegisterOutcome, Registers, StoreError,
};
use async_trait::async_trait;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Which side of an effect the cut is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutSide {
    /// The effect does not happen.
    Before,
    /// The effect happens, and nobody learns of it.
    After,
}

/// Counts effects; at the chosen one the process freezes.
pub struct Fuse {
    state: Mutex<(u64, Vec<String>)>,
    cut: Option<(u64, CutSide)>,
    frozen: watch::Sender<bool>,
}

impl Fuse {
    pub fn new(cut: Option<(u64, CutSide)>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), cut, frozen: watch::Sender::new(false) })
    }
    /// The effects so far, by name.
    pub fn effects(&self) -> Vec<String> {
        self.state.lock().unwrap().1.clone()
    }
    /// Waits until the process is frozen.
    pub async fn blown(&self) {
        self.frozen.subscribe().wait_for(|frozen| *frozen).await.unwrap();
    }
    /// Lets a frozen process go on.
    pub fn thaw(&self) {
        self.frozen.send_replace(false);
    }
    /// Waits while the process is frozen: for ever, unless it thaws.
    async fn live(&self) {
        self.frozen.subscribe().wait_for(|frozen| !*frozen).await.unwrap();
    }
    fn count(&self, name: &str) -> Option<CutSide> {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        state.1.push(name.to_owned());
        self.cut.filter(|(at, _)| *at == state.0).map(|(_, side)| side)
    }
    async fn effect<T>(&self, name: &str, effect: impl Future<Output = T>) -> T {
        self.live().await;
        let side = self.count(name);
        if side == Some(CutSide::Before) {
            self.frozen.send_replace(true);
            self.live().await;
        }
        let output = effect.await;
        if side == Some(CutSide::After) {
            self.frozen.send_replace(true);
        }
        self.live().await;
        output
    }
    fn effect_now(&self, name: &str, effect: impl FnOnce()) {
        if *self.frozen.borrow() {
            return;
        }
        let side = self.count(name);
        if side != Some(CutSide::Before) {
            effect();
        }
        if side.is_some() {
            self.frozen.send_replace(true);
        }
    }
    async fn read<T>(&self, read: impl Future<Output = T>) -> T {
        self.live().await;
        let output = read.await;
        self.live().await;
        output
    }
}

/// What is wrong with a process on purpose, to see that the tests would notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    /// Nothing.
    #[default]
    None,
    /// The first looks at a register see nothing.
    BlindToRegisters,
    /// A job leaves the queue when it is taken, and not when it is done.
    JobDoneWhenTaken,
    /// An append that is fenced is moved to the end of the log.
    Unfenced,
}

/// The ports of one process.
pub struct Wired {
    fuse: Arc<Fuse>,
    inner: TestBench,
    mutation: Mutation,
    looks: Mutex<std::collections::BTreeMap<TurnId, u32>>,
}

/// The same ports, seen by a process with this fuse.
pub fn wire(inner: &TestBench, fuse: &Arc<Fuse>, mutation: Mutation) -> TestBench {
    let wired = Arc::new(Wired { fuse: fuse.clone(), inner: inner.clone(), mutation, looks: Mutex::default() });
    let clock = inner.clock.clone();
    TestBench {
        bus: wired.clone(),
        journal: wired.clone(),
        registers: wired.clone(),
        jobs: wired.clone(),
        commands: wired.clone(),
        catalogue: wired,
        upkeep: None,
        clock,
    }
}

#[async_trait]
impl Journal for Wired {
    async fn append(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        let unfenced = self.mutation == Mutation::Unfenced;
        let append = async {
            match self.inner.journal.append(debate, record.clone()).await {
                Err(AppendError::Fenced { last }) if unfenced => {
                    let moved = Record { first: last.next(), ..record };
                    self.inner.journal.append(debate, moved).await
                }
                other => other,
            }
        };
        self.fuse.effect("append", append).await
    }
    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        self.fuse.read(self.inner.journal.read(debate, after)).await
    }
    fn forget(&self, debate: &DebateId) {
        self.inner.journal.forget(debate);
    }
}

#[async_trait]
impl Registers for Wired {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        self.fuse.effect("decide", self.inner.registers.decide(debate, turn, result)).await
    }
    async fn get(&self, debate: &DebateId, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError> {
        if self.mutation == Mutation::BlindToRegisters {
            let mut looks = self.looks.lock().unwrap();
            let looks = looks.entry(turn).or_default();
            *looks += 1;
            if *looks <= 2 {
                return Ok(None);
            }
        }
        self.fuse.read(self.inner.registers.get(debate, turn)).await
    }
}

#[async_trait]
impl Jobs for Wired {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        self.fuse.effect("job", self.inner.jobs.enqueue(debate, priority)).await
    }
    async fn take(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        let take = async {
            let job = self.inner.jobs.take(owner, lease).await?;
            if let (Some(job), Mutation::JobDoneWhenTaken) = (&job, self.mutation) {
                self.inner.jobs.complete(job).await?;
            }
            Ok(job)
        };
        self.fuse.effect("take", take).await
    }
    async fn extend(&self, job: &Job, lease: Duration) -> Result<bool, StoreError> {
        self.fuse.effect("extend job", self.inner.jobs.extend(job, lease)).await
    }
    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        self.fuse.effect("complete", self.inner.jobs.complete(job)).await
    }
    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        self.fuse.effect("release", self.inner.jobs.release(job, delay)).await
    }
}

#[async_trait]
impl Commands for Wired {
    async fn order_cancel(&self, debate: &DebateId, order: CancelOrder) -> Result<CancelOrder, StoreError> {
        self.fuse.effect("order", self.inner.commands.order_cancel(debate, order)).await
    }
    async fn cancel_ordered(&self, debate: &DebateId) -> Result<Option<CancelOrder>, StoreError> {
        self.fuse.read(self.inner.commands.cancel_ordered(debate)).await
    }
    async fn orders_after(&self, cursor: Option<Cursor>) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError> {
        self.fuse.read(self.inner.commands.orders_after(cursor)).await
    }
}

#[async_trait]
impl Catalogue for Wired {
    async fn note(&self, summary: DebateSummary) -> Result<(), StoreError> {
        self.fuse.effect("note", self.inner.catalogue.note(summary)).await
    }
    async fn get_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        self.fuse.read(self.inner.catalogue.get_summary(debate)).await
    }
    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        self.fuse.read(self.inner.catalogue.find(query)).await
    }
    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        self.fuse.read(self.inner.catalogue.unfinished()).await
    }
    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        self.fuse.read(self.inner.catalogue.standing()).await
    }
    async fn unnoted(&self, owner: &NodeId, before: Timestamp) -> Result<u64, StoreError> {
        self.fuse.read(self.inner.catalogue.unnoted(owner, before)).await
    }
    async fn strike(&self, debate: &DebateId) -> Result<(), StoreError> {
        self.fuse.effect("strike", self.inner.catalogue.strike(debate)).await
    }
}

#[async_trait]
impl Bus for Wired {
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        self.fuse.effect("hint", self.inner.bus.publish(subject, payload)).await
    }
    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError> {
        self.inner.bus.subscribe(pattern).await
    }
    fn may_have_listeners(&self, subject: &str) -> bool {
        self.inner.bus.may_have_listeners(subject)
    }
    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        self.fuse.effect("offer", self.inner.bus.request(subject, payload, patience)).await
    }
    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError> {
        let server = self.inner.bus.serve(pattern).await?;
        Ok(Box::new(WiredServer { fuse: self.fuse.clone(), server }))
    }
    async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        self.fuse.effect("enqueue", self.inner.bus.enqueue(subject, payload)).await
    }
    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError> {
        let delivery = self.fuse.read(self.inner.bus.try_pull(pattern, lease)).await?;
        Ok(delivery
            .map(|delivery| -> Box<dyn Delivery> { Box::new(WiredDelivery { fuse: self.fuse.clone(), delivery }) }))
    }
    async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        self.inner.bus.backlog().await
    }
    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        self.inner.bus.peek(subject).await
    }
    fn is_connected(&self) -> bool {
        self.inner.bus.is_connected()
    }
    async fn drain(&self) {
        self.inner.bus.drain().await;
    }
    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError> {
        let delivery = self.fuse.read(self.inner.bus.pull(pattern, lease)).await?;
        Ok(Box::new(WiredDelivery { fuse: self.fuse.clone(), delivery }))
    }
}

struct WiredServer {
    fuse: Arc<Fuse>,
    server: Box<dyn Server>,
}
#[async_trait]
impl Server for WiredServer {
    async fn next(&mut self) -> Option<Request> {
        let Request { message, reply } = self.fuse.read(self.server.next()).await?;
        let fuse = self.fuse.clone();
        let reply: Reply = Box::new(move |bytes| fuse.effect_now("reply", || reply(bytes)));
        Some(Request { message, reply })
    }
}

struct WiredDelivery {
    fuse: Arc<Fuse>,
    delivery: Box<dyn Delivery>,
}
#[async_trait]
impl Delivery for WiredDelivery {
    fn message(&self) -> &Message {
        self.delivery.message()
    }
    fn deliveries(&self) -> u32 {
        self.delivery.deliveries()
    }
    async fn extend(&self) -> Result<bool, BusError> {
        self.fuse.effect("extend turn", self.delivery.extend()).await
    }
    async fn ack(&self) -> Result<(), BusError> {
        self.fuse.effect("ack", self.delivery.ack()).await
    }
    async fn nak(&self, delay: Duration) -> Result<(), BusError> {
        self.fuse.effect("nak", self.delivery.nak(delay)).await
    }
}
