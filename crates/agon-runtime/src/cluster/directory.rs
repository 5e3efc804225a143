//! The hosts of the cluster: what they serve, how loaded they are, which breakers are open, which of them live.
//!
//! Those of this process are known directly, the others by what they announce.
use crate::base::config::{HostConfig, NodeConfig};
use crate::cluster::needs::TurnNeeds;
use crate::host::GateLink;
use agon_core::{DebateId, HostId, ModelName, NodeId};
use agon_proto::{BreakerState, HostAlive};
use keys::HostKeys;
use place::{HostStanding, rank};
use remote::Remotes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

mod keys;
mod local;
mod place;
mod remote;

pub(crate) use keys::OrderProof;
pub(crate) use local::{Listed, LocalHost, ModelFacts, plain, seats_of};

/// A host as this node knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownHost {
    /// What it last said of itself.
    pub alive: HostAlive,
    /// How long it has been silent.
    pub silence: Duration,
    /// It takes turns: it is neither silent for too long nor draining.
    pub lives: bool,
}

/// Every host that this node knows.
pub(crate) struct Directory {
    node: NodeId,
    locals: Vec<Arc<LocalHost>>,
    remotes: Remotes,
    keys: HostKeys,
    /// Grows with everything that placement depends on.
    version: watch::Sender<u64>,
    /// Grows with what this process's own hosts should announce at once.
    own_version: watch::Sender<u64>,
    /// Turns that are being played here.
    playing: watch::Sender<usize>,
    /// What is still played shall be given back.
    retreat: watch::Sender<bool>,
    /// The process takes no more turns, at none of its hosts.
    closing: AtomicBool,
    /// Since when other hosts are listened to.
    listening: watch::Sender<Option<Instant>>,
}

impl Directory {
    pub(crate) fn new(config: &NodeConfig, hosts: &[HostConfig]) -> Self {
        let servers = hosts.iter().map(|host| Arc::new(LocalHost::server(host, config)));
        // whoever coordinates debates must be able to ask those who are no model
        let seats = (config.max_debates > 0).then(|| Arc::new(LocalHost::seats(config)));
        Self {
            node: config.id.clone(),
            locals: servers.chain(seats).collect(),
            remotes: Remotes::new(config.times.host_silent),
            keys: HostKeys::new(&config.random),
            version: watch::Sender::new(0),
            own_version: watch::Sender::new(0),
            playing: watch::Sender::new(0),
            retreat: watch::Sender::new(false),
            closing: AtomicBool::new(false),
            listening: watch::Sender::new(None),
        }
    }

    fn local(&self, host: &HostId) -> Option<&Arc<LocalHost>> {
        self.locals.iter().find(|local| local.id == *host)
    }

    /// The gate of a model at a host of this process, made when it is first asked for.
    pub(crate) fn gate(&self, host: &HostId, model: &ModelName) -> Option<Arc<GateLink>> {
        self.local(host)?.open_gate(model)
    }

    /// The host at which a debate's turns for this model are best played first: one that lives and lists the model, well,
    /// warm, little loaded; ties are spread over debates, the same way on every node.
    ///
    /// A draining host of this process is the last choice: it refuses, and the turn waits in the queue for whoever comes. One that
    /// lacks what the turn needs is the last but one: it says what it lacks.
    pub(crate) fn preferred(
        &self,
        debate: &DebateId,
        (model, needs): (&ModelName, &TurnNeeds),
        rehearsal: bool,
    ) -> Option<HostId> {
        let all = self.standings(model, rehearsal);
        let place = |draining, standing: &HostStanding, id: &HostId| {
            (draining, self.lacks(id, needs), rank(standing, debate, id))
        };
        all.min_by_key(|(draining, standing, id)| place(*draining, standing, id)).map(|(_, _, id)| id)
    }

    /// The hosts that take turns for the model: whether each drains, and how it stands towards the model.
    fn standings(&self, model: &ModelName, rehearsal: bool) -> impl Iterator<Item = (bool, HostStanding, HostId)> {
        let here = self.locals.iter().filter(move |local| local.plays.fits(rehearsal));
        let here = here.filter_map(|local| Some((local.is_draining(), local.standing(model)?, local.id.clone())));
        let elsewhere = self.remotes.standings(model, rehearsal).into_iter().filter(|(_, id)| self.local(id).is_none());
        here.chain(elsewhere.map(|(standing, id)| (false, standing, id)))
    }

