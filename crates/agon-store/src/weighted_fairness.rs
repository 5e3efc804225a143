//! Which priority's turn it is.
use crate::port::StoreError;
use agon_core::Priority;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// How many jobs a store holds unless it is told otherwise.
pub const DEFAULT_MAX_JOBS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(999_999);

/// What a store of jobs says that holds as many as it may.
pub(crate) fn full(limit: NonZeroUsize) -> StoreError {
    StoreError::Full(format!("the job queue ({limit} jobs)"))
}

/// Shares a queue out among the priorities by their weights: smooth weighted round robin.
///
/// Every taking gives each priority that has something its weight as credit; who has the most credit is served and pays the weights of
/// all that were there. So credits add up to nothing, nobody starves, and a priority that has nothing neither gains nor holds up others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WeightedRoundRobin(BTreeMap<Priority, i64>);

impl WeightedRoundRobin {
    /// With credits that were kept.
    pub(crate) fn new(credits: impl IntoIterator<Item = (Priority, i64)>) -> Self {
        Self(credits.into_iter().collect())
    }
    pub(crate) fn credit(&self, priority: Priority) -> i64 {
        self.0.get(&priority).copied().unwrap_or(0)
    }
    /// The priorities in the order in which they are to be tried: the first that has something is to be served.
    pub(crate) fn order(&self) -> [Priority; 3] {
        let mut order = Priority::ALL;
        // Stable: of equals the more urgent comes first.
        order.sort_by_key(|priority| std::cmp::Reverse(self.credit(*priority) + i64::from(priority.weight())));
        order
    }
    /// Takes note that `served` was served, where `there` tells which priorities had something.
    pub(crate) fn charge(&mut self, served: Priority, there: impl Fn(Priority) -> bool) {
        let present = Priority::ALL.into_iter().filter(|priority| *priority == served || there(*priority));
        let mut total = 0;
        for priority in present {
            total += i64::from(priority.weight());
            *self.0.entry(priority).or_default() += i64::from(priority.weight());
        }
        *self.0.entry(served).or_default() -= total;
    }
}

#[cfg(test)]
mod tests {
    use super::WeightedRoundRobin;
    use agon_core::Priority::{self, Batch, Interactive, Normal};

    fn serve(shares: &mut WeightedRoundRobin, there: &[Priority]) -> Priority {
        let served = shares.order().into_iter().find(|priority| there.contains(priority)).unwrap();
        shares.charge(served, |priority| there.contains(&priority));
        served
    }

    fn count(served: &[Priority]) -> [usize; 3] {
        Priority::ALL.map(|priority| served.iter().filter(|one| **one == priority).count())
    }

    #[test]
    fn every_twelve_takings_are_shared_8_to_3_to_1() {
        let mut shares = WeightedRoundRobin::default();
        for _ in 0..10 {
            let served: Vec<_> = (0..12).map(|_| serve(&mut shares, &Priority::ALL)).collect();
            assert_eq!(count(&served), [8, 3, 1]);
            assert_eq!(shares.order(), Priority::ALL);
        }
    }

    #[test]
    fn who_has_nothing_gains_nothing() {
        let mut shares = WeightedRoundRobin::default();
        for _ in 0..100 {
            assert_eq!(serve(&mut shares, &[Batch]), Batch);
        }
        let served: Vec<_> = (0..8).map(|_| serve(&mut shares, &[Normal, Batch])).collect();
        assert_eq!(count(&served), [0, 6, 2]);
        assert_eq!(serve(&mut shares, &Priority::ALL), Interactive);
    }

    #[test]
    fn nobody_waits_for_more_than_the_sum_of_weights_whoever_comes_and_goes() {
        for seed in 0_u32..200 {
            let (mut shares, mut waiting) = (WeightedRoundRobin::default(), 0);
            for step in 0..500_u32 {
                let bits = seed.wrapping_mul(2_654_435_761).rotate_left(step % 32) ^ step;
                let others = [(Interactive, bits & 1), (Normal, bits & 2)];
                let there: Vec<_> =
                    others.iter().filter(|(_, bit)| *bit != 0).map(|(p, _)| *p).chain([Batch]).collect();
                waiting = if serve(&mut shares, &there) == Batch { 0 } else { waiting + 1 };
                assert!(waiting <= 24, "seed {seed} step {step}");
            }
        }
    }
}
