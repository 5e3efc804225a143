//! From closed cells to every figure of the result.
mod arms;
mod calibration;
mod comparisons;
mod free;
mod front;
mod grades;
mod inside;
mod labels;
mod pairs;
mod plurality;
mod rows;
mod sensitivity;
mod sentence;
mod statistics;
mod table;
mod trust;
mod types;
mod warnings;

pub use free::free_score;
pub use labels::{LabelItem, LabelsRefused, label_items};
pub use types::*;

use crate::at_once::at_once;
use crate::stats::Effort;
use crate::{
    AnswerLabel, ArmName, CellClosed, CellCost, Comparison, Count, EvalAdmission, EvalMachine, GradeTask, blocks,
};
use arms::{ScoredArm, estimated, spent};
use comparisons::{Comparer, pairs_of};
use statistics::{Estimator, LEVEL};
use std::collections::{BTreeMap, BTreeSet};
use table::CellTable;

/// What a result is computed with, besides the eval's log.
#[derive(Clone, Debug)]
pub struct ResultOptions {
    /// The version of Agon that computes it.
    pub agon_version: String,
    /// How far the eval is.
    pub state: EvalState,
    /// Why it ended before its last question.
    pub stopped: Option<EvalStop>,
    /// No rate and no difference is told: a fixed design that is not at its end.
    pub withheld: bool,
    /// Somebody looked before the end of a fixed design.
    pub peeked: bool,
    /// The questions that figures cover: those of which every cell is over.
    pub covered: Vec<u32>,
    /// Comparisons that were asked for later.
    pub post_hoc: Vec<Comparison>,
    /// The results that a retry replaced.
    pub replaced: Vec<CellClosed>,
    /// Who graded before answers were graded again.
    pub earlier_graders: Vec<Vec<String>>,
    /// How much is drawn; by default as much as evals use.
    pub effort: Option<Effort>,
    /// What a gate learned.
    pub gate: Option<GateResult>,
    /// What people said of answers.
    pub labels: Vec<AnswerLabel>,
}

impl ResultOptions {
    /// Those of an eval that is complete, over these questions.
    pub fn complete(covered: Vec<u32>) -> Self {
        Self {
            agon_version: env!("CARGO_PKG_VERSION").to_owned(),
            state: EvalState::Complete,
            stopped: None,
            withheld: false,
            peeked: false,
            covered,
            post_hoc: Vec::new(),
            replaced: Vec::new(),
            earlier_graders: Vec::new(),
            effort: None,
            gate: None,
            labels: Vec::new(),
        }
    }

    /// Those of an eval as its log stands.
    pub fn of(machine: &EvalMachine) -> Self {
        let state = match machine.ended() {
            None => EvalState::Running,
            Some("complete") => EvalState::Complete,
            Some("cancelled") => EvalState::Cancelled,
            Some("failed") => EvalState::Failed,
            Some(_) => EvalState::Stopped,
        };
        Self {
            state,
            stopped: machine.stop().cloned(),
            gate: machine.gate().map(|file| file.figures.clone()),
            withheld: machine.is_blind(),
            peeked: machine.peeked(),
            replaced: machine.replaced().to_vec(),
            earlier_graders: machine.earlier_graders().to_vec(),
            labels: machine.labels().to_vec(),
            ..Self::complete(machine.questions_over())
        }
    }
}

/// The result of an eval as its log stands.
pub fn result_of(machine: &EvalMachine) -> EvalResult {
    let cells: Vec<&CellClosed> = machine.closed().collect();
    result(machine.admission(), &cells, &ResultOptions::of(machine))
}

/// Every figure of an eval's closed cells.
pub fn result(admission: &EvalAdmission, cells: &[&CellClosed], options: &ResultOptions) -> EvalResult {
    let table = CellTable::new(admission, cells, &options.covered);
    // what grading costs is no arm's, and is told apart
    let cells: Vec<&CellClosed> = cells.iter().copied().filter(|closed| !closed.cell.is_grading()).collect();
    let cells = cells.as_slice();
    let spec = &admission.spec;
    let effort = options.effort.unwrap_or_else(|| Effort::full(spec.seed));
    let estimator = Estimator::new(spec, effort, asked(&table));
    let withheld = options.withheld;
    let scored = arms::arms(&table);
    let mut arms: Vec<ArmResult> =
        at_once(scored.iter().collect(), |arm| arm.result(&table, &scored, &estimator, withheld));
    let told = if withheld { ToldParts::default() } else { told(&table, &scored, &arms, &estimator, options) };
    let front = if withheld { Vec::new() } else { front::front(&arms, &told.free_arms, &told.curves, spec.count) };
    for arm in &mut arms {
        arm.dominated_by = front::dominated_by(arm, &front);
    }
    EvalResult {
        format: RESULT_FORMAT,
        agon_version: options.agon_version.clone(),
        eval: admission.id.clone(),
        title: spec.title.clone(),
        rehearsal: admission.rehearsal || cells.iter().any(|closed| closed.facts.rehearsal),
        state: options.state,
        stopped: options.stopped.clone(),
        withheld,
        setup: setup(&table, cells, options),
        comparisons: told.comparisons,
        sequential: told.sequential,
        free_arms: told.free_arms,
        inside: told.inside,
        calibration: told.calibration,
        curves: told.curves,
        front,
        categories: if withheld { Vec::new() } else { rows::categories(&table, &scored, &estimator) },
        gate: options.gate.clone().filter(|_| !withheld),
        warnings: warnings::warnings(&table, &arms, options, told.trust.as_ref()),
        trust: told.trust,
        questions: rows::questions(&table),
        cells: rows::cells(&table, &scored, withheld),
        pairs: told.pairs,
        replaced: rows::replaced(admission, &options.replaced),
        arms,
    }
}

