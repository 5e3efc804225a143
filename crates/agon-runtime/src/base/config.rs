//! What a node is told at its start.
use crate::base::clock::Clock;
use crate::base::random::RandomSource;
use crate::host::{Scheduling, Speeds};
use agon_bus::Bus;
use agon_core::breaker::BreakerPolicy;
use agon_core::restart::RestartPolicy;
use agon_core::{HostId, ModelName, NodeId};
use agon_llm::{CallTimeouts, ChatModel, RunnerOptions};
use agon_store::{Catalogue, Commands, Jobs, Journal, Registers, Upkeep};
use agon_telemetry::Observer;
use agon_tools::{ToolConfig, VerifierConfig};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a node.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Its name, unique to the process: one that was restarted has another, for its predecessor's debates are not its own.
    pub id: NodeId,
    /// So many debates are coordinated here at once; 0 for a node of hosts or gateways only.
    pub max_debates: usize,
    /// So many debates of one tenant run at once, in the whole cluster; the others stay in the queue.
    pub tenant_cap: Option<NonZeroUsize>,
    /// All hosts live in this process: what none of them serves is served nowhere, and a turn for it fails at once.
    pub embedded: bool,
    /// Debates come from the queue of jobs too. Otherwise the node plays what it admits or adopts, and never puts it into the queue.
    pub takes_jobs: bool,
    /// Its hosts may tell coordinators and gateways the key that orders carry.
    pub tells_keys: bool,
    /// It may hear the keys of hosts, for it gives orders to them.
    pub hears_keys: bool,
    /// It may remove the registers of debates that are over.
    pub purges_registers: bool,
    /// So many claims in a row without any other event interrupt a debate.
    pub claims_without_progress: u32,
    /// So many calls may wait for one model at one host; further ones are refused as busy.
    pub gate_queue: NonZeroUsize,
    /// So many participants outside Agon are asked at once.
    pub seat_permits: NonZeroUsize,
    /// When a model's breaker opens and closes.
    pub breaker: BreakerPolicy,
    /// How coordinators, cells, participants and gates are restarted.
    pub restarts: RestartPolicy,
    /// How the supervisors themselves are restarted; a spent budget ends the node.
    pub supervisor_restarts: RestartPolicy,
    /// The tools that debates may use at its hosts, by name.
    pub tools: BTreeMap<String, ToolConfig>,
    /// The verifiers that debates may use at its hosts, by name.
    pub verifiers: BTreeMap<String, VerifierConfig>,
    /// How fast the models of its hosts generate: what is known at the start, and what is measured.
    pub speeds: Arc<Speeds>,
    /// Where its nonces, keys and jitter come from.
    pub random: RandomSource,
    /// Its intervals.
    pub times: Times,
}
impl NodeConfig {
    /// Default settings for a node that holds every role.
    pub fn embedded(id: NodeId) -> Self {
        Self {
            id,
            max_debates: 10_000,
            tenant_cap: None,
            embedded: true,
            takes_jobs: true,
            tells_keys: true,
            hears_keys: true,
            purges_registers: true,
            claims_without_progress: 5,
            gate_queue: NonZeroUsize::new(1024).unwrap_or(NonZeroUsize::MIN),
            seat_permits: NonZeroUsize::new(1_000).unwrap_or(NonZeroUsize::MIN),
            breaker: BreakerPolicy::default(),
            restarts: RestartPolicy::default(),
            supervisor_restarts: RestartPolicy { max_restarts: 10, ..RestartPolicy::default() },
            tools: BTreeMap::new(),
            verifiers: BTreeMap::new(),
            speeds: Arc::default(),
            random: RandomSource::default(),
            times: Times::default(),
        }
    }
    /// Default settings for a node that holds every role and plays only the debates that it admits or adopts.
    pub fn solo(id: NodeId) -> Self {
        Self { takes_jobs: false, ..Self::embedded(id) }
    }
    /// Default settings for a node among others.
    pub fn clustered(id: NodeId) -> Self {
        Self { max_debates: 512, embedded: false, ..Self::embedded(id) }
    }
    /// Whether this node coordinates debates among others that do.
    pub(crate) fn has_peers(&self) -> bool {
        !self.embedded && self.max_debates > 0
    }
}

