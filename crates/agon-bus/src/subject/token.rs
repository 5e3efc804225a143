//! One token of a subject.
use std::fmt;
use std::sync::Arc;

/// One token of a subject: 1 or more of `[a-z0-9_-]`. Anything else would be a wildcard, a separator, or ambiguous.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(Arc<str>);

/// How much of a name a slug keeps.
const SLUG_LENGTH: usize = 48;

impl Token {
    /// The token for a name: the name itself where it is one, else its slug with a short hash, which tells apart what
    /// would look alike.
    pub fn new(name: &str) -> Self {
        Self::parse(name).unwrap_or_else(|| Self::hashed(name))
    }
    /// The token for a model's full name: always a slug with a short hash, because `:`, `.` and `/` may not stand in a
    /// subject and their replacements must not meet.
    pub fn model(name: &str) -> Self {
        Self::hashed(name)
    }
    /// The text as a token, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        (!text.is_empty() && text.chars().all(is_plain)).then(|| Self(text.into()))
    }
    /// The token as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn hashed(name: &str) -> Self {
        let lower = name.chars().flat_map(char::to_lowercase);
        let slug: String = lower.map(|c| if is_plain(c) { c } else { '-' }).take(SLUG_LENGTH).collect();
        let slug = slug.trim_matches('-');
        let hash = blake3::hash(name.as_bytes()).to_hex();
        let hash = hash.get(..6).unwrap_or_default();
        Self(if slug.is_empty() { hash.into() } else { format!("{slug}-{hash}").into() })
    }
}

fn is_plain(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '_' | '-')
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
