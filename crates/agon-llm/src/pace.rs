//! How fast an answer came that did not come to its end.

use std::fmt;
use std::time::Duration;

/// Fewer tokens than this say nothing about a speed.
const LEAST_TOKENS: u32 = 8;
/// A server that is silent for longer than so many times the usual gap between two tokens has stopped.
const GAPS: u32 = 8;
/// A gap is no sign of anything below this, in milliseconds.
const GAP_MS: u32 = 1_000;

/// How fast the answer of a call came whose time ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// About how many tokens came, thinking included: each piece is one at least, and 4 characters are one.
    pub tokens: u32,
    /// Milliseconds from the first of them to the last.
    pub generating_ms: u32,
    /// The most that the call allowed.
    pub max_tokens: u32,
    /// The milliseconds that a turn may take.
    pub limit_ms: u32,
}

impl Pace {
    /// Tokens a second; none where too few came to tell.
    #[must_use]
    pub fn per_second(self) -> Option<f64> {
        let enough = self.tokens >= LEAST_TOKENS && self.generating_ms > 0;
        enough.then(|| f64::from(self.tokens) * 1000.0 / f64::from(self.generating_ms))
    }

    /// How long as many tokens as the call allowed take at this speed.
    #[must_use]
    pub fn whole(self) -> Option<Duration> {
        let rate = self.per_second()?;
        Some(Duration::from_secs_f64(f64::from(self.max_tokens) / rate))
    }

    /// Whether the same call would run out of time again: tokens came until the end, and at their speed the answer does not
    /// fit into the limit even if it begins at once.
    pub(crate) fn is_too_slow(self, silent: Duration) -> bool {
        let gap = (self.generating_ms / self.tokens.max(1)).saturating_mul(GAPS).max(GAP_MS);
        let came = silent <= Duration::from_millis(gap.into());
        came && self.whole().is_some_and(|whole| whole > Duration::from_millis(self.limit_ms.into()))
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "timed out after {}: {} tokens came", lasting(self.limit_ms.into()), self.tokens)?;
        let (Some(rate), Some(whole)) = (self.per_second(), self.whole()) else { return Ok(()) };
        write!(f, ", {rate:.1} a second; {} tokens would take {}", self.max_tokens, lasting(whole.as_millis()))
    }
}

/// A length of time in milliseconds, for a person.
fn lasting(ms: u128) -> String {
    match ((ms + 500) / 1000, ms) {
        (_, 0..2_000) => format!("{ms} ms"),
        (seconds, 2_000..120_000) => format!("{seconds} s"),
        (seconds, 120_000..7_200_000) => format!("{} min {} s", seconds / 60, seconds % 60),
        (seconds, _) => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow() -> Pace {
        Pace { tokens: 212, generating_ms: 88_000, max_tokens: 800, limit_ms: 90_000 }
    }

    #[test]
    fn the_rate_is_told_with_what_it_means() {
        let told = "timed out after 90 s: 212 tokens came, 2.4 a second; 800 tokens would take 5 min 32 s";

        assert_eq!(slow().to_string(), told);
        assert_eq!(Pace { tokens: 3, ..slow() }.to_string(), "timed out after 90 s: 3 tokens came");
    }

    #[test]
    fn only_a_steady_answer_that_cannot_fit_is_too_slow() {
        assert!(slow().is_too_slow(Duration::from_millis(400)));
        assert!(!slow().is_too_slow(Duration::from_secs(10)), "it had stopped");
        assert!(!Pace { tokens: 7, ..slow() }.is_too_slow(Duration::ZERO), "nobody can tell");
        let late = Pace { generating_ms: 8_000, ..slow() };
        assert!(!late.is_too_slow(Duration::ZERO), "a prompt that is read already makes the next try fit");
    }
}
