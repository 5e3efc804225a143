//! One value against its shape.
use super::section;
use crate::diagnostic::{Code, Problems, SpecFinding, quote};
use crate::keys::{Choice, KeyTable, Shape, names};
use crate::place::Span;
use crate::section::{CheckedValue, Section};
use crate::tree::{FileNode, MapEntry, Value};
use std::collections::BTreeMap;

pub(super) struct ShapeCheck<'c, 'p> {
    pub path: &'c str,
    pub key_span: Span,
    pub problems: &'c mut Problems<'p>,
}

impl ShapeCheck<'_, '_> {
    /// The value in its shape; `None` where a problem was reported.
    pub fn value(&mut self, shape: &Shape, node: &FileNode) -> Option<CheckedValue> {
        if node.value == Value::Null {
            return self.empty(shape);
        }
        if let Some(items) = items(shape, node) {
            return self.items(shape, items, node.span);
        }
        match (shape, &node.value) {
            (Shape::Text | Shape::Template | Shape::Expression, Value::Text(text)) => self.text(shape, text, node),
            (Shape::Line, Value::Text(text)) => self.line(text, node.span).map(CheckedValue::Text),
            (Shape::Flag, Value::Flag(flag)) => Some(CheckedValue::Flag(*flag)),
            (Shape::Integer { min, max }, value) => self.integer(*min, *max, value, shape, node.span),
            (Shape::Number { min, max }, value) => self.number(*min, *max, value, shape, node.span),
            (Shape::Duration, value) => self.duration(value, node.span),
            (Shape::Tolerance, value) => self.tolerance(value, node.span),
            (Shape::Short(choices, _), Value::Text(text)) => {
                let allowed = format!("{}, or a mapping", names(choices).join(", "));
                self.choice(choices, text, node.span, &allowed).map(CheckedValue::Choice)
            }
            (Shape::Choice(choices), Value::Text(text)) => {
                self.choice(choices, text, node.span, &names(choices).join(", ")).map(CheckedValue::Choice)
            }
            (Shape::Schema, Value::Map(_)) => self.schema(node),
            (Shape::Keys, Value::Map(_)) => Some(CheckedValue::Data(node.plain())),
            (Shape::GateRule, Value::Map(_)) => self.gate_rule(node),
            (Shape::Labels, Value::Map(entries)) => self.labels(entries),
            (Shape::Map(table) | Shape::Switch(table) | Shape::Short(_, table), Value::Map(entries)) => {
                Some(self.map(table, entries, node.span))
            }
            (Shape::Switch(_), Value::Flag(flag)) => Some(CheckedValue::Flag(*flag)),
            (Shape::Either(shapes), _) => self.either(shapes, shape, node),
            _ => self.wrong_type(&shape.describe(), node),
        }
    }
    fn items(&mut self, shape: &Shape, items: &[FileNode], span: Span) -> Option<CheckedValue> {
        match shape {
            Shape::Choices { of, min } => self.choices(of, *min, items, span),
            Shape::Program => self.program(items, span),
            Shape::List { of, min, max } => self.list(of, (*min, *max), shape, items),
            _ => self.lines(shape, items),
        }
    }
    pub fn fail<T>(&mut self, code: Code, span: Span, message: String) -> Option<T> {
        self.problems.error(SpecFinding::new(code, span, message).field(self.path));
        None
    }
    fn empty(&mut self, shape: &Shape) -> Option<CheckedValue> {
        let message = format!("`{}` has no value; it must be {}", self.path, shape.describe());
        self.problems.error(
            SpecFinding::new(Code::Empty, self.key_span, message)
                .field(self.path)
                .help("give a value or remove the key"),
        );
        None
    }
    pub fn wrong_type<T>(&mut self, expected: &str, node: &FileNode) -> Option<T> {
        let found = node.value.describe();
        let message = format!("`{}` must be {expected}, found {found}", self.path);
        let finding = SpecFinding::new(Code::WrongType, self.shown(node.span), message).field(self.path);
        let (wants_text, wants_flag) = (expected.contains("text"), expected.contains("true"));
        let finding = match &node.value {
            Value::Flag(_) | Value::Integer(_) | Value::Number(_) if wants_text => {
                finding.help("put it in quotes to make it a text")
            }
            Value::Text(text) if wants_flag && matches!(text.to_lowercase().as_str(), "yes" | "on") => {
                finding.help("write true")
            }
            Value::Text(text) if wants_flag && matches!(text.to_lowercase().as_str(), "no" | "off") => {
                finding.help("write false")
            }
            Value::Map(_) if wants_text => finding.help("put a text that contains ': ' in quotes"),
            Value::Text(_) if expected.starts_with("a list") => {
                finding.help("a list is written as [a, b], or as one `- item` a line")
            }
            Value::Text(_) if expected == "a mapping" && matches!(self.path, "judge" | "summarizer") => {
                finding.help(format!("name its model as `{}: {{model: NAME}}`", self.path))
            }
            _ => finding,
        };
        self.problems.error(finding);
        None
    }
    /// A mapping in block style begins where its first key does; the key that holds it says more.
    fn shown(&self, span: Span) -> Span {
        if span.start.line > self.key_span.start.line { self.key_span } else { span }
    }
    pub fn out_of_range<T>(&mut self, shape: &Shape, value: &Value, span: Span) -> Option<T> {
        let (described, found) = (shape.describe(), value.describe());
        // "0 or more" says nothing to who wrote more than there can be
        let most = match (shape, value) {
            (Shape::Integer { max, .. }, Value::Integer(number)) if number > max => Some(max.to_string()),
            (Shape::Integer { max, .. }, Value::Number(number)) if *number > *max as f64 => Some(max.to_string()),
            _ => None,
        };
        let most = most.filter(|most| !described.contains(most.as_str()));
        let most = most.map(|most| format!(", {most} at most")).unwrap_or_default();
        let message = format!("`{}` must be {described}{most}, found {found}", self.path);
        self.fail(Code::OutOfRange, span, message)
    }
    fn choices(&mut self, of: &[Choice], min: usize, items: &[FileNode], span: Span) -> Option<CheckedValue> {
        if items.len() < min {
            return self.fail(Code::OutOfRange, span, format!("`{}` must name at least {min}", self.path));
        }
        let (allowed, mut chosen) = (names(of).join(", "), Vec::new());
        for item in items {
            let Value::Text(text) = &item.value else {
                self.wrong_type::<()>(&format!("a list of {allowed}"), item);
                continue;
            };
            let Some(name) = self.choice(of, text, item.span, &allowed) else { continue };
            if chosen.contains(&name) {
                self.fail::<()>(Code::DuplicateItem, item.span, format!("`{name}` is in `{}` twice", self.path));
            } else {
                chosen.push(name);
            }
        }
        (chosen.len() == items.len()).then_some(CheckedValue::Choices(chosen))
    }
    fn lines(&mut self, shape: &Shape, items: &[FileNode]) -> Option<CheckedValue> {
        let mut lines: Vec<(String, Span)> = Vec::new();
        for item in items {
            let Value::Text(text) = &item.value else {
                self.wrong_type::<()>(&shape.describe(), item);
                continue;
            };
            let Some(line) = self.line(text, item.span) else { continue };
            if let Shape::Names { of, .. } = shape
                && !self.is_setting(&line, of, item.span)
            {
                continue;
            }
            if lines.iter().any(|(known, _)| *known == line) {
                let message = format!("{} is in `{}` twice", quote(&line), self.path);
                self.fail::<()>(Code::DuplicateItem, item.span, message);
            } else {
                lines.push((line, item.span));
            }
        }
        if let Shape::Names { max, .. } = shape
            && items.len() > *max
        {
            let message = format!("`{}` must be {}, found {}", self.path, shape.describe(), items.len());
            return self.fail(Code::OutOfRange, self.key_span, message);
        }
        (lines.len() == items.len()).then_some(CheckedValue::Lines(lines))
    }
    /// Arguments may be empty and repeat; the program may not be empty.
    fn program(&mut self, items: &[FileNode], span: Span) -> Option<CheckedValue> {
        let (most, shape) = (Shape::MOST_PROGRAM_WORDS, Shape::Program.describe());
        if items.is_empty() || items.len() > most {
            let message = format!("`{}` must be {shape}, {most} at most, found {}", self.path, items.len());
            return self.fail(Code::OutOfRange, span, message);
        }
        let mut words = Vec::new();
        for item in items {
            match &item.value {
                Value::Text(text) if text.contains('\0') || (words.is_empty() && text.trim().is_empty()) => {
                    let message = format!("`{}` has an empty program, or a text with a zero byte", self.path);
                    return self.fail(Code::BadText, item.span, message);
                }
                Value::Text(text) => words.push((text.clone(), item.span)),
                _ => return self.wrong_type(&shape, item),
            }
        }
        Some(CheckedValue::Lines(words))
    }
    fn labels(&mut self, entries: &[MapEntry]) -> Option<CheckedValue> {
        let mut labels = BTreeMap::new();
        for entry in entries {
            let path = format!("{}.{}", self.path, entry.key);
            let mut check = ShapeCheck { path: &path, key_span: entry.key_span, problems: self.problems };
            if let Some(CheckedValue::Text(text)) = check.value(&Shape::Text, &entry.value) {
                labels.insert(entry.key.clone(), text);
            }
        }
        (labels.len() == entries.len()).then_some(CheckedValue::Labels(labels))
    }
    fn list(
        &mut self,
        of: &'static KeyTable,
        (min, max): (usize, usize),
        shape: &Shape,
        items: &[FileNode],
    ) -> Option<CheckedValue> {
        let mut sections = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let path = format!("{}[{at}]", self.path);
            let mut check = ShapeCheck { path: &path, key_span: item.span, problems: self.problems };
            match &item.value {
                Value::Map(entries) => sections.extend(check.whole(of, entries, item.span)),
                _ => check.wrong_type::<()>("a mapping", item).unwrap_or_default(),
            }
        }
        if !(min..=max).contains(&items.len()) {
            let message = format!("`{}` must be {}, found {}", self.path, shape.describe(), items.len());
            self.fail::<()>(Code::OutOfRange, self.key_span, message);
        }
        Some(CheckedValue::List(sections))
    }
    /// An entry of a list, in which required keys must stand.
    fn whole(&mut self, table: &'static KeyTable, entries: &[MapEntry], span: Span) -> Option<Section> {
        let section = section(table, span, entries, self.path, self.problems);
        let first = entries.first().map_or(span, |entry| entry.key_span);
        for key in table.keys.iter().filter(|key| key.required && !section.has(key.name)) {
            let message = format!("`{}` has no `{}`", self.path, key.name);
            self.fail::<()>(Code::MissingKey, first, message);
        }
        Some(section)
    }
    fn map(&mut self, table: &'static KeyTable, entries: &[MapEntry], span: Span) -> CheckedValue {
        CheckedValue::Section(section(table, span, entries, self.path, self.problems))
    }
    fn either(&mut self, shapes: &[Shape], whole: &Shape, node: &FileNode) -> Option<CheckedValue> {
        let fitting = shapes.iter().find(|shape| {
            matches!(
                (shape, &node.value),
                (Shape::Flag, Value::Flag(_))
                    | (Shape::Line, Value::Text(_))
                    | (Shape::Map(_), Value::Map(_))
                    | (Shape::Choice(_), Value::Text(_))
                    | (Shape::Integer { .. }, Value::Integer(_) | Value::Number(_))
            )
        });
        match (fitting, &node.value) {
            (Some(Shape::Choice(choices)), Value::Text(text)) => {
                self.choice(choices, text, node.span, &whole.describe()).map(CheckedValue::Choice)
            }
            (Some(shape), _) => self.value(shape, node),
            (None, _) => self.wrong_type(&whole.describe(), node),
        }
    }
}

/// The items of a list. A single value is a list of one, unless it looks like several: a command with its arguments,
/// a mapping of names.
fn items<'n>(shape: &Shape, node: &'n FileNode) -> Option<&'n [FileNode]> {
    let is_one = match (shape, &node.value) {
        (
            Shape::Choices { .. } | Shape::Lines | Shape::Names { .. } | Shape::Program | Shape::List { .. },
            Value::List(items),
        ) => return Some(items),
        (Shape::Choices { .. } | Shape::Lines | Shape::Names { .. }, Value::Text(_)) => true,
        (Shape::Program, Value::Text(text)) => !text.trim().contains(char::is_whitespace),
        (Shape::List { of, .. }, Value::Map(entries)) => entries.iter().any(|entry| of.key(&entry.key).is_some()),
        _ => false,
    };
    is_one.then(|| std::slice::from_ref(node))
}
