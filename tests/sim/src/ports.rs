//! The ports of one node: between its actors and what all nodes share. Here calls take time, fail, and end with their node.
use crate::faults::SimulatedFault;
use crate::run_state::RunState;
use crate::scheduler::CallName;
use agon_bus::BusError;
use agon_core::{Position, TurnId};
use agon_store::{AppendError, StoreError};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Whether a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Liveness {
    Up,
    /// It stands still and will go on.
    Stopped,
    Dead,
}

/// One life of a node, as bus and store see it.
pub(crate) struct NodePorts {
    pub(crate) world: Arc<RunState>,
    pub(crate) name: String,
    link: Mutex<NodeLink>,
    /// The node's state has changed.
    changed: Notify,
    drains: AtomicBool,
}

struct NodeLink {
    liveness: Liveness,
    /// Until when bus and store cannot be reached from here.
    cut: Option<Instant>,
    /// It dies so many calls later.
    doom: Option<u64>,
}

/// What a call asks, in words.
#[derive(Clone, Copy)]
pub(crate) struct PortCall<'a> {
    of_store: bool,
    what: &'static str,
    about: &'a str,
    at: u64,
    turn: Option<TurnId>,
}

impl<'a> PortCall<'a> {
    /// Something of the store.
    pub(crate) fn store(what: &'static str, about: &'a str) -> Self {
        Self { of_store: true, what, about, at: 0, turn: None }
    }
    /// Something of the bus.
    pub(crate) fn bus(what: &'static str, about: &'a str) -> Self {
        Self { of_store: false, ..Self::store(what, about) }
    }
    /// At this place of a log.
    pub(crate) fn at(self, position: Position) -> Self {
        Self { at: position.0, ..self }
    }
    /// Of this turn.
    pub(crate) fn of(self, turn: TurnId) -> Self {
        Self { turn: Some(turn), ..self }
    }
}
impl fmt::Display for PortCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what, self.about)?;
        if let Some(turn) = self.turn {
            write!(f, " {turn}")?;
        }
        if self.at > 0 { write!(f, " at {}", self.at) } else { Ok(()) }
    }
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallFate {
    Normal,
    Fails,
    LosesAnswer,
    DiesBefore,
    DiesAfter,
}

/// What is before a call.
struct CallWay {
    fate: CallFate,
    there: Duration,
    back: Duration,
    /// It gets through although its sender dies meanwhile, or although what it asks is out of reach for a moment.
    outlives: bool,
    /// How long its sender waits for what is out of reach.
    patience: Duration,
}

/// The errors that a port gives for a call that went wrong on its way.
pub(crate) trait CallError {
    /// The call had no effect.
    fn failed() -> Self;
    /// Nobody knows whether it had one.
    fn unanswered() -> Self;
}
impl CallError for StoreError {
    fn failed() -> Self {
        Self::Backend("the simulated call failed".to_owned())
    }
    fn unanswered() -> Self {
        Self::Backend("no answer to a simulated call".to_owned())
    }
}
impl CallError for AppendError {
    fn failed() -> Self {
        Self::Store(StoreError::failed())
    }
    fn unanswered() -> Self {
        Self::Unsure("no answer to a simulated call".to_owned())
    }
}
impl CallError for BusError {
    fn failed() -> Self {
        Self::Failed("the simulated call failed".to_owned())
    }
    fn unanswered() -> Self {
        Self::Failed("no answer to a simulated call".to_owned())
    }
}

impl NodePorts {
    pub(crate) fn new(world: Arc<RunState>, name: String) -> Self {
        let link = Mutex::new(NodeLink { liveness: Liveness::Up, cut: None, doom: None });
        Self { world, name, link, changed: Notify::new(), drains: AtomicBool::new(false) }
    }

