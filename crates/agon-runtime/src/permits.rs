//! Who is next: a queue that is fair over debates.
use std::collections::{BTreeMap, VecDeque};

/// A bounded queue: round robin over the keys that wait, first come first served inside one.
#[derive(Debug)]
pub(crate) struct FairQueue<K, T> {
    lines: BTreeMap<K, VecDeque<T>>,
    turn: VecDeque<K>,
    len: usize,
    bound: usize,
}

impl<K: Ord + Clone, T> FairQueue<K, T> {
    /// An empty queue that holds at most `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        Self { lines: BTreeMap::new(), turn: VecDeque::new(), len: 0, bound }
    }
    /// Adds one; gives it back when the queue is full.
    pub(crate) fn push(&mut self, key: K, item: T) -> Result<(), T> {
        if self.len >= self.bound {
            return Err(item);
        }
        let line = self.lines.entry(key.clone()).or_default();
        if line.is_empty() {
            self.turn.push_back(key);
        }
        line.push_back(item);
        self.len += 1;
        Ok(())
    }
    /// Takes the next one.
    pub(crate) fn pop(&mut self) -> Option<(K, T)> {
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
    /// Puts one back that was just taken: it is next again.
    pub(crate) fn put_back(&mut self, key: K, item: T) {
        self.lines.entry(key.clone()).or_default().push_front(item);
        self.turn.retain(|other| *other != key);
        self.turn.push_front(key);
        self.len += 1;
    }
    /// Drops those that no longer wait.
    pub(crate) fn retain(&mut self, waits: impl Fn(&T) -> bool) {
        self.lines.values_mut().for_each(|line| line.retain(&waits));
        self.lines.retain(|_, line| !line.is_empty());
        self.turn.retain(|key| self.lines.contains_key(key));
        self.len = self.lines.values().map(VecDeque::len).sum();
    }
    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debates_take_turns_and_each_keeps_its_own_order() {
        let mut queue = FairQueue::new(10);
        for (debate, turn) in [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("c", 1), ("b", 2)] {
            queue.push(debate, (debate, turn)).unwrap();
        }

        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, item)| item).collect();

        assert_eq!(order, [("a", 1), ("b", 1), ("c", 1), ("a", 2), ("b", 2), ("a", 3)]);
    }

    #[test]
    fn a_full_queue_gives_back_what_it_cannot_hold() {
        let mut queue = FairQueue::new(1);

        assert_eq!(queue.push("a", 1), Ok(()));
        assert_eq!(queue.push("b", 2), Err(2));
    }

    #[test]
    fn those_that_gave_up_make_room_and_lose_their_place() {
        let mut queue = FairQueue::new(3);
        for (debate, turn) in [("a", 1), ("b", 2), ("b", 3)] {
            queue.push(debate, turn).unwrap();
        }

        queue.retain(|turn| *turn != 1 && *turn != 2);

        assert_eq!((queue.len(), queue.pop(), queue.pop()), (1, Some(("b", 3)), None));
    }

    #[test]
    fn one_that_is_put_back_is_next_again() {
        let mut queue = FairQueue::new(3);
        for (debate, turn) in [("a", 1), ("a", 2), ("b", 3)] {
            queue.push(debate, turn).unwrap();
        }

        let (debate, turn) = queue.pop().unwrap();
        queue.put_back(debate, turn);

        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, item)| item).collect();
        assert_eq!(order, [1, 3, 2]);
    }
}
