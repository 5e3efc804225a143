//! Final answers that only graders can score: which gradings they need, and what these came to.
use super::arms::arms;
use super::comparisons::Comparer;
use super::statistics::Estimator;
use super::table::{CellScore, CellTable};
use crate::stats::Effort;
use crate::{
    CellClosed, CellEnding, CellWork, Facts, Gold, GradeTask, PairOutcome, PanelGrade, final_answer, pair_outcome,
    read_grade, rubric_score,
};
use std::collections::{BTreeMap, BTreeSet};

/// The gradings of an eval that are over.
#[derive(Default)]
pub(super) struct Grades<'a> {
    /// The first number of the last scoring: 0, or twice the number of the rescoring.
    base: u32,
    by_task: BTreeMap<(u32, u32), BTreeMap<&'a GradeTask, &'a CellClosed>>,
    panel: usize,
}

impl<'a> Grades<'a> {
    /// Those of these cells; of several scorings the last counts.
    pub fn of(cells: &[&'a CellClosed], panel: usize) -> Self {
        let mut grades = Self { panel, ..Self::default() };
        for closed in cells {
            if let CellWork::Grading { task, draw } = &closed.cell.work {
                grades.base = grades.base.max(draw - draw % 2);
                grades.by_task.entry((closed.cell.question, *draw)).or_default().insert(task, closed);
            }
        }
        grades
    }

    /// What the panel found of a task; `again` where it was asked for the second time. None where it was not asked.
    pub fn panel(&self, question: u32, task: &GradeTask, again: bool) -> Option<PanelGrade> {
        let closed = self.by_task.get(&(question, self.base + u32::from(again)))?.get(task)?;
        Some(read_grade(task, &closed.facts, self.panel))
    }

    /// The score that the eval's own program gave an answer; none where it failed, or was not asked.
    pub fn score(&self, question: u32, answer: &str) -> Option<f64> {
        self.scoring(question, answer)?.facts.score
    }

    /// The run of the eval's own program that scored an answer.
    pub fn scoring(&self, question: u32, answer: &str) -> Option<&'a CellClosed> {
        let task = GradeTask::Score { answer: answer.to_owned() };
        self.by_task.get(&(question, 0))?.get(&task).copied()
    }

    /// All gradings by graders of the last scoring of these questions.
    pub fn all(&self, covered: impl Fn(u32) -> bool) -> impl Iterator<Item = (&'a GradeTask, bool, &'a CellClosed)> {
        let of = self.by_task.iter().filter(move |((question, draw), _)| *draw >= self.base && covered(*question));
        let all =
            of.flat_map(|((_, draw), tasks)| tasks.iter().map(move |(task, closed)| (*task, draw % 2 == 1, *closed)));
        all.filter(|(task, ..)| !matches!(task, GradeTask::Score { .. }))
    }

    /// The runs of the eval's own program that scored answers to these questions.
    pub fn scorings(&self, covered: impl Fn(u32) -> bool) -> impl Iterator<Item = &'a CellClosed> {
        let of = self.by_task.iter().filter(move |((question, _), _)| covered(*question));
        let all = of.flat_map(|(_, tasks)| tasks.iter());
        all.filter(|(task, _)| matches!(task, GradeTask::Score { .. })).map(|(_, closed)| *closed)
    }
}

/// The answer of a cell as graders see it: of answers that tie, the first. None where it has none.
pub(super) fn shown_answer(cell: &CellScore<'_>) -> Option<String> {
    let answer = scored_answer(cell)?;
    let names = cell.facts.map(names).unwrap_or_default();
    Some(final_answer(answer, &names)).filter(|shown| !shown.is_empty())
}

/// The answer of a cell as a program scores it, whole: of answers that tie, the first. None where it has none.
pub(super) fn scored_answer<'a>(cell: &CellScore<'a>) -> Option<&'a str> {
    let tied = cell.facts.filter(|_| matches!(cell.ending, CellEnding::NoAnswer { .. }));
    let answer = cell.answer.or_else(|| tied?.tied.first().map(String::as_str))?;
    Some(answer.trim()).filter(|answer| !answer.is_empty())
}

/// The names of those who are known to have spoken in a debate.
fn names(facts: &Facts) -> Vec<&str> {
    let ballots = facts.ballots.iter().map(|ballot| ballot.participant.as_str());
    let named = facts.named.iter().map(|named| named.participant.as_str());
    let judged = facts.judged.iter().map(|judged| judged.judge.as_str());
    let all: BTreeSet<&str> = ballots.chain(named).chain(judged).collect();
    all.into_iter().collect()
}

/// Two answers to a question as they are compared; where they are not, what that comes to by itself.
pub(super) enum AnswerPair {
    Told(i8),
    Graded(GradeTask),
}

