//! The gate of one model at one host: its circuit breaker and its permits.
//!
//! Both belong together, because a call needs both at once, and here is the only place that sees every call.
use crate::base::clock::millis;
use crate::base::shared::Shared;
use crate::base::tasks::TaskScope;
use crate::host::gate::line::{Line, NextCall, Outlook, WaitingCall, WaitingPlace};
use agon_core::Timestamp;
use agon_core::breaker::BreakerDecision;
use agon_proto::BreakerState;
use agon_telemetry::{CircuitState, Permits};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

mod held_prompts;
mod limiter;
pub(crate) mod line;
mod link;
mod presence;
pub(crate) mod stride;

pub(crate) use held_prompts::CallCost;
use link::GateRoom;
pub(crate) use link::{CallReport, FailingCalls, GateLink, GateSettings, Permit, QueuedPlace, SparePermit, Witness};
pub(crate) use presence::{Absence, ServerAway, ServerSight, Why};

/// What a call is told that wants to start.
type PermitAnswer = Result<Permit, PermitRefusal>;

/// Why a call may not start here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PermitRefusal {
    /// Too many wait already.
    Full,
    /// Another host shall take the turn: this one is not well, drains, or serves the model no more.
    Elsewhere,
    /// The breaker is open, and no other host is well: no call may start before this moment.
    BreakerOpen(Timestamp),
    /// The wait was too long; no permit came free.
    NoPermit,
    /// The server was away for as long as a turn waits for one.
    Away(ServerAway),
}

pub(crate) enum Msg {
    Acquire {
        place: WaitingPlace,
        reply: oneshot::Sender<PermitAnswer>,
    },
    /// A call has ended.
    Freed,
    Tick,
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::base::hooks::Death),
}

/// How often those who wait are looked at although nothing is heard.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// A permit that is kept is not looked at more often.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) link: Arc<GateLink>,
}

pub(crate) struct State {
    shared: Shared,
    link: Arc<GateLink>,
    queue: Line<oneshot::Sender<PermitAnswer>>,
    scope: TaskScope,
    alarm: Option<(Timestamp, AbortHandle)>,
    /// What the observer knows of the permits.
    told: Option<Permits>,
}

pub(crate) struct Gate;

impl Actor for Gate {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, link } = args;
        let queue = Line::new(link.scheduling, shared.config.gate_queue.get());
        Ok(State { queue, scope: shared.tasks.scope(), alarm: None, told: None, shared, link })
    }

    /// Goes on with the breaker that a predecessor left.
    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        state.admit(&myself);
        Ok(())
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Acquire { place, reply } => state.queue_up(place, reply),
            Msg::Freed => {}
            Msg::Tick => state.alarm = None,
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
        }
        state.admit(&myself);
        Ok(())
    }
}

impl State {
    fn queue_up(&mut self, place: WaitingPlace, reply: oneshot::Sender<PermitAnswer>) {
        self.link.cache().arrives(&place.debate, Instant::now());
        let Err(reply) = self.queue.push(place.clone(), reply) else { return };
        self.queue.retain(|waits| !waits.is_closed());
        if let Err(reply) = self.queue.push(place, reply) {
            answer(reply, Err(PermitRefusal::Full));
        }
    }

    /// Lets in as many as may start now.
    fn admit(&mut self, myself: &ActorRef<Msg>) {
        let now = self.shared.clock.now();
        self.queue.retain(|waits| !waits.is_closed());
        while let Some(free) = self.link.free_place() {
            let waiting = match self.next_waiting() {
                NextCall::Serve(waiting) => waiting,
                NextCall::Hold(until) => {
                    self.wake_from(myself, now, until);
                    break;
                }
                NextCall::Nobody => break,
            };
            match self.link.admit(now) {
                BreakerDecision::Pass(pass) => {
                    let WaitingCall { place, item, .. } = waiting;
                    self.link.cache().begins(&place.debate, place.priority, Instant::now());
                    answer(item, Ok(self.permit(free, pass, place)));
                }
                BreakerDecision::Wait(until) => {
                    self.queue.put_back(waiting);
                    self.wake_at(myself, now, until);
                    break;
                }
            }
        }
        if self.queue.len() > 0 {
            self.link.make_way();
        }
        self.send_to_the_idle(myself, now);
        self.announce(myself, now);
        self.send_away(now);
        self.link.waiting.store(self.queue.len(), Ordering::Relaxed);
    }

    fn permit(&self, free: OwnedSemaphorePermit, pass: agon_core::breaker::Pass, place: WaitingPlace) -> Permit {
        Permit::new(self.link.clone(), &self.shared, (free, pass), place.debate)
    }

