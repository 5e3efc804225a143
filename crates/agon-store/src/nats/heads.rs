//! What is known of where logs end and where their records lie.
use crate::chain::Hash;
use crate::lock::lock;
use agon_core::{DebateId, Position};
use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

/// Where a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogHead {
    /// Its last event.
    pub(crate) last: Position,
    /// The sequence of its last message in the stream.
    pub(crate) sequence: u64,
    /// The hash of its last record.
    pub(crate) hash: Hash,
}

/// The bounded memory of heads and places. A stale entry costs a request and never a wrong append: the server compares sequences.
pub(crate) struct Heads {
    known: Mutex<HashMap<DebateId, CachedLog>>,
    debates: usize,
    places: usize,
}

#[derive(Default)]
struct CachedLog {
    head: Option<LogHead>,
    /// Last events of records and the sequences of their messages, in the order in which they were seen.
    places: VecDeque<(Position, u64)>,
}

impl Heads {
    pub(crate) fn new(debates: usize, places: usize) -> Self {
        Self { known: Mutex::default(), debates, places }
    }

    /// The head, if it is known.
    pub(crate) fn head(&self, debate: &DebateId) -> Option<LogHead> {
        lock(&self.known).get(debate)?.head
    }

    /// Takes in a head that was read or written. Sequences only grow, so the greater one is the newer one.
    pub(crate) fn reached(&self, debate: &DebateId, head: LogHead) {
        self.with(debate, |known, places| {
            if known.head.is_none_or(|old| old.sequence <= head.sequence) {
                known.head = Some(head);
            }
            remember(known, (head.last, head.sequence), places);
        });
    }

    /// Takes in where a record lies.
    pub(crate) fn passed(&self, debate: &DebateId, last: Position, sequence: u64) {
        self.with(debate, |known, places| remember(known, (last, sequence), places));
    }

    /// Drops a head that turned out to be wrong, unless a newer one is known by now.
    pub(crate) fn doubt(&self, debate: &DebateId, sequence: u64) {
        if let Some(known) = lock(&self.known).get_mut(debate) {
            known.head = known.head.filter(|head| head.sequence > sequence);
        }
    }

    /// The sequence of the record that ends at `after` or before it, the nearest that is known; 0 if none is.
    pub(crate) fn place(&self, debate: &DebateId, after: Position) -> u64 {
        let known = lock(&self.known);
        let places = known.get(debate).map(|known| &known.places);
        let before = places.into_iter().flatten().filter(|(last, _)| *last <= after);
        before.map(|(_, sequence)| *sequence).max().unwrap_or(0)
    }

    /// The last event of the record at a sequence.
    pub(crate) fn position(&self, debate: &DebateId, sequence: u64) -> Option<Position> {
        let known = lock(&self.known);
        known.get(debate)?.places.iter().find(|(_, at)| *at == sequence).map(|(last, _)| *last)
    }

    /// Drops all that is known of a debate.
    pub(crate) fn forget(&self, debate: &DebateId) {
        lock(&self.known).remove(debate);
    }

    fn with(&self, debate: &DebateId, change: impl FnOnce(&mut CachedLog, usize)) {
        let mut known = lock(&self.known);
        if !known.contains_key(debate) && known.len() >= self.debates {
            // Any other will do: what is dropped is read again.
            let other = known.keys().next().cloned();
            other.and_then(|other| known.remove(&other));
        }
        change(known.entry(debate.clone()).or_default(), self.places);
    }
}

fn remember(known: &mut CachedLog, place: (Position, u64), most: usize) {
    if known.places.contains(&place) {
        return;
    }
    known.places.push_back(place);
    if known.places.len() > most {
        known.places.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::{Heads, LogHead};
    use crate::contract::debate;
    use agon_core::Position;

    fn head(last: u64, sequence: u64) -> LogHead {
        LogHead { last: Position(last), sequence, hash: [0; 32] }
    }

    #[test]
    fn an_older_head_does_not_replace_a_newer_one() {
        let heads = Heads::new(9, 9);
        heads.reached(&debate("a"), head(7, 20));
        heads.reached(&debate("a"), head(5, 10));
        assert_eq!(heads.head(&debate("a")), Some(head(7, 20)));
        heads.doubt(&debate("a"), 10);
        assert_eq!(heads.head(&debate("a")), Some(head(7, 20)));
        heads.doubt(&debate("a"), 20);
        assert_eq!(heads.head(&debate("a")), None);
    }

    #[test]
    fn the_nearest_place_before_is_found_and_memory_stays_bounded() {
        let heads = Heads::new(2, 3);
        for n in 1..=5 {
            heads.passed(&debate("a"), Position(n * 10), n);
        }
        let place = |after| heads.place(&debate("a"), Position(after));
        assert_eq!([place(29), place(30), place(45), place(99)], [0, 3, 4, 5]);
        for name in ["b", "c", "d"] {
            heads.reached(&debate(name), head(1, 1));
        }
        let kept = ["a", "b", "c", "d"].iter().filter(|name| heads.place(&debate(name), Position(99)) > 0);
        assert_eq!(kept.count(), 2);
    }
}
