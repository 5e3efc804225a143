//! What the roles stand on: NATS with its streams, or memory and a SQLite file where there is one process.
use super::permissions;
use super::plan::{self, ServePlan};
use super::restore::Streams;
use crate::cli::ProcessRole;
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use crate::grants::inbox;
use crate::ownership::{Ownership, ServerLock};
use crate::store::{Store, counted, failed};
use agon_bus::nats::provision::ProvisionError;
use agon_bus::nats::{NatsBus, NatsConfig, NatsError, NatsLink, QUEUE_STREAM, QueueConfig, StreamWatch, connect};
use agon_bus::{Bus, MemoryBus};
use agon_runtime::HostConfig;
use agon_store::{
    Catalogue, Commands, EvalLogs, Jobs, Journal, NatsStore, NatsStoreError, NatsUse, Registers, Requests, Upkeep,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The file of a server without NATS; apart from that of `agon run`, whose debates are not a server's to take up.
const FILE_NAME: &str = "server.db";

/// Bus and stores of a process.
pub struct Infrastructure {
    /// Hints, requests, queues.
    pub bus: Arc<dyn Bus>,
    /// The logs.
    pub journal: Arc<dyn Journal>,
    /// The results of turns.
    pub registers: Arc<dyn Registers>,
    /// Debates that want an owner.
    pub jobs: Arc<dyn Jobs>,
    /// Orders to owners.
    pub commands: Arc<dyn Commands>,
    /// The index of debates.
    pub catalogue: Arc<dyn Catalogue>,
    /// What request ids stand for.
    pub requests: Arc<dyn Requests>,
    /// The logs as a whole.
    pub upkeep: Arc<dyn Upkeep>,
    /// The logs of evals.
    pub evals: Arc<dyn EvalLogs>,
    /// Whether this process may keep any.
    pub keeps_evals: bool,
    /// The right to be the one `agon ui` of a store.
    own: Option<Ownership>,
    _lock: Option<ServerLock>,
    nats: Option<NatsResources>,
}

/// What has to be closed.
struct NatsResources {
    links: [NatsLink; 2],
    store: Arc<NatsStore>,
    streams: Streams,
    keys: permissions::HostKeyPolicy,
    purges_registers: bool,
}

impl Infrastructure {
    /// Connects, checks what is there, and sets up what is missing of what the roles use.
    pub async fn open(context: &Context, plan: &ServePlan) -> Result<Self, Stop> {
        match plan.is_alone() {
            true => Self::alone(context, plan).await,
            false => Self::on_nats(context, plan).await,
        }
    }

    async fn alone(context: &Context, plan: &ServePlan) -> Result<Self, Stop> {
        let store = match plan.own_door {
            Some(_) => Store::open(context)?,
            None => Store::open_named(context, FILE_NAME)?,
        };
        let own = match plan.own_door {
            Some(_) => Some(Ownership::ui(&store).await?),
            None => None,
        };
        if let Some(halted) = counted(&store.halted().await?) {
            plan.herald.tell(&format!(
                "not played by this process: {halted}; {} continues them, and so does Resume on their pages",
                store.advice("resume")
            ));
        }
        // every other process that has served this store is gone
        let lock = ServerLock::take(&store)?;
        let store = store.sqlite;
        store.free_jobs(plan.id.as_str()).await.map_err(failed)?;
        let left = store.left(&|owner| *owner != plan.id).await.map_err(failed)?.len();
        if left > 0 {
            plan.herald.tell(&format!("debates of an earlier process that go on now: {left}"));
        }
        Ok(Self {
            bus: Arc::new(MemoryBus::new()),
            journal: store.clone(),
            registers: store.clone(),
            jobs: store.clone(),
            commands: store.clone(),
            catalogue: store.clone(),
            requests: store.clone(),
            upkeep: store.clone(),
            evals: store,
            keeps_evals: true,
            own,
            _lock: lock,
            nats: None,
        })
    }

    async fn on_nats(context: &Context, plan: &ServePlan) -> Result<Self, Stop> {
        let settings = &plan.settings.nats;
        let config = settings.config(&inbox(&plan.roles), plan.id.as_str(), &context.environment);
        let config = config.map_err(|error| Stop::new(Exit::Usage, error))?;
        let mut tokens = config.clone();
        tokens.name.push_str("/tokens");
        let links = [connected(plan, config).await?, connected(plan, tokens).await?];
        let [control, tokens] = &links;
        let keys = permissions::check(plan, control).await?;
        let streams = settings.bus();
        let evals = permissions::keeps_evals(plan, control).await?;
        let purges_registers = permissions::purges_registers(plan, control).await?;
        let uses = plan::uses(&plan.roles);
        let uses = NatsUse { evals: uses.evals && evals, ..uses };
        let wanted = plan.settings.store_on_nats();
        let kept = Streams { link: control.clone(), bus: streams.clone(), queues: uses.queues, store: wanted, uses };
        let store = kept.open(settings.wait.0, &plan.herald).await.map_err(not_opened)?;
        let store = Arc::new(store);
        let lease = uses.owns.then_some(plan.node().times.turn_lease);
        let bus = NatsBus::new(control.clone(), tokens.clone(), QueueConfig { provision: streams, lease });
        Ok(Self {
            bus: Arc::new(bus),
            journal: store.clone(),
            registers: store.clone(),
            jobs: store.clone(),
            commands: store.clone(),
            catalogue: store.clone(),
            requests: store.clone(),
            upkeep: store.clone(),
            evals: store.clone(),
            keeps_evals: uses.evals,
            own: None,
            _lock: None,
            nats: Some(NatsResources { links, store, streams: kept, keys, purges_registers }),
        })
    }

    /// What becomes of the keys of hosts; nothing where there is nobody else.
    pub fn keys(&self) -> Option<permissions::HostKeyPolicy> {
        self.nats.as_ref().map(|nats| nats.keys)
    }

    /// Whether the registers of debates that are over may be removed.
    pub fn purges_registers(&self) -> bool {
        self.nats.as_ref().is_none_or(|nats| nats.purges_registers)
    }

    /// Tries whether the turns of these hosts may be pulled.
    pub async fn check_queues(&self, plan: &ServePlan, hosts: &[HostConfig]) -> Result<(), Stop> {
        let Some(nats) = &self.nats else { return Ok(()) };
        let [control, _] = &nats.links;
        permissions::check_queues(plan, control, hosts).await
    }

    /// The streams that stop debates when they are full.
    pub fn streams(&self, plan: &ServePlan) -> Option<StreamWatch> {
        let nats = self.nats.as_ref()?;
        let [control, _] = &nats.links;
        let mut names = NatsStore::stream_names(&plan.settings.store_on_nats());
        names.push(QUEUE_STREAM.to_owned());
        Some(StreamWatch::new(control.clone(), names))
    }

    /// Sets up again what NATS loses. Returns when that is not permitted; never without NATS.
    pub async fn keep_streams(&self) -> Stop {
        match &self.nats {
            Some(nats) => nats.streams.keep(&nats.store).await,
            None => std::future::pending().await,
        }
    }

    /// Where it is, for people.
    pub fn place(&self) -> String {
        match &self.nats {
            None => "everything in this process".to_owned(),
            Some(nats) => {
                let [control, _] = &nats.links;
                format!("NATS {} (nats-server {})", control.servers(), control.state().server_version)
            }
        }
    }

    /// Sends what is still to be sent and closes everything.
    pub async fn close(self) {
        self.bus.drain().await;
        if let Some(own) = self.own {
            own.leave().await;
        }
        let Some(nats) = self.nats else { return };
        nats.store.close().await;
        for link in &nats.links {
            link.close().await;
        }
    }
}

/// Users of hosts may have an account of their own, with what hosts need lent to it.
async fn connected(plan: &ServePlan, config: NatsConfig) -> Result<NatsLink, Stop> {
    let link = connect(config).await.map_err(unreached)?;
    match plan.roles == BTreeSet::from([ProcessRole::Host]) {
        true => Ok(link.in_its_account().await),
        false => Ok(link),
    }
}

pub fn unreached(error: NatsError) -> Stop {
    let exit = match &error {
        NatsError::NoAddress
        | NatsError::Address { .. }
        | NatsError::UserInAddress { .. }
        | NatsError::InboxPrefix(_)
        | NatsError::HalfCertificate(_)
        | NatsError::File { .. }
        | NatsError::BadFile { .. }
        | NatsError::Refused { .. } => Exit::Usage,
        NatsError::Tls { .. } | NatsError::Unreachable { .. } | NatsError::Silent { .. } => Exit::Unavailable,
    };
    Stop::new(exit, error)
}

pub fn not_set_up(error: ProvisionError) -> Stop {
    let (exit, hint) = stream_hint(&error);
    Stop::new(exit, anyhow::Error::from(error).context(hint))
}

pub fn not_opened(error: NatsStoreError) -> Stop {
    let (exit, hint) = match &error {
        NatsStoreError::Stream(error) => stream_hint(error),
        NatsStoreError::Differs { .. } => {
            (Exit::Usage, "the cluster was set up with another value; give `nats.shards` its first value")
        }
        NatsStoreError::OtherCluster { .. } => (Exit::Usage, "this NATS has the debates of another cluster"),
        NatsStoreError::Consumer { .. } | NatsStoreError::SmallMessages { .. } => {
            (Exit::Unavailable, "the streams cannot be used")
        }
    };
    Stop::new(exit, anyhow::Error::from(error).context(hint))
}

fn stream_hint(error: &ProvisionError) -> (Exit, &'static str) {
    match error {
        ProvisionError::NoJetStream(_) => {
            (Exit::Unavailable, "Agon keeps its debates in JetStream; start the server with it (nats-server -js)")
        }
        ProvisionError::Denied { .. } => (
            Exit::Usage,
            "something is missing that this NATS user may not set up; run `agon provision` as a user who may",
        ),
        ProvisionError::Differs { .. } => (Exit::Usage, "the streams were set up differently"),
        ProvisionError::Missing(_) | ProvisionError::Server { .. } => {
            (Exit::Unavailable, "the streams cannot be set up")
        }
    }
}
