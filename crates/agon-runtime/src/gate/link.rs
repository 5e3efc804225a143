//! What outlives a gate's actor: breaker, permits, and what others may read without asking.
use super::{Answer, Msg, Refusal};
use crate::aimd::Aimd;
use crate::clock::Clock;
use crate::permits::Place;
use crate::tasks::tell;
use agon_core::breaker::{Breaker, BreakerPolicy, CallEnd, Pass, Verdict};
use agon_core::{DebateId, HostId, ModelName, Timestamp};
use agon_proto::BreakerState;
use ractor::ActorRef;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::Instant;

/// How long a call waits for a gate whose actor is gone and will be back.
const GATE_GONE: Duration = Duration::from_millis(50);

pub(crate) struct GateLink {
    pub(crate) host: HostId,
    pub(crate) model: ModelName,
    actor: RwLock<Option<ActorRef<Msg>>>,
    permits: Arc<Semaphore>,
    capacity: usize,
    rules: Mutex<Rules>,
    /// Turns that were accepted and hold no permit yet; offers beyond it are refused, so that another host may take them.
    antechamber: Arc<Semaphore>,
    /// Places in it that wait for a turn to be pulled.
    reserved: AtomicUsize,
    /// Whether a turn that is pulled now would start at once.
    room: watch::Sender<bool>,
    /// The model is no longer served.
    closed: AtomicBool,
}

/// What the gate has learned of its server.
struct Rules {
    breaker: Breaker,
    aimd: Aimd,
    /// The breaker's state when it was last noted, for others.
    noted: BreakerState,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) call: CallEnd,
    /// The server said that it has too much to do.
    pub(crate) busy: bool,
}
impl End {
    /// It says nothing about the server.
    pub(crate) const NEUTRAL: Self = Self { call: CallEnd::Neutral, busy: false };
}

impl GateLink {
    pub(crate) fn new(host: HostId, model: ModelName, capacity: usize, policy: BreakerPolicy) -> Self {
        let rules = Rules { breaker: Breaker::new(policy), aimd: Aimd::new(capacity), noted: BreakerState::Closed };
        Self {
            host,
            model,
            actor: RwLock::new(None),
            permits: Arc::new(Semaphore::new(capacity)),
            capacity,
            rules: Mutex::new(rules),
            antechamber: Arc::new(Semaphore::new(capacity.saturating_mul(2))),
            reserved: AtomicUsize::new(0),
            room: watch::Sender::new(true),
            closed: AtomicBool::new(false),
        }
    }
    fn rules(&self) -> MutexGuard<'_, Rules> {
        // every change is one call, so that a panic elsewhere leaves them whole
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// Whether the breaker is open.
    pub(crate) fn is_open(&self) -> bool {
        self.breaker() == BreakerState::Open
    }
    /// Until when no call may start, if the breaker is open.
    pub(super) fn open_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.rules().breaker.open_until(now)
    }
    /// Notes the breaker's state for others; says whether it has changed.
    pub(super) fn note_breaker(&self, now: Timestamp) -> (BreakerState, bool) {
        let mut rules = self.rules();
        let state = match (rules.breaker.is_closed(), rules.breaker.open_until(now)) {
            (true, _) => BreakerState::Closed,
            (false, Some(_)) => BreakerState::Open,
            (false, None) => BreakerState::HalfOpen,
        };
        (state, std::mem::replace(&mut rules.noted, state) != state)
    }
    pub(super) fn admit(&self, now: Timestamp) -> Verdict {
        self.rules().breaker.admit(now)
    }

    /// Calls that may run at once, now.
    pub(crate) fn limit(&self) -> usize {
        self.rules().aimd.limit()
    }
    /// Calls that run.
    pub(crate) fn in_flight(&self) -> usize {
        self.capacity.saturating_sub(self.permits.available_permits())
    }
    /// Turns that were taken and wait for a permit.
    pub(crate) fn waiting(&self) -> usize {
        let used = self.capacity.saturating_mul(2).saturating_sub(self.antechamber.available_permits());
        used.saturating_sub(self.reserved.load(Ordering::Relaxed))
    }
    /// The place of a call, if one may start.
    pub(super) fn free_place(&self) -> Option<OwnedSemaphorePermit> {
        (self.in_flight() < self.limit()).then(|| self.permits.clone().try_acquire_owned().ok()).flatten()
    }
    /// A place to wait in, if there is one.
    pub(crate) fn place(&self) -> Option<OwnedSemaphorePermit> {
        self.antechamber.clone().try_acquire_owned().ok()
    }
    /// Waits for a place for a turn that is yet to be pulled.
    pub(crate) async fn reserve(self: &Arc<Self>) -> Option<Reserved> {
        let place = self.antechamber.clone().acquire_owned().await.ok()?;
        self.reserved.fetch_add(1, Ordering::Relaxed);
        Some(Reserved { link: self.clone(), place: Some(place) })
    }
    /// Follows whether there is room.
    pub(crate) fn room(&self) -> watch::Receiver<bool> {
        self.room.subscribe()
    }
    pub(super) fn set_room(&self, room: bool) {
        self.room.send_if_modified(|old| std::mem::replace(old, room) != room);
    }

    /// Waits for leave to call, at the longest until `until`.
    pub(crate) async fn acquire(&self, place: &Place<DebateId>, until: Instant) -> Answer {
        loop {
            if self.is_closed() {
                return Err(Refusal::Elsewhere);
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
                Err(_) if self.is_open() => return Err(Refusal::BreakerOpen),
                Err(_) => return Err(Refusal::NoPermit),
            }
        }
    }
}

/// A place that waits for a turn to be pulled.
pub(crate) struct Reserved {
    link: Arc<GateLink>,
    place: Option<OwnedSemaphorePermit>,
}
impl Reserved {
    /// The turn has come.
    pub(crate) fn take(mut self) -> Option<OwnedSemaphorePermit> {
        self.place.take()
    }
}
impl Drop for Reserved {
    fn drop(&mut self) {
        self.link.reserved.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Leave for one call. Dropping it frees the place; a probe that is dropped unreported counts as neutral.
pub(crate) struct Permit {
    link: Arc<GateLink>,
    clock: Arc<dyn Clock>,
    place: Option<OwnedSemaphorePermit>,
    pass: Option<Pass>,
    era: u64,
}
impl Permit {
    pub(super) fn new(link: Arc<GateLink>, clock: Arc<dyn Clock>, place: OwnedSemaphorePermit, pass: Pass) -> Self {
        let era = link.rules().aimd.era();
        Self { link, clock, place: Some(place), pass: Some(pass), era }
    }
    /// Says how the call ended.
    pub(crate) fn report(mut self, end: End) {
        self.count(end);
    }
    /// Not by way of the actor: one that dies must not take a probe's end with it.
    fn count(&mut self, end: End) {
        let Some(pass) = self.pass.take() else { return };
        let mut rules = self.link.rules();
        rules.breaker.report(self.clock.now(), pass, end.call, rand::random_range(0..=1000));
        match (end.busy, end.call) {
            (true, _) => rules.aimd.busy(self.era),
            (false, CallEnd::Success) => rules.aimd.success(),
            (false, CallEnd::Failure | CallEnd::Neutral) => {}
        }
    }
}
impl Drop for Permit {
    fn drop(&mut self) {
        self.count(End::NEUTRAL);
        // the place must be free before the gate hears of it
        drop(self.place.take());
        if let Some(gate) = self.link.actor() {
            tell(&gate, Msg::Freed);
        }
    }
}
