//! Who is next: a queue that is fair over debates, and over priorities by their weights.
use crate::host::gate::stride::PriorityShares;
use agon_core::Priority;
use std::collections::{BTreeMap, VecDeque};

/// A bounded queue: the priorities by their shares; inside one, round robin over the keys that wait; inside a key, first
/// come first served.
#[derive(Debug)]
pub(crate) struct FairQueue<K, T> {
    lines: [PriorityLines<K, T>; 3],
    shares: PriorityShares,
    bound: usize,
}

/// Where one waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingPlace<K> {
    pub(crate) priority: Priority,
    pub(crate) key: K,
}

impl<K: Ord + Clone, T> FairQueue<K, T> {
    /// An empty queue that holds at most `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        Self { lines: Default::default(), shares: PriorityShares::default(), bound }
    }
    fn lines(&mut self, priority: Priority) -> &mut PriorityLines<K, T> {
        priority.pick(self.lines.each_mut())
    }
    /// Adds one; gives it back when the queue is full.
    pub(crate) fn push(&mut self, place: WaitingPlace<K>, item: T) -> Result<(), T> {
        if self.len() >= self.bound {
            return Err(item);
        }
        self.lines(place.priority).push(place.key, item);
        Ok(())
    }
    /// Takes the next one.
    pub(crate) fn pop(&mut self) -> Option<(WaitingPlace<K>, T)> {
        for priority in self.shares.order() {
            if let Some((key, item)) = self.lines(priority).pop() {
                self.shares.served(priority);
                return Some((WaitingPlace { priority, key }, item));
            }
        }
        None
    }
    /// Puts one back that was just taken: it is next again.
    pub(crate) fn put_back(&mut self, place: WaitingPlace<K>, item: T) {
        self.shares.unserved(place.priority);
        self.lines(place.priority).put_back(place.key, item);
    }
    /// Drops those that no longer wait.
    pub(crate) fn retain(&mut self, waits: impl Fn(&T) -> bool) {
        self.lines.iter_mut().for_each(|lines| lines.retain(&waits));
    }
    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.lines.iter().map(|lines| lines.len).sum()
    }
}

/// Those who wait in one priority.
#[derive(Debug)]
struct PriorityLines<K, T> {
    lines: BTreeMap<K, VecDeque<T>>,
    turn: VecDeque<K>,
    len: usize,
}
impl<K, T> Default for PriorityLines<K, T> {
    fn default() -> Self {
        Self { lines: BTreeMap::new(), turn: VecDeque::new(), len: 0 }
    }
}

impl<K: Ord + Clone, T> PriorityLines<K, T> {
    fn push(&mut self, key: K, item: T) {
        let line = self.lines.entry(key.clone()).or_default();
        if line.is_empty() {
            self.turn.push_back(key);
        }
        line.push_back(item);
        self.len += 1;
    }
    fn pop(&mut self) -> Option<(K, T)> {
        let key = self.turn.pop_front()?;
        let line = self.lines.get_mut(&key)?;
        let item = line.pop_front()?;
        self.len = self.len.saturating_sub(1);
        if line.is_empty() {
            self.lines.remove(&key);
        } else {
            self.turn.push_back(key.clone());
        }
        Some((key, item))
    }
    fn put_back(&mut self, key: K, item: T) {
        self.lines.entry(key.clone()).or_default().push_front(item);
        self.turn.retain(|other| *other != key);
        self.turn.push_front(key);
        self.len += 1;
    }
    fn retain(&mut self, waits: impl Fn(&T) -> bool) {
        self.lines.values_mut().for_each(|line| line.retain(&waits));
        self.lines.retain(|_, line| !line.is_empty());
        self.turn.retain(|key| self.lines.contains_key(key));
        self.len = self.lines.values().map(VecDeque::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(key: &str) -> WaitingPlace<&str> {
        WaitingPlace { priority: Priority::Normal, key }
    }

    #[test]
    fn debates_take_turns_and_each_keeps_its_own_order() {
        let mut queue = FairQueue::new(10);
        for (debate, turn) in [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("c", 1), ("b", 2)] {
            queue.push(at(debate), (debate, turn)).unwrap();
        }

        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, item)| item).collect();

        assert_eq!(order, [("a", 1), ("b", 1), ("c", 1), ("a", 2), ("b", 2), ("a", 3)]);
    }

    #[test]
    fn a_full_queue_gives_back_what_it_cannot_hold() {
        let mut queue = FairQueue::new(1);

        assert_eq!(queue.push(at("a"), 1), Ok(()));
        assert_eq!(queue.push(at("b"), 2), Err(2));
    }

    #[test]
    fn those_that_gave_up_make_room_and_lose_their_place() {
        let mut queue = FairQueue::new(3);
        for (debate, turn) in [("a", 1), ("b", 2), ("b", 3)] {
            queue.push(at(debate), turn).unwrap();
        }

        queue.retain(|turn| *turn != 1 && *turn != 2);

        assert_eq!((queue.len(), queue.pop(), queue.pop()), (1, Some((at("b"), 3)), None));
    }

    #[test]
    fn one_that_is_put_back_is_next_again() {
        let mut queue = FairQueue::new(3);
        for (debate, turn) in [("a", 1), ("a", 2), ("b", 3)] {
            queue.push(at(debate), turn).unwrap();
        }

        let (debate, turn) = queue.pop().unwrap();
        queue.put_back(debate, turn);

        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, item)| item).collect();
        assert_eq!(order, [1, 3, 2]);
    }

    #[test]
    fn priorities_share_by_weight_and_debates_take_turns_inside_each() {
        let mut queue = FairQueue::new(100);
        for n in 0..12 {
            for priority in Priority::ALL {
                let key = if n % 2 == 0 { "even" } else { "odd" };
                queue.push(WaitingPlace { priority, key }, n).unwrap();
            }
        }

        let first: Vec<WaitingPlace<&str>> =
            std::iter::from_fn(|| queue.pop()).take(12).map(|(place, _)| place).collect();

        let count = |priority, key| first.iter().filter(|place| **place == WaitingPlace { priority, key }).count();
        assert_eq!((count(Priority::Interactive, "even"), count(Priority::Interactive, "odd")), (4, 4));
        assert_eq!(count(Priority::Normal, "even") + count(Priority::Normal, "odd"), 3);
        assert_eq!(count(Priority::Batch, "even") + count(Priority::Batch, "odd"), 1);
    }
}
