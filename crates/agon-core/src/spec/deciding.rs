//! How a debate is decided, and by whom.
use super::roles::Voice;
use crate::ids::ModelName;
use serde::Serialize;

named! {
    /// How the debate is decided.
    #[derive(PartialOrd, Ord)]
    pub enum ConsensusStrategy {
        Judge = "judge": "a judge, or a panel of judges, reads the whole log",
        Vote = "vote": "the debaters vote, or the judges",
        RankedReasons = "ranked_reasons": "the judges rank every candidate, with reasons"
            => "rankings by the judge, with reasons",
        MediatorSummary = "mediator_summary": "the moderator's decision that settled the question, and its closing synthesis, are the verdict"
            => "the moderator's synthesis; nobody wins",
        AgentClosing = "agent_closing": "every debater closes; there is no verdict and no winner" => "nobody: everybody closes",
        NoConsensus = "no_consensus": "the log ends with the perspectives preserved" => "nobody: the perspectives are kept",
    }
}
impl ConsensusStrategy {
    /// Whether judges are asked: they read a presentation of the log.
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Judge | Self::RankedReasons)
    }
}

/// The judge, or the panel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judge {
    /// 2: one order and its reverse must agree; 1: a single reading.
    pub orders: u32,
    /// Speakers become Speaker A, B, ...
    pub anonymize_transcript: bool,
    /// Permute the order of speeches inside each round, from the recorded seed. Off in `bp_style` unless the file asks for it.
    pub shuffle_for_judge: bool,
    /// How many judges there are, 1 to 9.
    #[serde(skip_serializing_if = "is_one")]
    pub panel: u32,
    /// The models of the second judge and those after it, in turn; the first judge has `model`. Empty: all have `model`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panel_models: Vec<ModelName>,
    /// After each round the judge says whether enough was said, and may so end the rounds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ends_rounds: bool,
    /// Added to its prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_one(n: &u32) -> bool {
    *n == 1
}

/// A vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Voting {
    /// The rule that a winner must meet.
    pub rule: VoteRule,
    /// Whether one may vote for one's own side.
    pub self_votes: SelfVotes,
    /// Who votes.
    pub voters: Voters,
    /// A vote after every round instead of one at the end; all of them count together.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub every_round: bool,
}

named! {
    /// Whether the debaters score each other beside the decision, on which that has no influence.
    #[derive(Default)]
    pub enum Scoring {
        #[default]
        None = "none": "nobody scores anybody, unless that decides",
        Anonymous = "anonymous": "at the end every debater scores every other one under a label; that decides nothing",
    }
}

named! {
    /// Who votes.
    #[derive(Default)]
    pub enum Voters {
        #[default]
        Debaters = "debaters": "the personas",
        Judges = "judges": "the judge or the panel, who read the whole debate",
    }
}

named! {
    /// The rule that a winner must meet. Shares are of the eligible voters.
    #[derive(PartialOrd, Ord)]
    pub enum VoteRule {
        Majority = "majority": "one choice each; more than one half" => "majority (more than one half of the eligible votes)",
        Supermajority = "supermajority": "one choice each; at least two thirds"
            => "supermajority (at least two thirds of the eligible votes)",
        Unanimous = "unanimous": "one choice each; all" => "unanimous (every eligible vote)",
        Plurality = "plurality": "one choice each; more than any other" => "plurality (more votes than any other)",
        Borda = "borda": "a ranking each; the most points" => "Borda count (every voter ranks all; the most points win)",
        Approval = "approval": "all acceptable candidates; the most approvals"
            => "approval (every voter names all that it could accept; the most approvals win)",
        Weighted = "weighted": "one choice each; more than one half of the weight of all voters"
            => "weighted majority (more than one half of the weight of all eligible votes)",
        AnonymousScoring = "anonymous_scoring": "scores of every other debater on four scales; the highest mean"
            => "anonymous scoring (everybody scores everybody else under a label; the highest mean wins)",
    }
}
impl VoteRule {
    /// The rule in a few words.
    pub const fn short(self) -> &'static str {
        match self {
            Self::Majority => "majority vote",
            Self::Supermajority => "supermajority vote",
            Self::Unanimous => "unanimous vote",
            Self::Plurality => "plurality vote",
            Self::Borda => "Borda count",
            Self::Approval => "approval vote",
            Self::Weighted => "weighted vote",
            Self::AnonymousScoring => "anonymous scores",
        }
    }
    /// What it counts.
    pub const fn unit(self) -> VoteUnit {
        match self {
            Self::Majority | Self::Supermajority | Self::Unanimous | Self::Plurality => VoteUnit::Votes,
            Self::Borda => VoteUnit::Points,
            Self::Approval => VoteUnit::Approvals,
            Self::Weighted => VoteUnit::Weight,
            Self::AnonymousScoring => VoteUnit::MeanScore,
        }
    }
    /// Whether votes weigh differently.
    pub fn is_weighted(self) -> bool {
        self.unit() == VoteUnit::Weight
    }
    /// Whether voters score each other and choose nobody.
    pub fn is_scored(self) -> bool {
        self.form() == BallotForm::Scores
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

/// What a rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteUnit {
    /// Votes for one candidate each.
    Votes,
    /// Points of rankings; the judges' rankings have them, too.
    Points,
    /// Approvals.
    Approvals,
    /// Thousandths of weight.
    Weight,
    /// Thousandths of a mean score of 40.
    MeanScore,
}

/// What a voter fills in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

named! {
    /// Whether one may vote for one's own side.
    pub enum SelfVotes {
        Exclude = "exclude": "a ballot omits the voter's own side; in deliberative mode its own answer, unless another debater gave it too",
        Allow = "allow": "every candidate is on every ballot",
    }
}

named! {
    /// Which private ballots are cast.
    pub enum Ballots {
        Both = "both": "before round 1 and at the end",
        FinalOnly = "final_only": "at the end only",
        None = "none": "none; not in deliberative mode, which decides among the ballots' answers",
    }
}

/// A last call that turns the result into what the author wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Synthesizer {
    /// JSON Schema of the output; absent: plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<serde_json::Value>,
    /// Added to its prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
}
