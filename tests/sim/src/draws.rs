//! Every choice of a run, drawn from its seed.
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A stream of numbers. Who draws when is part of the run, so that one stream is enough.
pub(crate) struct SeededDraws(Mutex<ChaCha8Rng>);

impl SeededDraws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(ChaCha8Rng::seed_from_u64(seed)))
    }

    /// Any number.
    pub(crate) fn number(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_u64()
    }

    /// A number of the range; its start where the range is empty.
    pub(crate) fn within(&self, range: Range<u64>) -> u64 {
        range.start + self.number() % range.end.saturating_sub(range.start).max(1)
    }

    /// Whether something happens that does so often in thousand cases.
    pub(crate) fn happens(&self, thousandths: u64) -> bool {
        thousandths > 0 && self.within(0..1_000) < thousandths
    }

    /// One of these; none where there are none.
    pub(crate) fn one_of<'a, T>(&self, all: &'a [T]) -> Option<&'a T> {
        let at = self.within(0..u64::try_from(all.len()).unwrap_or(1));
        all.get(usize::try_from(at).unwrap_or(0))
    }
}
