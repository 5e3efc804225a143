//! Seeded draws for resampling and simulations.
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of draws.
pub(crate) struct ResampleDice(ChaCha8Rng);

impl ResampleDice {
    /// The stream of a seed and what it is for.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        Self(ChaCha8Rng::from_seed(*blake3::hash(format!("agon stats {purpose} {seed}").as_bytes()).as_bytes()))
    }
    /// 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
    /// An index below `bound`, 0 for 0; a product's upper half, whose bias is below `bound` / 2^64 (Lemire 2019).
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }
    /// A number from 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
