//! What events are made of.
use crate::answer::{Declined, RoundPlan, RoundSummary};
use crate::archive::{PastDebate, Recalled};
use crate::failure::RetryPolicy;
use crate::feed::FeedReading;
use crate::ids::{DebateId, ParticipantId};
use crate::spec::{Bench, DebateSpec};
use crate::task::SpeechKind;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All that a debate starts from.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The debate is a rehearsal: scripted speakers, no model.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// How urgent it is, against other debates.
    #[serde(skip_serializing_if = "Priority::is_normal")]
    pub priority: Priority,
    /// The client's own marks, for finding it again.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Who submitted it, as the gateway knows him.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// The W3C `traceparent` of the call that submitted it; the debate's trace links to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted_by: Option<String>,
    /// The ended debate whose transcript is judged again. What was said there follows the admission in the same record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejudges: Option<DebateId>,
    /// Earlier debates that everybody is told of, the most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastDebate>,
    /// How those were found, where the file names an embedding model and there were some to compare; else by words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Recalled>,
    /// What the feeds that the file names held when the debate was admitted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<FeedReading>,
    /// What earlier debates rate the debaters with, as far as votes are weighed by that. What the file says comes first.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ratings: BTreeMap<ParticipantId, f64>,
}

named! {
    /// How urgent a debate is. A more urgent one gets a greater share, and none starves: 8, 3 and 1.
    #[derive(Default, PartialOrd, Ord, Hash)]
    pub enum Priority {
        /// Somebody waits for it.
        Interactive = "interactive",
        /// The usual.
        #[default]
        Normal = "normal",
        /// In bulk.
        Batch = "batch",
    }
}
impl Priority {
    /// Whether it is the usual one.
    pub fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
    /// Its own of three things, the most urgent one's first, as in [`Priority::ALL`].
    pub fn pick<T>(self, [interactive, normal, batch]: [T; 3]) -> T {
        match self {
            Self::Interactive => interactive,
            Self::Normal => normal,
            Self::Batch => batch,
        }
    }
    /// Its share against the others.
    pub fn weight(self) -> u32 {
        self.pick([8, 3, 1])
    }
}

named! {
    /// A phase of the debate.
    #[derive(PartialOrd, Ord)]
    pub enum PhaseName {
        /// Private ballots before anybody spoke; in `critique_revision` after the proposals, which they are about.
        InitialBallots = "initial_ballots" => "Initial ballots",
        /// Opening statements.
        OpeningStatements = "opening_statements" => "Opening statements",
        /// Rounds.
        Rounds = "rounds" => "Rounds",
        /// Final statements.
        FinalStatements = "final_statements" => "Final statements",
        /// Short answers to the final statements.
        Rebuttals = "rebuttals" => "Rebuttals",
        /// Private ballots at the end.
        FinalBallots = "final_ballots" => "Final ballots",
        /// Judging or voting.
        Decision = "decision" => "Decision",
        /// Turning the result into what the author wants.
        Synthesis = "synthesis" => "Synthesis",
    }
}

named! {
    /// A step inside or between rounds.
    #[derive(PartialOrd, Ord)]
    pub enum Step {
        /// The moderator finds out what everybody is to know, before round 1.
        Research = "research",
        /// Who is to be heard in the round: bids for the inner circle.
        Admission = "admission" => "who is to be heard",
        /// The round's own speeches, and the bids and points between them.
        Speaking = "speaking" => "speeches",
        /// The moderator says what there is to be said.
        Interjection = "interjection" => "interjection of the moderator",
        /// The answers to the moderator's questions.
        Replies = "replies" => "answers to the moderator",
        /// The moderator scores the speeches.
        Scores = "scores" => "scores of the speeches",
        /// A vote of the round.
        Votes = "votes" => "votes of the round",
        /// How similar the speeches are.
        Measure = "measure" => "similarity",
        /// Whether the judge has heard enough.
        Enough = "enough" => "whether enough was said",
        /// What the debaters note for themselves.
        Notes = "notes" => "notes of the debaters",
        /// A summary of the past.
        Summary = "summary" => "summary of the past",
        /// The moderator reconciles the positions.
        Reconciliation = "reconciliation",
        /// The moderator sums the debate up.
        Conclusion = "conclusion" => "closing summary",
    }
}

/// Something that a debater said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Speech {
    /// For which stance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// What kind of speech.
    pub kind: SpeechKind,
    /// What was said.
    pub text: Arc<str>,
    /// To whom, where the speech is to somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<ParticipantId>,
    /// The speaker's place in a British Parliamentary debate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bench: Option<Bench>,
    /// The answer that the speech names as its own, in deliberative mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// How sure the speaker says it is of its answer, 0 to 100; absent unless the file asks for it. The text does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Whose critiques a revision accepts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<ParticipantId>,
    /// Whose critiques a revision declines, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<Declined>,
    /// The speech ends where somebody cut it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<ParticipantId>,
    /// The speech reached its limit of tokens, or went in circles: it ends with its last whole sentence before that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_at_limit: bool,
    /// How many look-alikes of the transcript's own marks the text holds; prompts show them defused.
    #[serde(skip_serializing_if = "is_zero")]
    pub neutralised: u32,
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
pub(super) fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// How much a voter's vote weighs, and what that comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VoterWeight {
    /// The voter.
    pub voter: ParticipantId,
    /// Its rating; absent where the file gives the weight itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// How well it judges its own certainty; absent where the file gives the weight itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<f64>,
    /// How sure the voter says it is, 0 to 100; absent unless the file weighs by it and the voter voted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// `((elo - 1000) / 500) * (0.5 + calibration)` between 0.1 and 5, in thousandths; multiplied by the confidence, if there is one.
    pub thousandths: u32,
}

/// What the moderator decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "duty", rename_all = "snake_case")]
pub enum ModeratorDecision {
    /// Opening a round.
    Opens(RoundPlan),
    /// Closing a round.
    Closes(RoundSummary),
}
impl ModeratorDecision {
    /// How a report calls it.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Opens(_) => "opens the round",
            Self::Closes(_) => "closes the round",
        }
    }
}

named! {
    /// Why a seat stays empty without having been asked.
    pub enum SkipReason {
        /// The budget left no room for it.
        Budget = "budget" => "the budget left no room for it",
        /// The others said nothing that it may see.
        NothingToScore = "nothing_to_score" => "the others said nothing that it may see",
    }
}
