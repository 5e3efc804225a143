//! Checks a tree against the table of keys.
use crate::diagnostic::{Code, Finding, Problems, quote};
use crate::keys::{Choice, Fixed, Key, Shape, Table, supported};
use crate::place::Span;
use crate::section::{Checked, Field, Section};
use crate::suggest::nearest;
use crate::tree::{Entry, Node, Value};
use std::collections::BTreeMap;

/// Checks the keys of a mapping and every value below it.
pub(crate) fn section(
    table: &'static Table,
    span: Span,
    entries: &[Entry],
    path: &str,
    problems: &mut Problems<'_>,
) -> Section {
    let mut section = Section { path: path.to_owned(), span, fields: Vec::new() };
    for entry in entries {
        let Some(key) = table.key(&entry.key) else {
            problems.error(unknown(table, entry, path));
            continue;
        };
        let path = section.path_of(&entry.key);
        let twin = section.fields.iter().find(|field| same_thing(field.key, key));
        if let Some(twin) = twin {
            // The same name twice was reported when the file was read.
            if twin.written != entry.key {
                problems.error(said_twice(twin, entry, &path));
            }
            continue;
        }
        let mut check = Check { path: &path, key_span: entry.key_span, problems };
        let value = check.value(&key.shape, &entry.value).unwrap_or(Checked::Bad);
        let (written, key_span, span) = (entry.key.clone(), entry.key_span, entry.value.span);
        section.fields.push(Field { key, written, path, key_span, span, value });
    }
    section
}

fn same_thing(one: &Key, other: &Key) -> bool {
    one.name == other.name || one.instead_of == Some(other.name) || other.instead_of == Some(one.name)
}

fn said_twice(first: &Field, second: &Entry, path: &str) -> Finding {
    let line = first.key_span.start.line;
    let message = format!("`{}` and `{}` (line {line}) exclude each other; keep one", second.key, first.written);
    Finding::new(Code::Conflict, second.key_span, message).field(path)
}

fn unknown(table: &Table, entry: &Entry, path: &str) -> Finding {
    let field = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
    let place = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
    if table.later.contains(&entry.key.as_str()) {
        let message = format!("the key `{}`{place} is not supported yet", entry.key);
        return Finding::new(Code::NotSupportedYet, entry.key_span, message).field(field).help(allowed_keys(table));
    }
    let key = quote(&entry.key);
    let hint = match nearest(&entry.key, table.names()) {
        Some(name) => format!("; did you mean `{name}`?"),
        None if !path.is_empty() && crate::keys::DEBATE.key(&entry.key).is_some() => {
            format!("; `{}` stands at the top level", entry.key)
        }
        None => match nearest(&entry.key, table.later.iter().copied()) {
            Some(name) => format!("; `{name}` is not supported yet"),
            None => String::new(),
        },
    };
    let message = format!("unknown key {key}{place}{hint}");
    Finding::new(Code::UnknownKey, entry.key_span, message).field(field).help(allowed_keys(table))
}

fn allowed_keys(table: &Table) -> String {
    let names: Vec<_> = table.keys.iter().map(|key| key.name).collect();
    format!("allowed here: {}", names.join(", "))
}

struct Check<'c, 'p> {
    path: &'c str,
    key_span: Span,
    problems: &'c mut Problems<'p>,
}

