//! Places, and leave to call, each given back when it is dropped.
use super::{CallReport, FailingCalls, GateLink};
use crate::base::clock::Clock;
use crate::base::random::RandomSource;
use crate::base::shared::Common;
use crate::base::tasks::tell;
use crate::host::gate::Msg;
use crate::host::gate::held_prompts::CallCost;
use crate::host::gate::presence::ServerSight;
use agon_core::breaker::{CallEnd, Pass};
use agon_core::{DebateId, Priority, Timestamp};
use rand::RngExt;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// The place of a turn that holds no permit yet.
pub(crate) struct QueuedPlace {
    pub(super) _place: Option<OwnedSemaphorePermit>,
    pub(super) pulled: Option<(Arc<GateLink>, Priority)>,
}
impl Drop for QueuedPlace {
    fn drop(&mut self) {
        if let Some((link, priority)) = self.pulled.take() {
            link.count_pulled(priority, |count| count.saturating_sub(1));
            link.room.send_modify(|_| {});
        }
    }
}

/// Leave for one call. Dropping it frees the place; a probe that is dropped unreported counts as neutral.
pub(crate) struct Permit {
    link: Arc<GateLink>,
    clock: Arc<dyn Clock>,
    random: RandomSource,
    place: Option<OwnedSemaphorePermit>,
    pass: Option<Pass>,
    era: u64,
    began: Timestamp,
    debate: DebateId,
    cost: Option<CallCost>,
}
impl Permit {
    pub(in crate::host::gate) fn new(
        link: Arc<GateLink>,
        shared: &Common,
        (place, pass): (OwnedSemaphorePermit, Pass),
        debate: DebateId,
    ) -> Self {
        let (clock, random) = (shared.clock.clone(), shared.config.random.clone());
        let (era, began) = (link.rules().limiter.era(), clock.now());
        Self { link, clock, random, place: Some(place), pass: Some(pass), era, began, debate, cost: None }
    }
    /// Notes what the call cost its server.
    pub(crate) fn cost(&mut self, cost: CallCost) {
        self.cost = Some(cost);
    }
    /// Says how the call ended. Whether its server is away, so that the call may be made again once it is back.
    pub(crate) fn report(mut self, end: CallReport) -> bool {
        self.count(end)
    }
    /// Says the same of a call that failed in this way.
    pub(crate) fn report_failed(self, end: CallReport, how: &impl Display) -> bool {
        if end.call == CallEnd::Failure {
            let now = self.clock.now();
            let mut rules = self.link.rules();
            let since = rules.failing.take().map_or(now, |failing| failing.since);
            rules.failing = Some(FailingCalls { since, last: how.to_string() });
        }
        self.report(end)
    }
    /// Whether its server is not known to be back, so that the call looks for it.
    pub(crate) fn is_of_absent_server(&self) -> bool {
        self.link.away().is_some()
    }
    /// Who says that the server is there before the call has ended.
    pub(crate) fn witness(&self) -> Witness {
        Witness { link: self.link.clone(), clock: self.clock.clone(), began: self.began, seen: false }
    }
    /// Not by way of the actor: one that dies must not take a probe's end with it.
    fn count(&mut self, end: CallReport) -> bool {
        let Some(pass) = self.pass.take() else { return false };
        let now = self.clock.now();
        let mut rules = self.link.rules();
        let noted = self.link.note(&mut rules, now, self.began, end.sight);
        let call = if noted.counts { end.call } else { CallEnd::Neutral };
        let jitter = self.random.draw(|numbers| numbers.random_range(0..=1000));
        rules.breaker.report(now, pass, call, jitter);
        match (end.busy, call) {
            (true, _) => rules.limiter.busy(self.era),
            (false, CallEnd::Success) => rules.limiter.success(),
            (false, CallEnd::Failure | CallEnd::Neutral) => {}
        }
        if call == CallEnd::Success {
            rules.failing = None;
        }
        noted.away
    }
}

/// Leave for one call that gives way to every other. It says nothing about its server.
pub(crate) struct SparePermit(pub(super) Permit);
impl SparePermit {
    /// Notes what the call cost its server.
    pub(crate) fn cost(&mut self, cost: CallCost) {
        self.0.cost(cost);
    }
}
impl Drop for SparePermit {
    fn drop(&mut self) {
        self.0.link.spare.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sees that a server answers while a call goes on.
pub(crate) struct Witness {
    link: Arc<GateLink>,
    clock: Arc<dyn Clock>,
    began: Timestamp,
    seen: bool,
}
impl Witness {
    /// A piece of an answer came: those who wait for the server need not wait for the end of this call.
    pub(crate) fn sees(&mut self) {
        if std::mem::replace(&mut self.seen, true) || self.link.away().is_none() {
            return;
        }
        let now = self.clock.now();
        self.link.note(&mut self.link.rules(), now, self.began, ServerSight::There);
        if let Some(gate) = self.link.actor() {
            tell(&gate, Msg::Freed);
        }
    }
}
impl Drop for Permit {
    fn drop(&mut self) {
        self.count(CallReport::NEUTRAL);
        self.link.cache().ends(&self.debate, Instant::now(), self.cost);
        // the place must be free before the gate hears of it
        drop(self.place.take());
        if let Some(gate) = self.link.actor() {
            tell(&gate, Msg::Freed);
        }
    }
}
