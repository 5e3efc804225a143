//! Formal checks: the claims that a speech marks, and what verifiers say of them.
use serde::Serialize;

/// The most characters of a claim that a verifier is given.
pub const CLAIM_CHARS: usize = 4_000;
/// The most characters of a claim that stand below its speech in a prompt. The claim stands in the speech too.
pub const SHOWN_CLAIM_CHARS: usize = 160;
/// The most characters of a verifier's output that stand there.
pub const SHOWN_OUTPUT_CHARS: usize = 400;
/// The first word behind the fence of a marked claim, as in ```` ```check NAME ````.
pub const CHECK: &str = "check";

/// The most characters of a verifier's name.
const NAME_CHARS: usize = 32;
/// The fewest characters of a fence.
const FENCE: usize = 3;
/// Spaces in front of a fence; with more it is code of another block.
const INDENT: usize = 3;

/// A claim of a speech, and what a verifier said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The verifier that the speaker named.
    pub verifier: String,
    /// The claim, as the speaker wrote it.
    pub claim: String,
    /// What came of it.
    #[serde(flatten)]
    pub result: CheckResult,
    /// What the verifier said besides, or why the check failed; text of a stranger.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The output was longer than the limit and was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Milliseconds.
    pub duration_ms: u64,
}

/// What came of a check. Only a verifier's own word makes a claim hold or refutes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum CheckResult {
    /// The verifier says that the claim holds.
    Holds,
    /// The verifier says that the claim does not hold.
    Refuted,
    /// The verifier could not tell.
    Unknown,
    /// There is no result, which says nothing about the claim.
    Failed {
        /// Why.
        cause: CheckFailure,
    },
}
impl CheckResult {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
            Self::Failed { .. } => "failed",
        }
    }
    /// Why there is no result.
    pub const fn cause(self) -> Option<CheckFailure> {
        match self {
            Self::Failed { cause } => Some(cause),
            Self::Holds | Self::Refuted | Self::Unknown => None,
        }
    }
}

named! {
    /// Why a check has no result.
    pub enum CheckFailure {
        /// The debate has no verifier of that name.
        UnknownVerifier = "unknown_verifier",
        /// The verifier could not be started or reached.
        Unavailable = "unavailable",
        /// There was no result in time.
        TimedOut = "timed_out",
        /// The verifier ended without success.
        Died = "died",
        /// What it answered is no result.
        Malformed = "malformed",
        /// The claim, or an answer of an MCP server, is too long.
        TooLarge = "too_large",
        /// The MCP server says that its function failed.
        Refused = "refused",
        /// More claims were marked than are checked.
        OverLimit = "over_limit",
    }
}

/// A claim that a speech marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedClaim {
    /// The verifier that is to check it.
    pub verifier: String,
    /// The claim.
    pub claim: String,
}

/// The claims that a speech marks: its fenced blocks of the kind `check NAME`, in their order.
///
/// As in Markdown, a line that begins with `>` is a quotation and no fence, and a fence inside another block is a part of that
/// block; so what a speaker quotes in one of these ways is not its own claim. A block that is not closed or empty is none either.
pub fn marked_claims(speech: &str) -> Vec<MarkedClaim> {
    let mut claims = Vec::new();
    let mut open: Option<FencedBlock> = None;
    for line in speech.lines() {
        match &mut open {
            None => open = FencedBlock::opened(line),
            Some(block) if block.is_closed_by(line) => claims.extend(open.take().and_then(FencedBlock::claim)),
            Some(block) => block.lines.push(line),
        }
    }
    claims
}

/// A fenced block whose end was not seen yet.
struct FencedBlock<'a> {
    fence: char,
    length: usize,
    verifier: Option<String>,
    lines: Vec<&'a str>,
}
impl<'a> FencedBlock<'a> {
    fn opened(line: &'a str) -> Option<Self> {
        let (fence, length, info) = fence(line)?;
        // a line such as ```code``` is text
        let is_text = fence == '`' && info.contains('`');
        (!is_text).then(|| Self { fence, length, verifier: verifier(info), lines: Vec::new() })
    }
    fn is_closed_by(&self, line: &str) -> bool {
        fence(line)
            .is_some_and(|(fence, length, info)| fence == self.fence && length >= self.length && info.trim().is_empty())
    }
    fn claim(self) -> Option<MarkedClaim> {
        let claim = self.lines.join("\n").trim().to_owned();
        self.verifier.filter(|_| !claim.is_empty()).map(|verifier| MarkedClaim { verifier, claim })
    }
}

