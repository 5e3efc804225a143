//! What this process has just written, or followed, kept in memory so that its readers need not go to the database.
//!
//! A log's tail is one gapless run of records that stand in the log; it answers a read only if it has something newer than the reader, so
//! it can never hide another process's records for ever: a reader that has seen it all is sent to the database. An append that was refused shows that somebody else writes, and drops the run. A decided register never changes, so it may
//! be kept as long as there is room.
use crate::lock::lock;
use agon_core::{DebateId, Event, Position, Record, TurnId, TurnResult};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

/// How many results of one debate are kept.
const RESULTS: usize = 32;

/// The bounded memory of what this process wrote.
pub(crate) struct Live {
    entries: Mutex<HashMap<DebateId, LiveTail>>,
    records_each: usize,
    debates: usize,
}

#[derive(Default)]
struct LiveTail {
    tail: VecDeque<Arc<Record>>,
    results: VecDeque<(TurnId, Arc<TurnResult>)>,
}

impl Live {
    /// Keeps at most `records_each` records of at most `debates` debates.
    pub(crate) fn new(records_each: usize, debates: usize) -> Self {
        Self { entries: Mutex::default(), records_each, debates }
    }

    /// Takes in a record that is now in the log. A debate that is over is dropped: nobody will follow it.
    pub(crate) fn appended(&self, debate: &DebateId, record: &Arc<Record>) {
        if ends(record) {
            return self.forget(debate);
        }
        self.with(debate, |entry| {
            if entry.tail.back().is_some_and(|last| last.last().next() != record.first) {
                entry.tail.clear();
            }
            entry.tail.push_back(Arc::clone(record));
            if entry.tail.len() > self.records_each {
                entry.tail.pop_front();
            }
        });
    }

    /// Takes in records that were read from the end of the log, in order: a reader's gapless run is as good as a writer's.
    pub(crate) fn followed(&self, debate: &DebateId, records: &[Arc<Record>]) {
        let known = lock(&self.entries).get(debate).and_then(|entry| entry.tail.back().map(|last| last.last()));
        for record in records.iter().filter(|record| known.is_none_or(|known| record.first > known)) {
            self.appended(debate, record);
        }
    }

    /// Takes in a register that is decided.
    pub(crate) fn decided(&self, debate: &DebateId, turn: TurnId, result: &Arc<TurnResult>) {
        self.with(debate, |entry| {
            entry.results.retain(|(known, _)| *known != turn);
            entry.results.push_back((turn, Arc::clone(result)));
            if entry.results.len() > RESULTS {
                entry.results.pop_front();
            }
        });
    }

    /// The records with events after `after`, if the run reaches back that far and has any.
    pub(crate) fn read(&self, debate: &DebateId, after: Position) -> Option<Vec<Arc<Record>>> {
        let entries = lock(&self.entries);
        let tail = &entries.get(debate)?.tail;
        if tail.front()?.first > after.next() || tail.back()?.last() <= after {
            return None;
        }
        let known = tail.partition_point(|record| record.last() <= after);
        Some(tail.range(known..).cloned().collect())
    }

    /// A register, if it is known to be decided.
    pub(crate) fn result(&self, debate: &DebateId, turn: TurnId) -> Option<Arc<TurnResult>> {
        let entries = lock(&self.entries);
        let (_, result) = entries.get(debate)?.results.iter().find(|(known, _)| *known == turn)?;
        Some(Arc::clone(result))
    }

    /// Drops all that is known of a debate.
    pub(crate) fn forget(&self, debate: &DebateId) {
        lock(&self.entries).remove(debate);
    }

    fn with(&self, debate: &DebateId, change: impl FnOnce(&mut LiveTail)) {
        let mut entries = lock(&self.entries);
        if !entries.contains_key(debate) && entries.len() >= self.debates {
            // Any other will do: what is dropped is read from the database.
            let other = entries.keys().next().cloned();
            other.and_then(|other| entries.remove(&other));
        }
        change(entries.entry(debate.clone()).or_default());
    }
}

/// Whether a record ends its debate.
pub(crate) fn ends(record: &Record) -> bool {
    matches!(record.events.last(), Some(Event::DebateEnded { .. }))
}
