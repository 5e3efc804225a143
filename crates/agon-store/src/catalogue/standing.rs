//! How the debates stand that have not ended, counted as they come and go.
use super::DebateBacklog;
use agon_core::{DebateId, NodeId, Priority, Timestamp};
use agon_proto::{DebateSummary, SummaryState};
use std::collections::{BTreeMap, BTreeSet};

/// A debate among those of its kind: by when it was admitted, or last noted.
type DebateMark = (Timestamp, DebateId);

/// The debates that have not ended, by what is asked of them. Empty sets are dropped.
#[derive(Debug, Default)]
pub(crate) struct OpenDebates {
    queued: BTreeMap<Priority, BTreeSet<DebateMark>>,
    running: BTreeMap<NodeId, BTreeSet<DebateMark>>,
}

impl OpenDebates {
    /// Counts a debate, unless it has ended.
    pub(crate) fn add(&mut self, summary: &DebateSummary) {
        let id = summary.id.clone();
        match &summary.state {
            SummaryState::Queued => {
                self.queued.entry(summary.priority).or_default().insert((summary.admitted, id));
            }
            SummaryState::Running { owner } => {
                self.running.entry(owner.clone()).or_default().insert((summary.updated, id));
            }
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => {}
        }
    }

    /// Counts it no more, as it was when it was added.
    pub(crate) fn remove(&mut self, summary: &DebateSummary) {
        let id = summary.id.clone();
        match &summary.state {
            SummaryState::Queued => take(&mut self.queued, &summary.priority, &(summary.admitted, id)),
            SummaryState::Running { owner } => take(&mut self.running, owner, &(summary.updated, id)),
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => {}
        }
    }

    pub(crate) fn standing(&self) -> DebateBacklog {
        let oldest = self.queued.values().filter_map(|marks| marks.first()).map(|(admitted, _)| *admitted).min();
        DebateBacklog { queued: counts(&self.queued), oldest, running: counts(&self.running) }
    }

    pub(crate) fn unnoted(&self, owner: &NodeId, before: Timestamp) -> u64 {
        let old = self.running.get(owner).map(|marks| marks.iter().take_while(|(noted, _)| *noted < before).count());
        old.unwrap_or(0) as u64
    }
}

fn counts<K: Ord + Clone>(marks: &BTreeMap<K, BTreeSet<DebateMark>>) -> BTreeMap<K, u64> {
    marks.iter().map(|(key, marks)| (key.clone(), marks.len() as u64)).collect()
}

fn take<K: Ord>(marks: &mut BTreeMap<K, BTreeSet<DebateMark>>, key: &K, mark: &DebateMark) {
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

/// The same of a list, for who keeps no counts.
pub(crate) fn unnoted_of(open: &[DebateSummary], owner: &NodeId, before: Timestamp) -> u64 {
    let mut counted = OpenDebates::default();
    open.iter().for_each(|summary| counted.add(summary));
    counted.unnoted(owner, before)
}
