//! A node: the roles of one process, and what can be asked of it.
use crate::config::{NodeConfig, Ports};
use crate::root::{self, Root};
use crate::shared::{Common, Shared};
use crate::tasks::tell;
use crate::watch::{Pause, Watch, WatchError, Watched, ends};
use crate::{ledger, wire};
use agon_core::{Admission, Debate, DebateId, DebateState, Event, Input, Outcome, Position, Record};
use agon_store::{AppendError, StoreError};
use ractor::{Actor, ActorRef, SpawnErr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

/// Why a node did not start.
#[derive(Debug, thiserror::Error)]
#[error("the node's actors cannot be started")]
pub struct StartError(#[source] SpawnErr);

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
pub struct Stats {
    /// Debates that are coordinated here.
    pub active_debates: usize,
    /// Calls that run at this node's hosts.
    pub calls_in_flight: usize,
    /// Tasks of its actors.
    pub tasks: usize,
}

/// A running node. Dropping it does not stop it: see [`Node::drain`] and [`Node::stop`].
pub struct Node {
    shared: Shared,
    root: ActorRef<root::Msg>,
    /// Ends when the root has.
    life: JoinHandle<()>,
    draining: watch::Sender<bool>,
}

impl Node {
    /// Starts the roles of a process.
    pub async fn start(config: NodeConfig, ports: Ports) -> Result<Self, StartError> {
        let shared: Shared = Arc::new(Common::new(config, &ports));
        let draining = watch::Sender::new(false);
        let args = root::Args { shared: shared.clone(), hosts: ports.hosts, draining: draining.subscribe() };
        let (root, life) = Actor::spawn(None, Root, args).await.map_err(StartError)?;
        Ok(Self { shared, root, life, draining })
    }

    /// Accepts a debate: once its admission is in the journal, it will be held. Submitting the same admission again is harmless.
    pub async fn submit(&self, admission: Admission) -> Result<(), SubmitError> {
        let debate = admission.id.clone();
        let event = Debate::admit(admission.clone());
        let at = self.shared.clock.now();
        let record = Record { first: Position(1), at, epoch: 0, nonce: rand::random(), events: vec![event] };
        match ledger::append(&*self.shared.journal, &debate, &record).await {
            Ok(_) => {}
            Err(AppendError::Fenced { .. }) => self.same_admission(&admission).await?,
            Err(error) => return Err(SubmitError::Append(error)),
        }
        self.shared.jobs.enqueue(&debate).await.map_err(SubmitError::Queue)?;
        self.shared.hint(&debate, wire::job_ready(&debate)).await;
        Ok(())
    }

    async fn same_admission(&self, admission: &Admission) -> Result<(), SubmitError> {
        let unread = |error: StoreError| SubmitError::Append(error.into());
        let records = self.shared.journal.read(&admission.id, Position(0)).await.map_err(unread)?;
        match records.first().and_then(|record| record.events.first()) {
            Some(Event::DebateAdmitted(known)) if **known == *admission => Ok(()),
            _ => Err(SubmitError::Conflict(admission.id.clone())),
        }
    }

    /// Follows a debate from the record after `after`, with its tokens if they are wanted.
    pub async fn watch(&self, debate: &DebateId, after: Position, tokens: bool) -> Result<Watch, WatchError> {
        Watch::open(self.shared.clone(), debate.clone(), after, tokens, Pause::Steady).await
    }

    /// Waits until a debate is over, wherever it is held, and says how it ended. One that does not exist yet is waited for.
    pub async fn finished(&self, debate: &DebateId) -> Result<(DebateState, Option<Outcome>), WatchError> {
        let pause = Pause::Growing(Duration::ZERO);
        let mut watch = Watch::open(self.shared.clone(), debate.clone(), Position(0), false, pause).await?;
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

    /// Ends a debate. Its coordinator is told; where none lives here, the debate is taken over for it.
    pub fn cancel(&self, debate: &DebateId, reason: &str) {
        let orders = Some(Input::Cancel { reason: reason.to_owned() });
        tell(&self.root, root::Msg::Adopt { debate: debate.clone(), orders });
    }

    /// What the node is doing.
    pub fn stats(&self) -> Stats {
        let shared = &self.shared;
        Stats {
            active_debates: shared.held.len(),
            calls_in_flight: shared.directory.in_flight(),
            tasks: shared.tasks.count(),
        }
    }

    /// Waits until the node is down of itself, which is a failure: its supervision has given up.
    pub async fn failed(&mut self) -> NodeDown {
        // however the root ended, the node is down
        drop((&mut self.life).await);
        NodeDown
    }

    /// Shuts the node down in order: no more jobs and turns are taken, debates are handed over, running calls may end,
    /// all within the drain time; then everything stops. False when something had to be cut off.
    pub async fn drain(self) -> bool {
        let limit = tokio::time::Instant::now() + self.shared.config.times.drain;
        self.draining.send_replace(true);
        let (done, drained) = oneshot::channel();
        tell(&self.root, root::Msg::Drain(done));
        let handed_over = tokio::time::timeout_at(limit, drained).await.is_ok_and(|done| done.is_ok());
        let quiet = tokio::time::timeout_at(limit, self.calls_end()).await.is_ok();
        self.stop().await && handed_over && quiet
    }

    async fn calls_end(&self) {
        while self.shared.directory.in_flight() > 0 {
            tokio::time::sleep(CALLS_LOOK).await;
        }
    }

    /// Stops everything at once, as a crash would, but joins every task. False when a task did not end.
    pub async fn stop(self) -> bool {
        self.root.stop(None);
        self.shared.tasks.cancel();
        let ended = tokio::time::timeout(STOP_PATIENCE, self.life).await.is_ok();
        self.shared.tasks.join(STOP_PATIENCE).await && ended
    }

    /// Kills one actor.
    #[cfg(any(test, feature = "test-hooks"))]
    pub fn strike(&self, victim: crate::hooks::Victim, death: crate::hooks::Death) {
        tell(&self.root, root::Msg::Strike(crate::hooks::Blow { victim, death }));
    }
}

/// How often a drain looks whether calls still run.
const CALLS_LOOK: Duration = Duration::from_millis(20);
/// How long cancelled tasks may take to end.
const STOP_PATIENCE: Duration = Duration::from_secs(2);
