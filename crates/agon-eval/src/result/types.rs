//! The result of an eval: every figure that reports show and `result.json` holds.
//!
//! Rates and differences are shares of 1: 0.074 is 7.4 points of a hundred. What nobody reported is absent, never 0.
use crate::{Count, Design, Interval, Matching};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod arms;
mod compared;
mod inside;
mod rows;
mod sureness;
mod trust;

pub use arms::*;
pub use compared::*;
pub use inside::*;
pub use rows::*;
pub use sureness::*;
pub use trust::*;

/// The version of the schema of `result.json`.
pub const RESULT_FORMAT: u32 = 1;

/// All that came out of an eval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalResult {
    /// The version of this schema: [`RESULT_FORMAT`].
    pub format: u32,
    /// The version of Agon that computed it.
    pub agon_version: String,
    /// The eval's id.
    pub eval: String,
    /// What the eval is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Scripted speakers: nothing here is a model's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// How far the eval is.
    pub state: EvalState,
    /// Why it ended before its last question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<EvalStop>,
    /// No rate, score or difference is told yet, because the design is fixed and the eval not at its end: only costs and failures are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// What was asked of whom, and under which rules.
    pub setup: EvalSetup,
    /// One for each arm; those that are matched to a debate, once for each debate.
    pub arms: Vec<ArmResult>,
    /// Primary ones first, then secondary ones, then post hoc.
    pub comparisons: Vec<ComparisonResult>,
    /// Looks of a sequential design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential: Option<SequentialResult>,
    /// What other ways of deciding would have made of the same debates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free_arms: Vec<FreeArm>,
    /// What happened between first and last answers: one for each debate whose log says it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<InsideDebates>,
    /// How far shares and stated confidence say how often an answer is right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationResult>,
    /// Rate and cost of self-consistency by samples: one for each pool of models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<SampleCurve>,
    /// Arms and free arms by rate and cost, cheapest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub front: Vec<FrontPoint>,
    /// Rates by category of the questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<CategoryRow>,
    /// How far the graders are to be trusted; absent where no grader scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<ScorerTrust>,
    /// What a gate learned from this eval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateResult>,
    /// What readers must know besides, each a sentence.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The questions that are covered, in the order of the file.
    pub questions: Vec<QuestionRow>,
    /// Each question's outcome in each arm and repetition; by question, then arm.
    pub cells: Vec<CellRow>,
    /// Of each comparison, the pairs of answers of which a grader says which is better; by comparison, then question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairRow>,
    /// Results that a retry replaced; they were paid, and count in no rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<ReplacedRow>,
}

/// How far an eval is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvalState {
    /// Cells are open.
    Running,
    /// All questions were asked, or a sequential design came to its end.
    Complete,
    /// A limit or too many failures ended it.
    Stopped,
    /// Somebody ended it.
    Cancelled,
    /// It could not go on.
    Failed,
}

/// Why an eval ended before its last question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvalStop {
    /// As in `eval_stopped`: `limit_tokens`, `failures`, `decided` and so on.
    pub reason: String,
    /// For a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What was asked of whom, and under which rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalSetup {
    /// Questions of the eval.
    pub questions: u32,
    /// Questions that all arms have finished: those that the figures are about.
    pub covered: u32,
    /// The eval is a pilot, whose questions were drawn from so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot_of: Option<u32>,
    /// Clusters of these: groups, else questions.
    pub clusters: u32,
    /// How often each question is asked of each arm.
    pub repetitions: u32,
    /// How many questions each scorer has: `choice`, `exact`, `number`, `rubric`, `pairwise`.
    pub scorers: BTreeMap<String, u32>,
    /// Every random choice derives from it.
    pub seed: u64,
    /// What is counted.
    pub count: Count,
    /// How much arms without a debate may spend.
    #[serde(rename = "match")]
    pub matching: Matching,
    /// Most samples of a poll.
    pub max_samples: u32,
    /// The smallest gain worth having, in points of a hundred.
    pub worth_points: f64,
    /// The significance level.
    pub alpha: f64,
    /// The confidence level of all intervals: 0.95.
    pub level: f64,
    /// Whether the number of questions is fixed.
    pub design: Design,
    /// Ballots and samples were asked how sure they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confidence: bool,
    /// A person looked before the end of a fixed design, so that its test is the sequential one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub peeked: bool,
    /// Models that answered, with their digests where a server told them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Option<String>>,
    /// What was spent by cells of this eval, reused ones aside.
    pub spent: Vec<CostFigure>,
    /// Cells that an earlier eval had held already.
    pub reused_cells: u32,
}

/// What rates are the mean of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateMeasure {
    /// Of answers that are right or not: the share of right answers.
    Right,
    /// Of scores from 0 to 1: how much of a rubric is met.
    Score,
    /// Of both, by question.
    Mixed,
}

impl RateMeasure {
    /// Scorers that give a part of a right answer.
    const PARTLY: [&'static str; 2] = ["rubric", "command"];

    /// Whether a scorer gives parts of a right answer.
    pub fn is_partly(scorer: &str) -> bool {
        Self::PARTLY.contains(&scorer)
    }

    /// What the rates over questions with these scorers are the mean of.
    pub fn of<'a>(mut scorers: impl Iterator<Item = &'a str>) -> Self {
        let seen = scorers.try_fold((false, false), |(right, score), scorer| match scorer {
            // pairs are in no rate
            "pairwise" => Ok((right, score)),
            scorer if Self::is_partly(scorer) => {
                if right {
                    Err(())
                } else {
                    Ok((right, true))
                }
            }
            _ => {
                if score {
                    Err(())
                } else {
                    Ok((true, score))
                }
            }
        });
        match seen {
            Err(()) => Self::Mixed,
            Ok((_, true)) => Self::Score,
            Ok((_, false)) => Self::Right,
        }
    }
}

impl EvalSetup {
    /// What the rates of the eval are the mean of.
    pub fn measure(&self) -> RateMeasure {
        RateMeasure::of(self.scorers.keys().map(String::as_str))
    }
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its interval at the level of the eval; absent where there is too little to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// How many single observations it rests on.
    pub n: u32,
}
