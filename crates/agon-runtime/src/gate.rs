//! The gate of one model at one host: its circuit breaker and its permits.
//!
//! Both belong together, because a call needs both at once, and here is the only place that sees every call.
use crate::permits::FairQueue;
use crate::shared::Shared;
use crate::tasks::{Scope, tell};
use agon_core::breaker::{Breaker, CallEnd, Pass, Verdict};
use agon_core::{DebateId, HostId, ModelName, Timestamp};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// What a call is told that wants to start.
type Answer = Result<Permit, Refusal>;

/// Why a call may not start here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Too many wait already.
    Full,
    /// The breaker is open, and another host that serves the model is well.
    Elsewhere,
    /// The wait was too long; the breaker was open at its end.
    BreakerOpen,
    /// The wait was too long; no permit came free.
    NoPermit,
}

pub(crate) enum Msg {
    Acquire {
        debate: DebateId,
        reply: oneshot::Sender<Answer>,
    },
    Ended {
        pass: Pass,
        end: CallEnd,
    },
    Freed,
    Tick,
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::hooks::Death),
}

/// What outlives the gate's actor: its permits, and what others may read without asking.
pub(crate) struct GateLink {
    pub(crate) host: HostId,
    pub(crate) model: ModelName,
    actor: RwLock<Option<ActorRef<Msg>>>,
    permits: Arc<Semaphore>,
    capacity: usize,
    /// Turns that were accepted and hold no permit yet; offers beyond it are refused, so that another host may take them.
    antechamber: Arc<Semaphore>,
    /// When the open breaker may admit a probe, in milliseconds; 0 when it is not open.
    open_until: AtomicU64,
    /// Whether a turn that is pulled now would start at once.
    room: watch::Sender<bool>,
}

