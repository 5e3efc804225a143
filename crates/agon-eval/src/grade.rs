//! Grades by models, for answers that no pattern can score: what graders are asked, what they found, how far they are to be trusted.
//!
//! A grading is a poll of its own, with one sample of each grader. So it has a log, permits, resume and usage as every debate. A grader is
//! shown the question, the reference and the answer, each quoted, and neither arm nor transcript nor names nor tokens.
mod check;
mod controls;
mod family;
mod labels;
mod read;
mod schedule;
mod task;
#[cfg(test)]
mod tests;
mod trust;

pub use check::{GradingRefused, check_grading, check_one_scoring};
pub use controls::{CONTROLS, ControlAnswer, LEAST_REPEATS, control_answers, repeated};
pub use family::{GraderRefused, check_graders, family_of};
pub use labels::{AnswerLabel, GradedAnswer, LabelledAnswer, corrected_rates, label_sheet};
pub use read::{Grade, PairOutcome, PanelGrade, pair_outcome, read_grade, rubric_score};
pub use schedule::{ControlTasks, GradingSchedule};
pub use task::{FINAL_ANSWER_BYTES, FINAL_ANSWER_WORDS, GradeTask, final_answer};
pub use trust::{GradedPair, LEAST_CONSISTENCY, MOST_MISSED, TrustEvidence, trust};
