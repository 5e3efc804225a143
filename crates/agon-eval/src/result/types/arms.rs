//! Arms: how often each is right, and what it cost.
use super::{Estimate, FreeArmKind};
use crate::{ArmName, Count};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One arm of an eval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    /// Unique in the result: the name, and for an arm that is matched to a debate `@` and the debate's name.
    pub id: String,
    /// Its name: a debate's, a command's, or `single`, `self_consistency`, `best_of_n`, `judge_alone`.
    pub name: ArmName,
    /// What it is.
    pub kind: ArmKind,
    /// The debate whose tokens it may spend, or whose isolated form it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched_to: Option<ArmName>,
    /// Models that answered in it.
    pub models: Vec<String>,
    /// Share of right answers; failures and missing answers count 0. Absent while withheld, or where only pairs are graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<Estimate>,
    /// Cells: covered questions times repetitions. The denominator of `right`.
    pub n: u32,
    /// Cells with an answer.
    pub answered: u32,
    /// Cells in which several answers share the first place; each scores its share.
    #[serde(default)]
    pub ties: u32,
    /// Cells that came to their end without an answer.
    pub no_answer: u32,
    /// Cells that failed.
    pub failed: u32,
    /// Cells without an answer and failed ones, by cause.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub causes: BTreeMap<String, u32>,
    /// Answered cells in which seats were missing.
    #[serde(default)]
    pub degraded: u32,
    /// What `debate: if_contested` skipped; absent where nothing was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<SkippedDebates>,
    /// What its cells cost, by each count that is known.
    pub costs: Vec<CostFigure>,
    /// Calls of its cells, failed tries included.
    pub calls: u64,
    /// Median seconds of a cell by the clock; for samples, those of the polls that they came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_median_seconds: Option<f64>,
    /// The 95th percentile of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_p95_seconds: Option<f64>,
    /// Samples for each cell, where it is made of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<SampleUse>,
    /// Whether `max_samples` cut its budget; absent where it has none to be cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<BudgetCut>,
    /// An arm or a free arm that is right at least as often at fewer tokens: ids as in the front.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dominated_by: Vec<String>,
}

/// Debates whose rounds a gate skipped, so that the first ballots decided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkippedDebates {
    /// How many of the arm's cells.
    pub debates: u32,
    /// What they would have cost besides, if each had cost what a held one cost in the mean, by the eval's count. Absent where none
    /// was held, or costs are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved: Option<f64>,
}

/// What an arm is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArmKind {
    /// A debate.
    Debate,
    /// The same debate in which nobody sees the others.
    Isolated,
    /// Sample 1 of the question's poll.
    Single,
    /// The plurality of as many samples as the tokens allow.
    SelfConsistency,
    /// As many samples as the tokens allow, of which a judge picks one.
    BestOfN,
    /// Samples of the judge's model.
    JudgeAlone,
    /// A method of the user's own: a program.
    Command,
}

/// What was spent, by one count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostFigure {
    /// What is counted: the unit is tokens, seconds or money.
    pub count: Count,
    /// The sum.
    pub total: f64,
    /// The sum for each question and repetition.
    pub per_question: f64,
    /// What it spent, over what the debate that it is matched to spent: 1 is equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Of the sum, what nobody reported and the plan's token rule estimates; absent where nothing is estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated: Option<f64>,
    /// Share of calls whose cost by this count nobody reported; what is not estimated of them is missing in the sums.
    pub unknown_share: f64,
}

/// Samples for each cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleUse {
    /// In the mean.
    pub mean: f64,
    /// The fewest.
    pub least: u32,
    /// The most.
    pub most: u32,
}

/// How far `max_samples` kept an arm below its budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetCut {
    /// Share of cells whose samples were cut.
    pub share: f64,
    /// Rate at all samples minus rate at half of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plateau: Option<Estimate>,
    /// More than 5 % were cut, and more samples may well have helped: nothing is said to have beaten this arm.
    pub held_down: bool,
}

/// Rate and cost of self-consistency by samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleCurve {
    /// The models of the pool, in their shares.
    pub models: Vec<String>,
    /// By samples, 1 first.
    pub points: Vec<CurvePoint>,
}

/// Self-consistency at so many samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Samples.
    pub k: u32,
    /// What they cost for each question, by the eval's count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_question: Option<f64>,
    /// Share of right answers, over the questions that have so many samples.
    pub right: Estimate,
}

/// An arm or a free arm by cost and rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrontPoint {
    /// The arm's id; for a free arm, the debate's name, `/` and the free arm's.
    pub id: String,
    /// The free arm's kind, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<FreeArmKind>,
    /// The number of samples, where it is a point of a curve of self-consistency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// What it cost for each question, by the eval's count.
    pub per_question: f64,
    /// Share of right answers.
    pub right: Estimate,
    /// Nothing is right as often at lower cost.
    pub on_front: bool,
}