impl GateLink {
    pub(crate) fn new(host: HostId, model: ModelName, capacity: usize) -> Self {
        Self {
            host,
            model,
            actor: RwLock::new(None),
            permits: Arc::new(Semaphore::new(capacity)),
            capacity,
            antechamber: Arc::new(Semaphore::new(capacity.saturating_mul(2))),
            open_until: AtomicU64::new(0),
            room: watch::Sender::new(true),
        }
    }
    pub(crate) fn connect(&self, actor: ActorRef<Msg>) {
        *self.actor.write().unwrap_or_else(PoisonError::into_inner) = Some(actor);
    }
    fn actor(&self) -> Option<ActorRef<Msg>> {
        self.actor.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
    /// Whether the breaker is open.
    pub(crate) fn is_open(&self) -> bool {
        self.open_until.load(Ordering::Relaxed) != 0
    }
    /// Calls that run.
    pub(crate) fn in_flight(&self) -> usize {
        self.capacity.saturating_sub(self.permits.available_permits())
    }
    /// Calls that run or wait, per thousand permits.
    pub(crate) fn load(&self) -> usize {
        let accepted = self.antechamber_used();
        (self.in_flight() + accepted).saturating_mul(1000) / self.capacity.max(1)
    }
    fn antechamber_used(&self) -> usize {
        self.capacity.saturating_mul(2).saturating_sub(self.antechamber.available_permits())
    }
    /// A place to wait in, if there is one.
    pub(crate) fn place(&self) -> Option<OwnedSemaphorePermit> {
        self.antechamber.clone().try_acquire_owned().ok()
    }
    /// Waits for such a place.
    pub(crate) async fn wait_for_place(&self) -> Option<OwnedSemaphorePermit> {
        self.antechamber.clone().acquire_owned().await.ok()
    }
    /// Follows whether there is room.
    pub(crate) fn room(&self) -> watch::Receiver<bool> {
        self.room.subscribe()
    }

    /// Waits for leave to call, at the longest until `until`.
    pub(crate) async fn acquire(&self, debate: &DebateId, until: Instant) -> Answer {
        loop {
            let (reply, answer) = oneshot::channel();
            let asked = self.actor().is_some_and(|a| a.cast(Msg::Acquire { debate: debate.clone(), reply }).is_ok());
            let outcome = tokio::time::timeout_at(until, async {
                if asked && let Ok(answer) = answer.await {
                    return Some(answer);
                }
                // the gate's actor is gone and will be back
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

const GATE_GONE: Duration = Duration::from_millis(50);

/// Leave for one call. Dropping it frees the place; a probe that is dropped unreported counts as neutral.
pub(crate) struct Permit {
    link: Arc<GateLink>,
    gate: ActorRef<Msg>,
    place: Option<OwnedSemaphorePermit>,
    pass: Option<Pass>,
}
impl Permit {
    /// Says how the call ended.
    pub(crate) fn report(mut self, end: CallEnd) {
        self.tell_end(end);
    }
    fn tell_end(&mut self, end: CallEnd) {
        if let Some(pass) = self.pass.take() {
            tell(&self.gate, Msg::Ended { pass, end });
        }
    }
}
impl Drop for Permit {
    fn drop(&mut self) {
        self.tell_end(CallEnd::Neutral);
        // the place must be free before the gate hears of it
        drop(self.place.take());
        if let Some(gate) = self.link.actor() {
            tell(&gate, Msg::Freed);
        }
    }
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) link: Arc<GateLink>,
}

pub(crate) struct State {
    shared: Shared,
    link: Arc<GateLink>,
    breaker: Breaker,
    queue: FairQueue<DebateId, oneshot::Sender<Answer>>,
    scope: Scope,
    alarm: Option<(Timestamp, AbortHandle)>,
}

pub(crate) struct Gate;

impl Actor for Gate {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, link } = args;
        Ok(State {
            breaker: Breaker::new(shared.config.breaker),
            queue: FairQueue::new(shared.config.gate_queue.get()),
            scope: shared.tasks.scope(),
            alarm: None,
            shared,
            link,
        })
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Acquire { debate, reply } => state.queue_up(debate, reply),
            Msg::Ended { pass, end } => state.count(pass, end),
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
    fn queue_up(&mut self, debate: DebateId, reply: oneshot::Sender<Answer>) {
        let Err(reply) = self.queue.push(debate.clone(), reply) else { return };
        self.queue.retain(|waits| !waits.is_closed());
        if let Err(reply) = self.queue.push(debate, reply) {
            answer(reply, Err(Refusal::Full));
        }
    }

    fn count(&mut self, pass: Pass, end: CallEnd) {
        let was_closed = self.breaker.is_closed();
        let jitter = rand::random_range(0..=1000);
        self.breaker.report(self.shared.clock.now(), pass, end, jitter);
        if was_closed != self.breaker.is_closed() {
            let closed = self.breaker.is_closed();
            tracing::info!(host = %self.link.host, model = %self.link.model, closed, "breaker changed");
        }
    }

    /// Lets in as many as may start now.
    fn admit(&mut self, myself: &ActorRef<Msg>) {
        let now = self.shared.clock.now();
        while let Some(place) = self.free_place()
            && let Some((debate, reply)) = self.next_waiting()
        {
            match self.breaker.admit(now) {
                Verdict::Pass(pass) => {
                    let (link, gate) = (self.link.clone(), myself.clone());
                    answer(reply, Ok(Permit { link, gate, place: Some(place), pass: Some(pass) }));
                }
                Verdict::Wait(until) => {
                    self.queue.put_back(debate, reply);
                    self.wake_at(myself, now, until);
                    break;
                }
            }
        }
        self.announce(now);
        self.send_elsewhere();
    }

    fn free_place(&self) -> Option<OwnedSemaphorePermit> {
        self.link.permits.clone().try_acquire_owned().ok()
    }

    fn next_waiting(&mut self) -> Option<(DebateId, oneshot::Sender<Answer>)> {
        std::iter::from_fn(|| self.queue.pop()).find(|(_, reply)| !reply.is_closed())
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
    fn announce(&self, now: Timestamp) {
        let open_until = self.breaker.open_until(now).map_or(0, |until| until.0);
        self.link.open_until.store(open_until, Ordering::Relaxed);
        let well = open_until == 0 || !self.well_elsewhere();
        let free = self.link.permits.available_permits() > self.queue.len();
        // where every breaker is open, turns wait here for the first probe or for their limit
        let room = well && (free || open_until != 0);
        self.link.room.send_if_modified(|old| std::mem::replace(old, room) != room);
    }

    /// Sends those who wait at an open breaker to a host that is well.
    fn send_elsewhere(&mut self) {
        if self.link.is_open() && self.well_elsewhere() {
            while let Some((_, reply)) = self.next_waiting() {
                answer(reply, Err(Refusal::Elsewhere));
            }
        }
    }

    fn well_elsewhere(&self) -> bool {
        self.shared.directory.well_elsewhere(&self.link.model, &self.link.host)
    }
}

/// Answers one who waits; one that has gone drops its permit, which frees it.
fn answer(reply: oneshot::Sender<Answer>, with: Answer) {
    reply.send(with).ok();
}
