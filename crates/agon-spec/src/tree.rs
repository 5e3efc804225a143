//! YAML and JSON as one tree whose every key and value knows its place.
use crate::diagnostic::{Code, SpecFinding};
use crate::limits::Limits;
use crate::place::Span;

/// Deeper nesting than any debate file needs.
pub(crate) const MAX_DEPTH: usize = 32;
/// More keys and values than any debate file needs, aliases counted as often as they are used.
pub(crate) const MAX_NODES: usize = 20_000;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct FileNode {
    /// Where.
    pub span: Span,
    /// What.
    pub value: Value,
}

/// A value of YAML or JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Flag(bool),
    /// A whole number.
    Integer(i128),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<FileNode>),
    /// A mapping.
    Map(Vec<MapEntry>),
}

/// A key of a mapping and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct MapEntry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// Its value.
    pub value: FileNode,
}

impl FileNode {
    /// Plain data at one place.
    pub fn of(data: &serde_json::Value, span: Span) -> Self {
        let value = match data {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(flag) => Value::Flag(*flag),
            serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(integer), _) => Value::Integer(integer.into()),
                (None, Some(integer)) => Value::Integer(integer.into()),
                (None, None) => Value::Number(number.as_f64().unwrap_or(f64::MAX)),
            },
            serde_json::Value::String(text) => Value::Text(text.clone()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(|item| Self::of(item, span)).collect()),
            serde_json::Value::Object(map) => {
                let entry = |(key, value): (&String, &serde_json::Value)| MapEntry {
                    key: key.clone(),
                    key_span: span,
                    value: Self::of(value, span),
                };
                Value::Map(map.iter().map(entry).collect())
            }
        };
        Self { span, value }
    }
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
pub struct Charge {
    nodes: usize,
    text: u64,
    limits: TreeLimits,
}

/// How much one file may build.
#[derive(Clone, Copy, Debug)]
pub struct TreeLimits {
    /// Keys and values, aliases counted as often as they are used.
    pub nodes: usize,
    /// Bytes of text, counted alike.
    pub text: u64,
    /// What such a file is called, with its article.
    pub what: &'static str,
    /// The setting that allows more text, for a help.
    pub raised: Option<(&'static str, u64)>,
}
impl TreeLimits {
    /// Those of a debate file.
    pub(crate) fn of_debate_file(most_text: u64) -> Self {
        let raised = Some(("expanded_bytes", Limits::MOST.expanded_bytes));
        Self { nodes: MAX_NODES, text: most_text, what: "a debate file", raised }
    }
}
impl Charge {
    /// Nothing yet, of at most so much.
    pub fn within(limits: TreeLimits) -> Self {
        Self { nodes: 0, text: 0, limits }
    }
    /// How much there may be.
    pub fn limits(&self) -> TreeLimits {
        self.limits
    }
    /// Admits one more key or value with so many bytes of text.
    pub fn admit(&mut self, depth: usize, text: usize, span: Span) -> Result<(), SpecFinding> {
        self.nodes += 1;
        self.text = self.text.saturating_add(text as u64);
        let refused = |message| Err(SpecFinding::new(Code::TooComplex, span, message));
        if depth > MAX_DEPTH {
            return refused(format!("values are nested {depth} levels deep here; at most {MAX_DEPTH} are allowed"));
        }
        let TreeLimits { nodes, text: most, raised, .. } = self.limits;
        if self.nodes > nodes {
            return refused(format!(
                "the file has {} keys and values up to here, aliases counted each time they are used; at most {nodes} are allowed",
                self.nodes
            ));
        }
        if self.text > most {
            let found = self.text;
            let told = format!(
                "the file has {found} bytes of text up to here, aliases counted each time they are used; at most {most} are allowed"
            );
            let help = raised.map(|(name, most)| Limits::raised(name, most));
            return refused(told).map_err(|finding: SpecFinding| match help {
                Some(help) => finding.help(help),
                None => finding,
            });
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
pub fn duplicate_keys(node: &FileNode) -> Vec<SpecFinding> {
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
