//! How often programs of the user's own would run.
use super::gradings::answers;
use super::{FIXED_LIKELY, count};
use crate::{EvalAdmission, Question, SCORER};
use serde::Serialize;

/// A program in a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedProgram {
    /// The arm's name, or `the scorer`.
    pub name: String,
    /// Runs, as many as there usually are.
    pub runs: u64,
    /// Runs at most, without those that are repeated because they failed.
    pub runs_most: u64,
}

/// The programs of an eval with their runs.
pub(super) fn programs(admission: &EvalAdmission) -> Vec<PlannedProgram> {
    let spec = &admission.spec;
    let repetitions = u64::from(spec.repetitions);
    let cells = u64::from(count(spec.questions.len())) * repetitions;
    let arms = spec.commands.iter().map(|command| (command.name.to_string(), cells, cells));
    let scored = spec.questions.iter().filter(|question| question.is_scored_by_program()).count() as u64;
    let each = answers(admission).times(repetitions).times(scored);
    let scorer = spec.scorer.iter().map(|_| (SCORER.to_owned(), each.likely, each.most));
    arms.chain(scorer).map(|(name, runs, runs_most)| PlannedProgram { name, runs, runs_most }).collect()
}

/// What a call of a method of the user's own takes by the plan's token rule: prompt and generated tokens.
pub(crate) fn usual_program_call(question: &Question, answer: Option<&str>) -> (u64, u64) {
    let texts = std::iter::once(&question.text).chain(&question.options).chain(&question.context);
    let asked: usize = texts.map(String::len).sum();
    let tokens = |bytes: usize| (bytes as f64 / 3.5).ceil() as u64;
    (FIXED_LIKELY + tokens(asked), tokens(answer.map_or(0, str::len)))
}
