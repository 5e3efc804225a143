//! Sheets of answers for people to label: who wrote an answer and how it was graded is not on them.
use crate::export::plain;
use crate::{
    AnswerLabel, EvalMachine, Gold, GradedAnswer, LabelItem, LabelsRefused, Question, label_items, label_sheet,
};
use std::collections::BTreeMap;

/// Labels of an eval where no number is given.
pub const USUAL_LABELS: u32 = 100;

/// The columns of a sheet before `right`, in order.
const SHEET_TEXTS: [&str; 6] = ["id", "question", "context", "reference", "criteria", "answer"];

/// What a person has to label of an eval.
#[derive(Clone, Debug)]
pub struct OpenSheet {
    /// The answers that have no label yet, in an order that says nothing.
    pub items: Vec<LabelItem>,
    /// Answers of the sheet that have one.
    pub labelled: usize,
}

/// A sheet that cannot be read back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SheetRefused {
    /// It is no table of this kind.
    #[error("the sheet cannot be read: {0}")]
    Unreadable(String),
    /// A column is missing.
    #[error("the sheet has no column `{0}`; it needs `id` and `right`")]
    NoColumn(&'static str),
    /// A row names no answer of the eval.
    #[error("line {line}: {id:?} is no answer of this eval, or no longer the arm's")]
    Unknown {
        /// Of the file, from 1.
        line: u64,
        /// What the row names.
        id: String,
    },
    /// Two rows say the opposite of one answer.
    #[error("line {line}: {id:?} has the opposite label on an earlier line")]
    Contradicted {
        /// Of the file, from 1.
        line: u64,
        /// What both rows name.
        id: String,
    },
    /// A label is neither yes nor no.
    #[error("line {line}: `right` is {given:?}; write y or n, or leave it empty")]
    Label {
        /// Of the file, from 1.
        line: u64,
        /// What the row has.
        given: String,
    },
}

/// The sheet of so many answers, as evenly from each arm and each grade as there are some.
pub fn open_sheet(machine: &EvalMachine, count: u32) -> Result<OpenSheet, LabelsRefused> {
    let all = label_items(machine)?;
    let graded: Vec<GradedAnswer> = all.iter().map(|item| item.graded.clone()).collect();
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    let picked = label_sheet(&graded, most, machine.admission().spec.seed);
    let is_labelled = |item: &LabelItem| {
        let label = item.label(true);
        machine.labels().iter().any(|known| AnswerLabel { right: true, ..known.clone() } == label)
    };
    let sheet: Vec<LabelItem> = picked.iter().filter_map(|at| all.get(*at).cloned()).collect();
    let (done, items): (Vec<_>, Vec<_>) = sheet.into_iter().partition(is_labelled);
    Ok(OpenSheet { items, labelled: done.len() })
}

/// What a person reads beside an answer: question, context, reference and criteria.
pub fn sheet_texts(question: &Question) -> [String; 4] {
    let (criteria, answers) = match &question.gold {
        Gold::Rubric { criteria, answers } => (criteria.as_slice(), answers.as_slice()),
        _ => (&[][..], &[][..]),
    };
    let criteria: Vec<String> = (1..)
        .zip(criteria)
        .map(|(number, criterion)| {
            format!("{number}. {}{}", criterion.text, if criterion.must { " (must)" } else { "" })
        })
        .collect();
    [question.text.clone(), question.context.clone().unwrap_or_default(), answers.join("\n"), criteria.join("\n")]
}

/// A sheet as CSV, its last column `right` empty. The sheet of a rehearsal has the column `rehearsal` before it.
pub fn sheet_csv(machine: &EvalMachine, items: &[LabelItem]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mark = |text| machine.admission().rehearsal.then_some(text);
    writer.write_record(SHEET_TEXTS.into_iter().chain(mark("rehearsal")).chain(["right"]))?;
    for item in items {
        let question = machine.admission().spec.questions.get(item.graded.question as usize);
        let [text, context, reference, criteria] = question.map(sheet_texts).unwrap_or_default();
        let texts = [&item.id, &text, &context, &reference, &criteria, &item.answer].map(|text| plain(text));
        writer.write_record(texts.iter().map(String::as_str).chain(mark("true")).chain([""]))?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The labels of a sheet; rows without a label are left out.
pub fn sheet_labels(items: &[LabelItem], bytes: &[u8]) -> Result<Vec<AnswerLabel>, SheetRefused> {
    let unreadable = |error: csv::Error| SheetRefused::Unreadable(error.to_string());
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let separator =
        if bytes.split(|byte| *byte == b'\n').next().is_some_and(|head| head.contains(&b';')) { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(bytes);
    let head = reader.headers().map_err(unreadable)?.clone();
    let column = |name: &'static str| {
        let at = head.iter().position(|column| column.trim().eq_ignore_ascii_case(name));
        at.ok_or(SheetRefused::NoColumn(name))
    };
    let (id, right) = (column("id")?, column("right")?);
    let known: BTreeMap<&str, &LabelItem> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    let mut labels: BTreeMap<&str, AnswerLabel> = BTreeMap::new();
    for row in reader.records() {
        let row = row.map_err(unreadable)?;
        let line = row.position().map_or(0, |position| line_of(bytes, position));
        let cell = |at: usize| row.get(at).unwrap_or_default().trim();
        let given = cell(right).to_lowercase();
        let right = match given.as_str() {
            "" => continue,
            "y" | "yes" | "true" | "1" | "right" => true,
            "n" | "no" | "false" | "0" | "wrong" => false,
            _ => return Err(SheetRefused::Label { line, given }),
        };
        let item = known.get(cell(id)).ok_or_else(|| SheetRefused::Unknown { line, id: cell(id).to_owned() })?;
        let label = item.label(right);
        match labels.insert(&item.id, label) {
            Some(earlier) if earlier.right != right => {
                return Err(SheetRefused::Contradicted { line, id: item.id.clone() });
            }
            Some(_) | None => {}
        }
    }
    Ok(labels.into_values().collect())
}

/// The line on which a row begins: what ends the row before it is not part of it.
fn line_of(bytes: &[u8], position: &csv::Position) -> u64 {
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let ends = bytes.get(start..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + ends.filter(|byte| **byte == b'\n').count() as u64
}
