//! Formal checks in words: each claim that a speech marks, and what its verifier said.
use crate::minutes::{Minutes, MinutesEntry};
use crate::text::excerpt;
use crate::words;
use agon_core::Check;

/// Characters of a claim and of an output that a report shows.
const MOST_CLAIM: usize = 400;
const MOST_OUTPUT: usize = 600;

/// The columns of the table of claims.
pub(crate) const COLUMNS: [&str; 5] = ["Claim", "Who", "Verifier", "Result", "Output"];

impl<'a> Minutes<'a> {
    /// The checked claims of all speeches that may be shown.
    pub(crate) fn formal_checks(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a Check)> {
        self.speeches().flat_map(|(entry, _)| entry.checks().map(move |check| (entry, check)))
    }
}

/// The table of claims: plain text, each cell on one line.
pub(crate) fn rows(minutes: &Minutes<'_>) -> Vec<[String; 5]> {
    let row = |(entry, check): (&MinutesEntry<'_>, &Check)| {
        [
            excerpt(&check.claim, MOST_CLAIM),
            format!("{}, {}", words::who(entry.participant), entry.label),
            check.verifier.clone(),
            result(check),
            excerpt(&check.output, MOST_OUTPUT),
        ]
    };
    minutes.formal_checks().map(row).collect()
}

/// `refuted`, or `failed (timed_out)`.
pub(crate) fn result(check: &Check) -> String {
    let cause = check.result.cause().map(|cause| format!(" ({})", cause.as_str())).unwrap_or_default();
    format!("{}{cause}", check.result.as_str())
}

/// `refuted: it is 2`.
pub(crate) fn line(check: &Check) -> String {
    let output = excerpt(&check.output, MOST_OUTPUT);
    if output.is_empty() { result(check) } else { format!("{}: {output}", result(check)) }
}
