//! Whether an eval can be graded, before anything is paid.
use super::{GraderRefused, check_graders};
use crate::{EvalSpec, Gold, Question};

/// Why an eval's questions cannot be graded as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GradingRefused {
    /// Nobody grades.
    #[error(
        "question {0:?} can only be scored by a grader, and none is named: name one by --grader MODEL, `grader` of the eval file or `grader_model` of the settings; or give the question an `answer` that is an option, a number or a text"
    )]
    NoGrader(String),
    /// There is nothing to grade.
    #[error("a grader is named, and every question is scored by its answer: nothing is graded; leave the grader out")]
    NothingGraded,
    /// Wins and rates are no one figure.
    #[error(
        "question {pair:?} compares answers in pairs, and question {other:?} scores each answer: one eval has either; give all questions the same `kind`, or hold two evals"
    )]
    Mixed {
        /// A question whose answers are compared in pairs.
        pair: String,
        /// One whose answers are scored.
        other: String,
    },
    /// Nothing says which program scores.
    #[error(
        "question {0:?} is scored by a program, and none is named: write `scorer: {{command: [PROGRAM, ...]}}` in an eval file"
    )]
    NoProgram(String),
    /// Graders that cannot be used.
    #[error(transparent)]
    Grader(#[from] GraderRefused),
}

impl GradingRefused {
    /// The key of an eval file that is to blame.
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::NoGrader(_) | Self::Mixed { .. } => "questions",
            Self::NothingGraded | Self::Grader(_) => "grader",
            Self::NoProgram(_) => "scorer",
        }
    }
}

/// Whether all questions are scored in one way: by pairs of answers, or each answer by itself.
pub fn check_one_scoring(questions: &[Question]) -> Result<(), GradingRefused> {
    let is_pair = |question: &&Question| matches!(question.gold, Gold::Pairwise { .. });
    match (questions.iter().find(is_pair), questions.iter().find(|question| !is_pair(question))) {
        (Some(pair), Some(other)) => Err(GradingRefused::Mixed { pair: pair.id.clone(), other: other.id.clone() }),
        (None, _) | (_, None) => Ok(()),
    }
}

/// Whether an eval can be graded that tests these models. Gives whether a grader is of a family that is tested.
pub fn check_grading<'t>(spec: &EvalSpec, tested: impl IntoIterator<Item = &'t str>) -> Result<bool, GradingRefused> {
    if let (Some(question), None) = (spec.questions.iter().find(|one| one.is_scored_by_program()), &spec.scorer) {
        return Err(GradingRefused::NoProgram(question.id.clone()));
    }
    let graded = spec.questions.iter().find(|question| question.is_scored_by_grader());
    match (graded, &spec.grader) {
        (None, None) => Ok(false),
        (None, Some(_)) => Err(GradingRefused::NothingGraded),
        (Some(question), None) => Err(GradingRefused::NoGrader(question.id.clone())),
        (Some(_), Some(grader)) => {
            check_one_scoring(&spec.questions)?;
            Ok(check_graders(grader, tested)?)
        }
    }
}
