//! Comparisons of two arms: difference, test, verdict.
use super::Estimate;
use crate::{Count, VerdictKind};
use serde::{Deserialize, Serialize};

/// Two arms on the same questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonResult {
    /// The arm that is to be better: an id of `arms`.
    pub arm: String,
    /// What it is compared with: an id of `arms`.
    pub rival: String,
    /// Whether it was declared beforehand.
    pub family: ComparisonFamily,
    /// Questions in both arms.
    pub questions: u32,
    /// Clusters of these.
    pub clusters: u32,
    /// By each count that is known, the eval's first. A rival without a budget has one row, and so has `match: none`.
    pub counts: Vec<CountResult>,
    /// What the verdict at the eval's count would be if failures and other matters were treated in another way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<SensitivityRow>,
}

/// Which comparisons share an adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonFamily {
    /// Declared in the eval's first event.
    Primary,
    /// Declared by the arms, adjusted among themselves.
    Secondary,
    /// Asked for later: it gets no verdict.
    PostHoc,
}

/// A comparison at equal spending by one count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountResult {
    /// What is counted.
    pub count: Count,
    /// Share of right answers of the arm; absent where only pairs were graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm_right: Option<f64>,
    /// Share of right answers of the rival, at the samples that this count allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rival_right: Option<f64>,
    /// Which answer was better, where graders compared answers in pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairShares>,
    /// The arm's rate minus the rival's, with its interval; of pairs, the share of wins minus that of losses.
    pub difference: Estimate,
    /// How the interval was computed; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<IntervalMethod>,
    /// The p-value of the sign-flip test, or of the bets of a sequential design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The p-value by Holm, over the comparisons of the same family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// McNemar's mid-p, for single yes-or-no answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mid_p: Option<f64>,
    /// Share of clusters in which the two differ.
    pub discordance: f64,
    /// Questions that the arm alone has right; for single yes-or-no answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm_only: Option<u32>,
    /// Questions that the rival alone has right; for single yes-or-no answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rival_only: Option<u32>,
    /// What the arm spent by this count, over what the rival spent; 1 is equal. Absent where one of them is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Some of that is estimated by the plan's token rule, because a server did not report it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// What was found; absent for post hoc comparisons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictKind>,
    /// The arm won, but with more than 1.05 times the spending of the rival.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_only: bool,
    /// A row of the sensitivity table turns the verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fragile: bool,
    /// Why nothing can be told, where that is not for want of questions; each a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distrusted: Vec<String>,
    /// What one more right answer costs by this count, where the arm is better and costs more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_extra_right: Option<f64>,
    /// Questions that would show a gain of 3, 5 and 8 points with 80 % power, at the discordance seen, by the test that was used: of the
    /// sequential one, as many as it may need; where nothing can be told, and in a pilot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needed: Vec<NeededQuestions>,
    /// All of it in one sentence.
    pub sentence: String,
}

/// Shares of pairs of answers, each compared in both orders.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairShares {
    /// The arm's answer is better in both orders.
    pub win: f64,
    /// Neither is.
    pub tie: f64,
    /// The rival's is.
    pub loss: f64,
}

/// How an interval of a difference was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Tango's score interval, for single yes-or-no answers.
    Tango,
    /// The paired, studentised bootstrap of clusters.
    Bootstrap,
    /// The confidence sequence of a sequential design.
    Sequence,
}

/// How many questions it takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeededQuestions {
    /// To show a gain of so many points of a hundred.
    pub points: f64,
    /// With 80 % power; absent where no number of questions that an eval may have does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<u32>,
}

/// The comparison under another treatment of doubtful cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SensitivityRow {
    /// Which.
    pub case: SensitivityCase,
    /// The count, where it is another one than the eval's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Questions that are left.
    pub questions: u32,
    /// Cells that are treated in another way, or left out.
    pub changed_cells: u32,
    /// The arm's rate minus the rival's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Estimate>,
    /// The p-value, not adjusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// What would be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictKind>,
    /// It is another verdict than the one as counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub turns: bool,
}

/// How doubtful cells are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SensitivityCase {
    /// Failures and missing answers score 0.
    AsCounted,
    /// Questions in which either arm failed are left out, for both.
    FailuresLeftOut,
    /// A failure scores what guessing would: 1 of the options, else 0.
    FailuresAtChance,
    /// A debate without an answer scores by the plurality of its last ballots.
    NoAnswerByBallots,
    /// Debates in which seats were missing are left out, for both arms.
    DegradedLeftOut,
    /// The judge's first order of presentation alone.
    OneJudgeOrder,
    /// Equal spending by another count.
    OtherCount,
    /// Rates corrected by people's labels.
    CorrectedLabels,
}

/// The looks of a sequential design at its primary comparisons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequentialResult {
    /// Looks that were taken.
    pub looks: u32,
    /// Questions after which the eval could end; absent where it went to its last question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_after: Option<u32>,
    /// One for each primary comparison and each look.
    pub points: Vec<LookPoint>,
}

/// A primary comparison at a look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookPoint {
    /// The arm's id.
    pub arm: String,
    /// The rival's id.
    pub rival: String,
    /// Clusters that were over.
    pub clusters: u32,
    /// The value of the bets: 1 at the start; 20 and more is enough at alpha 0.05.
    pub e: f64,
    /// The difference so far, with the confidence sequence that holds at all looks together.
    pub difference: Estimate,
}
