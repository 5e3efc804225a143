//! What readers must know besides, each a sentence.
use super::ResultOptions;
use super::table::CellTable;
use crate::stats::FEWEST_CLUSTERS;
use crate::{
    ArmKind, ArmResult, CellClosed, EQUAL_SPENDING, EvalSpec, EvalState, Matching, ScorerTrust, cell_arm, has_failed,
};
use agon_core::thousands;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn warnings(
    table: &CellTable<'_>,
    arms: &[ArmResult],
    options: &ResultOptions,
    trust: Option<&ScorerTrust>,
) -> Vec<String> {
    let spec = &table.admission.spec;
    let mut warnings = Vec::new();
    let (covered, all) = (table.questions.len(), spec.questions.len());
    if covered < all && options.state != EvalState::Running {
        warnings.push(format!("The figures cover {covered} of {all} questions: those whose block was over."));
    }
    if table.cluster_count > 0 && (table.cluster_count as usize) < FEWEST_CLUSTERS {
        warnings.push(format!("Under {FEWEST_CLUSTERS} questions or groups, differences have no interval."));
    }
    let graded = table.questions.iter().filter(|(_, question)| question.is_scored_by_grader()).count();
    if graded > 0 && spec.grader.is_none() {
        warnings.push(format!("{graded} questions need a grader, and are in no rate."));
    }
    if let Some(trust) = trust {
        if trust.ungraded > 0 {
            warnings.push(ungraded(&table.admission.id, trust));
        }
        if !trust.earlier_graders.is_empty() {
            warnings.push(graded_again(trust));
        }
        if trust.gold_accepted.is_none() && trust.foreign_rejected.is_none() {
            let (enough, few) =
                ("two graded questions with a reference answer", "nothing shows whether the grader errs");
            warnings.push(format!("The eval has fewer than {enough}, so {few}."));
        }
    }
    warnings.extend(unscored(table));
    for arm in arms {
        warnings.extend(over_budget(spec, arm));
        if arm.degraded > 0 {
            warnings.push(format!("{} of {} cells of {} were held with missing seats.", arm.degraded, arm.n, arm.id));
        }
        let unknown = arm.costs.iter().find(|cost| cost.count == spec.count).filter(|cost| cost.unknown_share > 0.0);
        if let Some(cost) = unknown {
            let share = cost.unknown_share * 100.0;
            let rule = if cost.estimated.is_some() { ", which is estimated by the plan's token rule" } else { "" };
            warnings.push(format!("{share:.1} % of the calls of {} did not report what they used{rule}.", arm.id));
        }
        if let Some(cut) = arm.cut.filter(|cut| cut.held_down) {
            let share = cut.share * 100.0;
            warnings.push(format!("max_samples cut the budget of {} in {share:.0} % of its cells.", arm.id));
        }
    }
    if !options.replaced.is_empty() {
        let cells = options.replaced.len();
        let were = if cells == 1 { "failed cell was" } else { "failed cells were" };
        let mut by_arm: BTreeMap<String, u32> = BTreeMap::new();
        for closed in &options.replaced {
            *by_arm.entry(cell_arm(&closed.cell.work)).or_default() += 1;
        }
        let by_arm: Vec<String> = by_arm.iter().map(|(arm, n)| format!("{arm} {n}")).collect();
        warnings.push(format!("{cells} {were} run again ({}); the log keeps both results.", by_arm.join(", ")));
    }
    if options.peeked {
        warnings.push("Somebody saw differences before the end, so the test is the sequential one.".to_owned());
    }
    if spec.confidence {
        warnings.push("Ballots and samples were asked how sure they are, which may change what they say.".to_owned());
    }
    warnings
}

/// How many gradings came to nothing, why, and what can be done.
fn ungraded(eval: &str, trust: &ScorerTrust) -> String {
    let (ungraded, gradings) = (trust.ungraded, trust.gradings);
    let causes: Vec<String> =
        trust.ungraded_causes.iter().map(|(cause, n)| format!("{}: {n}", cause.replace('_', " "))).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join(", ")) };
    let what = if ungraded == gradings {
        format!("No answer was graded: all {gradings} gradings came to no grade{causes}.")
    } else {
        format!("{ungraded} of {gradings} gradings came to no grade{causes}; answers without one are in no figure.")
    };
    format!(
        "{what} `agon eval retry {eval}` repeats gradings that failed, `agon eval rescore {eval} --grader MODEL` asks another grader."
    )
}

/// That other graders, or the same ones, graded before.
fn graded_again(trust: &ScorerTrust) -> String {
    let earlier: Vec<String> = trust.earlier_graders.iter().map(|models| models.join(" and ")).collect();
    format!(
        "The answers were graded again; these figures are of scoring {}, by {}. Earlier scorings, which the log keeps: {}.",
        earlier.len() + 1,
        trust.graders.join(" and "),
        earlier.join("; ")
    )
}

/// Answers that the eval's own program did not score, and why not.
fn unscored(table: &CellTable<'_>) -> Option<String> {
    let covered: BTreeSet<u32> = table.questions.iter().map(|(index, _)| *index).collect();
    let runs: Vec<&CellClosed> = table.grades.scorings(|question| covered.contains(&question)).collect();
    let failed = || runs.iter().filter(|closed| has_failed(closed));
    let first = failed().next()?.facts.detail.as_deref().unwrap_or("it failed");
    Some(format!(
        "The scorer failed on {} of the {} answers that it was run on; answers without a score are in no figure, and `agon eval retry` scores them. The first failure: {first}.",
        failed().count(),
        runs.len()
    ))
}

/// The budget holds for arms without a debate; a debate that spends more is not compared at equal cost.
fn over_budget(spec: &EvalSpec, arm: &ArmResult) -> Option<String> {
    let Matching::Budget(budget) = spec.matching else { return None };
    let cost = arm.costs.iter().find(|cost| arm.kind == ArmKind::Debate && cost.count == spec.count)?;
    let times = cost.per_question / budget as f64;
    (times > EQUAL_SPENDING).then(|| {
        format!(
            "{} spent {times:.2} x the budget of {}, which holds for arms without a debate.",
            arm.id,
            thousands(budget)
        )
    })
}
