//! Files of questions: JSONL, JSON, CSV, YAML and plain lines, in the shapes that benchmarks come in.
//!
//! [`read_questions`] gives the questions, or every mistake with its line; [`DataMapping`] says what was read from where.

mod answers;
mod builtin;
mod chat;
mod csv_rows;
mod gold;
mod guesses;
mod mapping;
mod members;
mod promptfoo;
mod raw;
mod rows;
mod rubric;
mod shapes;
mod twins;

pub use builtin::{BuiltinSet, MOST_BUILTIN, builtin_questions};
pub use mapping::{DataMapping, MappedMember};
pub use rows::DataSyntax;
pub use shapes::DataShape;

use crate::Question;
use crate::names::named_values;
use agon_spec::reading::{Problems, decode};
use agon_spec::{Diagnostic, Limits, Source};

/// Most questions of one file.
pub const MOST_QUESTIONS: usize = 10_000;
/// No file of questions is longer, in bytes.
pub const MOST_DATA_BYTES: usize = 64 * 1024 * 1024;
/// Keys and values of a file, at the most.
const MOST_NODES: usize = 1_000_000;
/// After so many problems no further question is looked at.
const MOST_PROBLEMS: usize = 500;

/// A file of questions as it comes in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataSource {
    /// The name that problems begin with, as the user typed it.
    pub name: String,
    /// What the file holds.
    pub bytes: Vec<u8>,
    /// How it is written; by its name, else by its content, where there is none.
    pub syntax: Option<DataSyntax>,
    /// Which members mean what; recognised by the first question where there is none.
    pub shape: Option<DataShape>,
    /// How questions are scored that do not say it themselves.
    pub kind: Option<QuestionKind>,
}

named_values! {
    /// How a question's answers are scored.
    pub enum QuestionKind {
        Choice = "choice": "the option that is right",
        Exact = "exact": "the text, but for letter case, space, final stop and articles",
        Number = "number": "the number, within the tolerance",
        Rubric = "rubric": "a grader says of each criterion whether it is met",
        Pairwise = "pairwise": "a grader says which of two answers is better",
        Command = "command": "the program of the eval file's `scorer` says how good the answer is",
    }
}

/// What a file of questions came to.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadQuestions {
    /// The questions; absent exactly when a diagnostic is an error.
    pub questions: Option<Vec<Question>>,
    /// Every problem, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// What was read from where.
    pub mapping: DataMapping,
}

/// Reads a file of questions.
pub fn read_questions(source: DataSource) -> ReadQuestions {
    let DataSource { name, bytes, syntax, shape, kind } = source;
    let source = Source::new(name, bytes);
    let mut problems = Problems::new(&source.name);
    let Some(text) = decode(&source, MOST_DATA_BYTES, "a file of questions", &mut problems) else {
        return ReadQuestions { questions: None, diagnostics: problems.into_list(), mapping: DataMapping::default() };
    };
    let mut problems = problems.with_text(&text, Limits::default());
    let syntax = syntax.unwrap_or_else(|| DataSyntax::detect(&source.name, &text.all));
    let rows = rows::read(&text, syntax, shape, &mut problems);
    let shape = shape.unwrap_or_else(|| DataShape::recognise(&rows.list));
    let mut mapping = DataMapping::of(syntax, shape, &rows);
    let questions = shapes::questions(&rows, (shape, kind), &mut mapping, &mut problems);
    if rows.complete && questions.is_empty() && !problems.has_errors() {
        problems.error(rows::empty());
    }
    let questions = Some(questions).filter(|_| !problems.has_errors());
    ReadQuestions { questions, diagnostics: problems.into_readable_list(), mapping }
}
