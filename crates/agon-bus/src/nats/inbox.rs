//! The receiving end of a subscription: messages one by one, whole, and what was lost in between.
use super::blob::Blobs;
use super::envelope::{Opened, is_probe, open};
use super::link::NatsLink;
use super::state::Loss;
use crate::port::{BusError, Message, Payload, Received, Reply, Request, Server, Subscription};
use async_nats::{Subject, Subscriber};
use async_trait::async_trait;
use futures_util::StreamExt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A message, and where its answer goes.
type Arrived = (Message, Option<Subject>);
type Unpacking = Pin<Box<dyn Future<Output = Option<Arrived>> + Send>>;

/// Reads one subscription. Every method may be dropped at any time without losing a message.
pub(super) struct Inbox {
    subscriber: Subscriber,
    blobs: Blobs,
    closing: CancellationToken,
    draining: bool,
    /// A message whose body is still being fetched.
    unpacking: Option<Unpacking>,
    listener: Option<u64>,
    loss: Arc<Loss>,
    connects: watch::Receiver<u64>,
    link: NatsLink,
}

/// What an inbox is made of, beside its subscription.
pub(super) struct InboxParts {
    pub(super) link: NatsLink,
    pub(super) blobs: Blobs,
    pub(super) closing: CancellationToken,
}

enum InboxStep {
    Arrived(Arrived),
    Lost(u64),
    Closed,
}

impl Inbox {
    pub(super) fn new(subscriber: Subscriber, parts: InboxParts) -> Self {
        let InboxParts { link, blobs, closing } = parts;
        let listener = number_of(&subscriber);
        let loss = listener.map(|listener| link.tracker().listen(listener)).unwrap_or_default();
        let mut connects = link.tracker().connects();
        connects.mark_unchanged();
        Self { subscriber, blobs, closing, draining: false, unpacking: None, listener, loss, connects, link }
    }

    async fn step(&mut self) -> InboxStep {
        loop {
            if let Some(unpacking) = &mut self.unpacking {
                let unpacked = unpacking.await;
                self.unpacking = None;
                match unpacked {
                    Some(arrived) => return InboxStep::Arrived(arrived),
                    None => return InboxStep::Lost(1),
                }
            }
            let lost = self.loss.lost.swap(0, Ordering::Relaxed);
            if lost > 0 {
                return InboxStep::Lost(lost);
            }
            tokio::select! {
                biased;
                () = self.closing.cancelled(), if !self.draining => {
                    self.draining = true;
                    // a connection that is closed has nothing left to drain
                    self.subscriber.drain().await.ok();
                }
                Ok(()) = self.connects.changed() => {
                    // the first connection lost nothing
                    if *self.connects.borrow_and_update() > 1 {
                        return InboxStep::Lost(1);
                    }
                }
                () = self.loss.told.notified() => {}
                message = self.subscriber.next() => match message {
                    Some(message) => if let Some(step) = self.take(message) { return step },
                    None => return InboxStep::Closed,
                },
            }
        }
    }

    fn take(&mut self, message: async_nats::Message) -> Option<InboxStep> {
        if is_probe(message.headers.as_ref()) {
            return None;
        }
        let subject = message.subject.to_string();
        match open(message.headers.as_ref(), message.payload) {
            Ok(Opened::Whole(payload)) => Some(InboxStep::Arrived((Message { subject, payload }, message.reply))),
            Ok(Opened::Stored(reference, traceparent)) => {
                let blobs = self.blobs.clone();
                self.unpacking = Some(Box::pin(async move {
                    let fetched = blobs.fetch(&reference).await;
                    let body = fetched.inspect_err(|error| tracing::warn!(%subject, %error, "message lost")).ok()?;
                    Some((Message { subject, payload: Payload { body, traceparent } }, message.reply))
                }));
                None
            }
            Err(error) => {
                tracing::warn!(%subject, %error, "message lost");
                Some(InboxStep::Lost(1))
            }
        }
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        if let Some(listener) = self.listener {
            self.link.tracker().unlisten(listener);
        }
    }
}

/// The number by which the client's events name a subscription. The client shows it only so.
fn number_of(subscriber: &Subscriber) -> Option<u64> {
    let shown = format!("{subscriber:?}");
    let (_, number) = shown.split_once("sid: ")?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[async_trait]
impl Subscription for Inbox {
    async fn next(&mut self) -> Option<Received> {
        match self.step().await {
            InboxStep::Arrived((message, _)) => Some(Received::Message(message)),
            InboxStep::Lost(lost) => Some(Received::Lagged(lost)),
            InboxStep::Closed => None,
        }
    }
}

/// Makes the way back of one request.
pub(super) trait ReplyRoute: Send + Sync {
    /// Sends the answer to this subject.
    fn reply_to(&self, subject: Option<Subject>) -> Reply;
}

/// Reads requests.
pub(super) struct NatsResponder<A> {
    pub(super) inbox: Inbox,
    pub(super) answering: A,
}

#[async_trait]
impl<A: ReplyRoute> Server for NatsResponder<A> {
    async fn next(&mut self) -> Option<Request> {
        loop {
            match self.inbox.step().await {
                InboxStep::Arrived((message, reply)) => {
                    return Some(Request { message, reply: self.answering.reply_to(reply) });
                }
                // whoever asked runs into its own patience
                InboxStep::Lost(_) => {}
                InboxStep::Closed => return None,
            }
        }
    }
}

/// As an error of the port.
pub(super) fn closed() -> BusError {
    BusError::Closed("the bus was shut down".into())
}
