//! Bytes that are nearly right.
pub use agon_testkit::SplitMix;

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
pub fn mutate(dice: &mut SplitMix, mut bytes: Vec<u8>) -> Vec<u8> {
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
