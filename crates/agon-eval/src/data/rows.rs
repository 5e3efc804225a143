//! From the text of a file to its rows: one value for each question, with its place.
use super::csv_rows;
use super::{DataShape, MOST_DATA_BYTES, MOST_NODES, MOST_QUESTIONS};
use crate::names::named_values;
use agon_spec::reading::{Charge, FileNode, MapEntry, Problems, Span, SpecFinding, Text, TreeLimits, Value};
use agon_spec::reading::{clean, duplicate_keys, json, yaml};
use agon_spec::{Code, Place, nearest};

named_values! {
    /// How a file of questions is written.
    pub enum DataSyntax {
        Jsonl = "jsonl": "one JSON value a line",
        Json = "json": "one JSON list",
        Csv = "csv": "cells parted by commas, semicolons or tabs, with a header",
        Yaml = "yaml": "one YAML list",
        Lines = "lines": "one question a line, without answers",
    }
}

impl DataSyntax {
    /// By the ending of the name, else by the content.
    pub(super) fn detect(name: &str, text: &str) -> Self {
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
        match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
            Some("jsonl" | "ndjson") => Self::Jsonl,
            Some("json") => Self::json_or_jsonl(text),
            Some("csv" | "tsv") => Self::Csv,
            Some("yaml" | "yml") => Self::Yaml,
            Some("txt" | "md") => Self::Lines,
            _ => Self::by_content(text),
        }
    }

    fn by_content(text: &str) -> Self {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim_start();
        match first.chars().next() {
            Some('{') => Self::Jsonl,
            Some('[') => Self::Json,
            Some('-') => Self::Yaml,
            _ if csv_rows::is_header(first) => Self::Csv,
            _ => Self::Lines,
        }
    }

    /// Lines of JSON are often kept in a file that ends with `.json`.
    fn json_or_jsonl(text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(2);
        let whole = |line: &str| line.trim_start().starts_with('{') && line.trim_end().ends_with('}');
        match (lines.next(), lines.next()) {
            (Some(first), Some(second)) if whole(first) && second.trim_start().starts_with('{') => Self::Jsonl,
            _ => Self::Json,
        }
    }
}

/// The rows of a file.
#[derive(Debug, Default)]
pub(super) struct DataRows {
    pub list: Vec<FileNode>,
    /// Cells of a table are texts, whatever they stand for.
    pub cells: bool,
    /// All of the file was read.
    pub complete: bool,
}

pub(super) fn empty() -> SpecFinding {
    SpecFinding::new(Code::Empty, Span::default(), "the file holds no question")
}

/// Reads the rows; what cannot be read is reported.
pub(super) fn read(text: &Text, syntax: DataSyntax, shape: Option<DataShape>, problems: &mut Problems<'_>) -> DataRows {
    let limits =
        TreeLimits { nodes: MOST_NODES, text: MOST_DATA_BYTES as u64, what: "a file of questions", raised: None };
    let rows = match syntax {
        DataSyntax::Jsonl => jsonl(text, &mut Charge::within(limits), problems),
        DataSyntax::Json => json(text, 0, &mut Charge::within(limits)).and_then(list),
        DataSyntax::Yaml => yaml(&text.all, 0, limits).and_then(|root| root.map_or(Ok(Vec::new()), list)),
        DataSyntax::Csv => csv_rows::read(text, shape, &mut Charge::within(limits), problems),
        DataSyntax::Lines => Ok(lines(text)),
    };
    let rows = rows.and_then(within);
    let list = rows.unwrap_or_else(|finding| {
        problems.error(finding);
        Vec::new()
    });
    for row in &list {
        duplicate_keys(row).into_iter().for_each(|finding| problems.error(finding));
    }
    DataRows { complete: !problems.has_errors(), list, cells: syntax == DataSyntax::Csv }
}

fn within(list: Vec<FileNode>) -> Result<Vec<FileNode>, SpecFinding> {
    let Some(first) = list.get(MOST_QUESTIONS) else { return Ok(list) };
    let message = format!("the file has {} questions; at most {MOST_QUESTIONS} are allowed", list.len());
    Err(SpecFinding::new(Code::OutOfRange, first.span, message))
}

/// One value a line. A line that is no JSON does not hide the mistakes of the others.
fn jsonl(text: &Text, charge: &mut Charge, problems: &mut Problems<'_>) -> Result<Vec<FileNode>, SpecFinding> {
    let (mut list, mut bad) = (Vec::new(), 0);
    for (at, line) in text.all.split('\n').enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match json(&Text::new(line.to_owned()), at, charge) {
            Ok(node) => list.push(node),
            Err(finding) if bad < super::MOST_PROBLEMS => {
                bad += 1;
                problems.error(finding);
            }
            Err(_) => break,
        }
    }
    Ok(list)
}

fn lines(text: &Text) -> Vec<FileNode> {
    let row = |(at, line): (usize, &str)| {
        let column = line.chars().take_while(|c| c.is_whitespace()).count() + 1;
        let start = Place { line: at + 1, column };
        let end = Place { line: at + 1, column: line.chars().count() + 1 };
        FileNode { span: Span { start, end }, value: Value::Text(line.trim().to_owned()) }
    };
    text.all.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty()).map(row).collect()
}

/// Keys under which files that are a mapping have their list.
const LISTS: [&str; 6] = ["questions", "tests", "samples", "examples", "data", "items"];

/// The list that the file is, or that it holds.
fn list(root: FileNode) -> Result<Vec<FileNode>, SpecFinding> {
    let span = root.span;
    match root.value {
        Value::List(items) => Ok(items),
        Value::Null => Ok(Vec::new()),
        Value::Map(entries) => {
            let earlier = |at: usize, entry: &MapEntry| entries.iter().take(at).any(|other| other.key == entry.key);
            if let Some((_, twice)) = entries.iter().enumerate().find(|(at, entry)| earlier(*at, entry)) {
                let message = format!("the key `{}` is here twice", clean(&twice.key));
                return Err(SpecFinding::new(Code::DuplicateKey, twice.key_span, message));
            }
            let keys: Vec<String> = entries.iter().map(|entry| entry.key.clone()).collect();
            match entries.into_iter().find(is_list) {
                Some(MapEntry { value: FileNode { value: Value::List(items), .. }, .. }) => Ok(items),
                _ => Err(no_list(&keys, span)),
            }
        }
        other => {
            let message = format!("a file of questions must be a list, found {}", other.describe());
            Err(SpecFinding::new(Code::WrongType, span, message))
        }
    }
}

fn is_list(entry: &MapEntry) -> bool {
    LISTS.contains(&entry.key.as_str()) && matches!(entry.value.value, Value::List(_))
}

fn no_list(keys: &[String], span: Span) -> SpecFinding {
    let near = keys.iter().find_map(|key| Some((key, nearest(key, LISTS)?)));
    let hint = near.map_or_else(String::new, |(_, list)| format!("; did you mean the key `{list}`?"));
    let message = format!("a file of questions must be a list, or a mapping that holds one{hint}");
    SpecFinding::new(Code::WrongType, span, message).help(format!("keys of such a list: {}", LISTS.join(", ")))
}
