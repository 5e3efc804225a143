//! Gradings: which the questions need, and grading anew.
use super::EvalMachine;
use crate::{AnswerLabel, Cell, CellClosed, CellWork, EvalEvent, Grader, tasks_of};

impl EvalMachine {
    /// The labels that people gave, in their order.
    pub fn labels(&self) -> &[AnswerLabel] {
        &self.labels
    }

    /// The graders of earlier scorings, where answers were graded anew.
    pub fn earlier_graders(&self) -> &[Vec<String>] {
        &self.earlier_graders
    }

    /// Whether anybody grades.
    pub(super) fn grades(&self) -> bool {
        self.admission.spec.grader.is_some()
    }

    /// The gradings that a question needs; nothing before all its answers are there.
    pub(super) fn gradings(&self, question: u32) -> Option<Vec<Cell>> {
        let asked = self.admission.spec.questions.get(question as usize)?;
        let repetitions = self.admission.spec.repetitions;
        let by_program = asked.is_scored_by_program();
        let nobody_grades = self.is_grading_stopped() || !(by_program || self.grades());
        if nobody_grades || asked.is_scored_by_pattern() {
            return Some(Vec::new());
        }
        if !(0..repetitions).all(|repetition| self.is_answered(question, repetition)) {
            return None;
        }
        let cells: Vec<&CellClosed> = (0..repetitions)
            .flat_map(|repetition| self.cells_of(question, repetition))
            .filter_map(|(cell, _)| self.result(cell))
            .collect();
        let answers = tasks_of(&self.admission, &cells, question, &self.standing.means);
        let controls = self.schedule.controls(question, &asked.gold);
        let again = self.schedule.again(question, &answers);
        // graders grade anew; what a program says of an answer stays
        let base = if by_program { 0 } else { 2 * self.rescored };
        let cell = |task, draw| Cell { question, repetition: 0, work: CellWork::Grading { task, draw } };
        let mut all = answers;
        all.extend(controls.gold.into_iter().chain(controls.foreign));
        let first = all.into_iter().map(|task| cell(task, base));
        Some(first.chain(again.into_iter().map(|task| cell(task, base + 1))).collect())
    }

    /// Grading anew needs answers that are all there, and something that is graded.
    pub(super) fn rescore(&self, grader: Grader) -> Vec<EvalEvent> {
        let is_over = matches!(self.ended(), Some("complete" | "stopped"));
        let graded = self.admission.spec.questions.iter().any(|question| question.is_scored_by_grader());
        if is_over && graded { vec![EvalEvent::RescoreOrdered { grader }] } else { Vec::new() }
    }

    pub(super) fn graded_anew(&mut self, grader: &Grader) {
        let before = self.admission.spec.grader.replace(grader.clone());
        self.earlier_graders.extend(before.map(|grader| grader.models));
        self.schedule = crate::GradingSchedule::of(&self.admission.spec);
        self.rescored += 1;
        self.graders = super::failing::GradingRun::default();
        self.ended = None;
        self.stand_anew();
    }
}