/// What marks a verdict by a grader of a family that was tested.
const SAME_FAMILY: &str = "A grader is of a family that was tested, and graders prefer answers that err as they do.";

/// What marks a verdict of a pilot.
fn pilot_mark(questions: usize, all: u32) -> String {
    let all = agon_core::thousands(all.into());
    format!("This is a pilot on {questions} of {all} questions: it shows how far the arms differ, and is no verdict.")
}

/// What is told of an eval whose differences may be seen.
#[derive(Default)]
struct ToldParts {
    comparisons: Vec<ComparisonResult>,
    sequential: Option<SequentialResult>,
    free_arms: Vec<FreeArm>,
    inside: Vec<InsideDebates>,
    calibration: Vec<CalibrationResult>,
    curves: Vec<SampleCurve>,
    trust: Option<ScorerTrust>,
    pairs: Vec<PairRow>,
}

fn told(
    table: &CellTable<'_>,
    scored: &[ScoredArm<'_>],
    arms: &[ArmResult],
    estimator: &Estimator,
    options: &ResultOptions,
) -> ToldParts {
    let sequential = table.admission.spec.design == crate::Design::Sequential || options.peeked;
    let mut comparer = Comparer {
        table,
        arms: scored,
        estimator,
        distrusted: Vec::new(),
        marks: Vec::new(),
        corrected: Vec::new(),
        sequential,
        decided: is_decided_by_test(options),
        no_verdict: options.state == EvalState::Failed || options.state == EvalState::Running,
    };
    let trust = trust::scorer_trust(&comparer, &options.labels);
    let trust = trust.map(|trust| ScorerTrust { earlier_graders: options.earlier_graders.clone(), ..trust });
    if let Some(trust) = &trust {
        comparer.distrusted.clone_from(&trust.distrusted);
        comparer.corrected.clone_from(&trust.corrected);
        comparer.marks.extend(trust.same_family.then(|| SAME_FAMILY.to_owned()));
    }
    comparer
        .marks
        .extend(table.admission.spec.pilot_of.map(|all| pilot_mark(table.admission.spec.questions.len(), all)));
    let comparisons = comparer.all(&options.post_hoc);
    let debates = || scored.iter().filter(|arm| arm.kind == ArmKind::Debate).collect();
    let has_rates = arms.iter().any(|arm| arm.right.is_some());
    ToldParts {
        sequential: sequential.then(|| looks(&comparer, &comparisons, options)),
        free_arms: at_once(debates(), |arm| free::free_arms(table, &arm.name, &arm.cells, estimator)).concat(),
        inside: at_once(debates(), |arm| inside::inside(table, &arm.name, &arm.cells, estimator))
            .into_iter()
            .flatten()
            .collect(),
        calibration: if has_rates { calibration::calibration(table, scored, estimator) } else { Vec::new() },
        curves: front::curves(table, estimator),
        pairs: pairs::pairs(&comparer, &options.post_hoc),
        comparisons,
        trust,
    }
}

/// Of each covered question, its place in the order of asking and its block.
fn asked(table: &CellTable<'_>) -> Vec<(u32, u32)> {
    let blocks = blocks(&table.admission.spec);
    let mut places: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    let numbered = (0..).zip(&blocks).flat_map(|(block, questions)| questions.iter().map(move |index| (block, *index)));
    for (place, (block, index)) in (0..).zip(numbered) {
        places.insert(index, (place, block));
    }
    table.questions.iter().map(|(index, _)| places.get(index).copied().unwrap_or((u32::MAX, u32::MAX))).collect()
}

fn setup(table: &CellTable<'_>, cells: &[&CellClosed], options: &ResultOptions) -> EvalSetup {
    let (admission, spec) = (table.admission, &table.admission.spec);
    let count = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
    let mut scorers: BTreeMap<String, u32> = BTreeMap::new();
    for question in &spec.questions {
        *scorers.entry(question.scorer().to_owned()).or_default() += 1;
    }
    let replaced = options.replaced.iter().filter(|closed| !closed.cell.is_grading());
    let held = cells.iter().copied().chain(replaced).filter(|closed| !closed.reused);
    let paid: Vec<&CellCost> = held.map(|closed| &closed.facts.cost).collect();
    let places = table.places().count().max(1) as f64;
    let figure = |count: Count| {
        // where every cell was held before, nothing was spent
        let none = (paid.is_empty() && !cells.is_empty()).then_some((0.0, 0.0));
        let (total, unknown_share) = spent(table, paid.iter().copied(), count).or(none)?;
        let estimated = estimated(table, paid.iter().copied(), count);
        Some(CostFigure { count, total, per_question: total / places, ratio: None, estimated, unknown_share })
    };
    let seen = cells.iter().flat_map(|closed| closed.facts.cost.by_model.keys().cloned());
    let mut models: BTreeMap<String, Option<String>> = seen.map(|model| (model, None)).collect();
    for (model, digest) in &admission.digests {
        models.insert(model.clone(), Some(digest.clone()));
    }
    EvalSetup {
        questions: count(spec.questions.len()),
        covered: count(table.questions.len()),
        pilot_of: spec.pilot_of,
        clusters: table.cluster_count,
        repetitions: spec.repetitions,
        scorers,
        seed: spec.seed,
        count: spec.count,
        matching: spec.matching,
        max_samples: spec.max_samples,
        worth_points: spec.worth,
        alpha: spec.alpha,
        level: LEVEL,
        design: spec.design,
        confidence: spec.confidence,
        peeked: options.peeked,
        models,
        spent: Count::ALL.into_iter().filter_map(figure).collect(),
        reused_cells: count(cells.iter().filter(|closed| closed.reused).count()),
    }
}

/// Whether the test of a sequential design ended the eval.
fn is_decided_by_test(options: &ResultOptions) -> bool {
    options.stopped.as_ref().is_some_and(|stop| stop.reason == "decided")
}

/// The looks at the primary comparisons.
fn looks(comparer: &Comparer<'_, '_>, comparisons: &[ComparisonResult], options: &ResultOptions) -> SequentialResult {
    let primary = comparisons.iter().filter(|comparison| comparison.family == ComparisonFamily::Primary);
    let find = |id: &str| comparer.arms.iter().find(|arm| arm.id == id);
    let (mut points, mut looks) = (Vec::new(), 0);
    for comparison in primary {
        let (Some(arm), Some(rival)) = (find(&comparison.arm), find(&comparison.rival)) else { continue };
        let pairs = pairs_of(comparer.table, &arm.cells, &rival.cells);
        let (told, taken) = comparer.estimator.looks(&pairs, (&arm.id, &rival.id));
        points.extend(told);
        looks = looks.max(taken);
    }
    let decided = is_decided_by_test(options);
    let covered = u32::try_from(comparer.table.questions.len()).unwrap_or(u32::MAX);
    SequentialResult { looks, ended_after: decided.then_some(covered), points }
}

/// Whether what is known of a sequential design decides it.
pub fn is_decided(machine: &crate::EvalMachine) -> bool {
    let cells: Vec<&CellClosed> = machine.closed().collect();
    look_ends(machine.admission(), &cells, &machine.questions_over())
}

/// The gradings that the final answers to a question need: of a rubric each criterion of each answer, of pairs both orders.
pub fn tasks_of(
    admission: &EvalAdmission,
    cells: &[&CellClosed],
    question: u32,
    means: &BTreeMap<(ArmName, Count), f64>,
) -> BTreeSet<GradeTask> {
    CellTable::of_question(admission, cells, question, means).gradings()
}

/// Whether a look ends a sequential design: each primary comparison has a winner, or a gain is smaller than what is worth having.
pub fn look_ends(admission: &EvalAdmission, cells: &[&CellClosed], covered: &[u32]) -> bool {
    let table = CellTable::new(admission, cells, covered);
    let spec = &admission.spec;
    let estimator = Estimator::new(spec, Effort { draws: 99, flips: 99, seed: spec.seed }, asked(&table));
    let arms = arms::arms(&table);
    let comparer = Comparer {
        table: &table,
        arms: &arms,
        estimator: &estimator,
        distrusted: Vec::new(),
        marks: Vec::new(),
        corrected: Vec::new(),
        sequential: true,
        decided: false,
        no_verdict: true,
    };
    comparer.is_decided()
}

#[cfg(test)]
mod tests;
