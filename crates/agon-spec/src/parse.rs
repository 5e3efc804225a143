//! From a source to a spec.
use crate::defaults::Defaults;
use crate::diagnostic::{Code, Diagnostic, Problems, Severity, SpecFinding};
use crate::markdown::Body;
use crate::overrides::Overrides;
use crate::place::Span;
use crate::source::{Source, Syntax, Text, decode, detect};
use crate::tree::{FileNode, MapEntry, Value, duplicate_keys};
use crate::{draft, json, keys, markdown, rules, shape, yaml};
use agon_core::DebateSpec;

/// What a debate file came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The spec; absent exactly when a diagnostic is an error.
    pub spec: Option<DebateSpec>,
    /// Every problem, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}
impl Parsed {
    /// Whether a diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Reads a debate file; `defaults` fill in what it leaves open.
pub fn parse(source: &Source, defaults: &Defaults) -> Parsed {
    parse_with(source, defaults, &Overrides::default())
}

/// Reads a debate file in which these values stand in place of its own.
pub fn parse_with(source: &Source, defaults: &Defaults, overrides: &Overrides) -> Parsed {
    let mut problems = Problems::new(&source.name);
    let Some(text) = decode(source, &mut problems) else {
        return Parsed { spec: None, diagnostics: problems.into_list() };
    };
    let mut problems = problems.with_text(&text, defaults.limits);
    let spec = match load(&text, detect(source, &text), &mut problems) {
        Ok(loaded) => {
            let entries = loaded.root.as_ref().map_or(&[] as &[MapEntry], entries);
            rules::placeholders::check(entries, loaded.body.as_ref(), &mut problems);
            Some(resolve(&loaded, (defaults, overrides), &mut problems))
        }
        Err(finding) => {
            problems.error(finding);
            None
        }
    };
    let spec = spec.filter(|_| !problems.has_errors());
    Parsed { spec, diagnostics: problems.into_readable_list() }
}

/// Reads a debate file whose keys `fill` may change before they are checked: the texts of a Markdown body are keys then, too.
pub fn parse_filled(source: &Source, defaults: &Defaults, fill: impl FnOnce(&mut Vec<MapEntry>)) -> Parsed {
    let mut problems = Problems::new(&source.name);
    let Some(text) = decode(source, &mut problems) else {
        return Parsed { spec: None, diagnostics: problems.into_list() };
    };
    let mut problems = problems.with_text(&text, defaults.limits);
    let spec = match load(&text, detect(source, &text), &mut problems) {
        Ok(loaded) => Some(resolve(&with_keys(loaded, fill), (defaults, &Overrides::default()), &mut problems)),
        Err(finding) => {
            problems.error(finding);
            None
        }
    };
    let spec = spec.filter(|_| !problems.has_errors());
    Parsed { spec, diagnostics: problems.into_readable_list() }
}

fn with_keys(loaded: Loaded, fill: impl FnOnce(&mut Vec<MapEntry>)) -> Loaded {
    let Loaded { root, body } = loaded;
    let mut root = root.unwrap_or(FileNode { span: Span::default(), value: Value::Map(Vec::new()) });
    if root.value == Value::Null {
        root.value = Value::Map(Vec::new());
    }
    if let Value::Map(entries) = &mut root.value {
        let Body { topic, context, materials } = body.unwrap_or_default();
        for (key, passage) in [("topic", topic), ("context", context), ("materials", materials)] {
            let Some(passage) = passage.filter(|_| !entries.iter().any(|entry| entry.key == key)) else { continue };
            let value = FileNode { span: passage.span, value: Value::Text(passage.text) };
            entries.push(MapEntry { key: key.to_owned(), key_span: passage.span, value });
        }
        fill(entries);
    }
    Loaded { root: Some(root), body: None }
}

/// A file, read and not yet judged.
struct Loaded {
    root: Option<FileNode>,
    /// Only Markdown has one.
    body: Option<Body>,
}

fn load(text: &Text, syntax: Syntax, problems: &mut Problems<'_>) -> Result<Loaded, SpecFinding> {
    match syntax {
        Syntax::Json => Ok(Loaded { root: Some(json::parse(text, problems.limits.expanded_bytes)?), body: None }),
        Syntax::Yaml => Ok(Loaded { root: yaml::parse(&text.all, 0, problems.limits.expanded_bytes)?, body: None }),
        Syntax::Markdown | Syntax::Auto => {
            let parts = markdown::split(text)?;
            let front = parts.front.and_then(|range| text.all.get(range));
            let root = front.map_or(Ok(None), |front| yaml::parse(front, 1, problems.limits.expanded_bytes))?;
            let entries = root.as_ref().map_or(&[] as &[MapEntry], entries);
            let topic_is_set = entries.iter().any(|entry| entry.key == "topic");
            let body = markdown::body(text, parts.body, topic_is_set, problems);
            Ok(Loaded { root, body: Some(body) })
        }
    }
}

fn entries(node: &FileNode) -> &[MapEntry] {
    match &node.value {
        Value::Map(entries) => entries,
        Value::Null | Value::Flag(_) | Value::Integer(_) | Value::Number(_) | Value::Text(_) | Value::List(_) => &[],
    }
}

fn resolve(loaded: &Loaded, (defaults, overrides): (&Defaults, &Overrides), problems: &mut Problems<'_>) -> DebateSpec {
    if let Some(root) = &loaded.root {
        if !matches!(root.value, Value::Map(_) | Value::Null) {
            let message = format!("a debate file must be a mapping of keys to values, found {}", root.value.describe());
            problems.error(SpecFinding::new(Code::WrongType, root.span, message));
            return draft::draft(&Default::default(), draft::FileTexts::default(), defaults);
        }
        duplicate_keys(root).into_iter().for_each(|finding| problems.error(finding));
    }
    let entries = loaded.root.as_ref().map_or(&[] as &[MapEntry], entries);
    let mut section = shape::section(&keys::DEBATE, Span::default(), entries, "", problems);
    overrides.apply(&mut section);
    let body = loaded.body.clone();
    let texts = rules::texts(&section, body.unwrap_or_default(), loaded.body.is_some(), problems);
    let spec = match overrides.model {
        // the models of the settings are for roles that name none
        Some(_) => {
            draft::draft(&section, texts, &Defaults { judge_model: None, moderator_model: None, ..defaults.clone() })
        }
        None => draft::draft(&section, texts, defaults),
    };
    rules::check(&section, &spec, problems);
    rules::settings(&section, defaults, problems);
    spec
}