impl<'a> CellTable<'a> {
    /// The cell with its score by the graders. Answers of arms that are compared in pairs have none.
    pub fn with_grade(&self, mut cell: CellScore<'a>) -> CellScore<'a> {
        let Some((index, question)) = self.questions.get(cell.at) else { return cell };
        match &question.gold {
            Gold::Rubric { criteria, .. } => {
                cell.score = match shown_answer(&cell) {
                    None => Some(0.0),
                    Some(answer) => {
                        let task = |criterion| GradeTask::Criterion { criterion, answer: answer.clone() };
                        let grades = (0..criteria.len()).map(|at| self.grades.panel(*index, &task(at), false)?.grade);
                        rubric_score(criteria, &grades.collect::<Vec<_>>())
                    }
                };
            }
            Gold::Command { .. } => {
                cell.score = scored_answer(&cell).map_or(Some(0.0), |answer| self.grades.score(*index, answer));
            }
            Gold::Pairwise { .. } => cell.score = None,
            Gold::Choice { .. } | Gold::Exact { .. } | Gold::Number { .. } => {}
        }
        cell
    }

    /// Whether answers to this question are compared in pairs.
    pub fn is_pairwise(&self, at: usize) -> bool {
        self.question(at).is_some_and(|question| matches!(question.gold, Gold::Pairwise { .. }))
    }

    /// Two answers to a question that are to be compared.
    pub fn answer_pair(&self, arm: &CellScore<'_>, rival: &CellScore<'_>) -> AnswerPair {
        let same = |one: &str, other: &str| {
            self.question(arm.at).is_some_and(|question| question.answer_key(one) == question.answer_key(other))
        };
        match (shown_answer(arm), shown_answer(rival)) {
            (None, None) => AnswerPair::Told(0),
            (Some(_), None) => AnswerPair::Told(1),
            (None, Some(_)) => AnswerPair::Told(-1),
            (Some(first), Some(second)) if same(&first, &second) => AnswerPair::Told(0),
            (Some(first), Some(second)) => AnswerPair::Graded(GradeTask::Pair { first, second }),
        }
    }

    /// What both orders of a pair came to.
    pub fn pair_outcome(&self, at: usize, pair: &GradeTask) -> Option<PairOutcome> {
        let (index, _) = self.questions.get(at)?;
        let found = |task: &GradeTask| self.grades.panel(*index, task, false)?.grade;
        pair_outcome(found(pair), found(&pair.swapped()?))
    }

    /// The scores of two arms on a question: their own, or 1 and 0 where graders find one answer better in both orders.
    pub fn pair_scores(&self, arm: &CellScore<'_>, rival: &CellScore<'_>) -> Option<(f64, f64)> {
        if !self.is_pairwise(arm.at) {
            return arm.score.zip(rival.score);
        }
        let difference = match self.answer_pair(arm, rival) {
            AnswerPair::Told(difference) => difference,
            AnswerPair::Graded(pair) => self.pair_outcome(arm.at, &pair)?.difference,
        };
        Some((f64::from(u8::from(difference > 0)), f64::from(u8::from(difference < 0))))
    }

    /// The gradings that the final answers to the only question of this table need: at each count by which arms are compared, each
    /// answer once, and pairs in both orders.
    pub fn gradings(&self) -> BTreeSet<GradeTask> {
        let scored = arms(self);
        let effort = Effort { draws: 99, flips: 99, seed: self.admission.spec.seed };
        let estimator = Estimator::new(&self.admission.spec, effort, Vec::new());
        let comparer = Comparer {
            table: self,
            arms: &scored,
            estimator: &estimator,
            distrusted: Vec::new(),
            marks: Vec::new(),
            corrected: Vec::new(),
            sequential: false,
            decided: false,
            no_verdict: true,
        };
        let mut tasks = BTreeSet::new();
        let mut rate = |cell: &CellScore<'_>| {
            let criteria = match self.question(cell.at).map(|question| &question.gold) {
                Some(Gold::Rubric { criteria, .. }) => criteria.len(),
                Some(Gold::Command { .. }) => {
                    tasks.extend(scored_answer(cell).map(|answer| GradeTask::Score { answer: answer.to_owned() }));
                    0
                }
                _ => 0,
            };
            let task = |(criterion, answer)| GradeTask::Criterion { criterion, answer };
            tasks.extend(
                shown_answer(cell)
                    .into_iter()
                    .flat_map(|answer| (0..criteria).map(move |at| (at, answer.clone())).map(task)),
            );
        };
        scored.iter().flat_map(|arm| &arm.cells).for_each(&mut rate);
        let mut pairs = BTreeSet::new();
        for (arm, rival, _) in comparer.pairs(&[]) {
            for pair in comparer.counted(arm, rival) {
                pair.arm.iter().chain(&pair.rival).for_each(&mut rate);
                for (one, other) in pair.arm.iter().zip(&pair.rival).filter(|(one, _)| self.is_pairwise(one.at)) {
                    if let AnswerPair::Graded(task) = self.answer_pair(one, other) {
                        pairs.extend(task.swapped());
                        pairs.insert(task);
                    }
                }
            }
        }
        tasks.extend(pairs);
        tasks
    }
}