/// The intervals of a node.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// How long a job that was taken is kept from others. It leaves the queue when its debate is claimed.
    pub job_lease: Duration,
    /// How often coordinators are asked for a sign of life.
    pub ping: Duration,
    /// How often the job queue is looked at when no hint comes.
    pub job_poll: Duration,
    /// How soon it is first checked where an open turn is when no hint comes.
    pub register_look: Duration,
    /// The longest pause between two checks: they grow rarer with a turn's age, so that many slow turns stay cheap.
    pub register_look_max: Duration,
    /// How often an open turn's register is read although its host or queue says that it has the turn.
    pub register_sure: Duration,
    /// How long a host may take to answer an offer.
    pub offer_patience: Duration,
    /// How soon an undecided turn is offered again, in case nobody works on it.
    pub reoffer_after: Duration,
    /// How long a turn from a queue stays a host's without being extended.
    pub turn_lease: Duration,
    /// How often a host extends that lease and looks whether the turn was decided against it.
    pub turn_check: Duration,
    /// How long a cell without work is kept.
    pub cell_idle: Duration,
    /// How often a watcher reads the journal when no hint comes.
    pub log_poll: Duration,
    /// Shortest time between two token deltas of a turn.
    pub delta_every: Duration,
    /// How long a drain may take.
    pub drain: Duration,
    /// How often nodes and hosts give a sign of life.
    pub heartbeat: Duration,
    /// A node that is silent for so long is dead, and its debates are taken over.
    pub node_silent: Duration,
    /// A host that is silent for so long is dead, and its turns are offered to others.
    pub host_silent: Duration,
    /// How often a host's server is asked for its models.
    pub models_refresh: Duration,
    /// How often debates that stand still are looked for.
    pub sweep: Duration,
    /// A debate that nobody has claimed for so long is queued again.
    pub queued_stale: Duration,
    /// A debate that is noted as this node's, and is not held here for so long, is taken up.
    pub running_stale: Duration,
    /// How often the catalogue is compared with the logs.
    pub rebuild: Duration,
    /// How often the progress of a running debate is noted in the catalogue.
    pub note_every: Duration,
    /// How often new orders are asked for.
    pub orders_poll: Duration,
    /// How long the store may take for an answer before its asker turns away and tries again later.
    pub store_patience: Duration,
    /// The first pause of a debate whose store is away; it doubles.
    pub park: Duration,
    /// The longest such pause.
    pub park_max: Duration,
    /// How long a job of a tenant at its cap goes back to the queue.
    pub cap_pause: Duration,
}
impl Default for Times {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        let millis = Duration::from_millis;
        Self {
            job_lease: seconds(30),
            ping: seconds(10),
            job_poll: seconds(2),
            register_look: seconds(1),
            register_look_max: seconds(10),
            register_sure: seconds(300),
            offer_patience: millis(150),
            reoffer_after: seconds(30),
            turn_lease: seconds(20),
            turn_check: seconds(5),
            cell_idle: seconds(60),
            log_poll: seconds(1),
            delta_every: millis(60),
            drain: seconds(10),
            heartbeat: seconds(2),
            node_silent: seconds(6),
            host_silent: seconds(6),
            models_refresh: seconds(30),
            sweep: seconds(15),
            queued_stale: seconds(30),
            running_stale: seconds(45),
            rebuild: seconds(600),
            note_every: seconds(30),
            orders_poll: seconds(1),
            store_patience: seconds(20),
            park: seconds(1),
            park_max: seconds(10),
            cap_pause: seconds(2),
        }
    }
}

/// Size in bytes at which a token delta is sent without waiting.
pub(crate) const DELTA_BYTES: usize = 512;

/// Which models a host serves.
#[derive(Clone, Debug)]
pub enum Served {
    /// Whatever it is asked for; its server says if it has no such model.
    Any,
    /// These.
    List(Vec<ModelName>),
    /// Those that its server lists, looked up again and again.
    Discovered,
    /// Whatever it is asked for that begins with this prefix and a slash.
    Prefixed(String),
}

/// A model server that this node plays turns at.
#[derive(Clone)]
pub struct HostConfig {
    /// Its name, unique in the cluster.
    pub id: HostId,
    /// The client that speaks to it.
    pub client: Arc<dyn ChatModel>,
    /// What it serves.
    pub models: Served,
    /// So many calls per model at once.
    pub permits: NonZeroUsize,
    /// Whose call is next.
    pub scheduling: Scheduling,
    /// Models read what is said while others speak, where a permit is free.
    pub read_ahead: bool,
    /// What its models are launched with, the same for every call.
    pub runner: RunnerOptions,
    /// Limits of one call; the turn's limit is the debate's own.
    pub timeouts: CallTimeouts,
    /// It is a rehearsal server: nothing that it says is a model's word.
    pub rehearsal: bool,
}

/// What a node stands on.
#[derive(Clone)]
pub struct Ports {
    /// Hints, requests, queues.
    pub bus: Arc<dyn Bus>,
    /// The logs.
    pub journal: Arc<dyn Journal>,
    /// What became of turns.
    pub registers: Arc<dyn Registers>,
    /// Debates that want an owner.
    pub jobs: Arc<dyn Jobs>,
    /// Orders to owners.
    pub commands: Arc<dyn Commands>,
    /// The index of debates.
    pub catalogue: Arc<dyn Catalogue>,
    /// The logs as a whole, where the index is to be compared with them.
    pub upkeep: Option<Arc<dyn Upkeep>>,
    /// The model servers that are played at here.
    pub hosts: Vec<HostConfig>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who is told what happens.
    pub observer: Arc<dyn Observer>,
}
