//! How a debate is decided, and by whom.
use super::roles::Voice;
use crate::ids::ModelName;
use serde::{Deserialize, Serialize};

/// How the debate is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsensusStrategy {
    /// A judge, or a panel of judges, reads the whole log.
    Judge,
    /// The debaters or the judges vote.
    Vote,
    /// The judges rank every candidate, with reasons.
    RankedReasons,
    /// What the moderator decided is the verdict, with its closing synthesis; nobody wins.
    MediatorSummary,
    /// Everybody closes; there is no verdict and no winner.
    AgentClosing,
    /// The log ends with the perspectives preserved.
    NoConsensus,
}
impl ConsensusStrategy {
    /// All, in the order of the reference.
    pub const ALL: [Self; 6] =
        [Self::Judge, Self::Vote, Self::RankedReasons, Self::MediatorSummary, Self::AgentClosing, Self::NoConsensus];
    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Vote => "vote",
            Self::RankedReasons => "ranked_reasons",
            Self::MediatorSummary => "mediator_summary",
            Self::AgentClosing => "agent_closing",
            Self::NoConsensus => "no_consensus",
        }
    }
    /// Whether judges are asked: they read a presentation of the log.
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Judge | Self::RankedReasons)
    }
}

/// The judge, or the panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judge {
    /// 2: one order and its reverse must agree; 1: a single reading.
    pub orders: u32,
    /// Speakers become Speaker A, B, ...
    pub anonymize_transcript: bool,
    /// Permute the order of speeches inside each round, from the recorded seed. Off in `bp_style` unless the file asks for it.
    pub shuffle_for_judge: bool,
    /// How many judges there are, 1 to 9.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub panel: u32,
    /// The models of the second judge and those after it, in turn; the first judge has `model`. Empty: all have `model`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel_models: Vec<ModelName>,
    /// After each round the judge says whether enough was said, and may so end the rounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_rounds: bool,
    /// Added to its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
}
impl Judge {
    /// The model of the judge with this index, from 0.
    pub fn model(&self, index: u32) -> &ModelName {
        let others = self.panel_models.len().max(1);
        let other = index.checked_sub(1).map(|at| at as usize % others);
        other.and_then(|at| self.panel_models.get(at)).unwrap_or(&self.voice.model)
    }
}

fn one() -> u32 {
    1
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_one(n: &u32) -> bool {
    *n == 1
}

/// A vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voting {
    /// The rule that a winner must meet.
    pub rule: VoteRule,
    /// Whether one may vote for one's own side.
    pub self_votes: SelfVotes,
    /// Who votes.
    #[serde(default)]
    pub voters: Voters,
    /// A vote after every round instead of one at the end; all of them count together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every_round: bool,
}

/// Who votes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voters {
    /// The personas.
    #[default]
    Debaters,
    /// The panel of judges, who read what a judge reads.
    Judges,
}

/// The rule that a winner must meet. Shares are of the eligible voters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoteRule {
    /// More than one half.
    Majority,
    /// At least two thirds.
    Supermajority,
    /// All.
    Unanimous,
    /// More than any other.
    Plurality,
    /// Every voter ranks the candidates; the most points win.
    Borda,
    /// Every voter names all that it could accept; the most approvals win.
    Approval,
    /// More than one half of the weight of all eligible voters.
    Weighted,
    /// Every voter scores every other debater on four scales; the highest mean wins.
    AnonymousScoring,
}
impl VoteRule {
    /// All, in the order of the reference.
    pub const ALL: [Self; 8] = [
        Self::Majority,
        Self::Supermajority,
        Self::Unanimous,
        Self::Plurality,
        Self::Borda,
        Self::Approval,
        Self::Weighted,
        Self::AnonymousScoring,
    ];
    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Majority => "majority",
            Self::Supermajority => "supermajority",
            Self::Unanimous => "unanimous",
            Self::Plurality => "plurality",
            Self::Borda => "borda",
            Self::Approval => "approval",
            Self::Weighted => "weighted",
            Self::AnonymousScoring => "anonymous_scoring",
        }
    }
    /// What a voter fills in.
    pub const fn form(self) -> BallotForm {
        match self {
            Self::Majority | Self::Supermajority | Self::Unanimous | Self::Plurality | Self::Weighted => {
                BallotForm::Single
            }
            Self::Borda => BallotForm::Ranking,
            Self::Approval => BallotForm::Approval,
            Self::AnonymousScoring => BallotForm::Scores,
        }
    }
}

/// What a voter fills in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BallotForm {
    /// One candidate.
    #[default]
    Single,
    /// All candidates, best first.
    Ranking,
    /// Every candidate that it could accept, one at least.
    Approval,
    /// Scores of every other debater.
    Scores,
}

/// Whether one may vote for one's own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfVotes {
    /// One's own side is not on one's ballot.
    Exclude,
    /// Every candidate is on every ballot.
    Allow,
}

/// Which private ballots are cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ballots {
    /// Before round 1 and at the end.
    Both,
    /// At the end only.
    FinalOnly,
    /// None.
    None,
}

/// A last call that turns the result into what the author wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synthesizer {
    /// JSON Schema of the output; absent: plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<serde_json::Value>,
    /// Added to its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
}