    fn link(&self) -> MutexGuard<'_, NodeLink> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self, liveness: Liveness) {
        let mut link = self.link();
        if link.liveness != Liveness::Dead {
            link.liveness = liveness;
        }
        drop(link);
        self.changed.notify_waiters();
    }

    /// Ends it.
    pub(crate) fn die(&self) {
        self.world.note(format_args!("{}: dies", self.name));
        self.turn(Liveness::Dead);
    }

    /// It dies so many calls later.
    pub(crate) fn doom(&self, calls: u64) {
        self.link().doom = Some(calls);
    }

    pub(crate) fn stop(&self) {
        self.turn(Liveness::Stopped);
    }

    pub(crate) fn go_on(&self) {
        self.turn(Liveness::Up);
    }

    pub(crate) fn cut_off(&self, lasts: Duration) {
        self.link().cut = Some(Instant::now() + lasts);
        self.changed.notify_waiters();
    }

    /// It has been asked to drain.
    pub(crate) fn drains(&self) -> &AtomicBool {
        &self.drains
    }

    /// Whether somebody can ask it for something.
    pub(crate) fn is_well(&self) -> bool {
        let link = self.link();
        link.liveness == Liveness::Up && link.doom.is_none() && !self.drains.load(Ordering::Relaxed)
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.link().liveness == Liveness::Dead
    }

    pub(crate) fn cut_until(&self) -> Option<Instant> {
        self.link().cut.filter(|until| *until > Instant::now())
    }

    /// Returns once the node is dead.
    pub(crate) async fn death(&self) {
        while !self.is_dead() {
            self.change().await;
        }
    }

    /// Waits for the next change of the node's state.
    pub(crate) async fn change(&self) {
        self.changed.notified().await;
    }

    /// Returns when the node runs: never where it is dead.
    pub(crate) async fn awake(&self) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            let liveness = self.link().liveness;
            match liveness {
                Liveness::Up => return,
                Liveness::Stopped => changed.await,
                Liveness::Dead => std::future::pending().await,
            }
        }
    }

    /// A call on its way there and back, with all that may become of it.
    pub(crate) async fn call<T, E: CallError>(
        &self,
        asked: PortCall<'_>,
        effect: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        self.enter(asked, &[]).await;
        let way = self.way();
        self.reach(asked, &way).await?;
        tokio::time::sleep(way.there).await;
        self.world.scheduler.pass(self.name_of(asked, &[])).await;
        if way.fate == CallFate::Fails {
            self.tell(asked, "fails");
            return Err(E::failed());
        }
        if way.fate == CallFate::DiesBefore {
            self.die();
        }
        if self.is_dead() && (way.fate == CallFate::DiesBefore || !way.outlives) {
            std::future::pending::<()>().await;
        }
        let done = effect.await;
        self.tell(asked, if done.is_ok() { "done" } else { "refused" });
        if way.fate == CallFate::DiesAfter {
            self.die();
        }
        tokio::time::sleep(way.back).await;
        self.awake().await;
        if way.fate == CallFate::LosesAnswer { Err(E::unanswered()) } else { done }
    }

    /// Waits until the node runs and it is this call's turn. Only then may it draw.
    pub(crate) async fn enter(&self, asked: PortCall<'_>, carries: &[u8]) {
        self.awake().await;
        self.world.scheduler.pass(self.name_of(asked, carries)).await;
        self.awake().await;
    }

    /// What a call is told apart by.
    pub(crate) fn name_of(&self, asked: PortCall<'_>, carries: &[u8]) -> CallName {
        (format!("{} {asked}", self.name), carries.to_vec())
    }

    fn tell(&self, asked: PortCall<'_>, what: &str) {
        self.world.note(format_args!("{}: {asked}, {what}", self.name));
    }

    /// Fails when what is asked cannot be reached, after a while.
    async fn reach<E: CallError>(&self, asked: PortCall<'_>, way: &CallWay) -> Result<(), E> {
        let away = self.world.seen().store_away.filter(|_| asked.of_store);
        let Some(until) = away.filter(|until| *until > Instant::now()).max(self.cut_until()) else { return Ok(()) };
        let left = until.saturating_duration_since(Instant::now());
        // what is asked just before the end may get through
        if left < way.patience && way.outlives {
            tokio::time::sleep(left).await;
            return Ok(());
        }
        tokio::time::sleep(way.patience).await;
        self.enter(asked, &[]).await;
        self.tell(asked, "out of reach");
        Err(E::unanswered())
    }

    /// SeededDraws all that will become of a call.
    fn way(&self) -> CallWay {
        let world = &self.world;
        CallWay {
            fate: self.fate(),
            there: world.latency(),
            back: world.latency(),
            outlives: world.draws.happens(500),
            patience: Duration::from_millis(world.draws.within(1..5_000)),
        }
    }

    fn fate(&self) -> CallFate {
        let doomed = {
            let mut link = self.link();
            link.doom = link.doom.map(|calls| calls.saturating_sub(1));
            link.doom == Some(0)
        };
        if doomed {
            return if self.world.draws.happens(500) { CallFate::DiesBefore } else { CallFate::DiesAfter };
        }
        if self.world.strikes(SimulatedFault::FailedCall) {
            return CallFate::Fails;
        }
        if self.world.strikes(SimulatedFault::LostAnswer) { CallFate::LosesAnswer } else { CallFate::Normal }
    }
}
