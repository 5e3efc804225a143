//! What a node can tell of the whole cluster: how its debates stand, and how many turns wait for which model.
use crate::base::shared::Shared;
use crate::base::subjects::queue_name;
use crate::node::Node;
use agon_bus::subject::{DebateKey, Token};
use agon_bus::{Backlog, BusError};
use agon_core::{DebateId, ModelName, NodeId};
use agon_proto::{TurnOffer, Wire};
use agon_store::StoreError;
use agon_telemetry::DebateFigures;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::time::Duration;
use tokio::time::Instant;

/// So many models are told apart; the emptier queues are one. Whoever may submit debates may name models.
const MOST_MODELS: usize = 100;
/// What those are called.
const OTHER_MODELS: &str = "other";
/// So many models are learnt at one look.
const LEARNT_AT_ONCE: usize = 16;

impl Node {
    /// How the debates of the cluster stand, by the catalogue. Nothing while the bus is away, for then nobody knows.
    pub async fn debate_figures(&self) -> Result<Option<DebateFigures>, StoreError> {
        let shared = self.shared();
        if !shared.bus.is_connected() {
            return Ok(None);
        }
        let now = shared.clock.now();
        let standing = shared.in_time(shared.catalogue.standing()).await?;
        let oldest = standing.oldest.map_or(0, |oldest| now.since(oldest));
        Ok(Some(DebateFigures {
            stalled: stalled(shared, standing.running.keys()).await?,
            running: standing.running.values().sum(),
            oldest: Duration::from_millis(oldest),
            queued: standing.queued,
        }))
    }

    /// Counts the turns that wait in the queues, as often as it is asked.
    pub fn queue_watch(&self) -> QueueWatch {
        QueueWatch { shared: self.shared().clone(), names: BTreeMap::new() }
    }
}

/// The debates that had an owner and have had none for longer than two signs of life take. And those that stand still although their
/// owner lives, because they wait for the store.
async fn stalled(shared: &Shared, owners: impl Iterator<Item = &NodeId>) -> Result<Option<u64>, StoreError> {
    let held = match shared.config.embedded {
        true => shared.owned.stalled() as u64,
        false => shared.peers.stalled(Instant::now()),
    };
    let mut gone = BTreeSet::new();
    for owner in owners {
        match leads(shared, owner) {
            Some(true) => {}
            Some(false) => drop(gone.insert(owner)),
            None => return Ok(None),
        }
    }
    let left = shared.in_time(shared.catalogue.left(&|owner| gone.contains(owner))).await?;
    let mut since = shared.left.lock().unwrap_or_else(PoisonError::into_inner);
    let late = since.look(left, Instant::now(), shared.config.times.heartbeat * 2);
    Ok(Some(held + late.len() as u64))
}

/// Whether a node leads its debates; nothing where nobody has listened for long enough to know.
fn leads(shared: &Shared, owner: &NodeId) -> Option<bool> {
    match *owner == shared.config.id || shared.config.embedded {
        true => Some(*owner == shared.config.id),
        false => shared.peers.gives_signs(owner, Instant::now()),
    }
}

/// Counts queued turns by model, and remembers which model each queue is of.
pub struct QueueWatch {
    shared: Shared,
    names: BTreeMap<Token, String>,
}

/// The turns that wait for one model.
struct ModelQueue {
    model: Token,
    work: u64,
    /// The subject of one of them.
    example: String,
}

impl QueueWatch {
    /// How many turns are in the queue of each model, whether a host has pulled them or not; 0 for those that hosts list. Those of debates
    /// that are over do not count. A rehearsal's turns count for `rehearsal NAME`.
    pub async fn look(&mut self) -> Result<BTreeMap<String, u64>, BusError> {
        let queues = self.queues(self.shared.bus.backlog().await?).await;
        let listed = self.listed();
        let held: BTreeSet<&Token> = queues.iter().map(|queue| &queue.model).collect();
        self.names.retain(|token, _| held.contains(token));
        self.names.extend(listed.iter().map(|name| (Token::model(name), name.clone())));
        self.learn(&queues).await;
        Ok(self.summed(&queues, listed))
    }

    /// The queue of each model, the fullest first.
    async fn queues(&self, backlog: Vec<Backlog>) -> Vec<ModelQueue> {
        let debates: BTreeSet<DebateId> = backlog.iter().filter_map(|backlog| backlog.debate.id()).collect();
        let over = self.shared.in_time(self.shared.catalogue.over(debates.into_iter().collect())).await;
        let over: BTreeSet<DebateKey> = match over {
            Ok(over) => over.iter().map(DebateKey::from).collect(),
            Err(error) => {
                tracing::debug!(%error, "queued turns of debates that are over count too");
                BTreeSet::new()
            }
        };
        let mut queues: BTreeMap<Token, ModelQueue> = BTreeMap::new();
        for Backlog { model, debate, work, example } in backlog {
            if !over.contains(&debate) {
                let fresh = || ModelQueue { model: model.clone(), work: 0, example };
                queues.entry(model.clone()).or_insert_with(fresh).work += work;
            }
        }
        let mut queues: Vec<ModelQueue> = queues.into_values().collect();
        queues.sort_by_key(|queue| Reverse(queue.work));
        queues
    }

    /// The queues of the models that hosts list.
    fn listed(&self) -> BTreeSet<String> {
        let known = self.shared.directory.known();
        let names = known.iter().filter(|known| known.lives).flat_map(|known| {
            let rehearsal = known.alive.rehearsal;
            known.alive.models.iter().map(move |model| queue_name(&model.name, rehearsal))
        });
        names.take(MOST_MODELS).collect()
    }

    /// Reads from a turn of an unknown queue which model it is for: with no host of the model, nobody else tells.
    async fn learn(&mut self, queues: &[ModelQueue]) {
        let unknown = |queue: &&ModelQueue| !self.names.contains_key(&queue.model);
        let unknown: Vec<&ModelQueue> = queues.iter().take(MOST_MODELS).filter(unknown).take(LEARNT_AT_ONCE).collect();
        for queue in unknown {
            match self.shared.bus.peek(&queue.example).await {
                Ok(Some(turn)) => {
                    let offer = TurnOffer::from_bytes(&turn);
                    let name = offer.ok().and_then(|offer| named(&offer.ask.model, &queue.model));
                    self.names.extend(name.map(|name| (queue.model.clone(), name)));
                }
                // it was played meanwhile
                Ok(None) => {}
                Err(error) => return tracing::debug!(%error, "the names of queues cannot be learnt"),
            }
        }
    }

    fn summed(&self, queues: &[ModelQueue], listed: BTreeSet<String>) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for (rank, queue) in queues.iter().enumerate() {
            let name = self.names.get(&queue.model).map_or(queue.model.as_str(), String::as_str);
            let name = if rank < MOST_MODELS { name } else { OTHER_MODELS };
            *counts.entry(name.to_owned()).or_default() += queue.work;
        }
        let room = MOST_MODELS.saturating_sub(counts.len());
        for idle in listed.into_iter().take(room) {
            counts.entry(idle).or_default();
        }
        counts
    }
}

/// The queue of a turn for this model that has this token.
fn named(model: &ModelName, token: &Token) -> Option<String> {
    [false, true].map(|rehearsal| queue_name(model, rehearsal)).into_iter().find(|name| Token::model(name) == *token)
}
