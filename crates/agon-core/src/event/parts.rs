//! What events are made of.
use crate::answer::{Declined, RoundPlan, RoundSummary};
use crate::archive::{PastDebate, Recalled};
use crate::call::Call;
use crate::failure::RetryPolicy;
use crate::feed::FeedReading;
use crate::ids::{DebateId, ParticipantId, TurnId};
use crate::spec::{Bench, DebateSpec};
use crate::task::SpeechKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All that a debate starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Admission {
    /// The debate.
    pub id: DebateId,
    /// What was asked for.
    pub spec: DebateSpec,
    /// The seed that every random choice derives from.
    pub seed: u64,
    /// How failed tries follow each other.
    pub retry: RetryPolicy,
    /// The version of Agon that admitted it.
    pub agon_version: String,
    /// The client's idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The debate is a rehearsal: scripted speakers, no model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// How urgent it is, against other debates.
    #[serde(default, skip_serializing_if = "Priority::is_normal")]
    pub priority: Priority,
    /// The client's own marks, for finding it again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Who submitted it, as the gateway knows him.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// The W3C `traceparent` of the call that submitted it; the debate's trace links to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted_by: Option<String>,
    /// The ended debate whose transcript is judged again. What was said there follows the admission in the same record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejudges: Option<DebateId>,
    /// Earlier debates that everybody is told of, the most similar first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastDebate>,
    /// How those were found, where the file names an embedding model and there were some to compare; else by words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Recalled>,
    /// What the feeds that the file names held when the debate was admitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<FeedReading>,
    /// What earlier debates rate the debaters with, as far as votes are weighed by that. What the file says comes first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ratings: BTreeMap<ParticipantId, f64>,
}

/// How urgent a debate is. A more urgent one gets a greater share, and none starves: 8, 3 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Somebody waits for it.
    Interactive,
    /// The usual.
    #[default]
    Normal,
    /// In bulk.
    Batch,
}
impl Priority {
    /// All, most urgent first.
    pub const ALL: [Self; 3] = [Self::Interactive, Self::Normal, Self::Batch];
    /// Whether it is the usual one.
    pub fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
    /// Its share against the others.
    pub const fn weight(self) -> u32 {
        match self {
            Self::Interactive => 8,
            Self::Normal => 3,
            Self::Batch => 1,
        }
    }
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Normal => "normal",
            Self::Batch => "batch",
        }
    }
}

/// A phase of the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseName {
    /// Private ballots before anybody spoke; in `critique_revision` after the proposals, which they are about.
    InitialBallots,
    /// Opening statements.
    OpeningStatements,
    /// Rounds.
    Rounds,
    /// Final statements.
    FinalStatements,
    /// Short answers to the final statements.
    Rebuttals,
    /// Private ballots at the end.
    FinalBallots,
    /// Judging or voting.
    Decision,
    /// Turning the result into what the author wants.
    Synthesis,
}

/// A step inside or between rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The moderator finds out what everybody is to know, before round 1.
    Research,
    /// Who is to be heard in the round: bids for the inner circle.
    Admission,
    /// The round's own speeches, and the bids and points between them.
    Speaking,
    /// The moderator says what there is to be said.
    Interjection,
    /// The answers to the moderator's questions.
    Replies,
    /// The moderator scores the speeches.
    Scores,
    /// A vote of the round.
    Votes,
    /// How similar the speeches are.
    Measure,
    /// Whether the judge has heard enough.
    Enough,
    /// What the debaters note for themselves.
    Notes,
    /// A summary of the past.
    Summary,
    /// The moderator reconciles the positions.
    Reconciliation,
    /// The moderator sums the debate up.
    Conclusion,
}

/// Something that a debater said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speech {
    /// The turn.
    pub turn: TurnId,
    /// Who spoke.
    pub participant: ParticipantId,
    /// For which stance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// What kind of speech.
    pub kind: SpeechKind,
    /// What was said.
    pub text: Arc<str>,
    /// To whom, where the speech is to somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<ParticipantId>,
    /// The speaker's place in a British Parliamentary debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<Bench>,
    /// The answer that the speech names as its own, in deliberative mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Whose critiques a revision accepts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<ParticipantId>,
    /// Whose critiques a revision declines, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<Declined>,
    /// The speech ends where somebody cut it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<ParticipantId>,
    /// How many look-alikes of the transcript's own marks the text holds; prompts show them defused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub neutralised: u32,
    /// How it came about.
    pub call: Box<Call>,
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
pub(super) fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// How much a voter's vote weighs, and what that comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoterWeight {
    /// The voter.
    pub voter: ParticipantId,
    /// Its rating; absent where the file gives the weight itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// How well it judges its own certainty; absent where the file gives the weight itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<f64>,
    /// How sure the voter says it is, 0 to 100; absent unless the file weighs by it and the voter voted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// `((elo - 1000) / 500) * (0.5 + calibration)` between 0.1 and 5, in thousandths; multiplied by the confidence, if there is one.
    pub thousandths: u32,
}

/// What the moderator decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "duty", rename_all = "snake_case")]
pub enum ModeratorDecision {
    /// Opening a round.
    Opens(RoundPlan),
    /// Closing a round.
    Closes(RoundSummary),
}

/// Why a seat stays empty without having been asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The budget left no room for it.
    Budget,
}
