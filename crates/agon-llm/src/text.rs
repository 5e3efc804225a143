//! Message text that is shared and never joined before it is written to the wire.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Text in one or more shared pieces; cloning copies no text, and the pieces meet only in the request's buffer.
///
/// Its `Debug` shows the size and not the words, because prompts do not belong in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedText(Pieces);

#[derive(Clone, PartialEq, Eq)]
enum Pieces {
    One(Arc<str>),
    Many(Arc<[Arc<str>]>),
}

impl SharedText {
    /// The length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces().iter().map(|piece| piece.len()).sum()
    }

    /// Whether there is no text at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces().iter().all(|piece| piece.is_empty())
    }

    /// The pieces in order; joined without a separator they are the text.
    #[must_use]
    pub fn pieces(&self) -> &[Arc<str>] {
        match &self.0 {
            Pieces::One(piece) => std::slice::from_ref(piece),
            Pieces::Many(pieces) => pieces,
        }
    }
}

impl Default for SharedText {
    fn default() -> Self {
        Self::from("")
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().iter().try_for_each(|piece| f.write_str(piece))
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.len())
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Pieces::One(piece) => serializer.serialize_str(piece),
            Pieces::Many(_) => serializer.collect_str(self),
        }
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self(Pieces::One(text.into()))
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self(Pieces::One(text.into()))
    }
}

impl From<Arc<str>> for SharedText {
    fn from(text: Arc<str>) -> Self {
        Self(Pieces::One(text))
    }
}

impl FromIterator<Arc<str>> for SharedText {
    fn from_iter<I: IntoIterator<Item = Arc<str>>>(pieces: I) -> Self {
        Self(Pieces::Many(pieces.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_written_as_one_json_string() {
        let text: SharedText = ["a \"b\"\n".into(), "ü".into(), "".into()].into_iter().collect::<SharedText>();

        assert_eq!(serde_json::to_string(&text).unwrap(), r#""a \"b\"\nü""#);
        assert_eq!(text.len(), 8);
    }

    #[test]
    fn debug_output_holds_no_words_of_the_prompt() {
        assert_eq!(format!("{:?}", SharedText::from("secret plan")), "Text(11 bytes)");
    }
}
