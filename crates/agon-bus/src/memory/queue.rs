//! Work queues with leases.
use super::{closed, lock};
use crate::port::{BusError, Delivery, Message, Payload};
use async_trait::async_trait;
use state::{State, Taken};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

mod state;

#[derive(Default)]
pub(super) struct MemoryQueues {
    state: Mutex<State>,
    /// Wakes those who wait, because something falls due sooner than they know.
    sooner: Notify,
}

impl MemoryQueues {
    pub(super) fn enqueue(&self, message: Message, capacity: usize) -> Result<(), BusError> {
        let mut state = lock(&self.state);
        if state.closed {
            return Err(closed());
        }
        let tell = state.enqueue(message, capacity, Instant::now())?;
        self.tell(tell);
        Ok(())
    }

    /// Takes work that is free now.
    pub(super) fn try_pull(
        self: &Arc<Self>,
        pattern: &str,
        lease: Duration,
    ) -> Result<Option<MemoryDelivery>, BusError> {
        let mut state = lock(&self.state);
        if state.closed {
            return Err(closed());
        }
        let now = Instant::now();
        state.release_due(now);
        let Some((taken, tell)) = state.take(pattern, lease, now) else { return Ok(None) };
        self.tell(tell);
        Ok(Some(self.delivery(taken, lease)))
    }

    /// Waits for work. When the future is dropped, nothing is lost and nothing stays leased.
    pub(super) async fn pull(self: &Arc<Self>, pattern: &str, lease: Duration) -> Result<MemoryDelivery, BusError> {
        let mut wait = match self.begin(pattern, lease)? {
            TakeAttempt::Taken(taken) => return Ok(self.delivery(taken, lease)),
            TakeAttempt::Waiting(wait) => wait,
        };
        loop {
            let mut sooner = std::pin::pin!(self.sooner.notified());
            sooner.as_mut().enable();
            let due = lock(&self.state).arm();
            tokio::select! {
                biased;
                taken = &mut wait.taken => return taken.map(|taken| self.delivery(taken, lease)).map_err(|_| closed()),
                () = sooner => {}
                () = at(due) => lock(&self.state).release_due(Instant::now()),
            }
        }
    }

    fn begin(&self, pattern: &str, lease: Duration) -> Result<TakeAttempt<'_>, BusError> {
        let mut state = lock(&self.state);
        if state.closed {
            return Err(closed());
        }
        let now = Instant::now();
        state.release_due(now);
        if let Some((taken, tell)) = state.take(pattern, lease, now) {
            self.tell(tell);
            return Ok(TakeAttempt::Taken(taken));
        }
        let (sender, taken) = oneshot::channel();
        let id = state.wait(pattern, lease, sender);
        Ok(TakeAttempt::Waiting(QueueWait { queues: self, id, taken }))
    }

    fn delivery(self: &Arc<Self>, taken: Taken, lease: Duration) -> MemoryDelivery {
        MemoryDelivery { queues: self.clone(), taken, lease }
    }

    fn tell(&self, sooner: bool) {
        if sooner {
            self.sooner.notify_waiters();
        }
    }

    /// The subjects that hold work, at most so many.
    pub(super) fn subjects(&self, most: usize) -> Result<Vec<String>, BusError> {
        let state = lock(&self.state);
        if state.closed { Err(closed()) } else { Ok(state.subjects(most)) }
    }

    /// The work of a subject, wherever it stands.
    pub(super) fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        let state = lock(&self.state);
        if state.closed { Err(closed()) } else { Ok(state.peek(subject)) }
    }

    pub(super) fn count(&self, pattern: &str) -> usize {
        lock(&self.state).count(pattern)
    }

    pub(super) fn close(&self) {
        lock(&self.state).close();
    }
}

async fn at(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

enum TakeAttempt<'a> {
    Taken(Taken),
    Waiting(QueueWait<'a>),
}

/// A place in the line of those who wait. Work is handed over under the lock, so that none gets lost in between.
struct QueueWait<'a> {
    queues: &'a MemoryQueues,
    id: u64,
    taken: oneshot::Receiver<Taken>,
}
impl Drop for QueueWait<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.queues.state);
        state.leave(self.id);
        if let Ok(taken) = self.taken.try_recv() {
            let tell = state.put_back(&taken, Instant::now());
            self.queues.tell(tell);
        }
    }
}

pub(super) struct MemoryDelivery {
    queues: Arc<MemoryQueues>,
    taken: Taken,
    lease: Duration,
}

#[async_trait]
impl Delivery for MemoryDelivery {
    fn message(&self) -> &Message {
        &self.taken.message
    }
    fn deliveries(&self) -> u32 {
        self.taken.deliveries
    }
    async fn extend(&self) -> Result<bool, BusError> {
        let mut state = lock(&self.queues.state);
        if state.closed {
            return Err(closed());
        }
        let now = Instant::now();
        state.release_due(now);
        let (held, tell) = state.extend(&self.taken, now + self.lease);
        self.queues.tell(tell);
        Ok(held)
    }
    async fn ack(&self) -> Result<(), BusError> {
        let mut state = lock(&self.queues.state);
        if state.closed {
            return Err(closed());
        }
        state.remove(self.taken.number);
        Ok(())
    }
    async fn nak(&self, delay: Duration) -> Result<(), BusError> {
        let mut state = lock(&self.queues.state);
        if state.closed {
            return Err(closed());
        }
        let tell = state.give_back(&self.taken, delay, Instant::now());
        self.queues.tell(tell);
        Ok(())
    }
}
