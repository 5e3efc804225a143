//! A bus that misbehaves as the real one may, from a seed.
use crate::port::{Backlog, Bus, BusError, Delivery, Message, Payload, Server, Subscription};
use async_trait::async_trait;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often each fault strikes, in thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// A hint is lost.
    pub lose_hint: u32,
    /// A hint comes twice.
    pub double_hint: u32,
    /// A hint is held back until another one is sent; the last ones may never come.
    pub delay_hint: u32,
    /// Work is accepted and lost.
    pub lose_work: u32,
    /// Acknowledged work comes again, as new.
    pub redeliver_acked: u32,
}

/// How often each fault struck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts {
    /// Hints that were dropped.
    pub lost_hints: u64,
    /// Hints that were delivered twice.
    pub doubled_hints: u64,
    /// Hints held back.
    pub delayed_hints: u64,
    /// Messages of queues that were lost before a consumer took them.
    pub lost_work: u64,
    /// Acknowledged work that came again.
    pub redelivered: u64,
}

/// A bus around another that loses, doubles, delays and redelivers. The same seed and calls give the same faults.
pub struct FaultyBus<B> {
    inner: Arc<B>,
    script: Arc<Mutex<FaultSequence>>,
}

struct FaultSequence {
    faults: Faults,
    dice: ChaCha8Rng,
    held_back: Vec<Message>,
    counts: FaultCounts,
}

impl<B: Bus> FaultyBus<B> {
    /// Wraps a bus.
    pub fn new(inner: B, seed: u64, faults: Faults) -> Self {
        let dice = ChaCha8Rng::seed_from_u64(seed);
        let script = FaultSequence { faults, dice, held_back: Vec::new(), counts: FaultCounts::default() };
        Self { inner: Arc::new(inner), script: Arc::new(Mutex::new(script)) }
    }
    /// What has struck so far.
    pub fn counts(&self) -> FaultCounts {
        self.script().counts
    }
    /// Ends all faults from here on; what was held back stays lost.
    pub fn calm(&self) {
        self.script().faults = Faults::default();
    }
    fn script(&self) -> MutexGuard<'_, FaultSequence> {
        open(&self.script)
    }
}

fn open(script: &Mutex<FaultSequence>) -> MutexGuard<'_, FaultSequence> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FaultSequence {
    fn strikes(&mut self, thousandths: u32) -> bool {
        self.dice.next_u64() % 1_000 < u64::from(thousandths)
    }
    /// What really goes out when a hint is sent.
    fn hints(&mut self, message: Message) -> Vec<Message> {
        let mut out = std::mem::take(&mut self.held_back);
        if self.strikes(self.faults.lose_hint) {
            self.counts.lost_hints += 1;
        } else if self.strikes(self.faults.delay_hint) {
            self.counts.delayed_hints += 1;
            self.held_back.push(message);
        } else {
            if self.strikes(self.faults.double_hint) {
                self.counts.doubled_hints += 1;
                out.push(message.clone());
            }
            // held-back ones come after it: late, not merely slow
            out.insert(0, message);
        }
        out
    }
    fn loses_work(&mut self) -> bool {
        let lost = self.strikes(self.faults.lose_work);
        self.counts.lost_work += u64::from(lost);
        lost
    }
    fn redelivers(&mut self) -> bool {
        let again = self.strikes(self.faults.redeliver_acked);
        self.counts.redelivered += u64::from(again);
        again
    }
}

#[async_trait]
impl<B: Bus + 'static> Bus for FaultyBus<B> {
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        let hints = self.script().hints(Message { subject: subject.to_owned(), payload });
        for hint in hints {
            self.inner.publish(&hint.subject, hint.payload).await?;
        }
        Ok(())
    }
    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError> {
        self.inner.subscribe(pattern).await
    }
    fn may_have_listeners(&self, subject: &str) -> bool {
        self.inner.may_have_listeners(subject)
    }
    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        self.inner.request(subject, payload, patience).await
    }
    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError> {
        self.inner.serve(pattern).await
    }
    async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        if self.script().loses_work() {
            return Ok(());
        }
        self.inner.enqueue(subject, payload).await
    }
    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError> {
        let Some(delivery) = self.inner.try_pull(pattern, lease).await? else { return Ok(None) };
        Ok(Some(Box::new(FaultyDelivery { inner: self.inner.clone(), script: self.script.clone(), delivery })))
    }
    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError> {
        let delivery = self.inner.pull(pattern, lease).await?;
        Ok(Box::new(FaultyDelivery { inner: self.inner.clone(), script: self.script.clone(), delivery }))
    }
    async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        self.inner.backlog().await
    }
    async fn queued_subjects(&self) -> Result<HashSet<String>, BusError> {
        self.inner.queued_subjects().await
    }
    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        self.inner.peek(subject).await
    }
    fn is_connected(&self) -> bool {
        self.inner.is_connected()
    }
    async fn drain(&self) {
        self.inner.drain().await;
    }
}

struct FaultyDelivery<B> {
    inner: Arc<B>,
    script: Arc<Mutex<FaultSequence>>,
    delivery: Box<dyn Delivery>,
}

#[async_trait]
impl<B: Bus> Delivery for FaultyDelivery<B> {
    fn message(&self) -> &Message {
        self.delivery.message()
    }
    fn deliveries(&self) -> u32 {
        self.delivery.deliveries()
    }
    async fn extend(&self) -> Result<bool, BusError> {
        self.delivery.extend().await
    }
    async fn ack(&self) -> Result<(), BusError> {
        self.delivery.ack().await?;
        let again = open(&self.script).redelivers();
        if again {
            let message = self.delivery.message();
            self.inner.enqueue(&message.subject, message.payload.clone()).await?;
        }
        Ok(())
    }
    async fn nak(&self, delay: Duration) -> Result<(), BusError> {
        self.delivery.nak(delay).await
    }
}
