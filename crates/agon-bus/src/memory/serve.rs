//! Request and reply.
use super::{closed, lock};
use crate::pattern::PatternIndex;
use crate::port::{BusError, Message, Payload, Request, Server};
use async_trait::async_trait;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

#[derive(Default)]
pub(super) struct MemoryServers {
    table: Mutex<ServingTable>,
}

#[derive(Default)]
struct ServingTable {
    serving: PatternIndex<Serving>,
    last_id: u64,
    requests: u64,
    closed: bool,
}

struct Serving {
    inbox: mpsc::Sender<Request>,
    /// Number of the last request that it got: whoever waits longest is next.
    last_served: AtomicU64,
}

impl MemoryServers {
    pub(super) async fn request(&self, message: Message, patience: Duration) -> Result<Payload, BusError> {
        let subject = message.subject.clone();
        let answer = self.hand_over(message)?;
        let answered = tokio::time::timeout(patience, async move {
            match answer.await {
                Ok(answer) => answer,
                // dropped unanswered: nobody will ever say so
                Err(_) => std::future::pending().await,
            }
        });
        answered.await.map_err(|_| BusError::Timeout { subject, waited: patience })
    }

    fn hand_over(&self, message: Message) -> Result<oneshot::Receiver<Payload>, BusError> {
        let mut table = lock(&self.table);
        if table.closed {
            return Err(closed());
        }
        table.requests += 1;
        let mut next: Option<(u64, u64, &Serving)> = None;
        table.serving.for_each_match(&message.subject, &mut |id, serving| {
            let last_served = serving.last_served.load(Ordering::Relaxed);
            if next.is_none_or(|(other, other_id, _)| (last_served, id) < (other, other_id)) {
                next = Some((last_served, id, serving));
            }
        });
        let Some((_, _, serving)) = next else { return Err(BusError::NoResponders(message.subject)) };
        serving.last_served.store(table.requests, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |bytes| {
            // an asker that has gone needs no answer
            reply.send(bytes).ok();
        });
        // a full inbox loses the request, as a slow consumer's does
        serving.inbox.try_send(Request { message, reply }).ok();
        Ok(answer)
    }

    pub(super) fn serve(self: &Arc<Self>, pattern: &str, capacity: usize) -> Result<MemoryServer, BusError> {
        let mut table = lock(&self.table);
        if table.closed {
            return Err(closed());
        }
        let (sender, inbox) = mpsc::channel(capacity.max(1));
        table.last_id += 1;
        let id = table.last_id;
        table.serving.insert(pattern, id, Serving { inbox: sender, last_served: AtomicU64::new(0) });
        Ok(MemoryServer { servers: self.clone(), pattern: pattern.to_owned(), id, inbox })
    }

    pub(super) fn close(&self) {
        let mut table = lock(&self.table);
        table.closed = true;
        table.serving.clear();
    }
}

pub(super) struct MemoryServer {
    servers: Arc<MemoryServers>,
    pattern: String,
    id: u64,
    inbox: mpsc::Receiver<Request>,
}

#[async_trait]
impl Server for MemoryServer {
    async fn next(&mut self) -> Option<Request> {
        self.inbox.recv().await
    }
}

impl Drop for MemoryServer {
    fn drop(&mut self) {
        lock(&self.servers.table).serving.remove(&self.pattern, self.id);
    }
}
