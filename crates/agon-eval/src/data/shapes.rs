//! Shapes that benchmarks come in, and the way from a row to a question.
use super::guesses::{DigitAnswers, KindGuesses};
use super::members::{self, at};
use super::raw::QuestionRowText;
use super::rows::DataRows;
use super::{DataMapping, MOST_PROBLEMS, QuestionKind, gold, promptfoo, twins};
use crate::Question;
use crate::names::named_values;
use agon_spec::Code;
use agon_spec::reading::{FileNode, MapEntry, Problems, SpecFinding, Value};
use std::collections::BTreeMap;

named_values! {
    /// Which members of a file mean what.
    pub enum DataShape {
        Plain = "plain": "the members by their names, or by the other names that are read",
        Gsm8k = "gsm8k": "GSM8K: `answer` ends with `#### NUMBER`",
        Mmlu = "mmlu": "MMLU: `choices` and `answer` as an index from 0 or a letter; as CSV also without a header",
        Arc = "arc": "ARC: `question` (or `question.stem`), `choices` with labels, `answerKey`",
        Inspect = "inspect": "samples of inspect_ai: `input`, `choices`, `target`",
        OpenaiEvals = "openai_evals": "samples of openai/evals: `input` as messages, `ideal`",
        Promptfoo = "promptfoo": "tests of promptfoo: `vars` and `assert`, or a table with `__expected`",
        Topics = "topics": "texts alone, without answers",
    }
}

impl DataShape {
    /// What the first question looks like.
    pub(super) fn recognise(rows: &[FileNode]) -> Self {
        let Some(first) = rows.first() else { return Self::Plain };
        let Value::Map(entries) = &first.value else {
            return if matches!(first.value, Value::Text(_)) { Self::Topics } else { Self::Plain };
        };
        let has = |path: &str| at(entries, path).is_some_and(|entry| entry.value.value != Value::Null);
        let text = |path: &str| at(entries, path).and_then(|entry| members::plain_text(&entry.value.value));
        let index = at(entries, "answer").is_some_and(|entry| matches!(entry.value.value, Value::Integer(_)));
        match () {
            () if has("vars") || has("__expected") => Self::Promptfoo,
            () if has("answerKey") => Self::Arc,
            () if has("ideal") => Self::OpenaiEvals,
            () if has("input") && has("target") => Self::Inspect,
            () if has("choices") && has("question") && index => Self::Mmlu,
            () if text("answer").is_some_and(|answer| final_number(&answer).is_some()) => Self::Gsm8k,
            () if has("topic") && !has("question") => Self::Topics,
            () => Self::Plain,
        }
    }

    /// The members without which a row has not this shape; one of each list.
    fn needs(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Plain | Self::Promptfoo | Self::Topics => &[],
            Self::Gsm8k => &[&["answer"]],
            Self::Mmlu => &[&["choices", "options", "A"], &["answer"]],
            Self::Arc => &[&["answerKey"]],
            Self::Inspect => &[&["input"]],
            Self::OpenaiEvals => &[&["input"], &["ideal"]],
        }
    }
}

/// What follows the last `####`.
pub(super) fn final_number(answer: &str) -> Option<&str> {
    answer.rsplit_once("####").map(|(_, number)| number.trim())
}

