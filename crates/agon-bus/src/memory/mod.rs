//! The in-memory twin: the semantics of the NATS adapter inside one process, in tokio time.
mod hints;
mod queue;
mod serve;

use crate::backlog::by_debate;
use crate::port::{Backlog, Bus, BusError, Delivery, MOST_WORK_COUNTED, Message, Payload, Server, Subscription};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How much the bus keeps for those who are slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBusLimits {
    /// Messages that wait for one listener; further ones are lost to it.
    pub per_subscription: usize,
    /// Requests that wait for one server; further ones are lost and their askers time out.
    pub per_server: usize,
    /// Messages in one queue (all subjects with the same first three tokens), leased ones included; further ones are refused.
    pub per_queue: usize,
}
impl Default for MemoryBusLimits {
    fn default() -> Self {
        Self { per_subscription: 8_192, per_server: 1_024, per_queue: 100_000 }
    }
}

/// A bus inside one process. Clones are the same bus.
///
/// Nothing is spawned: leases run out in the time of whoever waits in [`Bus::pull`], which makes runs under paused
/// tokio time deterministic.
#[derive(Clone, Default)]
pub struct MemoryBus {
    hints: Arc<hints::Hints>,
    servers: Arc<serve::MemoryServers>,
    queues: Arc<queue::MemoryQueues>,
    limits: MemoryBusLimits,
}

impl MemoryBus {
    /// An empty bus with default limits.
    pub fn new() -> Self {
        Self::default()
    }
    /// An empty bus with these limits.
    pub fn with_limits(limits: MemoryBusLimits) -> Self {
        Self { limits, ..Self::default() }
    }
    /// Ends the bus: listeners and servers receive what is already theirs and then nothing more, calls fail.
    pub fn close(&self) {
        self.hints.close();
        self.servers.close();
        self.queues.close();
    }
    /// How many messages the queues hold for a pattern, leased ones included.
    pub fn queued(&self, pattern: &str) -> usize {
        self.queues.count(pattern)
    }
}

#[async_trait]
impl Bus for MemoryBus {
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        payload.check_size(subject)?;
        self.hints.publish(subject, payload)
    }
    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError> {
        Ok(Box::new(self.hints.subscribe(pattern, self.limits.per_subscription)?))
    }
    fn may_have_listeners(&self, subject: &str) -> bool {
        self.hints.has_listener(subject)
    }
    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        payload.check_size(subject)?;
        match self.servers.request(Message { subject: subject.to_owned(), payload }, patience).await {
            // somebody is there who never answers
            Err(BusError::NoResponders(subject)) if self.hints.has_listener(&subject) => {
                tokio::time::sleep(patience).await;
                Err(BusError::Timeout { subject, waited: patience })
            }
            answered => answered,
        }
    }
    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError> {
        Ok(Box::new(self.servers.serve(pattern, self.limits.per_server)?))
    }
    async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        payload.check_size(subject)?;
        self.queues.enqueue(Message { subject: subject.to_owned(), payload }, self.limits.per_queue)
    }
    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError> {
        let taken = self.queues.try_pull(pattern, lease)?;
        Ok(taken.map(|delivery| Box::new(delivery) as Box<dyn Delivery>))
    }
    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError> {
        Ok(Box::new(self.queues.pull(pattern, lease).await?))
    }
    async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        Ok(by_debate(self.queues.subjects(MOST_WORK_COUNTED)?.into_iter().map(|subject| (subject, 1))))
    }
    async fn queued_subjects(&self) -> Result<HashSet<String>, BusError> {
        self.queues.subjects(usize::MAX).map(HashSet::from_iter)
    }
    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        self.queues.peek(subject)
    }
    fn is_connected(&self) -> bool {
        true
    }
    async fn drain(&self) {
        self.close();
    }
}

fn closed() -> BusError {
    BusError::Closed("the bus was shut down".into())
}

/// The lock, also after a panic elsewhere: every change under these locks is complete before anything can panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
