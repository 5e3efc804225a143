//! A host of this process: what it serves, and the gates of its models.
use super::place::HostStanding;
use crate::base::config::{HostConfig, NodeConfig, Served};
use crate::cluster::needs::TurnNeeds;
use crate::host::Scheduling;
use crate::host::Speeds;
use crate::host::{GateLink, GateSettings};
use agon_core::breaker::BreakerPolicy;
use agon_core::{HostId, ModelName, NodeId};
use agon_proto::{BreakerState, HostAlive, HostModel, HostTools};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::watch;

/// So many models are learned from offers by a host that takes whatever it is asked for.
const MOST_LEARNED: usize = 256;

/// Which debates a host plays in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plays {
    /// Those that models argue in.
    Real,
    Rehearsals,
    /// Either: no model answers here.
    Both,
}
impl Plays {
    pub(crate) fn fits(self, rehearsal: bool) -> bool {
        match self {
            Self::Real => !rehearsal,
            Self::Rehearsals => rehearsal,
            Self::Both => true,
        }
    }
    pub(crate) fn is_rehearsing(self) -> bool {
        self == Self::Rehearsals
    }
}

/// What is known of a model at a host; what its server does not tell stays absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModelFacts {
    pub(crate) digest: Option<String>,
    /// Tokens of its context as it is launched.
    pub(crate) context: Option<u64>,
    pub(crate) warm: Option<bool>,
}

/// A model by the name that the server gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) name: ModelName,
    pub(crate) facts: ModelFacts,
}

/// What a new list changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListingChange {
    /// Anything that others should know.
    pub(crate) facts: bool,
    /// Which models there are.
    pub(crate) served: bool,
}

/// What the host offers.
#[derive(Clone, Debug)]
enum Offers {
    Models(Served),
    /// It asks participants outside Agon.
    Seats,
}

/// What tells one host from another.
struct HostProfile {
    offers: Offers,
    plays: Plays,
    server: String,
    permits: usize,
    scheduling: Scheduling,
    tools: HostTools,
    speeds: Arc<Speeds>,
}

pub(crate) struct LocalHost {
    pub(crate) id: HostId,
    pub(crate) plays: Plays,
    offers: Offers,
    server: String,
    permits: usize,
    scheduling: Scheduling,
    tools: HostTools,
    speeds: Arc<Speeds>,
    breaker: BreakerPolicy,
    draining: watch::Sender<bool>,
    /// By plain name.
    models: RwLock<BTreeMap<ModelName, Listed>>,
    gates: RwLock<BTreeMap<ModelName, Arc<GateLink>>>,
    /// Grows when a tool asks for a model that no turn has asked for.
    wanted: watch::Sender<u64>,
}

/// The host of a node at which external participants are asked.
pub(crate) fn seats_of(node: &NodeId) -> HostId {
    HostId::new(format!("seats.{node}"))
}

/// A model's name without the tag that servers assume: both mean the same weights.
pub(crate) fn plain(model: &ModelName) -> ModelName {
    ModelName::new(model.plain())
}

/// Whether a model's name begins with the prefix and a slash.
pub(crate) fn has_prefix(model: &ModelName, prefix: &str) -> bool {
    model.as_str().strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
}

impl LocalHost {
    pub(super) fn server(host: &HostConfig, node: &NodeConfig) -> Self {
        let listed = match &host.models {
            Served::Any | Served::Discovered | Served::Prefixed(_) => Vec::new(),
            Served::List(models) => models.clone(),
        };
        let kind = HostProfile {
            offers: Offers::Models(host.models.clone()),
            plays: if host.rehearsal { Plays::Rehearsals } else { Plays::Real },
            server: host.client.endpoint().to_string(),
            permits: host.permits.get(),
            scheduling: host.scheduling,
            tools: HostTools {
                tools: node.tools.keys().cloned().collect(),
                verifiers: node.verifiers.keys().cloned().collect(),
            },
            speeds: node.speeds.clone(),
        };
        Self::new(host.id.clone(), node.breaker, listed, kind)
    }

    pub(super) fn seats(node: &NodeConfig) -> Self {
        let permits = node.seat_permits.get();
        let (server, tools) = (String::new(), HostTools::default());
        let speeds = node.speeds.clone();
        let (offers, scheduling) = (Offers::Seats, Scheduling::Fair);
        let kind = HostProfile { offers, plays: Plays::Both, server, permits, scheduling, tools, speeds };
        Self::new(seats_of(&node.id), node.breaker, vec![ModelName::from(ModelName::EXTERNAL)], kind)
    }

