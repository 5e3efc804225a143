//! What a server's version says about its behaviour.

use std::fmt;

use crate::EndpointKind;

/// A server's kind and release; questions about behaviour are answered from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerVersion {
    /// The dialect.
    pub kind: EndpointKind,
    /// The version in the server's own words.
    pub text: Option<String>,
    /// The same as numbers, when it has that form.
    pub release: Option<VersionNumbers>,
}

/// The numbers of a version, without what follows them (`0.33.0-rc2` is 0.33.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionNumbers {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
    /// The third number, 0 when there is none.
    pub patch: u16,
}

impl VersionNumbers {
    /// Names a release.
    #[must_use]
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// Reads the numbers at the head of a version; `None` unless there are at least two.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let head = text.trim().trim_start_matches('v').split(['-', '+', ' ']).next()?;
        let mut numbers = head.split('.').map(str::parse::<u16>);
        let major = numbers.next()?.ok()?;
        let minor = numbers.next()?.ok()?;
        let patch = numbers.next().and_then(Result::ok).unwrap_or_default();
        Some(Self { major, minor, patch })
    }

    /// The release as one number that is never 0 for a released version.
    pub(crate) fn pack(self) -> u64 {
        u64::from(self.major) << 32 | u64::from(self.minor) << 16 | u64::from(self.patch)
    }

    /// The reverse of [`VersionNumbers::pack`]; 0 is no release.
    pub(crate) fn unpack(packed: u64) -> Option<Self> {
        let [_, _, a, b, c, d, e, f] = packed.to_be_bytes();
        let pair = |high, low| u16::from_be_bytes([high, low]);
        (packed != 0).then(|| Self::new(pair(a, b), pair(c, d), pair(e, f)))
    }

    /// Whether a prompt that is too long is refused because `truncate:false` is understood (Ollama 0.12.6).
    #[must_use]
    pub fn heeds_truncate(self) -> bool {
        self >= Self::new(0, 12, 6)
    }

    /// Whether `prompt_eval_count` includes cached tokens; Ollama 0.30.0 alone counted only the others.
    #[must_use]
    pub fn counts_whole_prompt(self) -> bool {
        self != Self::new(0, 30, 0)
    }

    /// Whether an absent count of cached tokens means none; the field is certain from Ollama 0.34.1 on.
    #[must_use]
    pub fn reports_cached_tokens(self) -> bool {
        self >= Self::new(0, 34, 1)
    }
}

impl fmt::Display for VersionNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_up_to_their_suffix() {
        assert_eq!(VersionNumbers::parse("0.33.0-rc2"), Some(VersionNumbers::new(0, 33, 0)));
        assert_eq!(VersionNumbers::parse("v0.30"), Some(VersionNumbers::new(0, 30, 0)));
        assert_eq!(VersionNumbers::parse("b10488"), None);
        assert_eq!(VersionNumbers::parse(""), None);
    }

    #[test]
    fn packing_a_release_loses_nothing() {
        let release = VersionNumbers::new(1, 500, 65535);

        assert_eq!(VersionNumbers::unpack(release.pack()), Some(release));
        assert_eq!(VersionNumbers::unpack(0), None);
    }

    #[test]
    fn only_one_release_miscounts_the_prompt() {
        let counts = |text| VersionNumbers::parse(text).unwrap().counts_whole_prompt();

        assert!(counts("0.24.0") && !counts("0.30.0") && counts("0.30.1"));
    }

    #[test]
    fn behaviour_begins_with_the_release_that_brought_it() {
        let at = |text| VersionNumbers::parse(text).unwrap();

        assert!(!at("0.12.5").heeds_truncate() && at("0.12.6").heeds_truncate());
        assert!(!at("0.34.0").reports_cached_tokens() && at("0.34.1").reports_cached_tokens());
    }
}
