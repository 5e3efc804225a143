//! Numbers that follow from a seed.

/// A stream of numbers (splitmix64, Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The stream of one input of one target.
    pub fn new(seed: u64, target: &str, number: u64) -> Self {
        let name = target
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ name ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }
    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `end`, 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.any() % u64::try_from(end.max(1)).unwrap_or(1)).unwrap_or_default()
    }
    /// A number from `first` to `last`.
    pub fn within(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last.saturating_sub(first) + 1)
    }
    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
    /// One of these; the default where there is none.
    pub fn pick<T: Clone + Default>(&mut self, of: &[T]) -> T {
        of.get(self.below(of.len())).cloned().unwrap_or_default()
    }
    /// Mostly small, now and then large.
    pub fn size(&mut self, most: usize) -> usize {
        let end = if self.once_in(8) { most } else { most.min(8) };
        self.below(end + 1)
    }
}
