//! What came out of an eval, for a page that shows only the essence and links to the report.
use super::{document, summary, words};
use crate::text::one_line;
use crate::words::number;
use agon_eval::*;

/// The essence of a result. Every text is one line without control characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvalDigest {
    /// What the eval is called.
    pub title: String,
    /// What the primary comparisons found, or why there is nothing to say yet.
    pub findings: Vec<DigestFinding>,
    /// What the eval is about, as names and values.
    pub brief: Vec<(&'static str, String)>,
    /// What rates are called: `Right` or `Score`.
    pub rate_name: &'static str,
    /// What costs are counted in.
    pub unit: &'static str,
    /// The arms, in the order of the report.
    pub arms: Vec<DigestArm>,
    /// Failures and missing answers by arm and cause.
    pub failures: Vec<DigestFailure>,
    /// What readers must know besides, each a sentence.
    pub warnings: Vec<String>,
}

/// What one comparison found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestFinding {
    /// The verdict in a few words.
    pub badge: String,
    /// `good`, `mixed`, `bad` or `open`.
    pub tone: &'static str,
    /// What was found.
    pub sentence: String,
}

/// An arm in figures; a dash stands for what is unknown, or not shown yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestArm {
    /// Its id, as cells name it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The share of right answers, or the mean score, with its interval.
    pub right: String,
    /// Cost of a question.
    pub cost: String,
    /// Cells, and how they ended.
    pub cells: u32,
    /// The median time of a question.
    pub time: String,
    /// Cells that ended in a tie.
    pub ties: u32,
    /// Cells with an answer.
    pub answered: u32,
    /// Cells without an answer.
    pub no_answer: u32,
    /// Failed cells.
    pub failed: u32,
}

/// Why answers are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestFailure {
    /// The id of the arm.
    pub id: String,
    /// The name of the arm.
    pub arm: String,
    /// The cause.
    pub cause: String,
    /// How often.
    pub times: String,
}

/// The essence of a result.
pub fn eval_digest(result: &EvalResult) -> EvalDigest {
    let finding =
        |of: summary::EvalFinding| DigestFinding { badge: of.badge, tone: of.tone.class(), sentence: of.sentence };
    EvalDigest {
        title: document::title(result),
        findings: summary::findings(result).into_iter().map(finding).collect(),
        brief: summary::brief(result),
        rate_name: words::rate_name(result),
        unit: words::unit(result.setup.count),
        arms: result.arms.iter().map(|of| arm(result, of)).collect(),
        failures: result.arms.iter().flat_map(|of| failures(result, of)).collect(),
        warnings: summary::warnings(result),
    }
}

fn arm(result: &EvalResult, arm: &ArmResult) -> DigestArm {
    let cost = summary::cost(result, arm).filter(|cost| cost.per_question.is_finite());
    DigestArm {
        id: arm.id.clone(),
        name: words::arm_name(result, arm),
        right: words::known(arm.right, |right| words::rate(&right)),
        cost: words::known(cost, |cost| words::cost(&cost)),
        time: words::known(arm.wall_median_seconds, words::seconds),
        ties: arm.ties,
        cells: arm.n,
        answered: arm.answered,
        no_answer: arm.no_answer,
        failed: arm.failed,
    }
}

fn failures<'r>(result: &'r EvalResult, arm: &'r ArmResult) -> impl Iterator<Item = DigestFailure> + 'r {
    arm.causes.iter().map(|(cause, times)| DigestFailure {
        id: arm.id.clone(),
        arm: words::arm_name(result, arm),
        cause: one_line(&cause.replace('_', " ")),
        times: number((*times).into()),
    })
}
