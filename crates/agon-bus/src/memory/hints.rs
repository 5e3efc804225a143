//! Publish and subscribe.
use super::{closed, lock};
use crate::pattern::PatternIndex;
use crate::port::{BusError, Message, Payload, Received, Subscription};
use async_trait::async_trait;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct Hints {
    table: RwLock<ListenerTable>,
}

#[derive(Default)]
struct ListenerTable {
    listeners: PatternIndex<Arc<Listener>>,
    last_id: u64,
    closed: bool,
}

struct Listener {
    inbox: Mutex<ListenerQueue>,
    changed: Notify,
}

struct ListenerQueue {
    waiting: VecDeque<Received>,
    messages: usize,
    capacity: usize,
    closed: bool,
}

impl Hints {
    pub(super) fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        if table.closed {
            return Err(closed());
        }
        table.listeners.for_each_match(subject, &mut |_, listener| {
            listener.take(|| Message { subject: subject.to_owned(), payload: payload.clone() });
        });
        Ok(())
    }

    pub(super) fn has_listener(&self, subject: &str) -> bool {
        self.table.read().unwrap_or_else(PoisonError::into_inner).listeners.has_match(subject)
    }

    pub(super) fn subscribe(self: &Arc<Self>, pattern: &str, capacity: usize) -> Result<MemorySubscription, BusError> {
        let inbox = ListenerQueue { waiting: VecDeque::new(), messages: 0, capacity: capacity.max(1), closed: false };
        let listener = Arc::new(Listener { inbox: Mutex::new(inbox), changed: Notify::new() });
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if table.closed {
            return Err(closed());
        }
        table.last_id += 1;
        let id = table.last_id;
        table.listeners.insert(pattern, id, listener.clone());
        Ok(MemorySubscription { hints: self.clone(), pattern: pattern.to_owned(), id, listener })
    }

    pub(super) fn close(&self) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        table.closed = true;
        table.listeners.for_each_value(&mut |listener| listener.close());
        table.listeners.clear();
    }
}

impl Listener {
    /// A full inbox loses the newest message, as the NATS client does; the gap is told in its place.
    fn take(&self, message: impl FnOnce() -> Message) {
        let mut inbox = lock(&self.inbox);
        if inbox.messages < inbox.capacity {
            inbox.messages += 1;
            inbox.waiting.push_back(Received::Message(message()));
        } else if let Some(Received::Lagged(lost)) = inbox.waiting.back_mut() {
            *lost += 1;
        } else {
            inbox.waiting.push_back(Received::Lagged(1));
        }
        drop(inbox);
        self.changed.notify_one();
    }
    fn close(&self) {
        lock(&self.inbox).closed = true;
        self.changed.notify_one();
    }
}

pub(super) struct MemorySubscription {
    hints: Arc<Hints>,
    pattern: String,
    id: u64,
    listener: Arc<Listener>,
}

#[async_trait]
impl Subscription for MemorySubscription {
    async fn next(&mut self) -> Option<Received> {
        loop {
            {
                let mut inbox = lock(&self.listener.inbox);
                if let Some(received) = inbox.waiting.pop_front() {
                    inbox.messages -= usize::from(matches!(received, Received::Message(_)));
                    return Some(received);
                }
                if inbox.closed {
                    return None;
                }
            }
            self.listener.changed.notified().await;
        }
    }
}

impl Drop for MemorySubscription {
    fn drop(&mut self) {
        let mut table = self.hints.table.write().unwrap_or_else(PoisonError::into_inner);
        table.listeners.remove(&self.pattern, self.id);
    }
}
