//! Which gradings an eval asks for besides those of its arms' answers: controls, and some of them again.
use super::{ControlAnswer, GradeTask, LEAST_REPEATS, control_answers, repeated};
use crate::draw::shuffle;
use crate::{EvalSpec, Gold};
use std::collections::{BTreeMap, BTreeSet};

/// Gradings of a question that are asked for again at least, because other questions may have none.
const LEAST_AGAIN: usize = 2;

/// Controls and repeated gradings of an eval; nothing where nobody grades.
#[derive(Clone, Debug, Default)]
pub struct GradingSchedule {
    seed: u64,
    controls: BTreeMap<u32, ControlAnswer>,
    /// The questions of which some gradings are asked for again.
    repeated: BTreeSet<u32>,
    /// Questions that are graded.
    graded: usize,
}

/// What is graded to see whether the grader can be trusted: an answer that is right, and one that is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlTasks {
    /// What must be found of the gold answer.
    pub gold: Vec<GradeTask>,
    /// What must not be found of another question's answer.
    pub foreign: Vec<GradeTask>,
}

impl GradingSchedule {
    /// The schedule of an eval.
    pub fn of(spec: &EvalSpec) -> Self {
        let graded: Vec<u32> = (0..)
            .zip(&spec.questions)
            .filter(|(_, question)| question.is_scored_by_grader())
            .map(|(at, _)| at)
            .collect();
        if spec.grader.is_none() || graded.is_empty() {
            return Self::default();
        }
        let controls = control_answers(&spec.questions, spec.seed);
        let again = repeated(graded.len(), spec.seed);
        Self {
            seed: spec.seed,
            controls: controls.into_iter().map(|control| (control.question, control)).collect(),
            repeated: again.into_iter().filter_map(|at| graded.get(at).copied()).collect(),
            graded: graded.len(),
        }
    }

    /// The gradings of a question's control answers. Of a pair the gold answer comes first in one order, and last in the other.
    pub fn controls(&self, question: u32, gold: &Gold) -> ControlTasks {
        let Some(control) = self.controls.get(&question) else { return ControlTasks::default() };
        let (right, wrong) = (super::final_answer(&control.gold, &[]), super::final_answer(&control.foreign, &[]));
        match gold {
            Gold::Rubric { criteria, .. } => {
                let each = |answer: &String| {
                    let task = |criterion| GradeTask::Criterion { criterion, answer: answer.clone() };
                    (0..criteria.len()).map(task).collect()
                };
                ControlTasks { gold: each(&right), foreign: each(&wrong) }
            }
            Gold::Pairwise { .. } => {
                let pair = GradeTask::Pair { first: right, second: wrong };
                ControlTasks { foreign: pair.swapped().into_iter().collect(), gold: vec![pair] }
            }
            Gold::Choice { .. } | Gold::Exact { .. } | Gold::Number { .. } | Gold::Command { .. } => {
                ControlTasks::default()
            }
        }
    }

    /// Which of a question's gradings are asked for again: together a tenth of all, and 20 at least.
    pub fn again(&self, question: u32, tasks: &BTreeSet<GradeTask>) -> Vec<GradeTask> {
        if !self.repeated.contains(&question) {
            return Vec::new();
        }
        let mut all: Vec<GradeTask> = tasks.iter().cloned().collect();
        shuffle(self.seed, "repeated gradings", &[&question], &mut all);
        let wanted = (all.len() * self.graded).div_ceil(10).max(LEAST_REPEATS);
        all.truncate(wanted.div_ceil(self.repeated.len()).max(LEAST_AGAIN));
        all
    }

    /// Gradings of controls and repeated ones, where each question has so many gradings.
    pub fn besides(&self, spec: &EvalSpec, each: impl Fn(u32) -> u64) -> u64 {
        let gold = |at: u32| spec.questions.get(at as usize).map(|question| self.controls(at, &question.gold));
        let controls = self.controls.keys().filter_map(|at| gold(*at));
        let controls: u64 = controls.map(|tasks| (tasks.gold.len() + tasks.foreign.len()) as u64).sum();
        let again = |at: &u32| {
            let all = each(*at);
            let wanted = (all * self.graded as u64).div_ceil(10).max(LEAST_REPEATS as u64);
            wanted.div_ceil(self.repeated.len() as u64).max(LEAST_AGAIN as u64).min(all)
        };
        controls + self.repeated.iter().map(again).sum::<u64>()
    }
}
