//! Queues: a work-queue stream with one durable consumer for each pattern that is pulled.
mod consumer;
mod delivery;
mod puller;
mod stream_look;

use super::blob::Blobs;
use super::bus::BusTasks;
use super::envelope::{Envelope, pack};
use super::inbox::closed;
use super::link::NatsLink;
use super::provision::ensure_stream;
use super::streams::{ProvisionConfig, QUEUE_PREFIX, QUEUE_STREAM};
use crate::port::{BusError, Payload};
use async_nats::StatusCode;
use async_nats::client::{Request, RequestErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, ErrorCode, context::PublishErrorKind};
use consumer::{ConsumerLane, Consumers, NO_WAIT};
use delivery::NatsDelivery;
use puller::{QueuePuller, Want};
use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// Pulls that wait for one pattern before further ones have to wait to wait.
const WANTS: usize = 64;
/// How long a consumer that was there is taken to be there still.
const LOOKED_AT: Duration = Duration::from_secs(10);
/// How long nothing is asked again that was not permitted, in addition.
const DENIED: Duration = Duration::from_secs(3_600);

pub(super) struct NatsQueues {
    consumers: Consumers,
    owner: BusTasks,
    pullers: Mutex<HashMap<String, mpsc::Sender<Want>>>,
    /// The lease of consumers that are made here for those who may make none.
    lease: Option<Duration>,
    /// Consumers that were there a while ago.
    made: Mutex<HashMap<String, Instant>>,
}

/// What became of a message that was to be stored.
enum Stored {
    Yes,
    NoStream,
}

impl NatsQueues {
    pub(super) fn new(blobs: Blobs, provision: Arc<ProvisionConfig>, owner: BusTasks, lease: Option<Duration>) -> Self {
        let consumers = Consumers { blobs, provision };
        Self { consumers, owner, pullers: Mutex::default(), lease, made: Mutex::default() }
    }

    /// Makes the consumer of new work where hosts may make none. Work is added all the same: without the permission for it, as older
    /// configurations of the server have it, hosts make their consumers themselves.
    async fn make_consumer(&self, subject: &str) {
        let (Some(lease), Some(lane)) = (self.lease, ConsumerLane::of_work(subject)) else { return };
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made().get(&lane.name).is_some_and(|at| at.elapsed() < LOOKED_AT) {
            return;
        }
        let ensured = self.consumers.ensure(&lane, lease).await;
        let seen = match &ensured {
            Ok(_) => Some(Instant::now()),
            Err(BusError::Denied(_)) => Instant::now().checked_add(DENIED),
            Err(_) => None,
        };
        if let Err(error) = ensured {
            tracing::debug!(consumer = lane.name, %error, "consumer of new work not made");
        }
        let mut made = made();
        made.retain(|_, at| at.elapsed() < LOOKED_AT);
        if let Some(at) = seen {
            made.insert(lane.name, at);
        }
    }

