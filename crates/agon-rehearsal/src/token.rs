//! The modelled vocabulary: word pieces of about four bytes, so that prompt and answer are counted by one rule.
//!
//! A run of letters, digits and non-ASCII characters is cut every four bytes (never inside a character); every other character
//! except the space is a piece of its own; spaces belong to the piece after them. English prose comes to about 4 bytes a piece.

/// Bytes of a word that make one piece.
const PIECE: usize = 4;

/// Where the counter stands inside a word; feed it bytes in order.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counter {
    tokens: u64,
    piece: usize,
}

impl Counter {
    /// Takes one byte in and says whether a new piece began with it.
    fn push(&mut self, byte: u8) -> bool {
        let continues_char = byte & 0xC0 == 0x80;
        let in_word = byte.is_ascii_alphanumeric() || byte >= 0x80;
        if in_word && self.piece > 0 && (self.piece < PIECE || continues_char) {
            self.piece += 1;
            return false;
        }
        self.piece = usize::from(in_word);
        let begins = in_word || byte != b' ';
        self.tokens += u64::from(begins);
        begins
    }
}

/// How many pieces `text` has.
pub fn count(text: &str) -> u64 {
    let mut counter = Counter::default();
    for byte in text.bytes() {
        counter.push(byte);
    }
    counter.tokens
}

/// How many pieces lie wholly inside the first `length` bytes: a piece the cut may have split is not counted.
pub fn count_prefix(text: &[u8], length: usize) -> u64 {
    let mut counter = Counter::default();
    for byte in text.iter().take(length) {
        counter.push(*byte);
    }
    let split = text.get(length).is_some_and(|next| {
        let mut ahead = counter;
        counter.piece > 0 && !ahead.push(*next) && *next != b' '
    });
    counter.tokens - u64::from(split)
}

/// The pieces of `text` in order; joined together they are `text` again (trailing spaces stay with the last piece).
pub fn pieces(text: &str) -> Vec<&str> {
    let mut starts = Vec::with_capacity(text.len() / 3);
    let (mut counter, mut spaces) = (Counter::default(), 0);
    for (at, byte) in text.bytes().enumerate() {
        if counter.push(byte) {
            starts.push(at - spaces);
        }
        spaces = if byte == b' ' { spaces + 1 } else { 0 };
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| text.get(*start..end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn english_prose_comes_to_about_four_bytes_a_piece() {
        let text = "The debate is a pure machine over an event log, and every rule of it is a synchronous test.";
        let ratio = text.len() as f64 / count(text) as f64;
        assert!((3.0..5.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_prefix_that_splits_a_piece_does_not_count_it() {
        let text = b"abcdef gh";
        assert_eq!(count_prefix(text, 4), 1);
        assert_eq!(count_prefix(text, 5), 1, "`e` alone is half of the piece `ef`");
        assert_eq!(count_prefix(text, 6), 2);
        assert_eq!(count_prefix(text, 9), 3);
    }

    proptest! {
        #[test]
        fn pieces_join_to_the_text_and_are_as_many_as_counted(text in "\\PC{0,80}") {
            let cut = pieces(&text);
            prop_assert_eq!(cut.len() as u64, count(&text));
            if !cut.is_empty() {
                prop_assert_eq!(cut.concat(), text);
            }
        }

        #[test]
        fn counting_adds_up_at_a_line_end(a in "[a-z ,.é]{0,30}", b in "[a-z ,.é]{0,30}") {
            let (a, joined) = (format!("{a}\n"), format!("{a}\n{b}"));
            prop_assert_eq!(count(&a) + count(&b), count(&joined));
            prop_assert_eq!(count_prefix(joined.as_bytes(), a.len()), count(&a));
        }
    }
}
