//! What outlives a gate's actor: breaker, permits, and what others may read without asking.
use super::presence::{Noted, Presence, ServerAway, ServerSight};
use super::{Msg, PermitAnswer, PermitRefusal};
use crate::base::shared::Common;
use crate::base::tasks::tell;
use crate::base::trouble::Trouble;
use crate::host::gate::held_prompts::HeldPrompts;
use crate::host::gate::limiter::Limiter;
use crate::host::gate::line::{Scheduling, WaitingPlace};
use agon_core::breaker::{Breaker, BreakerDecision, BreakerPolicy, CallEnd};
use agon_core::{DebateId, HostId, ModelName, Priority, Timestamp};
use agon_proto::{BreakerState, ModelServerAway};
use agon_telemetry::CircuitState;
use ractor::ActorRef;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::Instant;

mod permit;

pub(crate) use permit::{Permit, QueuedPlace, SparePermit, Witness};

/// How long a call waits for a gate whose actor is gone and will be back.
const GATE_GONE: Duration = Duration::from_millis(50);

pub(crate) struct GateLink {
    pub(crate) host: HostId,
    pub(crate) model: ModelName,
    actor: RwLock<Option<ActorRef<Msg>>>,
    permits: Arc<Semaphore>,
    capacity: usize,
    pub(crate) scheduling: Scheduling,
    /// Calls that wait at the gate.
    pub(super) waiting: AtomicUsize,
    rules: Mutex<Rules>,
    /// What the server still holds of the debates that were played here.
    cache: Mutex<HeldPrompts>,
    /// Turns that were accepted and hold no permit yet; offers beyond it are refused, so that another host may take them.
    antechamber: Arc<Semaphore>,
    /// The same for turns that are pulled.
    pulls: Arc<Semaphore>,
    /// Pulled turns of each priority that hold no permit yet.
    pulled: Mutex<[usize; 3]>,
    room: watch::Sender<GateRoom>,
    /// Calls that give way to every other.
    spare: AtomicUsize,
    /// Somebody has to wait for a permit.
    shortage: Notify,
    /// The model is no longer served.
    closed: AtomicBool,
}

/// Which turns the gate has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GateRoom {
    /// One that is pulled now would start at once.
    pub(super) at_once: bool,
    /// Offered turns wait here: one of each priority is pulled besides, so that those in the queue get their share.
    pub(super) contested: bool,
}

/// What the gate has learned of its server.
struct Rules {
    breaker: Breaker,
    policy: BreakerPolicy,
    presence: Presence,
    /// That the server is away, for the log.
    absence: Trouble,
    /// Why calls fail; nothing once one succeeds.
    failing: Option<FailingCalls>,
    limiter: Limiter,
    /// Whether calls are let through, when that was last noted, for others.
    noted: BreakerState,
    /// The state of the breaker alone then.
    alone: BreakerState,
    /// The same with the server's absence, for people.
    circuit: CircuitState,
}
impl Rules {
    fn breaker_state(&self, now: Timestamp) -> BreakerState {
        match (self.breaker.is_closed(), self.breaker.open_until(now)) {
            (true, _) => BreakerState::Closed,
            (false, Some(_)) => BreakerState::Open,
            (false, None) => BreakerState::HalfOpen,
        }
    }
    /// Notes what a call that began then saw of the server.
    fn note(&mut self, now: Timestamp, began: Timestamp, sight: ServerSight) -> Noted {
        let noted = self.presence.note(now, began, sight);
        if noted.fresh {
            // what failed before was another process
            self.breaker = Breaker::new(self.policy);
        }
        noted
    }
}

/// Calls that fail one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailingCalls {
    /// When the first of them failed.
    pub(crate) since: Timestamp,
    /// How the last one did.
    pub(crate) last: String,
}

