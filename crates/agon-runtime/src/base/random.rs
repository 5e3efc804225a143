//! Where a node takes its random numbers from.
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::sync::{Arc, Mutex, PoisonError};

/// The source of a node's nonces, keys and jitter: the operating system's generator by default. Clones share one stream.
#[derive(Clone, Debug, Default)]
pub struct RandomSource(Option<Arc<Mutex<ChaCha8Rng>>>);

impl RandomSource {
    /// The same seed gives the same numbers, so that a run can be replayed. For simulations: the keys of such a node can be guessed.
    pub fn seeded(seed: u64) -> Self {
        Self(Some(Arc::new(Mutex::new(ChaCha8Rng::seed_from_u64(seed)))))
    }

    /// Draws from the source.
    pub(crate) fn draw<T>(&self, draw: impl FnOnce(&mut dyn Rng) -> T) -> T {
        match &self.0 {
            Some(seeded) => draw(&mut *seeded.lock().unwrap_or_else(PoisonError::into_inner)),
            None => draw(&mut rand::rng()),
        }
    }

    /// The next number.
    pub(crate) fn number(&self) -> u64 {
        self.draw(|numbers| numbers.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again_and_the_system_does_not() {
        let numbers = |source: RandomSource| [source.number(), source.clone().number(), source.number()];
        assert_eq!(numbers(RandomSource::seeded(7)), numbers(RandomSource::seeded(7)));
        assert_ne!(numbers(RandomSource::seeded(7)), numbers(RandomSource::seeded(8)));
        assert_ne!(numbers(RandomSource::default()), numbers(RandomSource::default()));
    }
}
