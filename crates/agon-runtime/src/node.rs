//! A node: the roles of one process, and what can be asked of it.
use crate::base::config::{HostConfig, NodeConfig, Ports};
use crate::base::shared::{Common, Shared};
use crate::base::tasks::tell;
use crate::base::{catalogue, journal};
use crate::cluster::KnownHost;
use crate::cluster::KnownNode;
use crate::host::{self, NodeSlot};
use crate::recall::Embedder;
use crate::watch::{Wants, Watch, WatchError, Watched, ends};
use agon_core::{Admission, Debate, DebateId, DebateState, Event, ModelName, Outcome, Position, Record};
use agon_store::{AppendError, StoreError};
use agon_tools::{ConfigProblems, Toolbox, Verifiers};
use futures_util::future::{self, FutureExt as _};
use ractor::{Actor, ActorRef, SpawnErr};
use root::NodeRoot;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::Instant;

pub(crate) mod cluster_metrics;
mod requests;
pub(crate) mod root;

pub use requests::{CancelError, DrainError, PauseError, ResumeError};

/// Why a node did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its supervision could not be set up.
    #[error("the node's actors cannot be started")]
    Actors(#[source] SpawnErr),
    /// Its tools are not configured as they must be.
    #[error("the tools are wrong")]
    Tools(#[source] ConfigProblems),
}

/// Why a debate was not accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SubmitError {
    /// Another debate has this id.
    #[error("another debate has the id {0}")]
    Conflict(DebateId),
    /// It could not be written down, or it is unknown whether it was; the same admission may be submitted again.
    #[error("the debate cannot be written down")]
    Append(#[source] AppendError),
    /// It is written down, but could not be queued; it waits until it is submitted again or adopted.
    #[error("the debate is accepted but not queued")]
    Queue(#[source] StoreError),
}

/// The node's actors are gone: its supervision gave up, or it was shut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the node is down")]
pub struct NodeDown;

/// What a node is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeStats {
    /// Debates that are coordinated here.
    pub active_debates: usize,
    /// Their turns that are asked and not decided.
    pub open_turns: usize,
    /// Calls that run at this node's hosts.
    pub calls_in_flight: usize,
    /// Jobs that were taken since the start.
    pub jobs_taken: u64,
    /// Tasks of its actors.
    pub tasks: usize,
}

/// A running node. Dropping it does not stop it: see [`Node::drain`] and [`Node::stop`].
pub struct Node {
    shared: Shared,
    /// The servers of this process.
    hosts: Vec<HostConfig>,
    root: ActorRef<root::Msg>,
    /// Ends when the root has; any number may wait for it.
    life: future::Shared<future::BoxFuture<'static, ()>>,
    /// Tells without waiting.
    alive: AbortHandle,
}

impl Node {
    /// Starts the roles of a process.
    pub async fn start(config: NodeConfig, ports: Ports) -> Result<Self, StartError> {
        let slot = NodeSlot::default();
        let toolbox = Toolbox::new(config.tools.clone(), host::find_for_tools(&slot, &ports.hosts));
        let toolbox = toolbox.map_err(StartError::Tools)?;
        let verifiers = Verifiers::new(config.verifiers.clone(), toolbox.clone()).map_err(StartError::Tools)?;
        let shared: Shared = Arc::new(Common::new(config, &ports, (toolbox, verifiers)));
        slot.get_or_init(|| Arc::downgrade(&shared));
        let hosts = ports.hosts.clone();
        let args = root::Args { shared: shared.clone(), hosts: ports.hosts };
        let (root, life) = Actor::spawn(None, NodeRoot, args).await.map_err(StartError::Actors)?;
        let alive = life.abort_handle();
        // however the root ended, it has ended
        Ok(Self { shared, hosts, root, life: life.map(drop).boxed().shared(), alive })
    }

    /// Accepts a debate: once its admission is in the journal, it will be held. Submitting the same admission again is harmless.
    pub async fn submit(&self, admission: Admission) -> Result<(), SubmitError> {
        let (debate, priority) = (admission.id.clone(), admission.priority);
        let event = Debate::admit(admission.clone());
        let at = self.shared.clock.now();
        let record =
            Record { first: Position(1), at, epoch: 0, nonce: self.shared.config.random.number(), events: vec![event] };
        match journal::append(&self.shared, &debate, &record).await {
            Ok(_) => {
                self.shared.observer.debate_admitted(&admission, at);
                catalogue::note(&self.shared, catalogue::admitted(&admission, at)).await;
            }
            Err(AppendError::Fenced { .. }) => self.same_admission(&admission).await?,
            Err(error) => return Err(SubmitError::Append(error)),
        }
        if !self.shared.config.takes_jobs {
            self.adopt(&debate);
            return Ok(());
        }
        match self.shared.in_time(self.shared.jobs.enqueue(&debate, priority)).await {
            Ok(()) => self.shared.hint_ready(&debate, priority).await,
            // it is admitted and noted as waiting: the sweeper queues it once there is room
            Err(StoreError::Full(why)) => tracing::warn!(%debate, why, "no room for the job of a debate, it waits"),
            Err(error) => return Err(SubmitError::Queue(error)),
        }
        Ok(())
    }

    async fn same_admission(&self, admission: &Admission) -> Result<(), SubmitError> {
        let unread = |error: StoreError| SubmitError::Append(error.into());
        let records =
            self.shared.in_time(self.shared.journal.read(&admission.id, Position(0))).await.map_err(unread)?;
        match records.first().and_then(|record| Some((record, record.events.first()?))) {
            Some((first, Event::DebateAdmitted(known))) if **known == *admission => {
                // the first submission may have come no further
                catalogue::note(&self.shared, catalogue::admitted(admission, first.at)).await;
                Ok(())
            }
            _ => Err(SubmitError::Conflict(admission.id.clone())),
        }
    }

    /// Follows a debate from the record after `after`, with its tokens if they are wanted.
    pub async fn watch(&self, debate: &DebateId, after: Position, tokens: bool) -> Result<Watch, WatchError> {
        let wants = Wants { tokens, brisk: true, patient: false };
        Watch::open(self.shared.clone(), debate.clone(), after, wants).await
    }

    /// The same for a debate that may not exist yet: it is waited for.
    pub async fn watch_expected(&self, debate: &DebateId, after: Position, tokens: bool) -> Result<Watch, WatchError> {
        let wants = Wants { tokens, brisk: true, patient: true };
        Watch::open(self.shared.clone(), debate.clone(), after, wants).await
    }

    /// Waits until a debate is over, wherever it is held, and says how it ended.
    pub async fn finished(&self, debate: &DebateId) -> Result<(DebateState, Option<Outcome>), WatchError> {
        let wants = Wants { tokens: false, brisk: false, patient: false };
        let mut watch = Watch::open(self.shared.clone(), debate.clone(), Position(0), wants).await?;
        loop {
            if let Some(Watched::Record(record)) = watch.next().await?
                && let Some(end) = ends(&record)
            {
                return Ok(end);
            }
        }
    }

    /// Takes a debate over at once, without waiting for its job's lease: to resume what a dead process left.
    /// Fencing makes it harmless where the other owner lives.
    pub fn adopt(&self, debate: &DebateId) {
        tell(&self.root, root::Msg::Adopt { debate: debate.clone(), orders: None });
    }

    /// What the node is doing.
    pub fn stats(&self) -> NodeStats {
        let shared = &self.shared;
        NodeStats {
            active_debates: shared.owned.len(),
            open_turns: shared.owned.open_turns(),
            calls_in_flight: shared.directory.in_flight(),
            jobs_taken: shared.jobs_taken.load(Ordering::Relaxed),
            tasks: shared.tasks.count(),
        }
    }

    /// Who compares a debate with earlier ones, where its file names an embedding model that a host of this process serves.
    pub fn embedder(&self, admission: &Admission) -> Embedder {
        let model = admission.spec.similarity.embedding_model.clone().filter(|_| admission.spec.history_limit > 0)?;
        host::find_for_debates(&self.shared, &self.hosts, model, admission.rehearsal)
    }

    /// The hosts that are known here, with their models.
    pub fn hosts(&self) -> Vec<KnownHost> {
        self.shared.directory.known()
    }

    /// Whether a host that is known here takes turns for the model.
    pub fn serves(&self, model: &ModelName, rehearsal: bool) -> bool {
        self.shared.directory.serves(model, rehearsal)
    }

    /// Waits until every host of the cluster can have been heard; true where that took a while, because this node has just started.
    pub async fn hear_all_hosts(&self) -> bool {
        let heartbeat = self.shared.config.times.heartbeat;
        if self.shared.config.embedded {
            return false;
        }
        let heard = self.shared.directory.first_round(heartbeat);
        // a bus that is away is no reason to wait for long
        tokio::time::timeout(heartbeat * 3, heard).await.unwrap_or(true)
    }

    /// The nodes with coordinators that were heard lately; of a node that holds every role itself, none.
    pub fn nodes(&self) -> Vec<KnownNode> {
        self.shared.peers.known(Instant::now())
    }

    /// Whether no process of the cluster leads debates.
    pub fn lacks_coordinators(&self) -> bool {
        !self.shared.config.embedded && self.shared.peers.are_absent(Instant::now())
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Whether the node can do its work: the bus is there, it is not shutting down, and its actors live.
    pub fn ready(&self) -> bool {
        self.shared.bus.is_connected() && !*self.shared.draining.borrow() && !self.alive.is_finished()
    }

    /// Waits until the node is down of itself, which is a failure: its supervision has given up, or of a node that takes no
    /// jobs, its debate.
    pub async fn failed(&self) -> NodeDown {
        let mut gave_up = self.shared.gave_up.subscribe();
        tokio::select! {
            biased;
            () = self.life.clone() => {}
            _ = gave_up.wait_for(|gave_up| *gave_up) => {}
        }
        NodeDown
    }

    /// Shuts the node down in order: no more jobs and turns are taken, debates are handed over at once, running turns may
    /// end, and those that take too long are given back, all within the drain time; then everything stops. False when
    /// something had to be cut off.
    pub async fn drain(&self) -> bool {
        let limit = Instant::now() + self.shared.config.times.drain;
        self.shared.draining.send_replace(true);
        let (done, drained) = oneshot::channel();
        tell(&self.root, root::Msg::Drain(done));
        host::take_leave(&self.shared).await;
        let handed_over = tokio::time::timeout_at(limit, drained).await.is_ok_and(|done| done.is_ok());
        let quiet = self.quiet(limit).await;
        self.stop().await && handed_over && quiet
    }

    async fn quiet(&self, limit: Instant) -> bool {
        let retreat = limit - (self.shared.config.times.drain / 5).min(RETREAT);
        if tokio::time::timeout_at(retreat, self.shared.directory.quiet()).await.is_ok() {
            return true;
        }
        self.shared.directory.retreat();
        drop(tokio::time::timeout_at(limit, self.shared.directory.quiet()).await);
        false
    }

    /// Stops everything at once, as a crash would, but joins every task. False when a task did not end.
    pub async fn stop(&self) -> bool {
        self.root.stop(None);
        self.shared.tasks.cancel();
        let ended = tokio::time::timeout(STOP_PATIENCE, self.life.clone()).await.is_ok();
        let joined = self.shared.tasks.join(STOP_PATIENCE).await;
        self.shared.toolbox.close().await;
        joined && ended
    }

    /// Kills one actor.
    #[cfg(any(test, feature = "test-hooks"))]
    pub fn strike(&self, victim: crate::base::hooks::Victim, death: crate::base::hooks::Death) {
        tell(&self.root, root::Msg::Strike(crate::base::hooks::Blow { victim, death }));
    }
}

/// The time in which turns that take too long are given back.
const RETREAT: Duration = Duration::from_secs(2);
/// How long cancelled tasks may take to end.
const STOP_PATIENCE: Duration = Duration::from_secs(2);
