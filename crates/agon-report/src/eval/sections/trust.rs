//! How far the graders are to be trusted.
use crate::eval::document::{EvalBlock, EvalTable};
use crate::eval::words;
use crate::text::{one_line, sentence};
use crate::words::{count, number};
use agon_eval::*;

/// Controls, order, repeats, panels and people's labels.
pub(in crate::eval) fn trust(result: &EvalResult) -> Vec<EvalBlock> {
    let Some(trust) = &result.trust else { return Vec::new() };
    let graders = one_line(&trust.graders.join(", "));
    let graders = if graders.is_empty() { "unknown graders".to_owned() } else { graders };
    let mut blocks = vec![EvalBlock::Lead(format!(
        "Graded by {graders}: {}, {}. These are not in the cost of any arm.",
        count(trust.calls, "call"),
        count(trust.tokens, "token")
    ))];
    if !trust.earlier_graders.is_empty() {
        let earlier: Vec<String> = trust.earlier_graders.iter().map(|models| one_line(&models.join(" and "))).collect();
        blocks.push(EvalBlock::Lines(vec![format!(
            "This is scoring {}. Earlier graders, in order: {}. Their grades are kept in the log, and count no more.",
            earlier.len() + 1,
            earlier.join("; ")
        )]));
    }
    if !trust.distrusted.is_empty() {
        blocks.push(EvalBlock::Warnings(trust.distrusted.iter().map(|why| sentence(&one_line(why))).collect()));
    }
    let checks = [
        ("Gold answers graded right", trust.gold_accepted, "Should be near 100 %."),
        ("Answers to other questions graded wrong", trust.foreign_rejected, "Should be near 100 %."),
        ("Same winner in both orders", trust.order_consistency, "A grader that looks at the order alone has 0 %."),
        ("Wins of the answer shown first", trust.first_wins, "Without a bias, 50 %."),
        ("Wins of the longer answer", trust.longer_wins, "Far from 50 %: length may decide."),
        ("Same grade when asked again", trust.repeat_agreement, "Should be near 100 %."),
    ];
    let row = |(name, figure, meaning): (&str, Option<Estimate>, &str)| {
        let figure = figure?;
        Some(vec![name.to_owned(), words::rate(&figure), number(figure.n.into()), meaning.to_owned()])
    };
    let mut rows: Vec<Vec<String>> = checks.into_iter().filter_map(row).collect();
    if let Some(alpha) = trust.panel_alpha {
        let meaning = "1: the panel always agrees; 0: by chance alone.".to_owned();
        rows.push(vec![
            "Krippendorff's alpha of the panel".to_owned(),
            words::fixed(alpha, 2),
            words::UNKNOWN.to_owned(),
            meaning,
        ]);
    }
    if !rows.is_empty() {
        let head = ["Check", "#Value [95 %]", "#Of", "What it means"];
        blocks.push(EvalBlock::Table(EvalTable::of("Checks of the graders", &head, rows)));
    }
    if !trust.corrected.is_empty() {
        let head =
            ["Arm", "#As graded [95 %]", "#Corrected [95 %]", "#Sensitivity [95 %]", "#Specificity [95 %]", "#Labels"];
        let row = |of: &CorrectedRate| {
            vec![
                words::arm_of(result, &of.arm),
                words::rate(&of.raw),
                of.corrected.map_or_else(|| "cannot be corrected".to_owned(), |rate| words::rate(&rate)),
                words::rate(&of.sensitivity),
                words::rate(&of.specificity),
                number(of.labels.into()),
            ]
        };
        blocks.push(EvalBlock::Heading("Corrected by people's labels".to_owned()));
        blocks.push(EvalBlock::Table(EvalTable::of(
            "Rates corrected by labels",
            &head,
            trust.corrected.iter().map(row).collect(),
        )));
    }
    blocks
}
