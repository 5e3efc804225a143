//! A catalogue that is kept in memory.
use super::kept::KeptVectors;
use super::{CatalogueQuery, DebateBacklog, DebateVectors, OpenDebates, OrderKey, OwnerTest, supersedes};
use agon_core::{DebateId, ModelName, TenantId, Timestamp};
use agon_proto::{DebateSummary, SummaryState};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Summaries in the order of a listing, also by tenant, and which of them have not ended. Taking one in costs the logarithm of their
/// number, a page what it walks over from its cursor on.
#[derive(Debug, Default)]
pub(crate) struct CatalogueIndex {
    admitted: HashMap<DebateId, Timestamp>,
    all: BTreeMap<OrderKey, Arc<DebateSummary>>,
    tenants: BTreeMap<TenantId, BTreeMap<OrderKey, Arc<DebateSummary>>>,
    unfinished: BTreeSet<OrderKey>,
    open: OpenDebates,
    vectors: KeptVectors,
}

impl CatalogueIndex {
    /// Takes a summary in unless something newer is known of its debate; whether it did.
    pub(crate) fn note(&mut self, summary: DebateSummary) -> bool {
        if self.get(&summary.id).is_some_and(|known| !supersedes(&summary, known)) {
            return false;
        }
        self.remove(&summary.id);
        let key = (summary.admitted, Some(summary.id.clone()));
        self.admitted.insert(summary.id.clone(), summary.admitted);
        match &summary.state {
            SummaryState::Queued | SummaryState::Running { .. } => {
                self.unfinished.insert(key.clone());
            }
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => {}
        }
        self.open.add(&summary);
        let summary = Arc::new(summary);
        self.tenants.entry(summary.id.tenant()).or_default().insert(key.clone(), Arc::clone(&summary));
        self.all.insert(key, summary);
        true
    }

    /// What is known of a debate.
    pub(crate) fn get(&self, debate: &DebateId) -> Option<&DebateSummary> {
        let key = (*self.admitted.get(debate)?, Some(debate.clone()));
        self.all.get(&key).map(AsRef::as_ref)
    }

    /// The vectors that are kept of these debates.
    pub(crate) fn vectors(&self, model: &ModelName, debates: &[DebateId]) -> DebateVectors {
        self.vectors.of(model, debates)
    }

    /// Keeps vectors of debates that are listed, while there is room.
    pub(crate) fn keep_vectors(&mut self, model: &ModelName, vectors: DebateVectors) {
        for (debate, vector) in vectors {
            if self.admitted.contains_key(&debate) {
                self.vectors.keep(model, debate, vector);
            }
        }
    }

    /// The debates that fit, newest first.
    pub(crate) fn find(&self, query: &CatalogueQuery) -> Vec<DebateSummary> {
        let listed = match &query.tenant {
            None => Some(&self.all),
            Some(tenant) => self.tenants.get(tenant),
        };
        let Some(listed) = listed else { return Vec::new() };
        let older = match query.upper() {
            None => listed.range(..),
            Some(upper) => listed.range(..upper),
        };
        let newer = |summary: &&Arc<DebateSummary>| query.admitted_from.is_none_or(|from| summary.admitted >= from);
        let fitting = older.rev().map(|(_, summary)| summary).take_while(newer).filter(|summary| query.fits(summary));
        fitting.take(query.limit).map(|summary| summary.as_ref().clone()).collect()
    }

    /// The debates that have not ended, oldest first.
    pub(crate) fn unfinished(&self) -> Vec<DebateSummary> {
        self.unfinished.iter().filter_map(|key| self.all.get(key)).map(|summary| summary.as_ref().clone()).collect()
    }

    /// How they stand.
    pub(crate) fn standing(&self) -> DebateBacklog {
        self.open.standing()
    }

    /// Those that had an owner and have none.
    pub(crate) fn left(&self, is_gone: &OwnerTest<'_>) -> Vec<DebateId> {
        self.open.left(is_gone)
    }

    /// Forgets a debate; whether it was known.
    pub(crate) fn strike(&mut self, debate: &DebateId) -> bool {
        self.vectors.forget(debate);
        self.remove(debate)
    }

    fn remove(&mut self, debate: &DebateId) -> bool {
        let Some(admitted) = self.admitted.remove(debate) else { return false };
        let (key, tenant) = ((admitted, Some(debate.clone())), debate.tenant());
        self.unfinished.remove(&key);
        if let Some(summary) = self.all.remove(&key) {
            self.open.remove(&summary);
        }
        if let Some(listed) = self.tenants.get_mut(&tenant) {
            listed.remove(&key);
            if listed.is_empty() {
                self.tenants.remove(&tenant);
            }
        }
        true
    }
}
