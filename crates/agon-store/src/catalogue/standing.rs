//! How the debates stand that have not ended, counted as they come and go.
use super::DebateBacklog;
use agon_core::{DebateId, NodeId, Priority, Timestamp};
use agon_proto::{DebateSummary, SummaryState};
use std::collections::{BTreeMap, BTreeSet};

/// A debate among those of its kind, by when it was admitted.
type DebateMark = (Timestamp, DebateId);

/// Says of an owner whether it is gone.
pub type OwnerTest<'a> = dyn Fn(&NodeId) -> bool + Send + Sync + 'a;

/// The debates that have not ended, by what is asked of them. Empty sets are dropped.
#[derive(Debug, Default)]
pub(crate) struct OpenDebates {
    /// Of those that are queued, the ones that had an owner.
    left: BTreeSet<DebateId>,
    queued: BTreeMap<Priority, BTreeSet<DebateMark>>,
    running: BTreeMap<NodeId, BTreeSet<DebateId>>,
}

impl OpenDebates {
    /// Counts a debate, unless it has ended.
    pub(crate) fn add(&mut self, summary: &DebateSummary) {
        let id = summary.id.clone();
        match &summary.state {
            SummaryState::Queued => {
                if summary.epoch > 0 {
                    self.left.insert(id.clone());
                }
                self.queued.entry(summary.priority).or_default().insert((summary.admitted, id));
            }
            SummaryState::Running { owner } => {
                self.running.entry(owner.clone()).or_default().insert(id);
            }
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => {}
        }
    }

    /// Counts it no more, as it was when it was added.
    pub(crate) fn remove(&mut self, summary: &DebateSummary) {
        let id = summary.id.clone();
        match &summary.state {
            SummaryState::Queued => {
                self.left.remove(&id);
                take(&mut self.queued, &summary.priority, &(summary.admitted, id));
            }
            SummaryState::Running { owner } => take(&mut self.running, owner, &id),
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => {}
        }
    }

    pub(crate) fn standing(&self) -> DebateBacklog {
        let oldest = self.queued.values().filter_map(|marks| marks.first()).map(|(admitted, _)| *admitted).min();
        DebateBacklog { queued: counts(&self.queued), oldest, running: counts(&self.running) }
    }

    pub(crate) fn left(&self, is_gone: &OwnerTest<'_>) -> Vec<DebateId> {
        let orphans = self.running.iter().filter(|(owner, _)| is_gone(owner)).flat_map(|(_, own)| own);
        self.left.iter().chain(orphans).cloned().collect()
    }
}

fn counts<K: Ord + Clone, M>(marks: &BTreeMap<K, BTreeSet<M>>) -> BTreeMap<K, u64> {
    marks.iter().map(|(key, marks)| (key.clone(), marks.len() as u64)).collect()
}

fn take<K: Ord, M: Ord>(marks: &mut BTreeMap<K, BTreeSet<M>>, key: &K, mark: &M) {
    if let Some(own) = marks.get_mut(key) {
        own.remove(mark);
        if own.is_empty() {
            marks.remove(key);
        }
    }
}

/// The same of a list, for who keeps no counts.
pub(crate) fn standing_of(open: &[DebateSummary]) -> DebateBacklog {
    let mut counted = OpenDebates::default();
    open.iter().for_each(|summary| counted.add(summary));
    counted.standing()
}
