//! What processes say of themselves, every two seconds.
use crate::enums::numbered;
use crate::mirror::mirror;
use agon_core::{HostId, ModelName, NodeId, Timestamp};

/// What a host says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAlive {
    /// Which host.
    pub host: HostId,
    /// The node that it is part of.
    pub node: NodeId,
    /// The version of Agon.
    pub agon_version: String,
    /// It takes turns for models that it does not list, too.
    pub serves_any: bool,
    /// It takes turns for any model whose name begins with this and a slash.
    pub serves_prefix: Option<String>,
    /// It takes no more turns.
    pub draining: bool,
    /// Scripted speakers, no model.
    pub rehearsal: bool,
    /// What it serves.
    pub models: Vec<HostModel>,
    /// The address of its model server, without credentials.
    pub server: String,
    /// What debates may name that runs here; absent where the host's version does not say.
    pub tools: Option<HostTools>,
}

/// The tools and verifiers of a host, by the names of its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTools {
    /// Tools.
    pub tools: Vec<String>,
    /// Verifiers.
    pub verifiers: Vec<String>,
}

impl HostAlive {
    /// Whether it takes turns for the model although it may not list it.
    pub fn takes(&self, model: &ModelName) -> bool {
        let prefixed =
            |prefix: &String| model.as_str().strip_prefix(prefix.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.serves_any || self.serves_prefix.as_ref().is_some_and(prefixed)
    }

    /// What it says of a model that it lists. A name without a tag means the tag `latest`.
    pub fn listed(&self, model: &ModelName) -> Option<&HostModel> {
        self.models.iter().find(|listed| listed.name.plain() == model.plain())
    }
}

/// A model at a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostModel {
    /// Its name.
    pub name: ModelName,
    /// Its digest, if the server tells.
    pub digest: Option<String>,
    /// Tokens of its context as it is launched, if known.
    pub context: Option<u64>,
    /// It is loaded; unknown where the server does not tell.
    pub warm: Option<bool>,
    /// Calls that may run at once, now.
    pub permits: u32,
    /// Calls that run.
    pub running: u32,
    /// Turns that were taken and wait for a permit.
    pub waiting: u32,
    /// Whether calls are let through: the circuit breaker's state, and open for a while after the server was seen to be away.
    pub breaker: BreakerState,
    /// The model server is away; absent where it is there as far as is known.
    pub away: Option<ModelServerAway>,
    /// What the model generates at this host, in thousandths of a token a second; absent where that is unknown.
    pub millitokens_per_second: Option<u32>,
}

/// A model server that is away. Turns wait for it; its breaker counts none of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelServerAway {
    /// In what way, for a person.
    pub why: String,
    /// Since when, by the host's clock.
    pub since: Timestamp,
    /// Not before this moment it is looked for again; only while a turn waits for it.
    pub next_look: Timestamp,
    /// The state of the circuit breaker alone.
    pub breaker: BreakerState,
}

/// State of a circuit breaker, for others to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Calls pass.
    Closed,
    /// No call passes.
    Open,
    /// One probe at a time passes.
    HalfOpen,
}

/// What a node with coordinators says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeAlive {
    /// Which node; a restarted process is another one.
    pub node: NodeId,
    /// The version of Agon.
    pub agon_version: String,
    /// It takes no more debates.
    pub draining: bool,
    /// Debates that it coordinates.
    pub debates: u32,
    /// Debates that it may coordinate at once.
    pub max_debates: u32,
    /// Debates of these that stand still: their coordinator waits for the store, or does not answer.
    pub stalled: u32,
}

numbered!(BreakerState as BreakerState { Closed, Open, HalfOpen });

mirror! {
    HostAlive as HostAlive {
        host, node, agon_version, serves_any, serves_prefix, draining, rehearsal, models, server, tools,
    }
    HostTools as HostTools { tools, verifiers }
    HostModel as HostModel {
        name, digest, context, warm, permits, running, waiting, breaker, away, millitokens_per_second,
    }
    ModelServerAway as ModelServerAway { why, since as since_ms, next_look as next_look_ms, breaker }
    NodeAlive as NodeAlive { node, agon_version, draining, debates, max_debates, stalled }
}
