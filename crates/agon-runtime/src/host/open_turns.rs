//! The turns that a host has taken and not finished.
use crate::host::gate::QueuedPlace;
use agon_bus::Delivery;
use agon_core::{Ask, DebateId, NodeId, ParticipantId, Priority, TurnId};
use agon_proto::{DebateTurn, TurnCheck, TurnOffer};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

pub(crate) struct TakenTurn {
    pub(crate) debate: DebateId,
    pub(crate) ask: Ask,
    pub(crate) priority: Priority,
    /// Somebody was heard in the debate before.
    pub(crate) begun: bool,
    pub(crate) taken: Instant,
    /// When its coordinator gives it up.
    until: Instant,
    /// The node that wants to hear of it; another one after a takeover.
    owner: Mutex<Option<NodeId>>,
    /// Nobody can have decided the register yet. Holds once: the second time the turn is played here, somebody may have.
    undecided: AtomicBool,
    /// Its copies in the model's queue, each under lease, to be acknowledged when the register is decided.
    deliveries: Mutex<Vec<Arc<dyn Delivery>>>,
    /// Its place among those that hold no permit yet.
    place: Mutex<Option<QueuedPlace>>,
    /// Somebody says that the turn was given up.
    pub(crate) doubted: Notify,
    /// Somebody has interrupted the speech.
    pub(crate) cut: Notify,
    /// What its owner was told of the speech while it went on.
    heard: Mutex<Option<Arc<str>>>,
    /// When its owner last said that it waits for the turn.
    wanted: Mutex<Option<Instant>>,
}

impl TakenTurn {
    /// A turn for which so much time is left.
    pub(crate) fn new(offer: TurnOffer, left: Duration, place: Option<QueuedPlace>) -> Self {
        let TurnOffer { debate, ask, first, owner, priority, beginning, time_left: _ } = offer;
        Self {
            debate,
            ask,
            priority,
            begun: !beginning,
            taken: Instant::now(),
            until: Instant::now() + left,
            owner: Mutex::new(owner),
            undecided: AtomicBool::new(first),
            deliveries: Mutex::default(),
            place: Mutex::new(place),
            doubted: Notify::new(),
            cut: Notify::new(),
            heard: Mutex::default(),
            wanted: Mutex::default(),
        }
    }
    /// A turn that came from the model's queue.
    pub(crate) fn pulled(offer: TurnOffer, left: Duration, delivery: Arc<dyn Delivery>, place: QueuedPlace) -> Self {
        let work = Self::new(TurnOffer { first: false, ..offer }, left, Some(place));
        lock(&work.deliveries).push(delivery);
        work
    }
    /// The time until its coordinator gives it up.
    pub(crate) fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
    /// When that is.
    pub(crate) fn given_up_at(&self) -> Instant {
        self.until
    }
    /// The node that wants to hear of it.
    pub(crate) fn owner(&self) -> Option<NodeId> {
        lock(&self.owner).clone()
    }
    /// It was offered by this node: whoever offered it before has lost the debate.
    pub(crate) fn offered_by(&self, owner: Option<NodeId>) {
        if owner.is_some() {
            *lock(&self.owner) = owner;
        }
    }
    pub(crate) fn deliveries(&self) -> Vec<Arc<dyn Delivery>> {
        lock(&self.deliveries).clone()
    }
    /// Whether the register may be decided already.
    pub(crate) fn may_be_decided(&self) -> bool {
        !self.undecided.swap(false, Ordering::Relaxed)
    }
    /// Remembers what its owner was told of the speech, for the next owner.
    pub(crate) fn note_heard(&self, text: Arc<str>) {
        *lock(&self.heard) = Some(text);
    }
    /// What its owner was told of the speech, if it was told something.
    pub(crate) fn heard(&self) -> Option<Arc<str>> {
        lock(&self.heard).clone()
    }
    /// Leaves the line of those that hold no permit.
    pub(crate) fn leave_line(&self) {
        lock(&self.place).take();
    }
    /// Its owner waits for it.
    pub(crate) fn wanted_by(&self, owner: NodeId) {
        self.offered_by(Some(owner));
        *lock(&self.wanted) = Some(Instant::now());
    }
    /// Whether it only waits for its permit, and its owner has said within this time that it is wanted.
    pub(crate) fn waits_wanted(&self, within: Duration) -> bool {
        lock(&self.place).is_some() && lock(&self.wanted).is_some_and(|at| at.elapsed() < within)
    }
}

