//! What was asked of whom, and what that cannot say.
use crate::eval::document::EvalBlock;
use crate::eval::{summary, words};
use crate::text::one_line;
use crate::words::{REHEARSAL, number};
use agon_eval::*;

/// The rules of the eval.
pub(in crate::eval) fn configuration(result: &EvalResult) -> Vec<EvalBlock> {
    let setup = &result.setup;
    let scorers: Vec<String> =
        setup.scorers.iter().map(|(name, n)| format!("{} ({})", one_line(name), number((*n).into()))).collect();
    let models: Vec<String> = setup.models.iter().map(|(name, digest)| model(name, digest.as_deref())).collect();
    let design = match (setup.design, setup.peeked) {
        (Design::Fixed, false) => "fixed: all questions, then one test",
        (Design::Fixed, true) => "fixed, but looked at before its end: the sequential test",
        (Design::Sequential, _) => "sequential: a look after each block of questions",
    };
    let none_unknown = |names: Vec<String>| if names.is_empty() { "unknown".to_owned() } else { names.join(", ") };
    let mut blocks = Vec::new();
    let warnings = summary::warnings(result);
    if !warnings.is_empty() {
        blocks.push(EvalBlock::Warnings(warnings));
    }
    blocks.push(EvalBlock::Settings(vec![
        ("Eval", one_line(&result.eval)),
        ("Questions", number(setup.questions.into())),
        ("Finished in every arm", number(setup.covered.into())),
        ("Clusters", number(setup.clusters.into())),
        ("Repetitions", setup.repetitions.to_string()),
        ("Scored by", none_unknown(scorers)),
        ("Counted", words::unit_in_full(setup.count).to_owned()),
        ("Budget", words::budget(result)),
        ("Most samples", setup.max_samples.to_string()),
        ("Worth having", format!("{} points", words::fixed(setup.worth_points, 1))),
        ("Significance level", words::fixed(setup.alpha, 3)),
        ("Confidence level", words::percent(setup.level)),
        ("Design", design.to_owned()),
        ("Asked how sure", if setup.confidence { "yes" } else { "no" }.to_owned()),
        ("Seed", setup.seed.to_string()),
        ("Reused from earlier evals", number(setup.reused_cells.into())),
        ("Models", none_unknown(models)),
        ("State", words::state(result)),
    ]));
    blocks
}

fn model(name: &str, digest: Option<&str>) -> String {
    match digest {
        Some(digest) => format!("{} ({})", one_line(name), crate::text::excerpt(digest, 12)),
        None => format!("{} (digest unknown)", one_line(name)),
    }
}

/// What the eval cannot say.
pub(in crate::eval) fn limits(result: &EvalResult) -> Vec<EvalBlock> {
    let setup = &result.setup;
    let mut lines = Vec::new();
    if result.rehearsal {
        lines.push(format!("{REHEARSAL}. Nothing here says anything about a model."));
    }
    let questions = crate::words::count(setup.covered.into(), "question");
    lines.push(format!("It covers {questions}, these models and these prompts only. Others may give another result."));
    lines.push("Intervals cover chance in the choice of questions and in sampling. They do not cover wrong gold answers or questions unlike yours.".to_owned());
    lines.push(
        "Cannot tell does not mean that there is no difference. It means that these questions do not show one."
            .to_owned(),
    );
    lines.push(match setup.matching {
        Matching::None => "Cost was not matched, so a better arm may only have spent more.".to_owned(),
        Matching::Debate | Matching::Mean | Matching::Budget(_) => {
            format!(
                "Equal cost means equal {}. It does not mean equal time, money or energy.",
                words::unit(setup.count)
            )
        }
    });
    if setup.scorers.keys().any(|kind| kind == "rubric" || kind == "pairwise") {
        lines.push("Where a model grades, scores and wins are what that grader prefers.".to_owned());
    }
    if result.comparisons.iter().any(|of| of.family != ComparisonFamily::Primary) || !result.categories.is_empty() {
        lines.push(
            "Only the primary comparisons were declared beforehand. Everything else is a hint for the next eval."
                .to_owned(),
        );
    }
    vec![EvalBlock::Lines(lines)]
}
