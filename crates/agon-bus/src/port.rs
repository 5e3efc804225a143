//! The port.
use crate::subject::{DebateKey, Token};
use async_trait::async_trait;
use bytes::Bytes;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Why the bus could not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BusError {
    /// Nobody serves the subject. Known at once.
    #[error("nobody serves {0}")]
    NoResponders(String),
    /// Nobody answered in time.
    #[error("no answer on {subject} within {}", lasting(*waited))]
    Timeout {
        /// Where.
        subject: String,
        /// How long.
        waited: Duration,
    },
    /// The queue holds as much as it may.
    #[error("the queue {0} is full")]
    QueueFull(String),
    /// A message is larger than any that travels.
    #[error("a message of {size} bytes to {subject} is too large: at most {limit} bytes travel")]
    TooLarge {
        /// Where to.
        subject: String,
        /// How large.
        size: usize,
        /// The largest, see [`MAX_MESSAGE_BYTES`].
        limit: usize,
    },
    /// The connection is gone for good.
    #[error("the bus is closed: {0}")]
    Closed(String),
    /// The server refuses the subject to this user.
    #[error("not permitted: {0}")]
    Denied(String),
    /// The server failed, or the connection to it is being restored.
    #[error("the bus failed: {0}")]
    Failed(String),
}

/// A length of time for people: `250 ms`, `6 s`, `1.5 s`. Clocks measure nanoseconds, which nobody wants to read.
pub fn lasting(time: Duration) -> String {
    let tenths = (time.as_millis() + 50) / 100;
    match (tenths / 10, tenths % 10) {
        (0, _) => format!("{} ms", (time.as_micros() + 500) / 1_000),
        (seconds, 0) => format!("{seconds} s"),
        (seconds, tenths) => format!("{seconds}.{tenths} s"),
    }
}

/// The largest body that travels, in bytes. What a server does not take in one message goes in parts.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// What travels: bytes, and the W3C trace context in which they were sent, if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The bytes.
    pub body: Bytes,
    /// The sender's `traceparent`.
    pub traceparent: Option<Arc<str>>,
}
impl Payload {
    /// The bytes, sent in this trace context.
    pub fn traced(body: impl Into<Bytes>, traceparent: Option<Arc<str>>) -> Self {
        Self { body: body.into(), traceparent }
    }
}
impl Payload {
    /// Refuses what is larger than [`MAX_MESSAGE_BYTES`].
    pub(crate) fn check_size(&self, subject: &str) -> Result<(), BusError> {
        let size = self.body.len();
        match size > MAX_MESSAGE_BYTES {
            true => Err(BusError::TooLarge { subject: subject.to_owned(), size, limit: MAX_MESSAGE_BYTES }),
            false => Ok(()),
        }
    }
}
impl<T: Into<Bytes>> From<T> for Payload {
    fn from(body: T) -> Self {
        Self { body: body.into(), traceparent: None }
    }
}
impl std::ops::Deref for Payload {
    type Target = Bytes;
    fn deref(&self) -> &Bytes {
        &self.body
    }
}
impl PartialEq<Bytes> for Payload {
    fn eq(&self, other: &Bytes) -> bool {
        self.body == *other
    }
}

/// A message as it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Where it was sent to.
    pub subject: String,
    /// What was sent.
    pub payload: Payload,
}

/// The bus. Subjects are dot-separated tokens; patterns may use `*` for one token and a last `>` for one or more.
#[async_trait]
pub trait Bus: Send + Sync {
    /// Sends a hint to whoever listens; it may be lost.
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError>;
    /// Listens. A slow listener loses messages and is told how many.
    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError>;
    /// Whether anybody here may be listening; true where that cannot be known. Lets a sender spare work.
    fn may_have_listeners(&self, subject: &str) -> bool;
    /// Asks one of those that serve the subject.
    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError>;
    /// Serves requests.
    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError>;
    /// Adds work to a queue. A queue holds one piece of work for a subject: adding another while it is there changes nothing.
    async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError>;
    /// Work that is there now on the queue subjects that match, if there is any.
    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError>;
    /// Waits for work on the queue subjects that match. It comes again after `lease` unless extended or acknowledged.
    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError>;
    /// How much work the queues hold for each model and debate, leased work included. At most [`MOST_WORK_COUNTED`] pieces are counted.
    async fn backlog(&self) -> Result<Vec<Backlog>, BusError>;
    /// The subjects that have work, leased work included.
    async fn queued_subjects(&self) -> Result<HashSet<String>, BusError>;
    /// The work of a subject as it waits or is held, without taking it.
    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError>;
    /// Whether the bus can be reached now.
    fn is_connected(&self) -> bool;
    /// Sends what is still to be sent, and ends subscriptions, services and pulls.
    async fn drain(&self);
}

/// What the queues hold for one model and debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The model, by [`Token::model`].
    pub model: Token,
    /// Whose turns they are.
    pub debate: DebateKey,
    /// Pieces of work.
    pub work: u64,
    /// The subject of one of them.
    pub example: String,
}

/// So many pieces of work are counted at most; a server of NATS names no more subjects in one answer.
pub const MOST_WORK_COUNTED: usize = 100_000;

/// What a listener receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// A message on a subject that the listener asked for.
    Message(Message),
    /// So many messages were lost, because the listener was too slow, or may have been: after the bus was out of
    /// reach, one is counted, since nobody knows how many there were.
    Lagged(u64),
}

/// A listener's end.
#[async_trait]
pub trait Subscription: Send {
    /// The next message; none when the bus is closed.
    async fn next(&mut self) -> Option<Received>;
}

/// A server's end. Dropping it ends the service.
#[async_trait]
pub trait Server: Send {
    /// The next request; none when the bus is closed.
    async fn next(&mut self) -> Option<Request>;
}

/// A request that wants an answer. Dropping it unanswered lets the asker time out.
pub struct Request {
    /// What is asked.
    pub message: Message,
    /// Where the answer goes.
    pub reply: Reply,
}

/// Sends the answer of one request.
pub type Reply = Box<dyn FnOnce(Payload) + Send>;

/// Work that was taken from a queue. Dropping it lets the lease run out.
#[async_trait]
pub trait Delivery: Send + Sync {
    /// The work.
    fn message(&self) -> &Message;
    /// How often it was delivered, this time included. A delivery that met a pull which was just dropped may count.
    fn deliveries(&self) -> u32;
    /// Keeps it for another lease; false when it is no longer the caller's.
    async fn extend(&self) -> Result<bool, BusError>;
    /// It is done. Not fenced: a late acknowledgement removes it from the next holder too, as on NATS.
    async fn ack(&self) -> Result<(), BusError>;
    /// Gives it back, free after `delay`.
    async fn nak(&self, delay: Duration) -> Result<(), BusError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_written_for_people() {
        let written = [5_999_999_834, 1_500_000_000, 950_000_000, 249_600_000, 900_000, 61_040_000_000, 0]
            .map(Duration::from_nanos)
            .map(lasting);
        assert_eq!(written, ["6 s", "1.5 s", "1 s", "250 ms", "1 ms", "61 s", "0 ms"]);
        let waited = Duration::from_nanos(5_999_999_834);
        let error = BusError::Timeout { subject: "a.b".to_owned(), waited };
        assert_eq!(error.to_string(), "no answer on a.b within 6 s");
    }
}
