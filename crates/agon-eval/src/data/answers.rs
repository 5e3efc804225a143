//! Which option an answer means: by its text, its label or letter, or its index from 0.
use super::raw::LabelledOption;
use agon_core::tally::same_answer;
use agon_core::{AnswerForm, AnswerKind};
use agon_spec::reading::{Value, quote};

/// How answers are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnswerReading {
    /// Cells of a table are texts, whatever they stand for.
    pub cells: bool,
    /// A number is an index, whatever the options say.
    pub index_first: bool,
}

/// The index of the option that an answer means, or why it means none.
pub(super) fn option(answer: &Value, options: &[LabelledOption], reading: AnswerReading) -> Result<usize, String> {
    match answer {
        Value::Integer(number) => integer(*number, options, reading),
        Value::Text(text) => text_answer(text.trim(), options, reading),
        Value::Flag(_) | Value::Number(_) => {
            let text = super::members::plain_text(answer).unwrap_or_default();
            text_answer(&text, options, reading)
        }
        Value::Null | Value::List(_) | Value::Map(_) => Err("the answer is no text".to_owned()),
    }
}

fn by_text(text: &str, options: &[LabelledOption]) -> Option<usize> {
    options.iter().position(|option| same_answer(&option.text, text))
}

fn by_label(text: &str, options: &[LabelledOption]) -> Option<usize> {
    let same = |label: &String| label.trim().eq_ignore_ascii_case(text.trim());
    options.iter().position(|option| option.label.as_ref().is_some_and(same))
}

/// `B`, `(b)`, `B) Rome`; by the order of the options where they have no labels of their own.
fn by_letter(text: &str, options: &[LabelledOption]) -> Option<usize> {
    if let [letter] = text.as_bytes() {
        let at = usize::from(letter.to_ascii_uppercase().checked_sub(b'A')?);
        return (letter.is_ascii_alphabetic() && at < options.len()).then_some(at);
    }
    let texts: Vec<String> = options.iter().map(|option| option.text.clone()).collect();
    let form = AnswerForm { kind: AnswerKind::Choice, options: texts, ..AnswerForm::default() };
    let meant = form.read(text).ok()?;
    options.iter().position(|option| option.text == meant)
}

fn by_index(number: i128, options: &[LabelledOption]) -> Option<usize> {
    usize::try_from(number).ok().filter(|at| *at < options.len())
}

fn integer(number: i128, options: &[LabelledOption], reading: AnswerReading) -> Result<usize, String> {
    let written = number.to_string();
    let named = by_label(&written, options).or_else(|| by_text(&written, options));
    let index = by_index(number, options);
    match (named, index) {
        (_, Some(index)) if reading.index_first => Ok(index),
        (Some(named), Some(index)) if named != index => Err(ambiguous(&written, options, named, index)),
        (Some(at), _) | (None, Some(at)) => Ok(at),
        (None, None) => Err(none(&written, options)),
    }
}

fn text_answer(text: &str, options: &[LabelledOption], reading: AnswerReading) -> Result<usize, String> {
    let number: Option<i128> = text.parse().ok();
    if let Some(number) = number.filter(|_| reading.cells && reading.index_first) {
        return integer(number, options, reading);
    }
    let (words, label) = (by_text(text, options), by_label(text, options));
    let labelled = options.iter().any(|option| option.label.is_some());
    let label = label.or_else(|| if labelled { None } else { by_letter(text, options) });
    match (words, label) {
        (Some(words), Some(label)) if words != label => Err(ambiguous(text, options, words, label)),
        (Some(at), _) | (None, Some(at)) => Ok(at),
        (None, None) => {
            let index = number.and_then(|number| by_index(number, options));
            index.or_else(|| by_letter(text, options)).ok_or_else(|| none(text, options))
        }
    }
}

fn none(text: &str, options: &[LabelledOption]) -> String {
    let last = options.len().saturating_sub(1);
    format!("the answer {} is none of the options, whose indices are 0 to {last}", quote(text))
}

fn ambiguous(text: &str, options: &[LabelledOption], one: usize, other: usize) -> String {
    let named = |at: usize| options.get(at).map(|option| quote(&option.text)).unwrap_or_default();
    format!("the answer {} means {} or {}", quote(text), named(one), named(other))
}
