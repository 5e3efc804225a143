//! The port over two connections.
use super::blob::Blobs;
use super::envelope::{pack, unpack};
use super::inbox::{Inbox, InboxParts, NatsResponder, ReplyRoute, closed};
use super::link::NatsLink;
use super::queue::NatsQueues;
use super::streams::{ProvisionConfig, QUEUE_PREFIX};
use crate::port::{Backlog, Bus, BusError, Delivery, Payload, Reply, Server, Subscription};
use async_nats::Subject;
use async_nats::client::{Request, RequestErrorKind};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Tokens travel apart, so that a flood of them delays nothing else.
const TOKENS: &str = "agon.v1.tok.";
/// All servers are one group: each request goes to one of those that fit it.
const SERVERS: &str = "agon";
/// How long the bus's own tasks may take to end.
const DRAIN: Duration = Duration::from_secs(5);

/// How the queues work.
#[derive(Clone, Debug, Default)]
pub struct QueueConfig {
    /// The streams, to set them up again should they vanish.
    pub provision: ProvisionConfig,
    /// The lease of the consumers that are made where work is added, for hosts that may make none; nothing leaves that to whoever pulls.
    pub lease: Option<Duration>,
}

/// The bus over NATS. Its streams have to be set up before, see [`super::provision()`].
pub struct NatsBus {
    control: NatsLink,
    tokens: NatsLink,
    queue: NatsQueues,
    blobs: Blobs,
    owner: BusTasks,
}

/// Owns the bus's tasks.
#[derive(Clone)]
pub(super) struct BusTasks {
    pub(super) closing: CancellationToken,
    pub(super) tasks: TaskTracker,
    pub(super) runtime: Handle,
}
impl BusTasks {
    /// Starts a task that draining waits for.
    pub(super) fn start(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(task, &self.runtime);
    }
}

impl NatsBus {
    /// A bus whose tokens go over the second connection and everything else over the first. Has to be called within a
    /// tokio runtime, on which its tasks run.
    pub fn new(control: NatsLink, tokens: NatsLink, config: QueueConfig) -> Self {
        let owner =
            BusTasks { closing: CancellationToken::new(), tasks: TaskTracker::new(), runtime: Handle::current() };
        let provision = Arc::new(config.provision);
        let blobs = Blobs::new(control.clone(), provision.clone());
        let queue = NatsQueues::new(blobs.clone(), provision, owner.clone(), config.lease);
        Self { control, tokens, queue, blobs, owner }
    }

    fn link(&self, subject: &str) -> &NatsLink {
        if subject.starts_with(TOKENS) { &self.tokens } else { &self.control }
    }

    /// The connection for a subject, if it stands: what is sent into one that is cut arrives at an unknown time, or never.
    fn reach(&self, subject: &str) -> Result<&NatsLink, BusError> {
        self.check_open()?;
        let link = self.link(subject);
        match link.is_connected() {
            true => Ok(link),
            false => Err(BusError::Failed(format!("the connection to {} is being restored", link.servers()))),
        }
    }

    fn check_open(&self) -> Result<(), BusError> {
        if self.owner.closing.is_cancelled() { Err(closed()) } else { Ok(()) }
    }

    fn inbox(&self, link: &NatsLink, subscriber: async_nats::Subscriber) -> Inbox {
        let (blobs, closing) = (self.blobs.clone(), self.owner.closing.clone());
        Inbox::new(subscriber, InboxParts { link: link.clone(), blobs, closing })
    }

    async fn ask(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        let link = self.reach(subject)?;
        let envelope = pack(&self.blobs, subject, payload).await?;
        let request = Request::new().payload(envelope.body).headers(envelope.headers);
        let request = request.inbox(link.new_answer()).timeout(Some(patience));
        let asking = link.client().send_request(subject.to_owned(), request);
        match link.unless_denied(subject, asking).await {
            Ok(Ok(answer)) => unpack(&self.blobs, answer.headers, answer.payload).await,
            Ok(Err(error)) => Err(match error.kind() {
                RequestErrorKind::NoResponders => BusError::NoResponders(subject.to_owned()),
                RequestErrorKind::TimedOut => BusError::Timeout { subject: subject.to_owned(), waited: patience },
                RequestErrorKind::InvalidSubject | RequestErrorKind::MaxPayloadExceeded | RequestErrorKind::Other => {
                    BusError::Failed(format!("request on {subject}: {error}"))
                }
            }),
            Err(denied) => Err(BusError::Denied(denied.to_string())),
        }
    }
}

