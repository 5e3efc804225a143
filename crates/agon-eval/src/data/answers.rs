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

/// The option that an answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MeantOption {
    /// Its index.
    pub at: usize,
    /// What else digits could mean.
    pub digits: AnswerDigits,
}

/// How an answer in digits was read: as an index, or as the text or label of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerDigits {
    /// The answer is not in digits, or both readings are the same option.
    Clear,
    /// They can only be an index.
    Index,
    /// They were read as a text or label; as an index they are this option.
    NotIndex(usize),
    /// They were read as an index; as a text or label they are this option.
    NotText(usize),
}

impl MeantOption {
    fn clear(at: usize) -> Self {
        Self { at, digits: AnswerDigits::Clear }
    }

    /// An option that is named by text or label, which may also be an index.
    fn named(at: usize, index: Option<usize>) -> Self {
        let other = index.filter(|index| *index != at);
        Self { at, digits: other.map_or(AnswerDigits::Clear, AnswerDigits::NotIndex) }
    }
}

/// The option that an answer means, or why it means none.
pub(super) fn option(
    answer: &Value,
    options: &[LabelledOption],
    reading: AnswerReading,
) -> Result<MeantOption, String> {
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

fn integer(number: i128, options: &[LabelledOption], reading: AnswerReading) -> Result<MeantOption, String> {
    let written = number.to_string();
    let named = by_label(&written, options).or_else(|| by_text(&written, options));
    let index = by_index(number, options);
    match (named, index) {
        (Some(named), Some(index)) if named == index => Ok(MeantOption::clear(index)),
        (Some(named), Some(at)) if reading.index_first => Ok(MeantOption { at, digits: AnswerDigits::NotText(named) }),
        (Some(named), Some(index)) => Err(ambiguous(&written, options, named, index)),
        (None, Some(at)) => Ok(MeantOption { at, digits: AnswerDigits::Index }),
        (Some(at), None) => Ok(MeantOption::clear(at)),
        (None, None) => Err(none(&written, options)),
    }
}

fn text_answer(text: &str, options: &[LabelledOption], reading: AnswerReading) -> Result<MeantOption, String> {
    let number: Option<i128> = text.parse().ok();
    if let Some(number) = number.filter(|_| reading.cells && reading.index_first) {
        return integer(number, options, reading);
    }
    let index = number.and_then(|number| by_index(number, options));
    let (words, label) = (by_text(text, options), by_label(text, options));
    let labelled = options.iter().any(|option| option.label.is_some());
    let label = label.or_else(|| if labelled { None } else { by_letter(text, options) });
    match (words, label) {
        (Some(words), Some(label)) if words != label => Err(ambiguous(text, options, words, label)),
        (Some(at), _) | (None, Some(at)) => Ok(MeantOption::named(at, index)),
        (None, None) => match index {
            Some(at) => Ok(MeantOption { at, digits: AnswerDigits::Index }),
            None => by_letter(text, options).map(MeantOption::clear).ok_or_else(|| none(text, options)),
        },
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
