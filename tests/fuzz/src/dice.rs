//! Numbers that follow from a seed, and bytes that are nearly right.

/// A stream of numbers (splitmix64, Steele, Lea and Flood 2014).
pub struct Dice(u64);

impl Dice {
    /// The stream of one input of one target.
    pub fn new(seed: u64, target: &str, number: u64) -> Self {
        let name = target
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ name ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }
    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `end`, 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap_or(1)).unwrap_or_default()
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

/// What is often handled wrong, put into texts.
const TOKENS: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\n",
    "\r\n",
    "\u{feff}",
    "\u{0}",
    "\\u0000",
    "\\ud800",
    "null",
    "-1",
    "1e999",
    "18446744073709551616",
    "{{topic}}",
    "```",
    "data: ",
    "&a ",
    "*a",
    "é",
    "\u{202e}",
];

/// Changes some bytes: none, flipped, cut out, doubled, replaced by a token.
pub fn mutate(dice: &mut Dice, mut bytes: Vec<u8>) -> Vec<u8> {
    const MOST: usize = 64 * 1024;
    for _ in 0..dice.size(12) {
        let at = dice.below(bytes.len() + 1);
        let until = (at + dice.size(200)).min(bytes.len());
        match dice.below(5) {
            0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (at % 8)),
            1 => drop(bytes.drain(at..until)),
            2 => {
                let copy: Vec<u8> = bytes.get(at..until).unwrap_or_default().repeat(1 + dice.size(50));
                bytes.splice(at..at, copy);
            }
            3 => drop(bytes.splice(at..at, dice.pick(&TOKENS).bytes())),
            _ => bytes.truncate(if dice.once_in(4) { at } else { bytes.len() }),
        }
        bytes.truncate(MOST);
    }
    bytes
}