    /// Those of them that take any model, and have not been told of this one.
    pub(crate) fn untaught(&self, model: &ModelName, rehearsal: bool) -> Vec<HostId> {
        let untaught = self.standings(model, rehearsal).filter(|(draining, standing, _)| !draining && !standing.known);
        untaught.map(|(_, _, host)| host).collect()
    }

    /// Whether a host that is known takes turns for the model.
    pub(crate) fn serves(&self, model: &ModelName, rehearsal: bool) -> bool {
        let mut here = self.locals.iter().filter(|local| local.plays.fits(rehearsal));
        here.any(|local| local.standing(model).is_some()) || !self.remotes.standings(model, rehearsal).is_empty()
    }

    /// Whether a host is known to lack what a turn needs.
    pub(crate) fn lacks(&self, host: &HostId, needs: &TurnNeeds) -> bool {
        !needs.is_empty()
            && match self.local(host) {
                Some(local) => !local.meets(needs),
                None => self.remotes.lacks(host, needs),
            }
    }

    /// Whether a host of this process lacks what a turn needs, and another one that takes turns for the model is known to have it.
    pub(crate) fn fits_elsewhere(
        &self,
        here: &HostId,
        (model, needs): (&ModelName, &TurnNeeds),
        rehearsal: bool,
    ) -> bool {
        if !self.lacks(here, needs) {
            return false;
        }
        let local = self.servers().filter(|other| other.plays.fits(rehearsal) && !other.is_draining());
        let mut local = local.filter(|other| other.standing(model).is_some());
        let mut remote = self.remotes.standings(model, rehearsal).into_iter();
        local.any(|other| other.meets(needs)) || remote.any(|(_, id)| !self.lacks(&id, needs))
    }

    /// The host of this process that a tool is to ask for a model. One that rehearses is the last choice, for a tool does not
    /// know the debate that it is used in.
    pub(crate) fn for_tools(&self, model: &ModelName) -> Option<HostId> {
        self.for_helpers(model, |_| true)
    }

    /// The same for whoever knows which debates the host has to play.
    pub(crate) fn for_debates(&self, model: &ModelName, rehearsal: bool) -> Option<HostId> {
        self.for_helpers(model, |local| local.plays.fits(rehearsal))
    }

    fn for_helpers(&self, model: &ModelName, fits: impl Fn(&LocalHost) -> bool) -> Option<HostId> {
        let fit = self.servers().filter(|local| !local.is_draining() && fits(local));
        let fit = fit.filter_map(|local| Some((local.plays.is_rehearsing(), local.standing(model)?, local)));
        let best = fit.min_by_key(|(rehearses, standing, _)| {
            (*rehearses, standing.breaker == BreakerState::Open, !standing.listed, standing.load)
        });
        let (_, _, local) = best?;
        if local.learn(model) {
            local.call_for_gates();
        }
        Some(local.id.clone())
    }

    /// Whether the model is known to be loaded at a host of this process.
    pub(crate) fn is_warm(&self, host: &HostId, model: &ModelName) -> bool {
        self.local(host).and_then(|local| local.standing(model)).and_then(|standing| standing.warm) == Some(true)
    }

    /// Grows when a host of this process needs gates for models that its own turns have not asked for.
    pub(crate) fn gates_wanted(&self, host: &HostId) -> Option<watch::Receiver<u64>> {
        self.local(host).map(|local| local.gates_wanted())
    }

    /// Whether a host takes turns: false when it is silent for too long, drains, or is unknown.
    pub(crate) fn lives(&self, host: &HostId) -> bool {
        match self.local(host) {
            Some(local) => !local.is_draining(),
            None => self.remotes.lives(host),
        }
    }

    /// Whether a host may still play what it has taken: one that drains plays on, one that is silent or gone does not.
    pub(crate) fn is_there(&self, host: &HostId) -> bool {
        self.local(host).is_some() || self.remotes.is_there(host)
    }

    /// Hosts of other processes that missed a sign of life, and when each was last heard.
    pub(crate) fn late(&self, after: Duration, now: Instant) -> Vec<(HostId, Instant)> {
        self.remotes.late(after, now)
    }

    /// Nobody listens for a host that was last heard then.
    pub(crate) fn bury(&self, host: &HostId, last: Instant) {
        if self.remotes.bury(host, last) {
            self.grow();
        }
    }

