//! What all actors of a node share: settings, ports, tasks. No state of any debate.
use crate::base::clock::Clock;
use crate::base::config::{NodeConfig, Ports};
use crate::base::subjects;
use crate::base::tasks::Tasks;
use crate::base::time_left::Stopwatch;
use crate::cluster::Directory;
use crate::cluster::Peers;
use crate::owner::{EndedDebates, LeftSince, OwnedDebates, TurnChecks};
use crate::watch::feeds::DebateFeeds;
use agon_bus::Bus;
use agon_bus::Payload;
use agon_core::{DebateId, NodeId, Priority};
use agon_proto::{EvalChanged, Hint, JobReady};
use agon_store::{Catalogue, Commands, Jobs, Journal, Registers, StoreError, Upkeep};
use agon_telemetry::Observer;
use agon_tools::{Toolbox, Verifiers};
use std::future::Future;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, watch};

/// The node's common ground.
pub(crate) type Shared = Arc<Common>;

pub(crate) struct Common {
    pub(crate) config: NodeConfig,
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) registers: Arc<dyn Registers>,
    pub(crate) jobs: Arc<dyn Jobs>,
    pub(crate) commands: Arc<dyn Commands>,
    pub(crate) catalogue: Arc<dyn Catalogue>,
    pub(crate) upkeep: Option<Arc<dyn Upkeep>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stopwatch: Stopwatch,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) tasks: Tasks,
    pub(crate) directory: Directory,
    pub(crate) owned: OwnedDebates,
    /// The debates without an owner that this process's figures have shown.
    pub(crate) left: Mutex<LeftSince>,
    /// Debates that ended here and whose registers are still there.
    pub(crate) ended: EndedDebates,
    /// Open turns whose places are to be checked.
    pub(crate) turn_checks: TurnChecks,
    pub(crate) peers: Peers,
    pub(crate) feeds: DebateFeeds,
    /// The tools of this process's hosts.
    pub(crate) toolbox: Toolbox,
    pub(crate) verifiers: Verifiers,
    /// Places for debates; closed when no more are taken.
    pub(crate) room_for_debates: Arc<Semaphore>,
    /// A job may be there.
    pub(crate) job_ready: Notify,
    /// An order may have been given to a debate that is held here.
    pub(crate) order_given: Notify,
    /// An eval may be there, or may be to end.
    pub(crate) eval_changed: Notify,
    /// Jobs that were taken since the start.
    pub(crate) jobs_taken: AtomicU64,
    /// No more debates and turns are taken.
    pub(crate) draining: watch::Sender<bool>,
    /// A debate that nobody else takes up could not be played here.
    pub(crate) gave_up: watch::Sender<bool>,
}

impl Common {
    pub(crate) fn new(config: NodeConfig, ports: &Ports, (toolbox, verifiers): (Toolbox, Verifiers)) -> Self {
        Self {
            bus: ports.bus.clone(),
            journal: ports.journal.clone(),
            registers: ports.registers.clone(),
            jobs: ports.jobs.clone(),
            commands: ports.commands.clone(),
            catalogue: ports.catalogue.clone(),
            upkeep: ports.upkeep.clone(),
            clock: ports.clock.clone(),
            stopwatch: Stopwatch::new(),
            observer: ports.observer.clone(),
            tasks: Tasks::default(),
            directory: Directory::new(&config, &ports.hosts),
            owned: OwnedDebates::new(ports.observer.clone()),
            left: Mutex::default(),
            ended: EndedDebates::default(),
            turn_checks: TurnChecks::default(),
            peers: Peers::new(config.id.clone(), &config.times),
            feeds: DebateFeeds::default(),
            toolbox,
            verifiers,
            room_for_debates: Arc::new(Semaphore::new(config.max_debates)),
            job_ready: Notify::new(),
            order_given: Notify::new(),
            eval_changed: Notify::new(),
            jobs_taken: AtomicU64::new(0),
            draining: watch::Sender::new(false),
            gave_up: watch::Sender::new(false),
            config,
        }
    }

    /// Sends a hint to a debate's watchers and playing hosts.
    pub(crate) async fn hint_debate(&self, debate: &DebateId, hint: Hint) {
        self.send(&subjects::hints(debate), hint).await;
    }

    /// Sends a hint to the node that owns a debate.
    pub(crate) async fn hint_node(&self, node: &NodeId, hint: Hint) {
        self.send(&subjects::node(node), hint).await;
    }

    /// Tells the coordinators that a debate wants an owner.
    pub(crate) async fn hint_ready(&self, debate: &DebateId, priority: Priority) {
        self.send(&subjects::ready(priority), Hint::JobReady(JobReady { debate: debate.clone() })).await;
    }

    /// Tells the coordinators that an eval is there, goes on or is to end. All of them hear of jobs, those of evals included.
    pub(crate) async fn hint_eval(&self, eval: &DebateId) {
        let hint = Hint::EvalChanged(EvalChanged { eval: eval.clone() });
        self.send(&subjects::ready(Priority::Batch), hint).await;
    }

    /// A lost hint only costs time, so a failure is not the sender's trouble.
    async fn send(&self, subject: &str, hint: Hint) {
        if !self.bus.may_have_listeners(subject) {
            return;
        }
        let sent = self.bus.publish(subject, Payload::from(hint.to_bytes()));
        match tokio::time::timeout(HINT_PATIENCE, sent).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(subject, %error, "hint lost"),
            Err(_) => tracing::debug!(subject, "hint lost, the bus does not take it"),
        }
    }

    /// What of the store has no room for further turns.
    pub(crate) fn fullness(&self) -> Option<String> {
        self.upkeep.as_ref()?.condition().fullness()
    }

    /// Waits for the store, but not for ever.
    pub(crate) async fn in_time<T, E: From<StoreError>>(
        &self,
        what: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let patience = self.config.times.store_patience;
        let slow = || E::from(StoreError::Backend(format!("no answer within {}", agon_bus::lasting(patience))));
        tokio::time::timeout(patience, what).await.unwrap_or_else(|_| Err(slow()))
    }
}

/// How long the bus may take for a hint.
const HINT_PATIENCE: Duration = Duration::from_secs(1);
