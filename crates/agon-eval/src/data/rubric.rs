//! The criteria of a rubric.
use super::members::{at, plain_text};
use crate::Criterion;
use agon_spec::Code;
use agon_spec::reading::{FileNode, Problems, SpecFinding, Value};

/// Criteria of one rubric, and characters of one criterion, at the most.
const MOST_CRITERIA: usize = 30;
const MOST_TEXT: usize = 2_000;

/// The criteria: a list of texts or of `{text, must}`, or a text whose lines are numbered.
pub(super) fn criteria(node: &FileNode, problems: &mut Problems<'_>) -> Option<Vec<Criterion>> {
    let found: Option<Vec<Criterion>> = match &node.value {
        Value::Text(text) => Some(lines(text)),
        Value::List(items) => items.iter().map(criterion).collect(),
        _ => None,
    };
    let Some(criteria) = found else {
        let message = format!(
            "`rubric` must be a list of criteria, each a text or `{{text, must}}`, or a text with numbered lines, found {}",
            node.value.describe()
        );
        problems.error(SpecFinding::new(Code::WrongType, node.span, message).field("rubric"));
        return None;
    };
    let count = criteria.len();
    let longest = criteria.iter().map(|criterion| criterion.text.chars().count()).max().unwrap_or(0);
    let message = match () {
        () if criteria.iter().any(|criterion| criterion.text.is_empty()) => {
            "a criterion of `rubric` is empty".to_owned()
        }
        () if count > MOST_CRITERIA => format!("`rubric` has {count} criteria; at most {MOST_CRITERIA} are allowed"),
        () if longest > MOST_TEXT => format!("a criterion has {longest} characters; at most {MOST_TEXT} are allowed"),
        () => return Some(criteria),
    };
    problems.error(SpecFinding::new(Code::OutOfRange, node.span, message).field("rubric"));
    None
}

fn criterion(node: &FileNode) -> Option<Criterion> {
    let Value::Map(entries) = &node.value else { return plain_text(&node.value).map(|text| marked(&text)) };
    let known = entries.iter().all(|entry| matches!(entry.key.as_str(), "text" | "must"));
    let text = plain_text(&at(entries, "text")?.value.value)?;
    let must = match at(entries, "must").map(|must| &must.value.value) {
        None => false,
        Some(Value::Flag(must)) => *must,
        Some(_) => return None,
    };
    known.then_some(Criterion { text, must })
}

/// `1. ...` or `2) ...` begins a criterion; a text without numbers is one.
fn lines(text: &str) -> Vec<Criterion> {
    let mut criteria: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match (numbered(line), criteria.last_mut()) {
            (Some(rest), _) => criteria.push(rest.to_owned()),
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line);
            }
            (None, None) => criteria.push(line.to_owned()),
        }
    }
    criteria.iter().map(|text| marked(text)).collect()
}

fn numbered(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if rest.len() < line.len() { rest.strip_prefix(['.', ')']) } else { rest.strip_prefix("- ") };
    rest.map(str::trim)
}

/// `(must)` at either end, or `must:` before it, says that nothing else counts without it.
fn marked(text: &str) -> Criterion {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let cut = match () {
        () if lower.starts_with("must:") => text.get("must:".len()..),
        () if lower.starts_with("(must)") => text.get("(must)".len()..),
        () if lower.ends_with("(must)") => text.get(..text.len() - "(must)".len()),
        () => None,
    };
    Criterion { text: cut.unwrap_or(text).trim().to_owned(), must: cut.is_some() }
}
