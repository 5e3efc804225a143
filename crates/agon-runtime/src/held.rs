//! The debates that this node owns. Outlives the actors that coordinate them, so that their successors go on.
use crate::coordinator;
use agon_core::DebateId;
use agon_store::Job;
use ractor::ActorRef;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OwnedSemaphorePermit;

/// One owned debate.
#[derive(Clone)]
pub(crate) struct Held {
    /// The job whose lease is kept; absent for a debate that was adopted without one.
    pub(crate) job: Option<Job>,
    /// Pings that its coordinator has not answered.
    pub(crate) unanswered: Arc<AtomicU64>,
    pub(crate) actor: Option<ActorRef<coordinator::Msg>>,
    /// Its place among the debates that may run at once.
    _place: Option<Arc<OwnedSemaphorePermit>>,
}

/// All of them.
#[derive(Default)]
pub(crate) struct HeldDebates {
    held: Mutex<BTreeMap<DebateId, Held>>,
}

impl HeldDebates {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<DebateId, Held>> {
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
        held.insert(debate.clone(), Held { job, unanswered: Arc::default(), actor: None, _place });
        true
    }
    pub(crate) fn connect(&self, debate: &DebateId, actor: Option<ActorRef<coordinator::Msg>>) {
        if let Some(held) = self.lock().get_mut(debate) {
            held.actor = actor;
        }
    }
    pub(crate) fn remove(&self, debate: &DebateId) -> Option<Held> {
        self.lock().remove(debate)
    }
    pub(crate) fn get(&self, debate: &DebateId) -> Option<Held> {
        self.lock().get(debate).cloned()
    }
    pub(crate) fn all(&self) -> Vec<(DebateId, Held)> {
        self.lock().iter().map(|(debate, held)| (debate.clone(), held.clone())).collect()
    }
    pub(crate) fn actors(&self) -> Vec<ActorRef<coordinator::Msg>> {
        self.lock().values().filter_map(|held| held.actor.clone()).collect()
    }
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }
}
