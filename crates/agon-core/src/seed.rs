//! Every random choice of a debate, derived from its one recorded seed.
use crate::ids::TurnId;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What a random choice is for. Two purposes never share a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Speaking order of a round.
    Order,
    /// Order of presentation to the judge.
    JudgeShuffle,
    /// Which debater is Speaker A.
    Labels,
    /// Sampling seeds of calls.
    Sampling,
    /// Jitter of retries.
    Jitter,
    /// The transcript's marker.
    Marker,
    /// Who criticises whom in a sparse topology.
    Topology,
    /// Which debates are held although their gate would skip them.
    Gate,
}

/// A stream of numbers for one purpose. `index` tells apart what recurs, such as rounds.
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The stream of `purpose` at `index` in the debate with this seed.
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut key = [0u8; 32];
        let words = [seed, purpose as u64, index, 0x6167_6f6e];
        for (slot, word) in key.chunks_exact_mut(8).zip(words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
    /// A number below `bound` (0 when `bound` is 0), without the bias of a plain remainder.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        let zone = u64::MAX - u64::MAX % bound;
        loop {
            let draw = self.next_u64();
            if draw < zone {
                return draw % bound;
            }
        }
    }
    /// Permutes `items` evenly (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = usize::try_from(self.below(last as u64 + 1)).unwrap_or(0);
            items.swap(last, other);
        }
    }
}

/// The sampling seed of a turn: 31 bits, because some servers take no more.
pub fn sampling_seed(seed: u64, turn: TurnId) -> u64 {
    let index = (u64::from(turn.round) << 40) | (u64::from(turn.seat) << 16) | u64::from(turn.attempt);
    Dice::new(seed, Purpose::Sampling, index).next_u64() & 0x7fff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stream_and_purposes_differ() {
        let draw = |purpose, index| Dice::new(7, purpose, index).next_u64();
        assert_eq!(draw(Purpose::Order, 1), draw(Purpose::Order, 1));
        assert_ne!(draw(Purpose::Order, 1), draw(Purpose::Order, 2));
        assert_ne!(draw(Purpose::Order, 1), draw(Purpose::JudgeShuffle, 1));
    }

    #[test]
    fn every_permutation_of_three_comes_up_about_equally_often() {
        let mut counts = std::collections::BTreeMap::new();
        for index in 0..6_000 {
            let mut items = [0, 1, 2];
            Dice::new(1, Purpose::Order, index).shuffle(&mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }
}