    fn new(id: HostId, breaker: BreakerPolicy, listed: Vec<ModelName>, kind: HostProfile) -> Self {
        let HostProfile { offers, plays, server, permits, scheduling, tools, speeds } = kind;
        let entry = |name: ModelName| (plain(&name), Listed { name, facts: ModelFacts::default() });
        Self {
            id,
            plays,
            offers,
            server,
            permits,
            scheduling,
            tools,
            speeds,
            breaker,
            draining: watch::Sender::new(false),
            models: RwLock::new(listed.into_iter().map(entry).collect()),
            gates: RwLock::default(),
            wanted: watch::Sender::new(0),
        }
    }

    pub(super) fn is_seats(&self) -> bool {
        matches!(self.offers, Offers::Seats)
    }
    fn serves_any(&self) -> bool {
        matches!(self.offers, Offers::Models(Served::Any))
    }
    fn prefix(&self) -> Option<&str> {
        match &self.offers {
            Offers::Models(Served::Prefixed(prefix)) => Some(prefix),
            Offers::Models(Served::Any | Served::List(_) | Served::Discovered) | Offers::Seats => None,
        }
    }
    /// Whether it knows of a model only once it was asked for it.
    fn learns(&self) -> bool {
        self.serves_any() || self.prefix().is_some()
    }

    // every change under these locks is one call, so that a panic elsewhere leaves the maps whole
    fn listed(&self) -> RwLockReadGuard<'_, BTreeMap<ModelName, Listed>> {
        self.models.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn gates(&self) -> RwLockReadGuard<'_, BTreeMap<ModelName, Arc<GateLink>>> {
        self.gates.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn gates_mut(&self) -> RwLockWriteGuard<'_, BTreeMap<ModelName, Arc<GateLink>>> {
        self.gates.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the host takes turns for the model, named plainly.
    fn serves(&self, model: &ModelName) -> bool {
        match &self.offers {
            Offers::Seats => model.is_external(),
            Offers::Models(_) if model.is_external() => false,
            Offers::Models(Served::Any) => true,
            Offers::Models(Served::Prefixed(prefix)) => has_prefix(model, prefix),
            Offers::Models(Served::List(_) | Served::Discovered) => self.listed().contains_key(model),
        }
    }

    /// The gate of a model, made when it is first asked for; none where the model is not served.
    pub(super) fn open_gate(&self, model: &ModelName) -> Option<Arc<GateLink>> {
        let model = plain(model);
        if !self.serves(&model) {
            return None;
        }
        if let Some(gate) = self.gate(&model) {
            return Some(gate);
        }
        let mut gates = self.gates_mut();
        match gates.get(&model).filter(|gate| !gate.is_closed()) {
            Some(gate) => Some(gate.clone()),
            None if self.learns() && gates.len() >= MOST_LEARNED => None,
            None => {
                let (permits, scheduling, breaker) = (self.permits, self.scheduling, self.breaker);
                let settings = GateSettings { permits, scheduling, breaker };
                let fresh = Arc::new(GateLink::new(self.id.clone(), model.clone(), settings));
                gates.insert(model, fresh.clone());
                Some(fresh)
            }
        }
    }

    fn gate(&self, model: &ModelName) -> Option<Arc<GateLink>> {
        self.gates().get(model).filter(|gate| !gate.is_closed()).cloned()
    }

    pub(super) fn in_flight(&self) -> usize {
        self.gates().values().map(|gate| gate.in_flight()).sum()
    }

    /// How the host stands towards a model that it serves.
    pub(super) fn standing(&self, model: &ModelName) -> Option<HostStanding> {
        let model = plain(model);
        if !self.serves(&model) {
            return None;
        }
        let warm = self.listed().get(&model).and_then(|listed| listed.facts.warm);
        let gate = self.gate(&model);
        Some(HostStanding {
            listed: !self.learns(),
            known: !self.learns() || gate.is_some(),
            breaker: gate.as_ref().map_or(BreakerState::Closed, |gate| gate.breaker()),
            warm,
            load: gate.as_ref().map_or(0, |gate| gate.in_flight() + gate.waiting()),
            permits: gate.as_ref().map_or(self.permits, |gate| gate.limit()),
        })
    }