/// The open turns of one debate at one host. Outlives the actors that play them, so that their successors go on.
#[derive(Default)]
pub(crate) struct OpenTurns {
    turns: Mutex<BTreeMap<TurnId, Arc<TakenTurn>>>,
}

impl OpenTurns {
    /// Adds a turn. A copy of one that is open already only brings its delivery, and gives none back.
    pub(crate) fn add(&self, work: TakenTurn) -> Option<Arc<TakenTurn>> {
        let mut turns = lock(&self.turns);
        if let Some(known) = turns.get(&work.ask.turn) {
            lock(&known.deliveries).extend(work.deliveries());
            known.offered_by(work.owner());
            return None;
        }
        let work = Arc::new(work);
        turns.insert(work.ask.turn, work.clone());
        Some(work)
    }
    pub(crate) fn remove(&self, turn: TurnId) {
        lock(&self.turns).remove(&turn);
    }
    pub(crate) fn get(&self, turn: TurnId) -> Option<Arc<TakenTurn>> {
        lock(&self.turns).get(&turn).cloned()
    }
    pub(crate) fn all(&self) -> Vec<Arc<TakenTurn>> {
        lock(&self.turns).values().cloned().collect()
    }
    pub(crate) fn of(&self, participant: &ParticipantId) -> Vec<Arc<TakenTurn>> {
        self.all().into_iter().filter(|work| work.ask.participant == *participant).collect()
    }
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.turns).is_empty()
    }
}

/// The open turns of every debate at one host.
#[derive(Clone, Default)]
pub(crate) struct HostTurns {
    debates: Arc<Mutex<BTreeMap<DebateId, Arc<OpenTurns>>>>,
    /// Turns that were accepted and are on their way to their cells.
    coming: Arc<Mutex<BTreeSet<DebateTurn>>>,
}

impl HostTurns {
    /// The open turns of a debate, made when first asked for.
    pub(crate) fn open(&self, debate: &DebateId) -> Arc<OpenTurns> {
        lock(&self.debates).entry(debate.clone()).or_default().clone()
    }
    /// A turn that is played here already.
    pub(crate) fn get(&self, debate: &DebateId, turn: TurnId) -> Option<Arc<TakenTurn>> {
        lock(&self.debates).get(debate).and_then(|open| open.get(turn))
    }
    /// A turn was accepted.
    pub(crate) fn accepted(&self, turn: DebateTurn) {
        lock(&self.coming).insert(turn);
    }
    /// A turn that was accepted is open, or has been.
    pub(crate) fn arrived(&self, turn: &DebateTurn) {
        lock(&self.coming).remove(turn);
    }
    /// Which of these turns are not here. Of the others it is noted that this node wants them.
    pub(crate) fn absent(&self, TurnCheck { owner, turns }: TurnCheck) -> Vec<DebateTurn> {
        let is_absent = |asked: &DebateTurn| match self.get(&asked.debate, asked.turn) {
            Some(work) => {
                work.wanted_by(owner.clone());
                false
            }
            None => !lock(&self.coming).contains(asked),
        };
        turns.into_iter().filter(is_absent).collect()
    }
    /// Whether no turn of a debate is open here.
    pub(crate) fn are_over(&self, debate: &DebateId) -> bool {
        lock(&self.debates).get(debate).is_none_or(|open| open.is_empty())
    }
    pub(crate) fn remove(&self, debate: &DebateId) {
        lock(&self.debates).remove(debate);
    }
}

/// The lock, also after a panic elsewhere: every change under these locks is one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