#[async_trait]
impl Bus for NatsBus {
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        let link = self.reach(subject)?;
        let envelope = pack(&self.blobs, subject, payload).await?;
        let sending = link.client().publish_with_headers(subject.to_owned(), envelope.headers, envelope.body);
        let sent = tokio::time::timeout(link.request_timeout(), sending).await;
        let stuck = |_| BusError::Failed(format!("nothing can be sent to {}", link.servers()));
        sent.map_err(stuck)?.map_err(|e| BusError::Failed(format!("publish to {subject}: {e}")))
    }

    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError> {
        self.check_open()?;
        let link = self.link(pattern);
        let subscribed = link.client().subscribe(pattern.to_owned()).await;
        let subscriber = subscribed.map_err(|e| BusError::Failed(format!("subscribe to {pattern}: {e}")))?;
        Ok(Box::new(self.inbox(link, subscriber)))
    }

    fn may_have_listeners(&self, subject: &str) -> bool {
        // the server does not tell; while it is out of reach, nobody hears
        self.link(subject).is_connected()
    }

    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        let late = |_| BusError::Timeout { subject: subject.to_owned(), waited: patience };
        tokio::time::timeout(patience, self.ask(subject, payload, patience)).await.map_err(late)?
    }

    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError> {
        self.check_open()?;
        let link = self.link(pattern);
        let subscribed = link.client().queue_subscribe(pattern.to_owned(), SERVERS.to_owned()).await;
        let subscriber = subscribed.map_err(|e| BusError::Failed(format!("serve {pattern}: {e}")))?;
        let answering = Answers { link: link.clone(), blobs: self.blobs.clone(), owner: self.owner.clone() };
        Ok(Box::new(NatsResponder { inbox: self.inbox(link, subscriber), answering }))
    }

    async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        self.reach(subject)?;
        self.queue.enqueue(subject, payload).await
    }

    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError> {
        self.reach(pattern)?;
        let taken = self.queue.try_pull(pattern, lease).await?;
        Ok(taken.map(|delivery| Box::new(delivery) as Box<dyn Delivery>))
    }

    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError> {
        self.check_open()?;
        Ok(Box::new(self.queue.pull(pattern, lease).await?))
    }

    async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        self.reach(QUEUE_PREFIX)?;
        self.queue.backlog().await
    }

    async fn queued_subjects(&self) -> Result<HashSet<String>, BusError> {
        self.reach(QUEUE_PREFIX)?;
        self.queue.queued_subjects().await
    }

    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        self.reach(subject)?;
        self.queue.peek(subject).await
    }

    fn is_connected(&self) -> bool {
        self.control.is_connected() && self.tokens.is_connected()
    }

    /// Gives back work that nobody took, ends what listens, and sends what is still to be sent. The connections stay:
    /// others share them, see [`NatsLink::close`].
    async fn drain(&self) {
        self.owner.closing.cancel();
        self.owner.tasks.close();
        if tokio::time::timeout(DRAIN, self.owner.tasks.wait()).await.is_err() {
            tracing::warn!(tasks = self.owner.tasks.len(), "tasks of the bus did not end in time");
        }
        // what is cut off has nobody to send to
        for link in [&self.control, &self.tokens].into_iter().filter(|link| link.is_connected()) {
            tokio::time::timeout(link.request_timeout(), link.client().flush()).await.ok();
        }
    }
}

/// Sends answers, each in a task that draining waits for.
struct Answers {
    link: NatsLink,
    blobs: Blobs,
    owner: BusTasks,
}
impl ReplyRoute for Answers {
    fn reply_to(&self, subject: Option<Subject>) -> Reply {
        let (link, blobs, owner) = (self.link.clone(), self.blobs.clone(), self.owner.clone());
        let asked_over = link.connection();
        Box::new(move |payload| {
            let Some(subject) = subject else { return };
            owner.start(async move {
                // A server that lets its users answer requests, and publish nowhere else, forgets with a connection whom they may
                // answer: it would report a violation. Whoever asked runs into its own patience and asks again.
                if asked_over.is_none() || link.connection() != asked_over {
                    return tracing::debug!("answer not sent: the connection over which it was asked for is gone");
                }
                if let Err(error) = answer(&link, &blobs, subject, payload).await {
                    tracing::warn!(%error, "answer not sent");
                }
            });
        })
    }
}

async fn answer(link: &NatsLink, blobs: &Blobs, subject: Subject, payload: Payload) -> Result<(), BusError> {
    let envelope = pack(blobs, &subject, payload).await?;
    let sending = link.client().publish_with_headers(subject, envelope.headers, envelope.body);
    let sent = tokio::time::timeout(link.request_timeout(), sending).await;
    let stuck = |_| BusError::Failed(format!("nothing can be sent to {}", link.servers()));
    sent.map_err(stuck)?.map_err(|e| BusError::Failed(e.to_string()))
}