    /// The models whose queues the host follows, named plainly.
    pub(super) fn models(&self) -> Vec<ModelName> {
        self.listed().keys().cloned().collect()
    }

    /// Writes down what the server lists. Where the host is bound to a list, only its models' facts are taken.
    pub(super) fn list(&self, news: Vec<Listed>) -> ListingChange {
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        let news = news.into_iter().filter(|listed| !listed.name.is_external());
        let mut news: BTreeMap<ModelName, Listed> = news.map(|listed| (plain(&listed.name), listed)).collect();
        if !matches!(self.offers, Offers::Models(Served::Discovered)) {
            let known = models.iter().map(|(plain, known)| {
                let facts = news.remove(plain).map_or_else(ModelFacts::default, |listed| listed.facts);
                (plain.clone(), Listed { name: known.name.clone(), facts })
            });
            news = known.collect();
        }
        let served = !models.keys().eq(news.keys());
        let facts = *models != news;
        *models = news;
        drop(models);
        if served {
            self.close_gates();
        }
        ListingChange { facts, served }
    }

    /// Closes the gates of models that went; one through which calls still run is counted until they end.
    fn close_gates(&self) {
        let gone = |model: &ModelName| !self.serves(model);
        let mut gates = self.gates_mut();
        gates.iter().filter(|(model, _)| gone(model)).for_each(|(_, gate)| gate.close());
        gates.retain(|_, gate| !gate.is_closed() || gate.in_flight() > 0);
    }

    /// Notes a model that the host was asked for; true when it is served and was not known yet.
    pub(super) fn learn(&self, model: &ModelName) -> bool {
        let key = plain(model);
        if !self.learns() || !self.serves(&key) || self.listed().contains_key(&key) {
            return false;
        }
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        if models.len() >= MOST_LEARNED {
            return false;
        }
        models.insert(key, Listed { name: model.clone(), facts: ModelFacts::default() }).is_none()
    }

    /// Has the host open gates for the models that it has learned.
    pub(super) fn call_for_gates(&self) {
        self.wanted.send_modify(|version| *version += 1);
    }
    pub(super) fn gates_wanted(&self) -> watch::Receiver<u64> {
        self.wanted.subscribe()
    }

    pub(super) fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }
    pub(super) fn draining(&self) -> watch::Receiver<bool> {
        self.draining.subscribe()
    }
    /// Has the host take no more turns, or take them again; true when that is news.
    pub(super) fn drain(&self, drain: bool) -> bool {
        self.draining.send_replace(drain) != drain
    }

    /// Whether it has what a turn needs. Who is asked outside Agon brings tools of its own.
    pub(super) fn meets(&self, needs: &TurnNeeds) -> bool {
        self.is_seats() || needs.are_met_by(&self.tools)
    }

    /// What the host says of itself.
    pub(super) fn alive(&self, node: &NodeId) -> HostAlive {
        let models = self.listed().values().map(|listed| self.model(listed)).collect();
        HostAlive {
            host: self.id.clone(),
            node: node.clone(),
            agon_version: env!("CARGO_PKG_VERSION").to_owned(),
            serves_any: self.serves_any(),
            serves_prefix: self.prefix().map(str::to_owned),
            draining: self.is_draining(),
            rehearsal: self.plays.is_rehearsing(),
            models,
            server: self.server.clone(),
            tools: Some(self.tools.clone()),
        }
    }

    fn model(&self, listed: &Listed) -> HostModel {
        let gate = self.gate(&plain(&listed.name));
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        HostModel {
            name: listed.name.clone(),
            digest: listed.facts.digest.clone(),
            context: listed.facts.context,
            warm: listed.facts.warm,
            permits: count(gate.as_ref().map_or(self.permits, |gate| gate.limit())),
            running: count(gate.as_ref().map_or(0, |gate| gate.in_flight())),
            waiting: count(gate.as_ref().map_or(0, |gate| gate.waiting())),
            breaker: gate.as_ref().map_or(BreakerState::Closed, |gate| gate.breaker()),
            away: gate.as_ref().and_then(|gate| gate.told_away()),
            millitokens_per_second: self.speeds.of(&self.id, &listed.name).and_then(thousandths),
        }
    }
}

/// A speed as it is announced; none where it is too low to tell from standing still.
fn thousandths(tokens_per_second: f64) -> Option<u32> {
    Some((tokens_per_second * 1000.0).round() as u32).filter(|speed| *speed > 0)
}