    pub(super) async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        if !subject.starts_with(QUEUE_PREFIX) {
            return Err(BusError::Failed(format!(
                "{subject} is in no queue: their subjects start with {QUEUE_PREFIX}"
            )));
        }
        let envelope = pack(&self.consumers.blobs, subject, payload).await?;
        self.make_consumer(subject).await;
        if let Stored::Yes = self.store(subject, &envelope).await? {
            return Ok(());
        }
        // somebody deleted the stream, or the server lost its memory
        self.consumers.provision().await?;
        match self.store(subject, &envelope).await? {
            Stored::Yes => Ok(()),
            Stored::NoStream => Err(BusError::Failed(format!("stream {QUEUE_STREAM} is gone again"))),
        }
    }

    async fn store(&self, subject: &str, envelope: &Envelope) -> Result<Stored, BusError> {
        let link = self.consumers.link();
        let jetstream = link.jetstream();
        let message = PublishMessage::build().payload(envelope.body.clone()).headers(envelope.headers.clone());
        let message = message.expected_stream(QUEUE_STREAM);
        let sending = async { jetstream.send_publish(subject.to_owned(), message).await?.await };
        let error = match link.unless_denied(subject, sending).await {
            Ok(Ok(_)) => return Ok(Stored::Yes),
            Ok(Err(error)) => error,
            Err(denied) => return Err(BusError::Denied(denied.to_string())),
        };
        match error.kind() {
            PublishErrorKind::StreamNotFound => Ok(Stored::NoStream),
            PublishErrorKind::TimedOut => {
                Err(BusError::Timeout { subject: subject.to_owned(), waited: link.request_timeout() })
            }
            PublishErrorKind::WrongLastMessageId
            | PublishErrorKind::WrongLastSequence
            | PublishErrorKind::BrokenPipe
            | PublishErrorKind::MaxAckPending
            | PublishErrorKind::MaxPayloadExceeded
            | PublishErrorKind::Other => refused(&error),
        }
    }

    /// Waits for work. When the future is dropped, work that was already handed to it is given back.
    pub(super) async fn pull(&self, pattern: &str, lease: Duration) -> Result<NatsDelivery, BusError> {
        let wants = self.puller(pattern)?;
        let (hand, taken) = oneshot::channel();
        let mut taking = Taking { taken, owner: self.owner.clone() };
        wants.send(Want { lease, hand }).await.map_err(|_| closed())?;
        match (&mut taking.taken).await {
            Ok(taken) => taken,
            Err(_) => Err(closed()),
        }
    }

    fn puller(&self, pattern: &str) -> Result<mpsc::Sender<Want>, BusError> {
        let lane = ConsumerLane::parse(pattern)?;
        let mut pullers = self.pullers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wants) = pullers.get(pattern).filter(|wants| !wants.is_closed()) {
            return Ok(wants.clone());
        }
        let (sender, wants) = mpsc::channel(WANTS);
        pullers.insert(pattern.to_owned(), sender.clone());
        let puller = QueuePuller::new(self.consumers.clone(), lane, wants);
        let closing = self.owner.closing.clone();
        self.owner.start(async move { puller.run(closing).await });
        Ok(sender)
    }

    /// Takes what is there. A task does it, so that nothing gets lost when the future is dropped.
    pub(super) async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<NatsDelivery>, BusError> {
        let lane = ConsumerLane::parse(pattern)?;
        let (hand, taken) = oneshot::channel();
        let mut taking = Taking { taken, owner: self.owner.clone() };
        let consumers = self.consumers.clone();
        self.owner.start(async move {
            if let Err(Ok(Some(unwanted))) = hand.send(take_now(&consumers, &lane, lease).await) {
                unwanted.give_back().await;
            }
        });
        (&mut taking.taken).await.unwrap_or_else(|_| Err(closed()))
    }
}

async fn take_now(
    consumers: &Consumers,
    lane: &ConsumerLane,
    lease: Duration,
) -> Result<Option<NatsDelivery>, BusError> {
    if !consumers.ensure(lane, lease).await? {
        return Ok(None);
    }
    let link = consumers.link();
    let subject = lane.next_subject(link);
    // a shared inbox knows answers by their subject, but work comes under its own
    let inbox = link.client().new_inbox();
    let request = Request::new().payload(NO_WAIT.into()).inbox(inbox).timeout(Some(link.request_timeout()));
    let asked = link.unless_denied(&subject, link.client().send_request(subject.clone(), request)).await;
    match asked {
        Ok(Ok(message)) => match message.status {
            None => consumers.receive(message).await,
            Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => Ok(None),
            Some(status) => Err(BusError::Failed(format!("work cannot be pulled: {status}"))),
        },
        Ok(Err(error)) if error.kind() == RequestErrorKind::TimedOut => {
            Err(BusError::Timeout { subject, waited: link.request_timeout() })
        }
        Ok(Err(error)) => Err(BusError::Failed(format!("work cannot be pulled: {error}"))),
        Err(denied) => Err(BusError::Denied(denied.to_string())),
    }
}

/// A stream tells by the same code that a subject has its one message and that it is full altogether.
fn refused(error: &jetstream::context::PublishError) -> Result<Stored, BusError> {
    let answer = error.source().and_then(|source| source.downcast_ref::<jetstream::Error>());
    let Some(answer) = answer else { return Err(BusError::Failed(error.to_string())) };
    let text = answer.to_string();
    match answer.error_code() {
        ErrorCode::STREAM_STORE_FAILED if text.contains("per subject") => Ok(Stored::Yes),
        ErrorCode::STREAM_STORE_FAILED if text.contains("maximum") => Err(BusError::QueueFull(QUEUE_STREAM.to_owned())),
        ErrorCode::STREAM_NOT_FOUND => Ok(Stored::NoStream),
        _ => Err(BusError::Failed(text)),
    }
}

/// Gives work back that was handed over and never seen.
struct Taking<T: Into<Option<NatsDelivery>>> {
    taken: oneshot::Receiver<Result<T, BusError>>,
    owner: BusTasks,
}
impl<T: Into<Option<NatsDelivery>>> Drop for Taking<T> {
    fn drop(&mut self) {
        self.taken.close();
        if let Ok(Ok(unseen)) = self.taken.try_recv()
            && let Some(unseen) = unseen.into()
        {
            self.owner.start(async move { unseen.give_back().await });
        }
    }
}

/// Sets the stream of the queues up again.
async fn provision_queue(link: &NatsLink, config: &ProvisionConfig) -> Result<(), BusError> {
    let ensured = ensure_stream(link, &config.queue_stream(), config.growth).await;
    ensured.map(|_| ()).map_err(BusError::from)
}
