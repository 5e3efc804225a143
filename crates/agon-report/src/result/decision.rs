//! What came out: verdict, judgements, rankings, votes, ballots, synthesis.
use crate::claims::Claims;
use agon_core::{BallotStage, Citation, ConsensusSource, DebaterScore, Ranked, Strength, VoteRule, VoterWeight};
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer to the topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerdictResult {
    /// In words; absent where votes decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Who won; null is a synthesis or nobody.
    pub winner: Option<String>,
    /// The decision of the moderator that is the verdict, or that its synthesis builds on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The words that won: the winning proposal in its last revision, else the verdict or the synthesis in words, else the
    /// last speech for the winner. Absent where the debate file keeps the author's words out of reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whose words `text` is: a debater, a judge, or the moderator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// What the judge rests it on, each citation once.
    pub citations: Vec<Citation>,
    /// How many of these were found where they are said to stand.
    pub citations_verified: VerifiedCount,
    /// The claims of the reasoning; absent where no judge's reasoning is the verdict's, and where words are kept out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Claims>,
}

/// Some of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerifiedCount {
    /// Found.
    pub verified: usize,
    /// All.
    pub total: usize,
}

/// The judge on one order of presentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgementResult {
    /// Who judged.
    pub judge: String,
    /// Which order, from 0.
    pub order: u32,
    /// The answer to the topic.
    pub verdict: String,
    /// Who won; null is a synthesis.
    pub winner: Option<String>,
    /// Why.
    pub reasoning: String,
    /// What it rests on.
    pub citations: Vec<Citation>,
    /// How many of these were found where they are said to stand.
    pub citations_verified: VerifiedCount,
    /// The claims of the reasoning; absent where words are kept out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Claims>,
    /// Critical objections that nobody answered, as this judge sees it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_objections: Vec<String>,
    /// Who stands behind each label in the judge's words; empty where the judge saw the names.
    pub labels: BTreeMap<String, String>,
    /// The speeches by the numbers that the judge's words name them by, in the order in which it read them.
    pub entries: Vec<NumberedSpeech>,
}

/// A speech under the number that the judge knows it by in one order of presentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NumberedSpeech {
    /// The number, from 1.
    pub entry: u32,
    /// The round of the speech.
    pub round: u32,
    /// Its slot in the round.
    pub seat: u32,
    /// Who spoke.
    pub participant: String,
}

/// The count of the votes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VotesResult {
    /// By this rule; absent where rankings of judges were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<VoteRule>,
    /// What each candidate got, most first, in the unit of the rule: votes, points under `borda` and for rankings,
    /// approvals, thousandths of weight under `weighted`, thousandths of a mean total under `anonymous_scoring`.
    pub counts: Vec<(String, u32)>,
    /// Votes that could be cast, those of failed voters included; the rankings that were asked for, where judges ranked.
    pub eligible: u32,
    /// Votes that came.
    pub received: u32,
    /// Who met the rule; null is nobody.
    pub winner: Option<String>,
    /// Who voted for whom.
    pub votes: Vec<VoteResult>,
    /// How much each voter's vote weighs; empty where all weigh the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<VoterWeight>,
    /// What voters scored the others with, under `anonymous_scoring`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<VoterScores>,
}

/// Scores that decide nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScoringResult {
    /// The mean of the totals of each debater that was scored, in thousandths, the highest first.
    pub means: Vec<(String, u32)>,
    /// What each debater scored the others with.
    pub scores: Vec<VoterScores>,
}

/// One vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoteResult {
    /// Whose.
    pub participant: String,
    /// The round, where every round votes; one more than the last where the vote is at the end.
    pub round: u32,
    /// For whom; the first of `choices` where there are several.
    pub choice: String,
    /// The whole ranking, best first, or all that are approved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Why.
    pub reasons: Vec<String>,
    /// How sure the voter says it is, 0 to 100; absent unless the debate file asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
}

/// How far the debaters agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsensusResult {
    /// The top answer; absent where several answers share the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The share's name.
    pub strength: Strength,
    /// The share.
    pub share: VoteShare,
    /// Not unanimous, and a judge was order-sensitive, the judges disagreed, or a critical objection stands unanswered.
    pub contested: bool,
    /// Which of these, in words; empty where it is not contested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contested_by: Vec<String>,
    /// Which votes were counted.
    pub source: ConsensusSource,
}

/// Voters for the top answer among all that could have voted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VoteShare {
    /// For the top answer.
    pub top: u32,
    /// All, failed ones included.
    pub eligible: u32,
}

/// A private ballot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BallotResult {
    /// Before round 1 or at the end.
    pub stage: BallotStage,
    /// Whose.
    pub participant: String,
    /// What.
    pub choice: String,
    /// Why.
    pub reasons: Vec<String>,
    /// How sure the voter says it is, 0 to 100; absent unless the debate file asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
}

/// How a judge ranked the candidates in one order of presentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankingResult {
    /// Who judged.
    pub judge: String,
    /// Which order, from 0.
    pub order: u32,
    /// Best first, with reasons.
    pub ranking: Vec<Ranked>,
    /// Who stands behind each label in the reasons; empty where the judge saw the names.
    pub labels: BTreeMap<String, String>,
    /// The speeches by the numbers that the reasons name them by, in the order in which the judge read them.
    pub entries: Vec<NumberedSpeech>,
}

/// What a voter scored the other debaters with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoterScores {
    /// The voter.
    pub participant: String,
    /// The scores.
    pub scores: Vec<DebaterScore>,
}

/// The result as the author wants it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SynthesisResult {
    /// The output, where a schema was given and it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<serde_json::Value>,
    /// What the model wrote.
    pub text: String,
    /// What the schema finds wrong, after one repair.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}
