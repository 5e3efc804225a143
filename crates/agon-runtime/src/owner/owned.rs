//! The debates that this node owns. Outlives the actors that coordinate them, so that their successors go on.
use crate::owner::coordinator;
use agon_core::{DebateId, TenantId};
use agon_store::Job;
use agon_telemetry::Observer;
use ractor::ActorRef;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OwnedSemaphorePermit;

#[derive(Clone)]
pub(crate) struct OwnedDebate {
    /// The job that it was taken by, until it is claimed.
    pub(crate) job: Option<Job>,
    /// Pings that its coordinator has not answered.
    pub(crate) unanswered: Arc<AtomicU64>,
    /// Its turns that are asked and not decided.
    pub(crate) open: Arc<AtomicUsize>,
    /// Its last coordinator could do nothing for want of the store.
    pub(crate) parked: Arc<AtomicBool>,
    pub(crate) actor: Option<ActorRef<coordinator::Msg>>,
    /// Its place among the debates that may run at once.
    _place: Option<Arc<OwnedSemaphorePermit>>,
}

pub(crate) struct OwnedDebates {
    held: Mutex<BTreeMap<DebateId, OwnedDebate>>,
    observer: Arc<dyn Observer>,
}

impl OwnedDebates {
    pub(crate) fn new(observer: Arc<dyn Observer>) -> Self {
        Self { held: Mutex::default(), observer }
    }
    fn lock(&self) -> MutexGuard<'_, BTreeMap<DebateId, OwnedDebate>> {
        // every change is one call on the map, so that a panic elsewhere leaves it whole
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Adds a debate. For one that is held already the newer job counts; true when it was not held.
    pub(crate) fn add(&self, debate: &DebateId, job: Option<Job>, place: Option<OwnedSemaphorePermit>) -> bool {
        let mut held = self.lock();
        if let Some(known) = held.get_mut(debate) {
            known.job = job.or(known.job.take());
            return false;
        }
        let _place = place.map(Arc::new);
        let (unanswered, open, parked) = (Arc::default(), Arc::default(), Arc::default());
        held.insert(debate.clone(), OwnedDebate { job, unanswered, open, parked, actor: None, _place });
        self.observer.debates_active(held.len());
        true
    }
    pub(crate) fn connect(&self, debate: &DebateId, actor: Option<ActorRef<coordinator::Msg>>) {
        if let Some(held) = self.lock().get_mut(debate) {
            held.unanswered.store(0, Ordering::Relaxed);
            held.actor = actor;
        }
    }
    /// The job of a debate that is claimed, which nobody needs any more.
    pub(crate) fn take_job(&self, debate: &DebateId) -> Option<Job> {
        self.lock().get_mut(debate)?.job.take()
    }
    pub(crate) fn remove(&self, debate: &DebateId) -> Option<OwnedDebate> {
        let mut held = self.lock();
        let removed = held.remove(debate);
        self.observer.debates_active(held.len());
        removed
    }
    pub(crate) fn get(&self, debate: &DebateId) -> Option<OwnedDebate> {
        self.lock().get(debate).cloned()
    }
    /// The coordinator of a debate that is held here; none while it is being started.
    pub(crate) fn actor(&self, debate: &DebateId) -> Option<ActorRef<coordinator::Msg>> {
        self.lock().get(debate)?.actor.clone()
    }
    pub(crate) fn has(&self, debate: &DebateId) -> bool {
        self.lock().contains_key(debate)
    }
    pub(crate) fn all(&self) -> Vec<(DebateId, OwnedDebate)> {
        self.lock().iter().map(|(debate, held)| (debate.clone(), held.clone())).collect()
    }
    pub(crate) fn of_tenant(&self, tenant: &TenantId) -> Vec<DebateId> {
        self.lock().keys().filter(|debate| debate.tenant() == *tenant).cloned().collect()
    }
    pub(crate) fn actors(&self) -> Vec<ActorRef<coordinator::Msg>> {
        self.lock().values().filter_map(|held| held.actor.clone()).collect()
    }
    pub(crate) fn open_turns(&self) -> usize {
        self.lock().values().map(|held| held.open.load(Ordering::Relaxed)).sum()
    }
    /// Those that stand still: their coordinator waits for the store, or has left more than one ping unanswered.
    pub(crate) fn stalled(&self) -> usize {
        let still =
            |held: &&OwnedDebate| held.parked.load(Ordering::Relaxed) || held.unanswered.load(Ordering::Relaxed) > 1;
        self.lock().values().filter(still).count()
    }
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }
}
