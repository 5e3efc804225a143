//! What processes say of themselves, every two seconds.
use crate::enums::Numbered;
use crate::error::DecodeError;
use crate::flat as pb;
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

impl From<BreakerState> for pb::BreakerState {
    fn from(state: BreakerState) -> Self {
        match state {
            BreakerState::Closed => Self::Closed,
            BreakerState::Open => Self::Open,
            BreakerState::HalfOpen => Self::HalfOpen,
        }
    }
}
impl Numbered for BreakerState {
    fn number(self) -> i32 {
        pb::BreakerState::from(self).into()
    }
    fn from_number(number: i32, field: &str) -> Result<Self, DecodeError> {
        match pb::BreakerState::try_from(number) {
            Ok(pb::BreakerState::Closed) => Ok(Self::Closed),
            Ok(pb::BreakerState::Open) => Ok(Self::Open),
            Ok(pb::BreakerState::HalfOpen) => Ok(Self::HalfOpen),
            Ok(pb::BreakerState::Unspecified) | Err(_) => {
                Err(DecodeError::field(field, crate::error::Problem::UnknownNumber(number)))
            }
        }
    }
}

impl From<&HostModel> for pb::HostModel {
    fn from(model: &HostModel) -> Self {
        Self {
            name: model.name.to_string(),
            digest: model.digest.clone(),
            context: model.context,
            warm: model.warm,
            permits: model.permits,
            running: model.running,
            waiting: model.waiting,
            breaker: model.breaker.number(),
            away: model.away.as_ref().map(Into::into),
            millitokens_per_second: model.millitokens_per_second,
        }
    }
}
impl From<&ModelServerAway> for pb::ModelServerAway {
    fn from(away: &ModelServerAway) -> Self {
        Self {
            why: away.why.clone(),
            since_ms: away.since.0,
            next_look_ms: away.next_look.0,
            breaker: away.breaker.number(),
        }
    }
}
impl TryFrom<pb::ModelServerAway> for ModelServerAway {
    type Error = DecodeError;
    fn try_from(away: pb::ModelServerAway) -> Result<Self, DecodeError> {
        Ok(Self {
            why: away.why,
            since: Timestamp(away.since_ms),
            next_look: Timestamp(away.next_look_ms),
            breaker: Numbered::from_number(away.breaker, "away.breaker")?,
        })
    }
}
impl TryFrom<pb::HostModel> for HostModel {
    type Error = DecodeError;
    fn try_from(model: pb::HostModel) -> Result<Self, DecodeError> {
        Ok(Self {
            name: ModelName::new(model.name),
            digest: model.digest,
            context: model.context,
            warm: model.warm,
            permits: model.permits,
            running: model.running,
            waiting: model.waiting,
            breaker: Numbered::from_number(model.breaker, "breaker")?,
            away: model.away.map(TryInto::try_into).transpose()?,
            millitokens_per_second: model.millitokens_per_second,
        })
    }
}

impl From<&HostAlive> for pb::HostAlive {
    fn from(alive: &HostAlive) -> Self {
        Self {
            host: alive.host.to_string(),
            node: alive.node.to_string(),
            agon_version: alive.agon_version.clone(),
            serves_any: alive.serves_any,
            serves_prefix: alive.serves_prefix.clone(),
            draining: alive.draining,
            rehearsal: alive.rehearsal,
            models: alive.models.iter().map(Into::into).collect(),
            server: alive.server.clone(),
            tools: alive.tools.as_ref().map(Into::into),
        }
    }
}
impl TryFrom<pb::HostAlive> for HostAlive {
    type Error = DecodeError;
    fn try_from(alive: pb::HostAlive) -> Result<Self, DecodeError> {
        Ok(Self {
            host: HostId::new(alive.host),
            node: NodeId::new(alive.node),
            agon_version: alive.agon_version,
            serves_any: alive.serves_any,
            serves_prefix: alive.serves_prefix,
            draining: alive.draining,
            rehearsal: alive.rehearsal,
            models: alive.models.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            server: alive.server,
            tools: alive.tools.map(Into::into),
        })
    }
}

impl From<&HostTools> for pb::HostTools {
    fn from(there: &HostTools) -> Self {
        Self { tools: there.tools.clone(), verifiers: there.verifiers.clone() }
    }
}
impl From<pb::HostTools> for HostTools {
    fn from(there: pb::HostTools) -> Self {
        Self { tools: there.tools, verifiers: there.verifiers }
    }
}

impl From<&NodeAlive> for pb::NodeAlive {
    fn from(alive: &NodeAlive) -> Self {
        Self {
            node: alive.node.to_string(),
            agon_version: alive.agon_version.clone(),
            draining: alive.draining,
            debates: alive.debates,
            max_debates: alive.max_debates,
            stalled: alive.stalled,
        }
    }
}
impl From<pb::NodeAlive> for NodeAlive {
    fn from(alive: pb::NodeAlive) -> Self {
        Self {
            node: NodeId::new(alive.node),
            agon_version: alive.agon_version,
            draining: alive.draining,
            debates: alive.debates,
            max_debates: alive.max_debates,
            stalled: alive.stalled,
        }
    }
}
