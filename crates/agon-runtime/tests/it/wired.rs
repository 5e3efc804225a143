//! The ports of a process, with something between it and them.
use crate::test_bench::TestBench;
use agon_bus::{Backlog, Bus, BusError, Delivery, Payload, Server, Subscription};
use agon_core::{DebateId, Position, Priority, Record, TurnId, TurnResult};
use agon_store::{
    AppendError, CancelOrder, Catalogue, CatalogueQuery, Commands, Cursor, DebateBacklog, DebateSummary, Job, Jobs,
    Journal, OwnerTest, RegisterOutcome, Registers, StoreError,
};
use async_trait::async_trait;
use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a process does at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortUse {
    Effect(&'static str),
    Read,
    ReadLog,
    /// Looks at the bus or listens to it.
    Look,
}
use PortUse::{Effect, Look, Read, ReadLog};

/// What is between a process and its ports.
pub trait Valve: Send + Sync + 'static {
    /// Lets something through to the store.
    fn store<T: Send, E: From<StoreError> + Send>(
        &self,
        what: PortUse,
        run: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send;
    /// The same to the bus.
    fn bus<T: Send>(
        &self,
        what: PortUse,
        run: impl Future<Output = Result<T, BusError>> + Send,
    ) -> impl Future<Output = Result<T, BusError>> + Send;
    fn is_connected(&self) -> bool {
        true
    }
    fn server(self: &Arc<Self>, server: Box<dyn Server>) -> Box<dyn Server> {
        server
    }
    fn delivery(self: &Arc<Self>, delivery: Box<dyn Delivery>) -> Box<dyn Delivery> {
        delivery
    }
}

/// What is wrong with a process on purpose, to see that the tests would notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    #[default]
    None,
    /// The first looks at a register see nothing.
    BlindToRegisters,
    /// The catalogue shows nobody which debates there are.
    BlindToCatalogue,
    /// An append that is fenced is moved to the end of the log.
    Unfenced,
}

struct Wired<V> {
    valve: Arc<V>,
    inner: TestBench,
    mutation: Mutation,
    looks: Mutex<BTreeMap<TurnId, u32>>,
}

/// The same ports behind a valve.
pub fn wire<V: Valve>(inner: &TestBench, valve: &Arc<V>, mutation: Mutation) -> TestBench {
    let wired = Arc::new(Wired { valve: valve.clone(), inner: inner.clone(), mutation, looks: Mutex::default() });
    TestBench {
        bus: wired.clone(),
        journal: wired.clone(),
        registers: wired.clone(),
        jobs: wired.clone(),
        commands: wired.clone(),
        catalogue: wired,
        upkeep: None,
        clock: inner.clock.clone(),
    }
}

#[async_trait]
impl<V: Valve> Journal for Wired<V> {
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
        self.valve.store(Effect("append"), append).await
    }
    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        self.valve.store(ReadLog, self.inner.journal.read(debate, after)).await
    }
    fn forget(&self, debate: &DebateId) {
        self.inner.journal.forget(debate);
    }
}

#[async_trait]
impl<V: Valve> Registers for Wired<V> {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        self.valve.store(Effect("decide"), self.inner.registers.decide(debate, turn, result)).await
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
        self.valve.store(Read, self.inner.registers.get(debate, turn)).await
    }
}

#[async_trait]
impl<V: Valve> Jobs for Wired<V> {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        self.valve.store(Effect("job"), self.inner.jobs.enqueue(debate, priority)).await
    }
    async fn take(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        self.valve.store(Effect("take"), self.inner.jobs.take(owner, lease)).await
    }
    async fn renew(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        self.valve.store(Effect("new job"), self.inner.jobs.renew(debate, priority)).await
    }
    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        self.valve.store(Effect("complete"), self.inner.jobs.complete(job)).await
    }
    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        self.valve.store(Effect("release"), self.inner.jobs.release(job, delay)).await
    }
}

#[async_trait]
impl<V: Valve> Commands for Wired<V> {
    async fn order_cancel(&self, debate: &DebateId, order: CancelOrder) -> Result<CancelOrder, StoreError> {
        self.valve.store(Effect("order"), self.inner.commands.order_cancel(debate, order)).await
    }
    async fn cancel_ordered(&self, debate: &DebateId) -> Result<Option<CancelOrder>, StoreError> {
        self.valve.store(Read, self.inner.commands.cancel_ordered(debate)).await
    }
    async fn orders_after(&self, cursor: Option<Cursor>) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError> {
        self.valve.store(Read, self.inner.commands.orders_after(cursor)).await
    }
}

#[async_trait]
impl<V: Valve> Catalogue for Wired<V> {
    async fn note(&self, summary: DebateSummary) -> Result<(), StoreError> {
        self.valve.store(Effect("note"), self.inner.catalogue.note(summary)).await
    }
    async fn get_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        self.valve.store(Read, self.inner.catalogue.get_summary(debate)).await
    }
    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        self.valve.store(Read, self.inner.catalogue.find(query)).await
    }
    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        if self.mutation == Mutation::BlindToCatalogue {
            return Ok(Vec::new());
        }
        self.valve.store(Read, self.inner.catalogue.unfinished()).await
    }
    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        self.valve.store(Read, self.inner.catalogue.standing()).await
    }
    async fn left(&self, is_gone: &OwnerTest<'_>) -> Result<Vec<DebateId>, StoreError> {
        if self.mutation == Mutation::BlindToCatalogue {
            return Ok(Vec::new());
        }
        self.valve.store(Read, self.inner.catalogue.left(is_gone)).await
    }
    async fn strike(&self, debate: &DebateId) -> Result<(), StoreError> {
        self.valve.store(Effect("strike"), self.inner.catalogue.strike(debate)).await
    }
}

#[async_trait]
impl<V: Valve> Bus for Wired<V> {
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        self.valve.bus(Effect("hint"), self.inner.bus.publish(subject, payload)).await
    }
    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError> {
        self.valve.bus(Look, self.inner.bus.subscribe(pattern)).await
    }
    fn may_have_listeners(&self, subject: &str) -> bool {
        self.inner.bus.may_have_listeners(subject)
    }
    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        self.valve.bus(Effect("offer"), self.inner.bus.request(subject, payload, patience)).await
    }
    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError> {
        Ok(self.valve.server(self.valve.bus(Look, self.inner.bus.serve(pattern)).await?))
    }
    async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        self.valve.bus(Effect("enqueue"), self.inner.bus.enqueue(subject, payload)).await
    }
    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError> {
        let delivery = self.valve.bus(Read, self.inner.bus.try_pull(pattern, lease)).await?;
        Ok(delivery.map(|delivery| self.valve.delivery(delivery)))
    }
    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError> {
        Ok(self.valve.delivery(self.valve.bus(Read, self.inner.bus.pull(pattern, lease)).await?))
    }
    async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        self.valve.bus(Look, self.inner.bus.backlog()).await
    }
    async fn queued_subjects(&self) -> Result<HashSet<String>, BusError> {
        self.valve.bus(Look, self.inner.bus.queued_subjects()).await
    }
    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        self.valve.bus(Look, self.inner.bus.peek(subject)).await
    }
    fn is_connected(&self) -> bool {
        self.valve.is_connected() && self.inner.bus.is_connected()
    }
    async fn drain(&self) {
        self.inner.bus.drain().await;
    }
}
