//! The answers of an eval that people may label.
use super::arms::arms;
use super::table::CellTable;
use super::trust::graded_answers;
use crate::{AnswerLabel, CellClosed, EvalMachine, Gold, GradedAnswer};

/// Hexadecimal digits of an answer's name on a sheet.
const NAME_DIGITS: usize = 12;

/// A graded answer that a person may label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelItem {
    /// Whose it is, and its grade; nobody who labels is shown it.
    pub graded: GradedAnswer,
    /// Names the answer on a sheet, and tells nothing about it.
    pub id: String,
    /// The answer as graders saw it.
    pub answer: String,
}

impl LabelItem {
    /// The label that a person gives it.
    pub fn label(&self, right: bool) -> AnswerLabel {
        let GradedAnswer { arm, question, repetition, accepted: _ } = self.graded.clone();
        AnswerLabel { arm, question, repetition, answer: self.answer.clone(), right }
    }
}

/// Why there is nothing to label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelsRefused {
    /// The eval goes on.
    #[error("the eval has not ended, and its answers are not all graded")]
    Running,
    /// No grader gave grades.
    #[error("no answer was graded by a grader: its questions are scored by their answers, which need no label")]
    NotGraded,
    /// Graders compared answers.
    #[error(
        "its answers were compared in pairs; labels say of one answer whether it is right, as graders of a rubric do"
    )]
    Pairs,
    /// No grading came to a grade.
    #[error("no answer has a grade; `agon eval retry` asks the graders again")]
    NoGrades,
}

/// The answers that graders graded one by one, in the order of arms and questions.
pub fn label_items(machine: &EvalMachine) -> Result<Vec<LabelItem>, LabelsRefused> {
    let questions = &machine.admission().spec.questions;
    let any = |of: fn(&Gold) -> bool| questions.iter().any(|question| of(&question.gold));
    if !any(|gold| matches!(gold, Gold::Rubric { .. })) {
        let pairs = any(|gold| matches!(gold, Gold::Pairwise { .. }));
        return Err(if pairs { LabelsRefused::Pairs } else { LabelsRefused::NotGraded });
    }
    if machine.ended().is_none() {
        return Err(LabelsRefused::Running);
    }
    let cells: Vec<&CellClosed> = machine.closed().collect();
    let table = CellTable::new(machine.admission(), &cells, &machine.questions_over());
    let item = |(graded, answer): (GradedAnswer, String)| {
        let GradedAnswer { arm, question, repetition, accepted: _ } = &graded;
        let named = format!("{arm}\n{question}\n{repetition}\n{answer}");
        let id: String = blake3::hash(named.as_bytes()).to_hex().chars().take(NAME_DIGITS).collect();
        LabelItem { graded, id, answer }
    };
    let items: Vec<LabelItem> = graded_answers(&table, &arms(&table)).into_iter().map(item).collect();
    if items.is_empty() { Err(LabelsRefused::NoGrades) } else { Ok(items) }
}
