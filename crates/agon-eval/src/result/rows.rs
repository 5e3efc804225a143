//! Rows for tables and for the browser of samples.
use super::arms::ScoredArm;
use super::grades::scored_answer;
use super::inside::flip_of;
use super::statistics::Estimator;
use super::table::{CellScore, CellTable};
use crate::{
    ArmKind, CategoryRow, CellClosed, CellEnding, CellOutcome, CellRow, EvalAdmission, QuestionRow, ROW_TEXT_CHARS,
    ReplacedRow, cell_arm,
};
use std::collections::BTreeSet;

/// The category of questions that name none.
const NO_CATEGORY: &str = "none";

pub(super) fn questions(table: &CellTable<'_>) -> Vec<QuestionRow> {
    let row = |(_, question): &(u32, &crate::Question)| QuestionRow {
        id: question.id.clone(),
        text: cut(&question.text),
        gold: question.gold_texts().iter().map(|gold| cut(gold)).collect(),
        category: question.category.clone(),
        group: question.group.clone(),
    };
    table.questions.iter().map(row).collect()
}

pub(super) fn cells(table: &CellTable<'_>, arms: &[ScoredArm<'_>], withheld: bool) -> Vec<CellRow> {
    let places = arms.first().map_or(0, |arm| arm.cells.len());
    (0..places)
        .flat_map(|place| arms.iter().filter_map(move |arm| Some(row(table, arm, arm.cells.get(place)?, withheld))))
        .collect()
}

/// Results that a retry replaced.
pub(super) fn replaced(admission: &EvalAdmission, replaced: &[CellClosed]) -> Vec<ReplacedRow> {
    let row = |closed: &CellClosed| ReplacedRow {
        question: admission
            .spec
            .questions
            .get(closed.cell.question as usize)
            .map_or_else(|| closed.cell.question.to_string(), |question| question.id.clone()),
        arm: cell_arm(&closed.cell.work),
        repetition: closed.cell.repetition,
        debate: closed.debate.clone(),
        reason: match &closed.facts.ending {
            CellEnding::Answered => None,
            CellEnding::NoAnswer { reason } | CellEnding::Failed { reason } => Some(reason.clone()),
        },
        calls: closed.facts.cost.calls,
        total_tokens: closed.facts.cost.tokens(),
    };
    replaced.iter().map(row).collect()
}

fn row(table: &CellTable<'_>, arm: &ScoredArm<'_>, cell: &CellScore<'_>, withheld: bool) -> CellRow {
    let score = if withheld { None } else { cell.score };
    let debate = cell.facts.filter(|_| !withheld && arm.kind == ArmKind::Debate);
    let flip =
        debate.zip(table.question(cell.at)).and_then(|(facts, question)| flip_of(question, facts, cell.is_right()));
    CellRow {
        question: u32::try_from(cell.at).unwrap_or(u32::MAX),
        arm: arm.id.clone(),
        repetition: cell.repetition,
        debates: cell.debates.iter().map(|debate| (*debate).to_owned()).collect(),
        outcome: outcome(cell, score),
        reason: match &cell.ending {
            CellEnding::Answered => unscored(table, cell).filter(|_| !withheld),
            CellEnding::NoAnswer { reason } | CellEnding::Failed { reason } => {
                Some(with_detail(reason, cell.facts.and_then(|facts| facts.detail.as_deref()).filter(|_| !withheld)))
            }
        },
        score,
        answer: cell.answer.filter(|_| !withheld).map(cut),
        flip,
        samples: cell.samples.map(|used| used.samples),
        calls: cell.cost.calls,
        total_tokens: cell.cost.tokens(),
        estimated_tokens: cell.cost.estimated(),
        generated_tokens: cell.cost.generated.saturating_add(cell.cost.estimated_generated),
        cost: table.cost(&cell.cost, table.admission.spec.count),
        degraded: cell.degraded,
    }
}

/// Why the eval's own program gave an answer no score: what went wrong, or that it was not run on the answer.
fn unscored(table: &CellTable<'_>, cell: &CellScore<'_>) -> Option<String> {
    let (index, _) = table.questions.get(cell.at).filter(|(_, question)| question.is_scored_by_program())?;
    let Some(run) = table.grades.scoring(*index, scored_answer(cell)?) else { return Some("not_scored".to_owned()) };
    match &run.facts.ending {
        CellEnding::Failed { reason } => Some(with_detail(reason, run.facts.detail.as_deref())),
        CellEnding::Answered | CellEnding::NoAnswer { .. } => None,
    }
}

/// A reason, and what a program says of it.
fn with_detail(reason: &str, detail: Option<&str>) -> String {
    detail.map_or_else(|| reason.to_owned(), |detail| cut(&format!("{reason}: {detail}")))
}

fn outcome(cell: &CellScore<'_>, score: Option<f64>) -> CellOutcome {
    match (&cell.ending, score) {
        (CellEnding::Failed { .. }, _) => CellOutcome::Failed,
        (ending, _) if ending.is_tie() => CellOutcome::Tie,
        (CellEnding::NoAnswer { .. }, _) => CellOutcome::NoAnswer,
        (CellEnding::Answered, None) => CellOutcome::Ungraded,
        (CellEnding::Answered, Some(score)) if score > 1.0 - 1e-9 => CellOutcome::Right,
        (CellEnding::Answered, Some(score)) if score > 0.0 => CellOutcome::Partly,
        (CellEnding::Answered, Some(_)) => CellOutcome::Wrong,
    }
}

/// Rates by category; nothing where no question names one.
pub(super) fn categories(table: &CellTable<'_>, arms: &[ScoredArm<'_>], estimator: &Estimator) -> Vec<CategoryRow> {
    let of = |at: usize| table.question(at).and_then(|question| question.category.as_deref());
    let named: BTreeSet<Option<&str>> = (0..table.questions.len()).map(of).collect();
    if named.iter().all(Option::is_none) {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for category in named {
        for arm in arms {
            let cells: Vec<CellScore<'_>> = arm.cells.iter().filter(|cell| of(cell.at) == category).cloned().collect();
            let right = estimator.rate(table, &cells);
            rows.extend(right.map(|right| CategoryRow {
                category: category.unwrap_or(NO_CATEGORY).to_owned(),
                arm: arm.id.clone(),
                right,
            }));
        }
    }
    rows
}

/// A text that is not longer than a row's may be.
fn cut(text: &str) -> String {
    match text.char_indices().nth(ROW_TEXT_CHARS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
