//! What happened: speeches, the moderator, failures, times.
use agon_core::{
    Bench, Check, Conclusion, Declined, FailureCause, ModeratorDecision, Score, SpeechKind, StopRule, TurnId,
};
use serde::Serialize;

/// Where a debate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultState {
    /// It has not ended.
    Running,
    /// It has not ended, but is to.
    Cancelling,
    /// Its process was stopped on purpose; `agon resume` continues it.
    Paused,
    /// Its process died; `agon resume` continues it.
    Interrupted,
    /// It came to an outcome.
    Succeeded,
    /// It could not.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

/// Why the rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stopped {
    /// The rule that fired.
    pub rule: StopRule,
    /// After this round.
    pub round: u32,
}

/// Something that was said before everybody: a speech, a critique, a point of information that was taken, a word of the
/// moderator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TranscriptEntry {
    /// The round: 0 before the first, one more than the last after it.
    pub round: u32,
    /// The slot in the round.
    pub seat: u32,
    /// For which stance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// What kind of speech.
    pub kind: SpeechKind,
    /// What was said.
    pub text: String,
    /// Who spoke.
    pub speaker: String,
    /// To whom, where it is to somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The speaker's place in a British Parliamentary debate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bench: Option<Bench>,
    /// The answer that the speech names as its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Of a critique, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<u8>,
    /// Whose critiques a revision accepts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<String>,
    /// Whose critiques a revision declines, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<Declined>,
    /// Who cut it short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<String>,
    /// It ends where its limit of tokens cut it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_at_limit: bool,
    /// The text is left out, because the debate file asks for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_shown: bool,
}

/// A decision of the moderator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModeratorResult {
    /// The round.
    pub round: u32,
    /// The decision is the fallback.
    pub fallback: bool,
    /// What was decided.
    #[serde(flatten)]
    pub decision: ModeratorDecision,
}

/// A try that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailureResult {
    /// Which turn, which try.
    pub turn: TurnId,
    /// Who.
    pub participant: String,
    /// Why.
    pub cause: FailureCause,
    /// What happened, for a person.
    pub detail: String,
    /// What to do about it, where something is known to help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// Whether another try followed or will.
    pub will_retry: bool,
}

fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

/// When the debate was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimingResult {
    /// RFC 3339.
    pub admitted_at: String,
    /// RFC 3339; absent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// From admission to the end or, while it runs, to the last event, without `paused_ms`.
    pub duration_ms: u64,
    /// How long nobody played it: for each resumption, from the last event before. Absent where it was never resumed.
    #[serde(skip_serializing_if = "is_zero")]
    pub paused_ms: u64,
    /// How much of `duration_ms` somebody waited for a model server that was away. Absent where nobody did.
    #[serde(skip_serializing_if = "is_zero")]
    pub server_away_ms: u64,
}

/// How the moderator concluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConclusionResult {
    /// In what manner.
    pub conclusion: Conclusion,
    /// What it said.
    pub text: String,
    /// Why, where it decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// What the moderator scored a speech with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpeechScoreResult {
    /// The round of the speech.
    pub round: u32,
    /// Its slot in the round.
    pub seat: u32,
    /// Who spoke.
    pub speaker: String,
    /// The scores, each 0 to 10.
    #[serde(flatten)]
    pub score: Score,
    /// The sum, 0 to 40.
    pub total: u32,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A claim that a speech marks, and what a verifier said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaimResult {
    /// The round of the speech.
    pub round: u32,
    /// Its seat.
    pub seat: u32,
    /// Whose it is.
    pub participant: String,
    /// The check.
    #[serde(flatten)]
    pub check: Check,
}

/// How often somebody used a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolResult {
    /// Who.
    pub participant: String,
    /// Which.
    pub tool: String,
    /// How often.
    pub calls: u32,
    /// How many of these failed.
    pub failed: u32,
    /// Milliseconds, all together.
    pub duration_ms: u64,
}

/// Something that belongs to a round.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InRound<T> {
    /// The round.
    pub round: u32,
    /// What.
    #[serde(flatten)]
    pub what: T,
}
impl<T: Clone> InRound<T> {
    pub(super) fn of(round: u32, what: &T) -> Self {
        Self { round, what: what.clone() }
    }
}
