//! Questions with their gold answers.
pub use agon_core::Tolerance;
use serde::{Deserialize, Serialize};

/// A question of an eval. Gold answers, rubrics and categories stand in the eval's log alone: no prompt of an arm, no label and no
/// debate's spec ever holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Unique in its eval.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// The options of a multiple choice question, in the file's order; empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What everybody is shown besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What is known of the right answer, and how answers are scored.
    pub gold: Gold,
    /// A row of the report's tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Questions that share a source are one cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// What is known of the right answer, which decides how answers are scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Gold {
    /// Any of these options is right: indices from 0, never empty.
    Choice {
        /// Which.
        right: Vec<usize>,
    },
    /// Any of these texts is right, but for case, space, final stop and articles; never empty.
    Exact {
        /// Which.
        answers: Vec<String>,
    },
    /// Any of these numbers is right, within the tolerance.
    Number {
        /// Which; never empty, finite.
        answers: Vec<f64>,
        /// How far off is right, too.
        #[serde(default)]
        tolerance: Tolerance,
    },
    /// A grader says of each criterion whether it is met.
    Rubric {
        /// Never empty.
        criteria: Vec<Criterion>,
        /// A reference answer for the grader.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<String>,
    },
    /// The eval's own program says how good an answer is.
    Command {
        /// Reference answers for the program.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<String>,
    },
    /// A grader says which of two arms' answers is better.
    Pairwise {
        /// A reference answer for the grader.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<String>,
    },
}

/// One criterion of a rubric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// What an answer has to have.
    pub text: String,
    /// Without it the score is 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must: bool,
}
