//! How far graders are to be trusted, and what a gate learned.
use super::Estimate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far the graders are to be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScorerTrust {
    /// The graders' models.
    pub graders: Vec<String>,
    /// A grader is of a family that was tested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_family: bool,
    /// Gold answers that were graded right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold_accepted: Option<Estimate>,
    /// Answers to other questions that were graded wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_rejected: Option<Estimate>,
    /// Pairs with the same winner in both orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_consistency: Option<Estimate>,
    /// Share of wins of the answer that was shown first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_wins: Option<Estimate>,
    /// Share of wins of the longer answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longer_wins: Option<Estimate>,
    /// Grades that were the same when asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_agreement: Option<Estimate>,
    /// Krippendorff's alpha of a panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel_alpha: Option<f64>,
    /// Rates by people's labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<CorrectedRate>,
    /// Why grades are not to be trusted, so that nothing can be told; each a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distrusted: Vec<String>,
    /// Gradings, those of controls and the repeated ones included.
    #[serde(default)]
    pub gradings: u32,
    /// Of these, without a grade: the call failed, or no more than half of a panel agreed.
    #[serde(default)]
    pub ungraded: u32,
    /// Why these have none: what the call failed by, or `no_majority`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ungraded_causes: BTreeMap<String, u32>,
    /// The graders of earlier scorings, where answers were graded again; their grades are kept in the log, and count no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_graders: Vec<Vec<String>>,
    /// Tokens of the graders.
    pub tokens: u64,
    /// Calls of the graders.
    pub calls: u64,
}

/// An arm's rate, corrected by people's labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectedRate {
    /// The arm's id.
    pub arm: String,
    /// Labels of its answers.
    pub labels: u32,
    /// Share of right answers that the grader accepts.
    pub sensitivity: Estimate,
    /// Share of wrong answers that the grader rejects.
    pub specificity: Estimate,
    /// As graded.
    pub raw: Estimate,
    /// Corrected; absent where sensitivity and specificity add up to less than 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Estimate>,
}

/// What a gate learned from an eval, out of fold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// For which debate.
    pub debate: String,
    /// Which kind won: `never`, `always`, `unanimous`, `threshold`, `logistic`.
    pub kind: String,
    /// Why, in a sentence.
    pub why: String,
    /// Questions that it was learned on.
    pub questions: u32,
    /// The gate, then `always`, `never` and the gate that knew.
    pub policies: Vec<GatePolicy>,
    /// Share of the tokens of always that the gate saves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub savings: Option<Estimate>,
    /// Accuracy of the gate that knew minus the gate's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<Estimate>,
    /// Share of debates that would have broken a right vote, and were skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harm_avoided: Option<Estimate>,
    /// Share of the skipped debates whose answer would not have been the top one of the first ballots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ballots: Option<Estimate>,
    /// Accuracy and tokens over thresholds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<GateCurvePoint>,
}

/// A way to decide which questions are debated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GatePolicy {
    /// `gate`, `always`, `never` or `knows`.
    pub name: String,
    /// Share of right answers.
    pub right: Estimate,
    /// Tokens for each question.
    pub tokens: Estimate,
    /// Share of questions that are debated.
    pub debated: Estimate,
}

/// A gate at one threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateCurvePoint {
    /// Where the score is split; the rule says which side is debated.
    pub threshold: f64,
    /// Share of right answers.
    pub right: f64,
    /// Tokens for each question.
    pub tokens: f64,
    /// Share of questions that are debated.
    pub debated: f64,
}