/// The questions of the rows; mistakes are reported, and the mapping says what was found.
pub(super) fn questions(
    rows: &DataRows,
    (shape, kind): (DataShape, Option<QuestionKind>),
    mapping: &mut DataMapping,
    problems: &mut Problems<'_>,
) -> Vec<Question> {
    let mut questions: Vec<(Question, &FileNode)> = Vec::new();
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    let (mut guesses, mut digits) = (KindGuesses::default(), DigitAnswers::default());
    for row in &rows.list {
        if problems.count() >= MOST_PROBLEMS {
            break;
        }
        let Some(entries) = plain(row, shape, problems) else { continue };
        let mut raw = QuestionRowText::read(row, &entries, mapping, problems);
        raw.cells = rows.cells;
        raw.id = raw.id.or_else(|| Some(numbered(row.span.start.line, &ids)));
        let inferred = raw.kind.or(kind).is_none();
        let (row_span, answer_span) = (raw.span, raw.answer_span);
        let Some(question) = gold::question(raw, (shape, kind), &mut digits, problems) else { continue };
        if let Some(line) = ids.insert(question.id.clone(), row.span.start.line) {
            let id = agon_spec::reading::quote(&question.id);
            let message = format!("the id {id} is here a second time; the first is on line {line}");
            let place = at(&entries, "id").or_else(|| at(&entries, "question_id"));
            let span = place.map_or(row.span, |entry| entry.value.span);
            problems.error(SpecFinding::new(Code::DuplicateItem, span, message).field("id"));
        }
        if inferred {
            guesses.note(&question, row_span, answer_span);
        }
        questions.push((question, row));
    }
    guesses.check(problems);
    digits.check(problems);
    twins::check(&questions, problems);
    let questions: Vec<Question> = questions.into_iter().map(|(question, _)| question).collect();
    mapping.count(&questions);
    questions
}

/// The line's number, and which one it is where several stand on one line.
fn numbered(line: usize, ids: &BTreeMap<String, usize>) -> String {
    let before = ids.values().filter(|other| **other == line).count();
    if before == 0 { line.to_string() } else { format!("{line}.{}", before + 1) }
}

/// The row with its members by the names of the plain shape.
fn plain(row: &FileNode, shape: DataShape, problems: &mut Problems<'_>) -> Option<Vec<MapEntry>> {
    let entries = match &row.value {
        Value::Map(entries) if shape == DataShape::Promptfoo => match promptfoo::plain(entries) {
            Ok(entries) => entries,
            Err(finding) => {
                problems.error(finding);
                return None;
            }
        },
        Value::Map(entries) => entries.clone(),
        Value::Text(_) if matches!(shape, DataShape::Topics | DataShape::Plain) => {
            vec![MapEntry { key: "question".to_owned(), key_span: row.span, value: row.clone() }]
        }
        other => {
            let message = format!("a question must be a mapping of members to values, found {}", other.describe());
            problems.error(SpecFinding::new(Code::WrongType, row.span, message));
            return None;
        }
    };
    let has = |path: &&str| at(&entries, path).is_some_and(|entry| entry.value.value != Value::Null);
    let missing: Vec<&str> = shape
        .needs()
        .iter()
        .filter(|names| !names.iter().any(&has))
        .filter_map(|names| names.first().copied())
        .collect();
    if missing.is_empty() {
        return Some(entries);
    }
    for name in missing {
        let message = format!("the question has no `{name}`, which the shape `{}` needs", shape.as_str());
        let finding = SpecFinding::new(Code::MissingKey, lacking(row, &entries, name), message).field(name);
        problems.error(finding.help(format!("shapes: {}", names(DataShape::CHOICES))));
    }
    None
}

fn names(choices: &[agon_core::Choice]) -> String {
    choices.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", ")
}

/// Where a member is missing: its empty cell, else the row's first key.
fn lacking(row: &FileNode, entries: &[MapEntry], name: &str) -> agon_spec::reading::Span {
    at(entries, name).map_or_else(|| first_key(row), |entry| entry.value.span)
}

/// Where a row begins, as short as its first key.
pub(super) fn first_key(row: &FileNode) -> agon_spec::reading::Span {
    match &row.value {
        Value::Map(entries) => entries.first().map_or(row.span, |entry| entry.key_span),
        _ => row.span,
    }
}

/// The same in the row's own line: the keys of a table stand in its header.
pub(super) fn first_place(row: &FileNode) -> agon_spec::reading::Span {
    let key = first_key(row);
    match &row.value {
        Value::Map(entries) if key.start.line < row.span.start.line => {
            entries.first().map_or(row.span, |entry| entry.value.span)
        }
        _ => key,
    }
}
