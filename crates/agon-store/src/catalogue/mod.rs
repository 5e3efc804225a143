//! The port of the catalogue: finding debates.
mod index;
mod kept;
#[cfg(test)]
pub(crate) mod model;
mod standing;

use crate::port::StoreError;
use agon_core::{DebateId, DebateState, Halt, ModelName, NodeId, Outcome, Priority, TenantId, Timestamp};
use agon_proto::{DebateSummary, SummaryState};
use async_trait::async_trait;
use std::collections::BTreeMap;

pub(crate) use index::CatalogueIndex;
pub use standing::OwnerTest;
pub(crate) use standing::{OpenDebates, standing_of};

/// An index of all debates, for finding them. A hint: it may be behind the logs, and can be rebuilt from them.
#[async_trait]
pub trait Catalogue: Send + Sync {
    /// Takes in what is known of a debate, unless something newer is: an end, then the higher epoch, then the later event counts.
    async fn note(&self, summary: DebateSummary) -> Result<(), StoreError>;
    /// What is known of a debate.
    async fn get_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError>;
    /// Those of these debates that are over.
    async fn over(&self, debates: Vec<DebateId>) -> Result<Vec<DebateId>, StoreError> {
        let mut over = Vec::new();
        for debate in debates {
            if self.get_summary(&debate).await?.is_some_and(|summary| summary.state.is_over()) {
                over.push(debate);
            }
        }
        Ok(over)
    }
    /// Those of these debates of which no note is kept. What a catalogue has lost may still be known to those who heard it; noting it again
    /// keeps it.
    async fn unkept(&self, debates: Vec<DebateId>) -> Result<Vec<DebateId>, StoreError> {
        let mut unkept = Vec::new();
        for debate in debates {
            if self.get_summary(&debate).await?.is_none() {
                unkept.push(debate);
            }
        }
        Ok(unkept)
    }
    /// How often it was seen to have lost what it kept; asks nothing.
    fn losses(&self) -> u64 {
        0
    }
    /// The debates that fit, newest first.
    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError>;
    /// Every debate of every tenant that was submitted to a server, has not ended and does not wait to be resumed, oldest first.
    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError>;
    /// How many debates of all tenants have not ended, and how they stand. Costs the number of their owners, not of the debates, where
    /// the catalogue is kept in memory.
    async fn standing(&self) -> Result<DebateBacklog, StoreError>;
    /// The debates that somebody had claimed and nobody plays: left in order, resumed, or run by an owner that is gone. Costs their number
    /// and that of the owners, where the catalogue is kept in memory.
    async fn left(&self, is_gone: &OwnerTest<'_>) -> Result<Vec<DebateId>, StoreError> {
        let mut open = OpenDebates::default();
        self.unfinished().await?.iter().for_each(|summary| open.add(summary));
        Ok(open.left(is_gone))
    }
    /// The vectors of a model that are kept of these debates. A catalogue that keeps none has none.
    async fn vectors(&self, model: &ModelName, debates: &[DebateId]) -> Result<DebateVectors, StoreError> {
        let (_, _) = (model, debates);
        Ok(DebateVectors::new())
    }
    /// Keeps vectors of a model, of debates that are listed. Vectors can be had again, so a catalogue may keep fewer.
    async fn keep_vectors(&self, model: &ModelName, vectors: DebateVectors) -> Result<(), StoreError> {
        let (_, _) = (model, vectors);
        Ok(())
    }
    /// Forgets a debate, and its vectors.
    async fn strike(&self, debate: &DebateId) -> Result<(), StoreError>;
}

/// Embeddings of what earlier debates were about, by debate.
pub type DebateVectors = BTreeMap<DebateId, Vec<f32>>;

/// How the debates stand that have not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebateBacklog {
    /// Those that nobody has claimed, where there are any.
    pub queued: BTreeMap<Priority, u64>,
    /// When the one of them was admitted that was admitted first.
    pub oldest: Option<Timestamp>,
    /// Those that run, by who owns them.
    pub running: BTreeMap<NodeId, u64>,
}

