//! What all nodes of a run share: the clock, the faults, bus and store, and what was seen of the run.
use crate::draws::SeededDraws;
use crate::faults::{FaultPlan, FaultTally, SimulatedFault};
use crate::plant::{PlantedBug, PlantedStore};
use crate::scheduler::{CallName, Scheduler};
use crate::trace::Trace;
use agon_bus::MemoryBus;
use agon_core::{DebateId, Event, Record, Timestamp, TurnId, TurnResult};
use agon_store::MemoryStore;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// When the wall clocks of a run begin.
pub(crate) const START: Timestamp = Timestamp(1_800_000_000_000);

/// What all nodes of one run share.
pub(crate) struct RunState {
    pub(crate) draws: Arc<SeededDraws>,
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) plan: FaultPlan,
    pub(crate) bus: MemoryBus,
    pub(crate) store: PlantedStore,
    /// A debate has ended.
    pub(crate) ended: Notify,
    start: Instant,
    /// No more faults.
    calm: AtomicBool,
    trace: Mutex<Trace>,
    seen: Mutex<Seen>,
}

/// What was seen of a run.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) faults: FaultTally,
    /// Until when the store does not answer.
    pub(crate) store_away: Option<Instant>,
    /// Until when the store has no room.
    pub(crate) store_full: Option<Instant>,
    pub(crate) ended: BTreeSet<DebateId>,
    /// Claims of debates that somebody had claimed before.
    pub(crate) takeovers: u64,
    /// Appends that were refused because somebody else had written.
    pub(crate) fenced: u64,
    /// Calls of the models, in their order.
    pub(crate) generations: Vec<ModelCall>,
    /// When each answer was first in its register, by debate and prompt.
    pub(crate) answers: BTreeMap<(DebateId, String), Instant>,
    /// When something kept nodes from reading registers.
    pub(crate) trouble: Vec<TroubledTime>,
    /// What was found while it ran.
    pub(crate) findings: Vec<String>,
}

/// A call of a model.
pub(crate) struct ModelCall {
    pub(crate) node: String,
    pub(crate) debate: DebateId,
    pub(crate) prompt: String,
    pub(crate) began: Instant,
}

/// A time in which a node, or every node, could not see what others did.
pub(crate) struct TroubledTime {
    /// Every node where there is none.
    pub(crate) node: Option<String>,
    pub(crate) from: Instant,
    pub(crate) to: Instant,
}

impl RunState {
    pub(crate) fn new(seed: u64, plant: Option<PlantedBug>, print: bool) -> Self {
        let draws = Arc::new(SeededDraws::new(seed));
        let plan = FaultPlan::draw(&draws);
        Self {
            draws,
            scheduler: Arc::default(),
            plan,
            bus: MemoryBus::new(),
            store: PlantedStore::new(MemoryStore::new(), plant),
            ended: Notify::new(),
            start: Instant::now(),
            calm: AtomicBool::new(false),
            trace: Mutex::new(Trace::new(print)),
            seen: Mutex::default(),
        }
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes an event down.
    pub(crate) fn note(&self, event: fmt::Arguments<'_>) {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).note(event);
    }

    /// How many events there were, and their hash.
    pub(crate) fn trace(&self) -> (u64, u64) {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).sum()
    }

    /// Ends all faults of calls.
    pub(crate) fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    /// Since the run began.
    pub(crate) fn lasted(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether a fault of this kind strikes the present call.
    pub(crate) fn strikes(&self, kind: SimulatedFault) -> bool {
        let rate = if self.is_calm() { 0 } else { self.plan.rate(kind) };
        let strikes = self.draws.happens(rate);
        if strikes {
            self.count(kind);
        }
        strikes
    }

    /// Counts a fault.
    pub(crate) fn count(&self, kind: SimulatedFault) {
        *self.seen().faults.entry(kind).or_default() += 1;
    }

    /// How long a message takes now.
    pub(crate) fn latency(&self) -> Duration {
        if self.strikes(SimulatedFault::SlowCall) {
            return Duration::from_millis(self.draws.within(20..3_000));
        }
        // most take no more time than the scheduler gives them
        let longest = if self.draws.within(0..4) == 0 { self.plan.latency_ms + 1 } else { 1 };
        Duration::from_millis(self.draws.within(0..longest))
    }

    /// Takes in a record that was appended.
    pub(crate) fn appended(&self, debate: &DebateId, record: &Record) {
        for event in &record.events {
            match event {
                Event::Claimed { writer, epoch } => {
                    self.note(format_args!("{debate}: claimed by {writer}, epoch {epoch}"));
                    self.seen().takeovers += u64::from(*epoch > 1);
                }
                Event::DebateEnded { state, .. } => {
                    self.note(format_args!("{debate}: ended, {state:?}"));
                    self.seen().ended.insert(debate.clone());
                    self.ended.notify_waiters();
                }
                _ => {}
            }
        }
    }

    /// Takes in that a register is decided.
    pub(crate) fn decided(&self, debate: &DebateId, turn: TurnId, result: &TurnResult) {
        let TurnResult::Answered { call, .. } = result else { return };
        let Some(prompt) = call.prompt_hash.clone() else { return };
        self.note(format_args!("{debate}: {turn} has an answer"));
        self.seen().answers.entry((debate.clone(), prompt)).or_insert_with(Instant::now);
    }

    /// Something keeps a node, or every node, from seeing what others do, from now on for so long.
    pub(crate) fn troubled(&self, node: Option<&str>, lasts: Duration) {
        let (from, node) = (Instant::now(), node.map(str::to_owned));
        self.seen().trouble.push(TroubledTime { node, from, to: from + lasts });
    }

    /// Runs for itself, after a while and when it is its turn: messages on their way, and what lands late.
    pub(crate) fn later(
        self: &Arc<Self>,
        after: Duration,
        name: CallName,
        what: impl Future<Output = ()> + Send + 'static,
    ) {
        let scheduler = self.scheduler.clone();
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            scheduler.pass(name).await;
            what.await;
        });
    }
}