    fn next_waiting(&mut self) -> NextCall<oneshot::Sender<PermitAnswer>> {
        let cache = self.link.cache();
        // the place of the one that is chosen was taken already
        let free = self.link.free() + 1;
        self.queue.next(Outlook { now: Instant::now(), free, cache: &cache })
    }

    /// Has another host play what waits here for longer than its prompt takes, if one would play it at once.
    fn send_to_the_idle(&mut self, myself: &ActorRef<Msg>, now: Timestamp) {
        if self.queue.len() == 0 {
            return;
        }
        let directory = &self.shared.directory;
        if directory.idle_elsewhere(&self.link.model, &self.link.host) {
            let cache = self.link.cache();
            let moved = self.queue.take_mover(&cache, Instant::now());
            moved.into_iter().for_each(|moved| answer(moved.item, Err(PermitRefusal::Elsewhere)));
        }
        // patience ends, and others come and go, without a word to this gate
        self.wake_at(myself, now, now.plus(millis(LOOK_AGAIN)));
    }

    fn wake_from(&mut self, myself: &ActorRef<Msg>, now: Timestamp, at: Instant) {
        let wait = at.saturating_duration_since(Instant::now()).max(SHORTEST_WAIT);
        self.wake_at(myself, now, now.plus(millis(wait)));
    }

    fn wake_at(&mut self, myself: &ActorRef<Msg>, now: Timestamp, at: Timestamp) {
        if self.alarm.as_ref().is_some_and(|(set, _)| *set <= at) {
            return;
        }
        let alarm = self.scope.after(myself, Duration::from_millis(at.since(now)), Msg::Tick);
        if let Some((_, old)) = self.alarm.replace((at, alarm)) {
            old.abort();
        }
    }

    /// Writes what others read without asking.
    fn announce(&mut self, myself: &ActorRef<Msg>, now: Timestamp) {
        let (state, circuit, changed) = self.link.note_breaker(now);
        if changed {
            tracing::info!(host = %self.link.host, model = %self.link.model, state = ?circuit, "breaker changed");
            self.shared.directory.touch();
        }
        self.tell(circuit, changed);
        if let Some(until) = self.link.quiet_until().filter(|until| now < *until) {
            self.wake_at(myself, now, until);
        }
        if let Some(until) = self.link.open_until(now) {
            // nobody waits here then, and the host must know when it may try again
            self.wake_at(myself, now, until);
        }
        let (kept, until) = self.link.kept();
        if let Some(until) = until {
            self.wake_from(myself, now, until);
        }
        let idle_elsewhere = || self.shared.directory.idle_elsewhere(&self.link.model, &self.link.host);
        let contested = state == BreakerState::Closed && self.queue.len() > 0 && !idle_elsewhere();
        self.link.set_room(GateRoom { at_once: self.has_room(state, kept), contested });
    }

    /// Tells the observer what has changed; the first time everything has.
    fn tell(&mut self, circuit: CircuitState, changed: bool) {
        let gate = agon_telemetry::HostedModel { host: &self.link.host, model: &self.link.model };
        let permits = Permits { in_use: self.link.in_flight(), limit: self.link.limit(), waiting: self.queue.len() };
        if changed || self.told.is_none() {
            self.shared.observer.breaker_changed(gate, circuit);
        }
        if self.told.replace(permits) != Some(permits) {
            self.shared.observer.permits_changed(gate, permits);
        }
    }

    /// Whether a turn that is taken now would start at once.
    fn has_room(&self, breaker: BreakerState, kept: usize) -> bool {
        let free = self.link.free() > self.queue.len() + kept;
        match breaker {
            BreakerState::Closed => free,
            // where every breaker is open, turns are told so here
            BreakerState::Open => !self.well_elsewhere(),
            // one probe is enough while others are well
            BreakerState::HalfOpen if self.well_elsewhere() => self.link.in_flight() + self.queue.len() == 0,
            BreakerState::HalfOpen => free,
        }
    }

    /// Nobody waits at an open breaker: a host that is well takes the turn, or its debate decides whether to wait.
    fn send_away(&mut self, now: Timestamp) {
        let refusal = match self.link.open_until(now) {
            // a server that is away is waited for, where there is no other
            None if self.link.away().is_none() || !self.well_elsewhere() => return,
            Some(until) if !self.well_elsewhere() => PermitRefusal::BreakerOpen(until),
            None | Some(_) => PermitRefusal::Elsewhere,
        };
        self.queue.drain().into_iter().for_each(|waiting| answer(waiting.item, Err(refusal)));
    }

    fn well_elsewhere(&self) -> bool {
        self.shared.directory.well_elsewhere(&self.link.model, &self.link.host)
    }
}

/// Answers one who waits; one that has gone drops its permit, which frees it.
fn answer(reply: oneshot::Sender<PermitAnswer>, with: PermitAnswer) {
    reply.send(with).ok();
}