/// The character and the length of the fence that a line begins with, and what stands behind it.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let bare = line.trim_start_matches(' ');
    let fence = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = bare.trim_start_matches(fence);
    let length = bare.len() - info.len();
    (length >= FENCE && line.len() - bare.len() <= INDENT).then_some((fence, length, info))
}

/// The verifier that a block's first line names.
fn verifier(info: &str) -> Option<String> {
    let mut words = info.split(|c: char| c.is_whitespace() || c == ':').filter(|word| !word.is_empty());
    let (kind, name, more) = (words.next()?, words.next()?.to_ascii_lowercase(), words.next());
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    let good = kind.eq_ignore_ascii_case(CHECK) && more.is_none() && name.len() <= NAME_CHARS && name.chars().all(fits);
    good.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(speech: &str) -> Vec<(String, String)> {
        marked_claims(speech).into_iter().map(|marked| (marked.verifier, marked.claim)).collect()
    }
    fn claim(verifier: &str, claim: &str) -> (String, String) {
        (verifier.to_owned(), claim.to_owned())
    }

    #[test]
    fn fenced_blocks_of_the_kind_are_claims_in_their_order() {
        let speech =
            "First.\n```check smt\n(assert true)\n\n(check-sat)\n```\nThen.\n~~~~ Check: SUM\n  1 + 1 = 2\n~~~~~\nEnd.";
        assert_eq!(marked(speech), [claim("smt", "(assert true)\n\n(check-sat)"), claim("sum", "1 + 1 = 2")]);
    }

    #[test]
    fn windows_line_ends_and_a_small_indent_are_no_hindrance() {
        assert_eq!(marked("So:\r\n  ```check smt\r\n  x\r\n  ```\r\n"), [claim("smt", "x")]);
    }

    #[test]
    fn what_is_quoted_is_not_the_speakers_claim() {
        let quoted = "Ada said:\n> ```check smt\n> false\n> ```\nand I doubt it.";
        let inside = "Ada wrote:\n````\n```check smt\nfalse\n```\n````\n";
        let indented = "Ada wrote:\n\n    ```check smt\n    false\n    ```\n";
        let in_a_line = "Ada wrote \"```check smt\nfalse\n```\" and more.";
        for speech in [quoted, inside, indented, in_a_line] {
            assert_eq!(marked(speech), [], "{speech}");
        }
    }

    #[test]
    fn other_blocks_open_ends_empty_claims_and_odd_names_are_no_claims() {
        for speech in [
            "```smt\nx\n```",
            "```check\nx\n```",
            "```check smt now\nx\n```",
            "```check s/m\nx\n```",
            "```checks smt\nx\n```",
            "```check smt\n \n```",
            "```check smt\nx",
            "``check smt\nx\n``",
            "```check smt``` x\n```",
        ] {
            assert_eq!(marked(speech), [], "{speech}");
        }
        assert_eq!(marked(&format!("```check {}\nx\n```", "a".repeat(33))), []);
    }

    #[test]
    fn a_shorter_fence_or_the_other_kind_does_not_close_a_block() {
        assert_eq!(marked("````check smt\n```\n~~~~\nx\n````"), [claim("smt", "```\n~~~~\nx")]);
    }

    #[test]
    fn a_check_is_one_flat_object() {
        let (result, output) = (CheckResult::Failed { cause: CheckFailure::TimedOut }, String::new());
        let (verifier, claim) = ("smt".to_owned(), "x".to_owned());
        let check = Check { verifier, claim, result, output, truncated: false, duration_ms: 7 };
        let json = serde_json::json!({"verifier": "smt", "claim": "x", "result": "failed", "cause": "timed_out", "duration_ms": 7});
        assert_eq!(serde_json::to_value(&check).unwrap(), json);
    }

    #[test]
    fn causes_are_named_as_they_are_written() {
        for cause in CheckFailure::ALL {
            assert_eq!(serde_json::to_value(cause).unwrap(), cause.as_str());
        }
    }
}