fn circuit(state: BreakerState) -> CircuitState {
    match state {
        BreakerState::Closed => CircuitState::Closed,
        BreakerState::HalfOpen => CircuitState::HalfOpen,
        BreakerState::Open => CircuitState::Open,
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallReport {
    pub(crate) call: CallEnd,
    /// The server said that it has too much to do.
    pub(crate) busy: bool,
    /// What was seen of the server.
    pub(crate) sight: ServerSight,
}
impl CallReport {
    /// It says nothing about the server.
    pub(crate) const NEUTRAL: Self = Self { call: CallEnd::Neutral, busy: false, sight: ServerSight::Nothing };
    /// The server answered.
    pub(crate) const SUCCESS: Self = Self { call: CallEnd::Success, busy: false, sight: ServerSight::There };
}

/// What a gate is told of its server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GateSettings {
    /// Calls at once.
    pub(crate) permits: usize,
    pub(crate) scheduling: Scheduling,
    pub(crate) breaker: BreakerPolicy,
}

impl GateLink {
    pub(crate) fn new(host: HostId, model: ModelName, settings: GateSettings) -> Self {
        let GateSettings { permits: capacity, scheduling, breaker: policy } = settings;
        let (breaker, presence) = (Breaker::new(policy), Presence::default());
        let (limiter, closed) = (Limiter::new(capacity), BreakerState::Closed);
        let rules = Rules {
            breaker,
            policy,
            presence,
            absence: Trouble::default(),
            failing: None,
            limiter,
            noted: closed,
            alone: closed,
            circuit: CircuitState::Closed,
        };
        Self {
            host,
            model,
            actor: RwLock::new(None),
            permits: Arc::new(Semaphore::new(capacity)),
            capacity,
            scheduling,
            waiting: AtomicUsize::new(0),
            rules: Mutex::new(rules),
            cache: Mutex::new(HeldPrompts::new(capacity)),
            antechamber: Arc::new(Semaphore::new(capacity.saturating_mul(2))),
            pulls: Arc::new(Semaphore::new(capacity.saturating_add(Priority::ALL.len()))),
            pulled: Mutex::default(),
            room: watch::Sender::new(GateRoom { at_once: true, contested: false }),
            spare: AtomicUsize::new(0),
            shortage: Notify::new(),
            closed: AtomicBool::new(false),
        }
    }
    fn rules(&self) -> MutexGuard<'_, Rules> {
        // every change is one call, so that a panic elsewhere leaves them whole
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// What the server still holds of debates.
    pub(crate) fn cache(&self) -> MutexGuard<'_, HeldPrompts> {
        // every change is one call here too
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Notes what a call saw, and says that the server is away or there again.
    fn note(&self, rules: &mut Rules, now: Timestamp, began: Timestamp, sight: ServerSight) -> Noted {
        let noted = rules.note(now, began, sight);
        let (host, model) = (&self.host, &self.model);
        match rules.presence.away() {
            Some(away) if noted.away && rules.absence.is_news() => {
                tracing::info!(%host, %model, why = %away.why, "model server away");
            }
            Some(_) => {}
            None => {
                if let Some(after) = rules.absence.over() {
                    tracing::info!(%host, %model, after, "model server there again");
                }
            }
        }
        noted
    }
    pub(crate) fn connect(&self, actor: ActorRef<Msg>) {
        *self.actor.write().unwrap_or_else(PoisonError::into_inner) = Some(actor);
    }
    fn actor(&self) -> Option<ActorRef<Msg>> {
        self.actor.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
    /// Serves the model no more: who waits is sent elsewhere, calls that run may end.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// The breaker's state, as it was last noted.
    pub(crate) fn breaker(&self) -> BreakerState {
        self.rules().noted
    }
    /// Why calls fail, if the last one did.
    pub(crate) fn failing(&self) -> Option<FailingCalls> {
        self.rules().failing.clone()
    }
    /// Until when no call may start, if the breaker is open.
    pub(super) fn open_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.rules().breaker.open_until(now)
    }
    /// Notes for others whether calls are let through, and for people why not; says whether that has changed.
    pub(super) fn note_breaker(&self, now: Timestamp) -> (BreakerState, CircuitState, bool) {
        let mut rules = self.rules();
        let breaker = rules.breaker_state(now);
        let (state, circuit) = match rules.presence.quiet_until() {
            Some(until) if now < until => (BreakerState::Open, CircuitState::Away),
            Some(_) => (BreakerState::HalfOpen, CircuitState::Away),
            None => (breaker, circuit(breaker)),
        };
        rules.alone = breaker;
        let before = (std::mem::replace(&mut rules.noted, state), std::mem::replace(&mut rules.circuit, circuit));
        (state, circuit, before != (state, circuit))
    }
    /// What is to be told of a server that is away.
    pub(crate) fn told_away(&self) -> Option<ModelServerAway> {
        let rules = self.rules();
        let away = rules.presence.away()?;
        Some(ModelServerAway {
            why: away.why.to_string(),
            since: away.since,
            next_look: away.next_look(),
            breaker: rules.alone,
        })
    }
    /// Of the time from `from` to `to`, how much the server was away, in milliseconds.
    pub(crate) fn absent(&self, from: Timestamp, to: Timestamp) -> u64 {
        self.rules().presence.absent(from, to)
    }
    /// Whether a call may start: while the server is away one at a time, which looks whether it is back.
    pub(super) fn admit(&self, now: Timestamp) -> BreakerDecision {
        let mut rules = self.rules();
        if let Err(until) = rules.presence.admit(now) {
            return BreakerDecision::Wait(until);
        }
        rules.breaker.admit(now)
    }
    /// What is known of a server that is away.
    pub(crate) fn away(&self) -> Option<ServerAway> {
        self.rules().presence.away()
    }
    /// When others may take it for worth a try again, where it is away.
    pub(super) fn quiet_until(&self) -> Option<Timestamp> {
        self.rules().presence.quiet_until()
    }

    /// Calls that may run at once, now.
    pub(crate) fn limit(&self) -> usize {
        self.rules().limiter.limit()
    }
    /// Calls that run.
    pub(crate) fn in_flight(&self) -> usize {
        self.capacity.saturating_sub(self.permits.available_permits())
    }
    /// Turns that were taken and wait for a permit.
    pub(crate) fn waiting(&self) -> usize {
        let offered = self.capacity.saturating_mul(2).saturating_sub(self.antechamber.available_permits());
        let arriving = offered + self.pulled().iter().sum::<usize>();
        // debates that are played here have a place without asking
        arriving.max(self.waiting.load(Ordering::Relaxed))
    }
    /// Calls that might start now.
    pub(super) fn free(&self) -> usize {
        self.limit().saturating_sub(self.in_flight())
    }
    /// Whether a debate that was played here had better be played where nobody waits.
    pub(crate) fn should_move(&self, debate: &DebateId) -> bool {
        let ahead = self.waiting.load(Ordering::Relaxed);
        self.scheduling == Scheduling::CacheAware
            && self.free() + self.spare.load(Ordering::Relaxed) == 0
            && self.cache().should_move(debate, ahead, self.limit())
    }
    /// How many permits are kept for debates which are about to go on, and until when the first of them is.
    pub(super) fn kept(&self) -> (usize, Option<Instant>) {
        match self.scheduling {
            Scheduling::CacheAware => self.cache().expected(Instant::now(), &Priority::ALL),
            Scheduling::Fair | Scheduling::Fifo => (0, None),
        }
    }
    /// The place of a call, if one may start.
    pub(super) fn free_place(&self) -> Option<OwnedSemaphorePermit> {
        (self.in_flight() < self.limit()).then(|| self.permits.clone().try_acquire_owned().ok()).flatten()
    }
    /// Leave for a call that nobody waits for, where a permit would stay free for as long as can be told. It has to give way once there is a
    /// [`shortage`](Self::shortage).
    pub(crate) fn spare(
        self: &Arc<Self>,
        shared: &Common,
        debate: &DebateId,
        priority: Priority,
    ) -> Option<SparePermit> {
        let well = !self.is_closed() && self.breaker() == BreakerState::Closed && self.away().is_none();
        if !well || self.free() <= self.waiting() + self.kept().0 {
            return None;
        }
        let place = self.free_place()?;
        let BreakerDecision::Pass(pass) = self.admit(shared.clock.now()) else { return None };
        self.cache().begins(debate, priority, Instant::now());
        self.spare.fetch_add(1, Ordering::Relaxed);
        let permit = Permit::new(self.clone(), shared, (place, pass), debate.clone());
        // it counts the permits that are left
        self.actor().iter().for_each(|gate| tell(gate, Msg::Freed));
        Some(SparePermit(permit))
    }
    /// Returns when somebody has to wait for a permit.
    pub(crate) async fn shortage(&self) {
        self.shortage.notified().await;
    }
    /// Somebody waits: calls that give way end where no permit is free.
    pub(super) fn make_way(&self) {
        if self.free() == 0 {
            self.shortage.notify_waiters();
        }
    }
    /// A place to wait in for a turn that is offered, if there is one. Debates that are played here, or wait here already, have one
    /// without asking: elsewhere their prompts would have to be evaluated again.
    pub(crate) fn place(&self, debate: &DebateId, waits: bool) -> Option<QueuedPlace> {
        if waits || self.scheduling == Scheduling::CacheAware && self.cache().knows(debate) {
            return Some(QueuedPlace { _place: None, pulled: None });
        }
        let place = self.antechamber.clone().try_acquire_owned().ok()?;
        Some(QueuedPlace { _place: Some(place), pulled: None })
    }
    /// Waits for a place for a turn that is yet to be pulled: what is pulled has not reached the gate yet, so its room does not show it.
    pub(crate) async fn reserve(&self) -> Option<OwnedSemaphorePermit> {
        self.pulls.clone().acquire_owned().await.ok()
    }
    /// The place of a turn that was pulled.
    pub(crate) fn pulled_into(self: &Arc<Self>, place: OwnedSemaphorePermit, priority: Priority) -> QueuedPlace {
        self.count_pulled(priority, |count| count + 1);
        QueuedPlace { _place: Some(place), pulled: Some((self.clone(), priority)) }
    }
    fn pulled(&self) -> MutexGuard<'_, [usize; 3]> {
        self.pulled.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn count_pulled(&self, priority: Priority, change: impl Fn(usize) -> usize) {
        let mut pulled = self.pulled();
        let count = priority.pick(pulled.each_mut());
        *count = change(*count);
    }
    /// Follows what may change which priorities are wanted.
    pub(crate) fn room(&self) -> watch::Receiver<GateRoom> {
        self.room.subscribe()
    }
    /// Of which priorities turns shall be pulled now.
    pub(crate) fn wanted(&self, room: GateRoom) -> [bool; 3] {
        match (room.at_once, room.contested) {
            (true, _) => [true; 3],
            (false, true) => self.pulled().map(|waiting| waiting == 0),
            (false, false) => [false; 3],
        }
    }
    pub(super) fn set_room(&self, room: GateRoom) {
        self.room.send_if_modified(|old| std::mem::replace(old, room) != room);
    }

    /// Waits for leave to call, at the longest until `until`.
    pub(crate) async fn acquire(&self, place: &WaitingPlace, until: Instant) -> PermitAnswer {
        loop {
            if self.is_closed() {
                return Err(PermitRefusal::Elsewhere);
            }
            let (reply, answer) = oneshot::channel();
            let ask = Msg::Acquire { place: place.clone(), reply };
            let asked = self.actor().is_some_and(|actor| actor.cast(ask).is_ok());
            let outcome = tokio::time::timeout_at(until, async {
                if asked && let Ok(answer) = answer.await {
                    return Some(answer);
                }
                tokio::time::sleep(GATE_GONE).await;
                None
            });
            match outcome.await {
                Ok(Some(answer)) => return answer,
                Ok(None) => {}
                Err(_) => return Err(PermitRefusal::NoPermit),
            }
        }
    }
}