    /// A version that grows when a host appears, dies, drains or comes back, and when a breaker or what is served changes.
    pub(crate) fn changed(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// The hosts that are known, for a person. The seats of external participants are none of them.
    pub(crate) fn known(&self) -> Vec<KnownHost> {
        let here = self.servers().map(|local| KnownHost {
            alive: local.alive(&self.node),
            silence: Duration::ZERO,
            lives: !local.is_draining(),
        });
        let remote = self.remotes.known().into_iter().filter(|known| self.local(&known.alive.host).is_none());
        here.chain(remote).collect()
    }

    /// Whether another host that lives serves the model with a breaker that is not open.
    pub(crate) fn well_elsewhere(&self, model: &ModelName, here: &HostId) -> bool {
        self.stands_elsewhere(model, here, |standing| standing.breaker != BreakerState::Open)
    }

    /// Whether another host that lives, and plays in the same debates, stands so towards the model.
    fn stands_elsewhere(&self, model: &ModelName, here: &HostId, so: impl Fn(&HostStanding) -> bool) -> bool {
        let Some(own) = self.local(here) else { return false };
        let others = self.locals.iter().filter(|other| other.id != *here && other.plays == own.plays);
        let mut local = others.filter(|other| !other.is_draining()).filter_map(|other| other.standing(model));
        let remote = || self.remotes.standings(model, own.plays.is_rehearsing());
        local.any(|standing| so(&standing)) || remote().iter().any(|(standing, id)| id != here && so(standing))
    }

    /// Whether another host that lives would play a turn for the model at once.
    pub(crate) fn idle_elsewhere(&self, model: &ModelName, here: &HostId) -> bool {
        let closed = |standing: &HostStanding| standing.breaker == BreakerState::Closed;
        self.stands_elsewhere(model, here, |standing| {
            standing.known && closed(standing) && standing.load < standing.permits
        })
    }

    /// The hosts whose breaker for this model is open.
    pub(crate) fn open_at(&self, model: &ModelName) -> Vec<HostId> {
        let is_open = |standing: &HostStanding| standing.breaker == BreakerState::Open;
        let here = self.locals.iter().filter(|local| local.standing(model).is_some_and(|standing| is_open(&standing)));
        let mut open: Vec<HostId> = here.map(|local| local.id.clone()).collect();
        for rehearsal in [false, true] {
            let remote = self.remotes.standings(model, rehearsal).into_iter();
            open.extend(remote.filter(|(standing, _)| is_open(standing)).map(|(_, id)| id));
        }
        open
    }

    /// What is served to rehearsals, or to other debates, for a person; hosts that take no turns now come last.
    pub(crate) fn inventory(&self, rehearsal: bool) -> String {
        let mut known = self.known();
        known.sort_by_key(|known| !known.lives);
        let hosts: Vec<String> = known.iter().map(|known| served(&known.alive, known.lives, rehearsal)).collect();
        if hosts.is_empty() { "no host is known".to_owned() } else { hosts.join("; ") }
    }

    /// Calls that run at all hosts of this process.
    pub(crate) fn in_flight(&self) -> usize {
        self.locals.iter().map(|local| local.in_flight()).sum()
    }

    /// The model servers of this process.
    fn servers(&self) -> impl Iterator<Item = &Arc<LocalHost>> {
        self.locals.iter().filter(|local| !local.is_seats())
    }
}

/// What this process's own hosts do and tell.
impl Directory {
    /// What the hosts of this process say of themselves.
    pub(crate) fn announcements(&self) -> Vec<HostAlive> {
        self.servers().map(|local| local.alive(&self.node)).collect()
    }
    /// Follows what should be announced at once.
    pub(crate) fn own_changes(&self) -> watch::Receiver<u64> {
        self.own_version.subscribe()
    }
    /// Something that others should know has changed at a host of this process.
    pub(crate) fn touch(&self) {
        self.own_version.send_modify(|version| *version += 1);
        self.grow();
    }
    fn grow(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// Writes down what a host's server lists. True when that opens or closes gates.
    pub(crate) fn list(&self, host: &HostId, listed: Vec<Listed>) -> bool {
        let Some(local) = self.local(host) else { return false };
        let change = local.list(listed);
        if change.facts {
            self.touch();
        }
        change.served
    }
    /// Notes a model that a host was asked for. True when it was not known there yet and is served.
    pub(crate) fn learn(&self, host: &HostId, model: &ModelName) -> bool {
        let learned = self.local(host).is_some_and(|local| local.learn(model));
        if learned {
            self.touch();
        }
        learned
    }
    /// The models whose queues a host follows.
    pub(crate) fn served_at(&self, host: &HostId) -> Vec<ModelName> {
        self.local(host).map(|local| local.models()).unwrap_or_default()
    }

    /// Follows whether a host takes turns.
    pub(crate) fn draining(&self, host: &HostId) -> watch::Receiver<bool> {
        match self.local(host) {
            Some(local) => local.draining(),
            None => watch::Sender::new(true).subscribe(),
        }
    }
    /// Has a host of this process take no more turns, or take them again. False where a process that ends cannot.
    pub(crate) fn drain(&self, host: &HostId, drain: bool) -> bool {
        if !drain && self.closing.load(Ordering::Relaxed) {
            return false;
        }
        let Some(local) = self.local(host) else { return false };
        if local.drain(drain) {
            self.touch();
        }
        true
    }
    /// Has every host of this process take no more turns, for good.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        for local in &self.locals {
            local.drain(true);
        }
        self.touch();
    }