/// Which debates: every condition that is set has to fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogueQuery {
    /// Only this tenant's; all tenants' where absent.
    pub tenant: Option<TenantId>,
    /// At most so many.
    pub limit: usize,
    /// Only what comes behind this place.
    pub after: Option<ListCursor>,
    /// In one of these states; any where empty.
    pub states: Vec<ListState>,
    /// With one of these outcomes; any where empty.
    pub outcomes: Vec<Outcome>,
    /// With all of these labels; an empty value stands for any.
    pub labels: BTreeMap<String, String>,
    /// Without this label, whatever its value.
    pub without_label: Option<String>,
    /// Admitted then or later.
    pub admitted_from: Option<Timestamp>,
    /// Admitted before this moment, which is left out.
    pub admitted_before: Option<Timestamp>,
    /// The topic or the id holds this, whatever the case.
    pub text: Option<String>,
    /// Calling one of these models, or meaning to; any where empty. Of notes of earlier versions the models are unknown.
    pub models: Vec<ModelName>,
    /// Judging one of these again; any where empty. Of notes of earlier versions that is unknown.
    pub rejudges: Vec<DebateId>,
}

/// A place in the order of a listing: newest first, of the same moment by id, backwards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListCursor {
    /// When the debate was admitted.
    pub admitted: Timestamp,
    /// Which.
    pub id: DebateId,
}

/// A place in that order, or without an id the place before all debates of a moment.
pub(crate) type OrderKey = (Timestamp, Option<DebateId>);

/// The states that a query tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListState {
    /// Nobody has claimed it yet.
    Queued,
    /// Somebody coordinates it.
    Running,
    /// It was not submitted to a server, and has not ended.
    Local,
    /// It waits to be resumed.
    Halted(Halt),
    /// It ended so.
    Ended(DebateState),
}

impl CatalogueQuery {
    /// Where a walk from newest to oldest begins: behind this place.
    pub(crate) fn upper(&self) -> Option<OrderKey> {
        let cursor = self.after.as_ref().map(|after| (after.admitted, Some(after.id.clone())));
        let before = self.admitted_before.map(|before| (before, None));
        [cursor, before].into_iter().flatten().min()
    }
    /// Whether a debate fits, apart from `limit`.
    pub fn fits(&self, summary: &DebateSummary) -> bool {
        let state = match &summary.state {
            SummaryState::Queued => ListState::Queued,
            SummaryState::Running { .. } => ListState::Running,
            SummaryState::Local => ListState::Local,
            SummaryState::Halted(halt) => ListState::Halted(*halt),
            SummaryState::Ended { state, .. } => ListState::Ended(*state),
        };
        let outcome = match &summary.state {
            SummaryState::Ended { outcome, .. } => *outcome,
            SummaryState::Queued | SummaryState::Running { .. } | SummaryState::Local | SummaryState::Halted(_) => None,
        };
        let labelled = |(key, value): (&String, &String)| {
            summary.labels.get(key).is_some_and(|has| value.is_empty() || has == value)
        };
        let calls = |model: &ModelName| summary.figures.as_ref().is_some_and(|figures| figures.has_model(model));
        let rejudged = summary.figures.as_ref().and_then(|figures| figures.rejudges.as_ref());
        let holds = |text: &String| {
            let text = text.to_lowercase();
            summary.topic.to_lowercase().contains(&text) || summary.id.name().to_lowercase().contains(&text)
        };
        let place = ListCursor { admitted: summary.admitted, id: summary.id.clone() };
        self.tenant.as_ref().is_none_or(|tenant| summary.id.tenant() == *tenant)
            && self.after.as_ref().is_none_or(|after| place < *after)
            && (self.states.is_empty() || self.states.contains(&state))
            && (self.outcomes.is_empty() || outcome.is_some_and(|outcome| self.outcomes.contains(&outcome)))
            && self.labels.iter().all(labelled)
            && self.without_label.as_ref().is_none_or(|label| !summary.labels.contains_key(label))
            && self.admitted_from.is_none_or(|from| summary.admitted >= from)
            && self.admitted_before.is_none_or(|before| summary.admitted < before)
            && (self.models.is_empty() || self.models.iter().any(calls))
            && self.text.as_ref().is_none_or(holds)
            && (self.rejudges.is_empty() || rejudged.is_some_and(|old| self.rejudges.contains(old)))
    }
}

/// Whether `new` replaces `old` in a catalogue.
pub fn supersedes(new: &DebateSummary, old: &DebateSummary) -> bool {
    let rank = |summary: &DebateSummary| {
        (matches!(summary.state, SummaryState::Ended { .. }), summary.epoch, summary.last, summary.updated)
    };
    rank(new) >= rank(old)
}
