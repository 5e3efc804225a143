//! Categories, and every question in every arm.
use super::{hundredths, value};
use crate::eval::document::{EvalBlock, EvalDrawing, EvalFigure, EvalTable};
use crate::eval::draw::{ForestFigure, ForestMark, ForestRow};
use crate::eval::words;
use crate::text::one_line;
use crate::words::number;
use agon_eval::*;
use std::collections::BTreeSet;

/// Categories and arms that are drawn at most; the table has all.
const MOST_CATEGORIES: usize = 8;
const MOST_ARMS: usize = 8;

/// Rates by category: intervals, no verdicts.
pub(in crate::eval) fn categories(result: &EvalResult) -> Vec<EvalBlock> {
    let mut names: Vec<&str> = Vec::new();
    for row in &result.categories {
        if !names.contains(&row.category.as_str()) {
            names.push(&row.category);
        }
    }
    // One row for all questions says what the arms say.
    if names.is_empty() || (names.len() == 1 && result.categories.iter().all(|row| row.category == "none")) {
        return Vec::new();
    }
    let arms = drawn_arms(result);
    let of =
        |name: &str| -> Vec<&CategoryRow> { result.categories.iter().filter(|row| row.category == name).collect() };
    let drawing = |name: &&str| {
        let rows = of(name).into_iter().filter(|row| arms.contains(row.arm.as_str()));
        let forest = ForestFigure {
            title: format!("{} in {}", words::rates(result), one_line(name)),
            description: "Each arm with its interval. The numbers are in the table.".to_owned(),
            unit: if result.setup.measure() == RateMeasure::Right { "% right" } else { "% score" },
            lines: Vec::new(),
            percent: true,
            rows: rows
                .map(|row| ForestRow {
                    name: words::arm_of(result, &row.arm),
                    value: value(&row.right),
                    interval: hundredths(row.right.interval),
                    mark: ForestMark::Open,
                    written: words::percent(row.right.value),
                })
                .collect(),
        };
        Some(EvalDrawing { title: Some(one_line(name)), svg: forest.svg()? })
    };
    let row = |row: &CategoryRow| {
        vec![
            one_line(&row.category),
            words::arm_of(result, &row.arm),
            words::rate(&row.right),
            number(row.right.n.into()),
        ]
    };
    let rows = names.iter().flat_map(|name| of(name)).map(row).collect();
    let title = format!("{} by category", words::rates(result));
    let rate = words::rate_column(result);
    let table = EvalTable::of(title.clone(), &["Category", "Arm", rate.as_str(), "#Asked"], rows);
    vec![EvalBlock::Figure(EvalFigure {
        title,
        note: "Intervals only: with many categories, some look good or bad by chance, so none has a verdict."
            .to_owned(),
        drawings: names.iter().take(MOST_CATEGORIES).filter_map(drawing).collect(),
        keys: Vec::new(),
        table,
    })]
}

/// The arms of primary comparisons, else the first ones.
fn drawn_arms(result: &EvalResult) -> BTreeSet<&str> {
    let primary = result.comparisons.iter().filter(|of| of.family == ComparisonFamily::Primary);
    let compared: Vec<&str> = primary.flat_map(|of| [of.arm.as_str(), of.rival.as_str()]).collect();
    let all = result.arms.iter().map(|arm| arm.id.as_str());
    compared.into_iter().chain(all).fold(BTreeSet::new(), |mut known, id| {
        if known.len() < MOST_ARMS {
            known.insert(id);
        }
        known
    })
}

/// Every question in every arm.
pub(in crate::eval) fn cells(result: &EvalResult) -> Vec<EvalBlock> {
    match result.cells.is_empty() {
        true => Vec::new(),
        false => vec![EvalBlock::Cells],
    }
}