    /// Counts a turn for as long as it is played.
    pub(crate) fn playing(self: &Directory) -> Playing {
        self.playing.send_modify(|playing| *playing += 1);
        Playing(self.playing.clone())
    }
    /// Waits until no turn is played here.
    pub(crate) async fn quiet(&self) {
        // the sender lives as long as this
        drop(self.playing.subscribe().wait_for(|playing| *playing == 0).await);
    }
    /// Has what is still played given back.
    pub(crate) fn retreat(&self) {
        self.retreat.send_replace(true);
    }
    /// Follows whether what is played is to be given back.
    pub(crate) fn retreating(&self) -> watch::Receiver<bool> {
        self.retreat.subscribe()
    }
}

/// What is heard of the hosts of other processes.
impl Directory {
    /// Takes in what a host says of itself.
    pub(crate) fn heard(&self, alive: HostAlive) {
        match self.servers().find(|local| local.id == alive.host) {
            Some(_) if alive.node == self.node => self.remotes.bus_is_heard(Instant::now()),
            Some(_) => {
                tracing::error!(host = %alive.host, node = %alive.node, "another node announces a host by the name of one of ours");
            }
            None if self.remotes.heard(alive, Instant::now()) => self.grow(),
            None => {}
        }
        if !self.announces() {
            self.remotes.bus_is_heard(Instant::now());
        }
    }
    /// From now on the hosts of other processes are listened to.
    pub(crate) fn listens(&self) {
        self.listening.send_if_modified(|since| since.is_none() && since.replace(Instant::now()).is_none());
    }
    /// Waits until every host that announces itself this often can have been heard; true where that took a while.
    pub(crate) async fn first_round(&self, heartbeat: Duration) -> bool {
        let mut listening = self.listening.subscribe();
        let Ok(since) = listening.wait_for(Option::is_some).await.map(|since| *since) else { return false };
        let heard = since.map(|since| since + heartbeat + heartbeat / 2);
        match heard.filter(|heard| *heard > Instant::now()) {
            Some(heard) => {
                tokio::time::sleep_until(heard).await;
                true
            }
            None => false,
        }
    }
    /// Whether this process announces hosts, and so hears itself while the bus carries anything.
    pub(crate) fn announces(&self) -> bool {
        self.servers().next().is_some()
    }
    /// The bus brings messages: only then does silence say anything about those who are silent.
    pub(crate) fn bus_is_heard(&self) {
        self.remotes.bus_is_heard(Instant::now());
    }
    /// Notices who has died, and says when to look next.
    pub(crate) fn expire(&self) -> Option<Instant> {
        let (changed, next) = self.remotes.expire(Instant::now());
        if changed {
            self.grow();
        }
        next
    }
}

pub(crate) struct Playing(watch::Sender<usize>);
impl Drop for Playing {
    fn drop(&mut self) {
        self.0.send_modify(|playing| *playing = playing.saturating_sub(1));
    }
}

fn served(alive: &HostAlive, lives: bool, rehearsal: bool) -> String {
    let names: Vec<&str> = alive.models.iter().map(|model| model.name.as_str()).collect();
    let what = match (alive.serves_any, &alive.serves_prefix, names.is_empty()) {
        _ if alive.rehearsal && !rehearsal => "only rehearses".to_owned(),
        _ if rehearsal && !alive.rehearsal => "plays no rehearsals".to_owned(),
        (true, ..) => "serves any model".to_owned(),
        (false, Some(prefix), _) => format!("serves {prefix}/*"),
        (false, None, true) => "serves no model".to_owned(),
        (false, None, false) => format!("serves {}", names.join(", ")),
    };
    let state = match (alive.draining, lives) {
        (true, _) => " (draining)",
        (false, false) => " (silent)",
        (false, true) => "",
    };
    format!("{} {what}{state}", alive.host)
}
