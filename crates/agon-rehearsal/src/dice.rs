//! Seeded choice. The generator is spelled out here because the bytes a seed gives must never change with a dependency.

/// A stream of choices that depends on nothing but its key.
#[derive(Debug, Clone)]
pub struct KeyedDice(u64);

impl KeyedDice {
    /// Dice for one purpose: the same seed and parts always fall the same way.
    pub fn new(seed: u64, parts: &[&str]) -> Self {
        Self(digest(seed, parts))
    }

    /// The next 64 bits (SplitMix64, Steele et al. 2014).
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// An index below `n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap_or(0)
    }

    /// A fraction in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// The indices `0..n` in shuffled order.
    pub fn deck(&mut self, n: usize) -> Vec<usize> {
        let mut deck: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            deck.swap(last, self.below(last + 1));
        }
        deck
    }
}

/// A fraction in `0.0..1.0` that belongs to these parts: used for the merit of a stance.
pub fn fraction(seed: u64, parts: &[&str]) -> f64 {
    KeyedDice::new(seed, parts).unit()
}

/// A 64-bit digest of the seed and the parts, the same on every platform.
fn digest(seed: u64, parts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().as_bytes().iter().take(8).fold(0, |bits, byte| (bits << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_falls_the_same_way_and_another_does_not() {
        let throw = |seed, part| (0..8).scan(KeyedDice::new(seed, &[part]), |d, _| Some(d.next())).collect::<Vec<_>>();
        assert_eq!(throw(1, "a"), throw(1, "a"));
        assert_ne!(throw(1, "a"), throw(2, "a"));
        assert_ne!(throw(1, "a"), throw(1, "b"));
    }

    #[test]
    fn a_deck_holds_every_index_once() {
        let mut deck = KeyedDice::new(7, &["deck"]).deck(20);
        deck.sort_unstable();
        assert_eq!(deck, (0..20).collect::<Vec<_>>());
    }
}
