//! Rows for tables and for the browser of samples.
use super::Estimate;
use serde::{Deserialize, Serialize};

/// Most characters of a question's text or an answer in a row; longer ones are cut and end in `…`.
pub const ROW_TEXT_CHARS: usize = 300;

/// A question of the eval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionRow {
    /// Its id.
    pub id: String,
    /// What is asked, cut to [`ROW_TEXT_CHARS`].
    pub text: String,
    /// The right answers, cut to [`ROW_TEXT_CHARS`]; empty where only a grader knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold: Vec<String>,
    /// Its category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Its cluster, where it shares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// One question in one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellRow {
    /// Index into `questions` of the result.
    pub question: u32,
    /// The arm's id.
    pub arm: String,
    /// From 0.
    pub repetition: u32,
    /// The debates that it is made of: one, or the polls of the samples.
    pub debates: Vec<String>,
    /// What became of it.
    pub outcome: CellOutcome,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// From 0 to 1; absent while withheld, or where only pairs are graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The answer, cut to [`ROW_TEXT_CHARS`]: a model's words, hostile where shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What the debate made of the vote of its first ballots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flip: Option<CellFlip>,
    /// Samples, where it is made of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// Calls, failed tries included.
    pub calls: u32,
    /// Prompt and generated tokens, with an estimate of those that nobody reported.
    pub total_tokens: u64,
    /// Of these, estimated by the plan's token rule.
    #[serde(default, skip_serializing_if = "crate::cell::is_zero")]
    pub estimated_tokens: u64,
    /// Generated tokens, with the same estimate.
    pub generated_tokens: u64,
    /// What it cost by the eval's count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Seats were missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub degraded: bool,
}

/// The answers of two arms to a question, as graders compared them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// Index into `questions` of the result.
    pub question: u32,
    /// From 0.
    pub repetition: u32,
    /// The arm's id.
    pub arm: String,
    /// What it is compared with: an id of `arms`.
    pub rival: String,
    /// Whose answer is better; absent where an order has no grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<PairWinner>,
    /// Why.
    pub basis: PairBasis,
    /// What the graders found with the arm's answer shown first; absent where there is no grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm_first: Option<PairWinner>,
    /// What they found with the rival's answer shown first; absent where there is no grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rival_first: Option<PairWinner>,
}

/// Whose answer is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairWinner {
    /// The arm's.
    Arm,
    /// The rival's.
    Rival,
    /// Neither.
    Tie,
}

/// Why one of two answers counts as better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairBasis {
    /// Graders compared them in both orders: a winner in both wins, else they tie.
    Graded,
    /// Both are the same answer, which ties.
    SameAnswer,
    /// One arm has no answer, which loses; two such tie.
    NoAnswer,
}

/// A result that a retry replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplacedRow {
    /// The question's id.
    pub question: String,
    /// The arm or the pool of samples, as progress names it; `graders` for gradings.
    pub arm: String,
    /// From 0.
    pub repetition: u32,
    /// Its debate.
    pub debate: String,
    /// Why it had no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Calls that were paid for it.
    pub calls: u32,
    /// Tokens that were paid for it.
    pub total_tokens: u64,
}

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellOutcome {
    /// Score 1.
    Right,
    /// Several answers share the first place; the score is the share of the right ones.
    Tie,
    /// A score between 0 and 1: part of a rubric.
    Partly,
    /// An answer that scores 0.
    Wrong,
    /// Came to its end without an answer; scores 0.
    NoAnswer,
    /// Failed; scores 0.
    Failed,
    /// Answered; the score is withheld, or only pairs are graded.
    Ungraded,
}

/// What a debate made of the vote of its first ballots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellFlip {
    /// Both right.
    KeptRight,
    /// Both wrong.
    KeptWrong,
    /// The vote was wrong, the verdict right.
    WrongToRight,
    /// The vote was right, the verdict wrong.
    RightToWrong,
}

/// An arm's rate in a category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CategoryRow {
    /// The category; `none` for questions without one.
    pub category: String,
    /// The arm's id.
    pub arm: String,
    /// Share of right answers, over the category's cells.
    pub right: Estimate,
}
