//! YAML and JSON as one tree whose every key and value knows its place.
use crate::diagnostic::{Code, SpecFinding};
use crate::limits::Limits;
use crate::place::Span;

/// Deeper nesting than any debate file needs.
pub(crate) const MAX_DEPTH: usize = 32;
/// More keys and values than any debate file needs, aliases counted as often as they are used.
pub(crate) const MAX_NODES: usize = 20_000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileNode {
    pub span: Span,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Flag(bool),
    Integer(i128),
    Number(f64),
    Text(String),
    List(Vec<FileNode>),
    Map(Vec<MapEntry>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapEntry {
    pub key: String,
    pub key_span: Span,
    pub value: FileNode,
}

impl FileNode {
    /// The data without their places.
    pub fn plain(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Flag(flag) => (*flag).into(),
            Value::Integer(number) => integer(*number),
            Value::Number(number) => (*number).into(),
            Value::Text(text) => text.clone().into(),
            Value::List(items) => items.iter().map(Self::plain).collect(),
            Value::Map(entries) => entries.iter().map(|entry| (entry.key.clone(), entry.value.plain())).collect(),
        }
    }
}

pub(crate) fn integer(number: i128) -> serde_json::Value {
    let small = i64::try_from(number).map(Into::into).or_else(|_| u64::try_from(number).map(Into::into));
    small.unwrap_or_else(|_| (number as f64).into())
}

impl Value {
    /// What a user calls this value.
    pub fn describe(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Flag(flag) => flag.to_string(),
            Self::Integer(number) => format!("the number {number}"),
            Self::Number(number) => format!("the number {number}"),
            Self::Text(text) => format!("the text {}", crate::diagnostic::quote(text)),
            Self::List(items) if items.is_empty() => "an empty list".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a mapping".to_owned(),
        }
    }
}

/// Counts what is built before it is built, and stops where a file asks for too much.
#[derive(Debug)]
pub(crate) struct Charge {
    nodes: usize,
    text: u64,
    most_text: u64,
}
impl Charge {
    /// Nothing yet, of at most so many bytes of text.
    pub fn up_to(most_text: u64) -> Self {
        Self { nodes: 0, text: 0, most_text }
    }
    /// Admits one more key or value with so many bytes of text.
    pub fn admit(&mut self, depth: usize, text: usize, span: Span) -> Result<(), SpecFinding> {
        self.nodes += 1;
        self.text = self.text.saturating_add(text as u64);
        let refused = |message| Err(SpecFinding::new(Code::TooComplex, span, message));
        if depth > MAX_DEPTH {
            return refused(format!("values are nested {depth} levels deep here; at most {MAX_DEPTH} are allowed"));
        }
        if self.nodes > MAX_NODES {
            return refused(format!(
                "the file has {} keys and values up to here, aliases counted each time they are used; at most {MAX_NODES} are allowed",
                self.nodes
            ));
        }
        if self.text > self.most_text {
            let (found, most) = (self.text, self.most_text);
            let raised = Limits::raised("expanded_bytes", Limits::MOST.expanded_bytes);
            let told = format!(
                "the file has {found} bytes of text up to here, aliases counted each time they are used; at most {most} are allowed"
            );
            return refused(told).map_err(|finding: SpecFinding| finding.help(raised));
        }
        Ok(())
    }
    /// Admits a value that is there already and is about to be copied to `depth`.
    pub fn admit_copy(&mut self, node: &FileNode, depth: usize, span: Span) -> Result<(), SpecFinding> {
        let text = if let Value::Text(text) = &node.value { text.len() } else { 0 };
        self.admit(depth, text, span)?;
        match &node.value {
            Value::List(items) => items.iter().try_for_each(|item| self.admit_copy(item, depth + 1, span)),
            Value::Map(entries) => entries.iter().try_for_each(|entry| {
                self.admit(depth + 1, entry.key.len(), span)?;
                self.admit_copy(&entry.value, depth + 1, span)
            }),
            Value::Null | Value::Flag(_) | Value::Integer(_) | Value::Number(_) | Value::Text(_) => Ok(()),
        }
    }
}

/// Keys that stand twice in one mapping, anywhere below `node`.
pub(crate) fn duplicate_keys(node: &FileNode) -> Vec<SpecFinding> {
    let mut found = Vec::new();
    visit(node, &mut found);
    found
}

fn visit(node: &FileNode, found: &mut Vec<SpecFinding>) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| visit(item, found)),
        Value::Map(entries) => {
            let mut seen = std::collections::BTreeMap::new();
            for entry in entries {
                if let Some(line) = seen.get(entry.key.as_str()) {
                    let key = crate::diagnostic::quote(&entry.key);
                    let message = format!("the key {key} is here a second time; the first is on line {line}");
                    found.push(SpecFinding::new(Code::DuplicateKey, entry.key_span, message));
                } else {
                    seen.insert(entry.key.as_str(), entry.key_span.start.line);
                }
                visit(&entry.value, found);
            }
        }
        Value::Null | Value::Flag(_) | Value::Integer(_) | Value::Number(_) | Value::Text(_) => {}
    }
}
