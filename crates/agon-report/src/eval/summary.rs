//! What came out of an eval, in a few sentences: the same in every report.
use super::words;
use crate::text::{one_line, sentence};
use crate::words::{count, number};
use agon_eval::*;

/// How a verdict is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VerdictTone {
    Good,
    Mixed,
    Bad,
    Open,
}
impl VerdictTone {
    pub(super) fn of(verdict: Option<VerdictKind>) -> Self {
        match verdict {
            Some(VerdictKind::Helped) => Self::Good,
            Some(VerdictKind::NoGain) => Self::Mixed,
            Some(VerdictKind::Hurt) => Self::Bad,
            Some(VerdictKind::CannotTell) | None => Self::Open,
        }
    }
    /// The class of the page.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Mixed => "mixed",
            Self::Bad => "bad",
            Self::Open => "open",
        }
    }
}

/// What one comparison found.
pub(super) struct EvalFinding {
    pub(super) badge: String,
    pub(super) tone: VerdictTone,
    pub(super) sentence: String,
}

/// What the primary comparisons found; a line on the state where there is nothing to say yet.
pub(super) fn findings(result: &EvalResult) -> Vec<EvalFinding> {
    let primary = result.comparisons.iter().filter(|of| of.family == ComparisonFamily::Primary);
    let found: Vec<EvalFinding> =
        primary.filter_map(|of| of.counts.first()).map(|count| finding(result, count)).collect();
    if found.is_empty() {
        return vec![EvalFinding {
            badge: "No verdict".to_owned(),
            tone: VerdictTone::Open,
            sentence: why_none(result),
        }];
    }
    found
}

fn finding(result: &EvalResult, at_count: &CountResult) -> EvalFinding {
    let found = words::found(at_count);
    EvalFinding {
        badge: if result.setup.pilot_of.is_some() { format!("Pilot: {}", found.to_lowercase()) } else { found },
        tone: VerdictTone::of(at_count.verdict),
        sentence: sentence(&one_line(&at_count.sentence)),
    }
}

fn why_none(result: &EvalResult) -> String {
    if result.withheld {
        return "Rates and differences are shown at the end: this design fixes the number of questions beforehand."
            .to_owned();
    }
    let ungraded = result.trust.as_ref().is_some_and(|trust| trust.gradings > 0 && trust.ungraded == trust.gradings);
    match (result.state, result.setup.covered) {
        _ if ungraded => {
            "No answer was graded, so nothing can be compared. The warning says why, and what to do.".to_owned()
        }
        (EvalState::Running, _) => "The eval is still running.".to_owned(),
        (EvalState::Stopped, _) if result.stopped.as_ref().is_some_and(|stop| stop.reason == "failures") => {
            "Too many answers failed, so the eval gives no verdict.".to_owned()
        }
        (_, 0) => "No question was finished in every arm, so nothing can be compared.".to_owned(),
        _ => "No primary comparison has figures of both its arms, so nothing can be compared.".to_owned(),
    }
}

/// What the eval is about, as names and values.
pub(super) fn brief(result: &EvalResult) -> Vec<(&'static str, String)> {
    let setup = &result.setup;
    let mut out = vec![("Questions", questions(setup))];
    out.extend(words::score_meaning(setup).map(|meaning| ("Score", meaning)));
    out.push(("Arms", arms(result)));
    out.push(("Budget", words::budget(result)));
    let spent: Vec<String> = setup.spent.iter().map(spent).collect();
    out.push(("Spent", if spent.is_empty() { "unknown".to_owned() } else { spent.join(", ") }));
    out.push(("State", words::state(result)));
    out.push(("Eval", one_line(&result.eval)));
    out
}

fn questions(setup: &EvalSetup) -> String {
    let mut text = match setup.covered == setup.questions {
        true => number(setup.questions.into()),
        false => {
            format!("{} of {} finished in every arm", number(setup.covered.into()), number(setup.questions.into()))
        }
    };
    if let Some(all) = setup.pilot_of {
        text.push_str(&format!(", a pilot on {} of {}", number(setup.questions.into()), number(all.into())));
    }
    if setup.clusters != setup.covered {
        text.push_str(&format!(" in {}", count(setup.clusters.into(), "cluster")));
    }
    if setup.repetitions > 1 {
        text.push_str(&format!(", each asked {} times", setup.repetitions));
    }
    text
}

fn arms(result: &EvalResult) -> String {
    let names: Vec<String> = result.arms.iter().map(|arm| words::arm_name(result, arm)).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn spent(cost: &CostFigure) -> String {
    let unknown = match cost.unknown_share {
        share if share > 0.0 && cost.estimated.is_some() => {
            format!(" (estimated for {} of the calls)", words::percent(share))
        }
        share if share > 0.0 => format!(" (unknown for {} of the calls)", words::percent(share)),
        _ => String::new(),
    };
    match cost.count {
        Count::Seconds => format!("{} of compute{unknown}", words::amount(cost.count, cost.total)),
        Count::Money => format!("{} in money{unknown}", words::amount(cost.count, cost.total)),
        Count::Total | Count::Generated | Count::New => {
            format!("{} {}{unknown}", words::amount(cost.count, cost.total), words::unit(cost.count))
        }
    }
}

/// Warnings of the result, and what marks all of it.
pub(super) fn warnings(result: &EvalResult) -> Vec<String> {
    let mut out = Vec::new();
    if result.trust.as_ref().is_some_and(|trust| trust.same_family) {
        out.push(
            "A grader is of the family of a model under test: graders prefer models that err as they do.".to_owned(),
        );
    }
    out.extend(result.warnings.iter().map(|warning| sentence(&one_line(warning))));
    out
}

/// The cost of an arm by the eval's count.
pub(super) fn cost(result: &EvalResult, arm: &ArmResult) -> Option<CostFigure> {
    arm.costs.iter().find(|cost| cost.count == result.setup.count).copied()
}