impl Check<'_, '_> {
    /// The value in its shape; `None` where a problem was reported.
    fn value(&mut self, shape: &Shape, node: &Node) -> Option<Checked> {
        if node.value == Value::Null {
            return self.empty(shape);
        }
        match (shape, &node.value) {
            (Shape::Text | Shape::Template | Shape::Expression, Value::Text(text)) => self.text(shape, text, node),
            (Shape::Line, Value::Text(text)) => self.line(text, node.span).map(Checked::Text),
            (Shape::Flag, Value::Flag(flag)) => Some(Checked::Flag(*flag)),
            (Shape::Integer { min, max }, value) => self.integer(*min, *max, value, shape, node.span),
            (Shape::Number { min, max }, value) => self.number(*min, *max, value, shape, node.span),
            (Shape::Duration, value) => self.duration(value, node.span),
            (Shape::Choice(choices), Value::Text(text)) => self.choice(choices, text, node.span).map(Checked::Choice),
            (Shape::Choices { of, min }, Value::List(items)) => self.choices(of, *min, items, node.span),
            (Shape::Lines, Value::List(items)) => self.lines(items),
            (Shape::Labels, Value::Map(entries)) => self.labels(entries),
            (Shape::List { of, min, max }, Value::List(items)) => self.list(of, (*min, *max), shape, items),
            (Shape::Map(table) | Shape::Switch(table), Value::Map(entries)) => {
                Some(self.map(table, entries, node.span))
            }
            (Shape::Switch(_), Value::Flag(flag)) => Some(Checked::Flag(*flag)),
            (Shape::Either(shapes), _) => self.either(shapes, shape, node),
            (Shape::Only(fixed), value) => self.only(*fixed, value, node.span),
            _ => self.wrong_type(&shape.describe(), node),
        }
    }
    fn fail<T>(&mut self, code: Code, span: Span, message: String) -> Option<T> {
        self.problems.error(Finding::new(code, span, message).field(self.path));
        None
    }
    fn empty(&mut self, shape: &Shape) -> Option<Checked> {
        let message = format!("`{}` has no value; it must be {}", self.path, shape.describe());
        self.problems.error(
            Finding::new(Code::Empty, self.key_span, message).field(self.path).help("give a value or remove the key"),
        );
        None
    }
    fn wrong_type<T>(&mut self, expected: &str, node: &Node) -> Option<T> {
        let found = node.value.describe();
        let message = format!("`{}` must be {expected}, found {found}", self.path);
        let finding = Finding::new(Code::WrongType, self.shown(node.span), message).field(self.path);
        let (wants_text, wants_flag) = (expected.contains("text"), expected.contains("true"));
        let finding = match &node.value {
            Value::Flag(_) | Value::Integer(_) | Value::Number(_) if wants_text => {
                finding.help("put it into quotes to make it a text")
            }
            Value::Text(text) if wants_flag && matches!(text.to_lowercase().as_str(), "yes" | "on") => {
                finding.help("write true")
            }
            Value::Text(text) if wants_flag && matches!(text.to_lowercase().as_str(), "no" | "off") => {
                finding.help("write false")
            }
            Value::Map(_) if wants_text => finding.help("a text that contains ': ' goes into quotes"),
            Value::Text(_) if expected.starts_with("a list") => {
                finding.help("a list is written as [a, b], or as one `- item` a line")
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
    fn out_of_range<T>(&mut self, shape: &Shape, value: &Value, span: Span) -> Option<T> {
        let message = format!("`{}` must be {}, found {}", self.path, shape.describe(), value.describe());
        self.fail(Code::OutOfRange, span, message)
    }
    fn text(&mut self, shape: &Shape, text: &str, node: &Node) -> Option<Checked> {
        if text.trim().is_empty() {
            return self.blank(node.span);
        }
        if let Shape::Template = shape {
            crate::template::check(text, node.span, self.path, self.problems);
        }
        Some(Checked::Text(text.trim().to_owned()))
    }
    fn blank<T>(&mut self, span: Span) -> Option<T> {
        self.fail(Code::Empty, span, format!("`{}` is empty", self.path))
    }
    fn line(&mut self, text: &str, span: Span) -> Option<String> {
        const MOST: usize = 200;
        if text.trim().is_empty() {
            return self.blank(span);
        }
        let text = text.trim();
        if text.chars().any(char::is_control) {
            return self.fail(
                Code::BadText,
                span,
                format!("`{}` must be one line without control characters", self.path),
            );
        }
        if text.chars().count() > MOST {
            return self.fail(Code::BadText, span, format!("`{}` is longer than {MOST} characters", self.path));
        }
        Some(text.to_owned())
    }
    fn integer(&mut self, min: i128, max: i128, value: &Value, shape: &Shape, span: Span) -> Option<Checked> {
        let number = match value {
            Value::Integer(number) => *number,
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => *number as i128,
            Value::Number(_) | Value::Null | Value::Flag(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => {
                return self.wrong_type(&shape.describe(), &Node { span, value: value.clone() });
            }
        };
        if (min..=max).contains(&number) {
            Some(Checked::Integer(number))
        } else {
            self.out_of_range(shape, value, span)
        }
    }
    fn number(&mut self, min: f64, max: f64, value: &Value, shape: &Shape, span: Span) -> Option<Checked> {
        let number = match value {
            Value::Integer(number) => *number as f64,
            Value::Number(number) => *number,
            Value::Null | Value::Flag(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => {
                return self.wrong_type(&shape.describe(), &Node { span, value: value.clone() });
            }
        };
        if (min..=max).contains(&number) {
            Some(Checked::Number(number))
        } else {
            self.out_of_range(shape, value, span)
        }
    }
    fn duration(&mut self, value: &Value, span: Span) -> Option<Checked> {
        let millis = match value {
            Value::Integer(seconds) => Some(*seconds as f64 * 1000.0),
            Value::Number(seconds) => Some(seconds * 1000.0),
            Value::Text(text) => crate::duration::millis(text),
            Value::Null | Value::Flag(_) | Value::List(_) | Value::Map(_) => None,
        };
        let Some(millis) = millis else {
            return self.wrong_type(&Shape::Duration.describe(), &Node { span, value: value.clone() });
        };
        if (1.0..=crate::duration::MAX_MILLIS).contains(&millis) {
            return Some(Checked::Millis(millis.round() as u64));
        }
        let message = format!("`{}` must be from 1ms to 24h, found {}", self.path, value.describe());
        self.fail(Code::OutOfRange, span, message)
    }
    fn choice(&mut self, choices: &[Choice], text: &str, span: Span) -> Option<&'static str> {
        // The table is static; its names outlive the borrow of the slice.
        let known = choices.iter().find(|choice| choice.name == text).map(|choice| (choice.name, choice.is_later()));
        let names = supported(choices).join(", ");
        match known {
            Some((name, false)) => Some(name),
            Some((name, true)) => {
                let message = format!("{} '{name}' is not supported yet; supported: {names}", self.path);
                self.fail(Code::NotSupportedYet, span, message)
            }
            None => {
                let hint = nearest(text, choices.iter().map(|choice| choice.name));
                let hint = hint.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
                let message = format!("{} is not a value of `{}`{hint}", quote(text), self.path);
                let finding = Finding::new(Code::UnknownValue, span, message).field(self.path);
                self.problems.error(finding.help(format!("allowed: {names}")));
                None
            }
        }
    }
    fn choices(&mut self, of: &[Choice], min: usize, items: &[Node], span: Span) -> Option<Checked> {
        if items.len() < min {
            return self.fail(Code::OutOfRange, span, format!("`{}` must name at least {min}", self.path));
        }
        let mut names = Vec::new();
        for item in items {
            let Value::Text(text) = &item.value else {
                self.wrong_type::<()>(&format!("a list of {}", supported(of).join(", ")), item);
                continue;
            };
            let Some(name) = self.choice(of, text, item.span) else { continue };
            if names.contains(&name) {
                self.fail::<()>(Code::DuplicateItem, item.span, format!("`{name}` stands in `{}` twice", self.path));
            } else {
                names.push(name);
            }
        }
        (names.len() == items.len()).then_some(Checked::Choices(names))
    }
    fn lines(&mut self, items: &[Node]) -> Option<Checked> {
        let mut lines: Vec<(String, Span)> = Vec::new();
        for item in items {
            let Value::Text(text) = &item.value else {
                self.wrong_type::<()>(&Shape::Lines.describe(), item);
                continue;
            };
            let Some(line) = self.line(text, item.span) else { continue };
            if lines.iter().any(|(known, _)| *known == line) {
                let message = format!("{} stands in `{}` twice", quote(&line), self.path);
                self.fail::<()>(Code::DuplicateItem, item.span, message);
            } else {
                lines.push((line, item.span));
            }
        }
        (lines.len() == items.len()).then_some(Checked::Lines(lines))
    }
    fn labels(&mut self, entries: &[Entry]) -> Option<Checked> {
        let mut labels = BTreeMap::new();
        for entry in entries {
            let path = format!("{}.{}", self.path, entry.key);
            let mut check = Check { path: &path, key_span: entry.key_span, problems: self.problems };
            if let Some(Checked::Text(text)) = check.value(&Shape::Text, &entry.value) {
                labels.insert(entry.key.clone(), text);
            }
        }
        (labels.len() == entries.len()).then_some(Checked::Labels(labels))
    }
    fn list(
        &mut self,
        of: &'static Table,
        (min, max): (usize, usize),
        shape: &Shape,
        items: &[Node],
    ) -> Option<Checked> {
        let mut sections = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let path = format!("{}[{at}]", self.path);
            let mut check = Check { path: &path, key_span: item.span, problems: self.problems };
            match &item.value {
                Value::Map(entries) => sections.extend(check.whole(of, entries, item.span)),
                _ => check.wrong_type::<()>("a mapping", item).unwrap_or_default(),
            }
        }
        if !(min..=max).contains(&items.len()) {
            let message = format!("`{}` must be {}, found {}", self.path, shape.describe(), items.len());
            self.fail::<()>(Code::OutOfRange, self.key_span, message);
        }
        Some(Checked::List(sections))
    }
    /// An entry of a list, in which required keys must stand.
    fn whole(&mut self, table: &'static Table, entries: &[Entry], span: Span) -> Option<Section> {
        let section = section(table, span, entries, self.path, self.problems);
        let first = entries.first().map_or(span, |entry| entry.key_span);
        for key in table.keys.iter().filter(|key| key.required && !section.has(key.name)) {
            let message = format!("`{}` has no `{}`", self.path, key.name);
            self.fail::<()>(Code::MissingKey, first, message);
        }
        Some(section)
    }
    fn map(&mut self, table: &'static Table, entries: &[Entry], span: Span) -> Checked {
        Checked::Section(section(table, span, entries, self.path, self.problems))
    }
    fn either(&mut self, shapes: &[Shape], whole: &Shape, node: &Node) -> Option<Checked> {
        let fitting = shapes.iter().find(|shape| {
            matches!(
                (shape, &node.value),
                (Shape::Flag, Value::Flag(_))
                    | (Shape::Choice(_), Value::Text(_))
                    | (Shape::Integer { .. }, Value::Integer(_) | Value::Number(_))
            )
        });
        match fitting {
            Some(shape) => self.value(shape, node),
            None => self.wrong_type(&whole.describe(), node),
        }
    }
    fn only(&mut self, fixed: Fixed, value: &Value, span: Span) -> Option<Checked> {
        let fits = match (fixed, value) {
            (Fixed::False, Value::Flag(false)) | (Fixed::One, Value::Integer(1)) => true,
            (Fixed::EmptyList, Value::List(items)) => items.is_empty(),
            _ => false,
        };
        if fits {
            return Some(Checked::Fixed);
        }
        if let Some(schema) = schema_of_disabled_synthesizer(value) {
            let message = format!("`{}` has an output schema, but is not enabled", self.path);
            return self.fail(Code::SchemaWithoutSynthesizer, schema, message);
        }
        let message =
            format!("{} with {} is not supported yet; supported: {}", self.path, value.describe(), fixed.text());
        let span = self.shown(span);
        self.fail(Code::NotSupportedYet, span, message)
    }
}

/// Where the schema stands in `{enabled: false, output_schema: ...}`.
fn schema_of_disabled_synthesizer(value: &Value) -> Option<Span> {
    let Value::Map(entries) = value else { return None };
    let disabled = entries.iter().any(|entry| entry.key == "enabled" && entry.value.value == Value::Flag(false));
    let schema = entries.iter().find(|entry| entry.key == "output_schema")?;
    disabled.then_some(schema.key_span)
}
