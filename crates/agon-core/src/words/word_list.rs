//! Lists of words that most words are not in.
use std::sync::OnceLock;

/// A sorted list. Most words are told from it by their first byte and their length, without a search.
pub(super) struct WordList {
    words: &'static [&'static str],
    /// By first byte, the lengths of the words that begin with it, a bit each.
    shapes: OnceLock<[u64; 256]>,
}

impl WordList {
    /// A list of words that are sorted and none of which has 64 bytes.
    pub(super) const fn new(words: &'static [&'static str]) -> Self {
        Self { words, shapes: OnceLock::new() }
    }

    /// Whether the word is in it.
    pub(super) fn has(&self, word: &str) -> bool {
        let shapes = self.shapes.get_or_init(|| self.shapes());
        let Some((first, length)) = shape(word) else { return false };
        shapes.get(first).is_some_and(|lengths| lengths & length != 0) && self.words.binary_search(&word).is_ok()
    }

    fn shapes(&self) -> [u64; 256] {
        let mut shapes = [0; 256];
        for (first, length) in self.words.iter().filter_map(|word| shape(word)) {
            if let Some(lengths) = shapes.get_mut(first) {
                *lengths |= length;
            }
        }
        shapes
    }

    #[cfg(test)]
    pub(super) fn words(&self) -> &[&'static str] {
        self.words
    }
}

/// The first byte of a word, and its length as a bit.
fn shape(word: &str) -> Option<(usize, u64)> {
    let first = word.as_bytes().first()?;
    let length = u32::try_from(word.len()).ok()?;
    Some((usize::from(*first), 1_u64.checked_shl(length)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_words_and_no_others() {
        let list = WordList::new(&["ni", "no", "not", "über"]);
        let has = |word: &str| list.has(word);
        assert!(["ni", "no", "not", "über"].into_iter().all(has));
        let long = "n".repeat(64);
        assert!(!["", "n", "na", "nor", "uber", "\u{fc}", long.as_str()].into_iter().any(has));
    }
}
