//! Vectors of texts that were embedded before. Earlier rounds are compared with every later one, and never change.
use std::collections::HashMap;
use std::sync::Arc;

/// So many numbers are kept of one debate: 8 MiB. What is beyond is embedded again each time.
const MOST_NUMBERS: usize = 2 * 1024 * 1024;

/// The vectors of one debate's texts.
#[derive(Default)]
pub(crate) struct KnownVectors {
    known: HashMap<TextDigest, Arc<[f32]>>,
    numbers: usize,
}

type TextDigest = [u8; 32];

impl KnownVectors {
    pub(crate) fn get(&self, text: &str) -> Option<Arc<[f32]>> {
        self.known.get(&key(text)).cloned()
    }
    /// Keeps a vector while there is room.
    pub(crate) fn keep(&mut self, text: &str, vector: Arc<[f32]>) {
        if self.numbers.saturating_add(vector.len()) <= MOST_NUMBERS {
            self.numbers += vector.len();
            if let Some(old) = self.known.insert(key(text), vector) {
                self.numbers = self.numbers.saturating_sub(old.len());
            }
        }
    }
}

fn key(text: &str) -> TextDigest {
    *blake3::hash(text.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let mut vectors = KnownVectors::default();
        let large: Arc<[f32]> = vec![0.5; MOST_NUMBERS / 2].into();

        for text in ["one", "two", "two", "three"] {
            vectors.keep(text, large.clone());
        }

        assert!(vectors.get("one").is_some() && vectors.get("two").is_some());
        assert!(vectors.get("three").is_none());
    }
}
