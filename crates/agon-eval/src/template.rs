//! A question put into a debate file.
use crate::{DebateTemplate, Question, RoleModels};
use agon_core::{DebateSpec, Tolerance};
use agon_spec::reading::{FileNode, MapEntry, Span, Value, quote};
use agon_spec::{Code, Defaults, Diagnostic, Severity, Source, Syntax, parse_filled};
use serde_json::json;

/// What may stand in a template, and what it stands for.
pub const QUESTION_VARIABLES: [(&str, &str); 4] = [
    ("question", "the text of the question"),
    ("options", "the options of the question, one a line, with their letters"),
    ("context", "the context of the question"),
    ("option", "as the whole of a `stance`: one of the options, another one with each repetition"),
];

/// The debate of a template about a question: the question is its topic, options and context are added to its context.
///
/// Nothing of what is right, of rubric, category or id comes into it.
pub fn fill(
    template: &DebateTemplate,
    models: &RoleModels,
    question: &Question,
    repetition: u32,
    confidence: bool,
) -> Result<DebateSpec, Vec<Diagnostic>> {
    let wants_text = question.options.is_empty() && matches!(question.gold, crate::Gold::Exact { .. });
    let answer = answer(question);
    let filled = parsed(template, models, (question, repetition), (confidence, answer.as_ref()));
    // where nothing asks for a winner or a stated answer, a text needs no form
    let refused = |found: &Diagnostic| found.code == Code::Combination && found.field == "answer";
    match filled {
        Err(found) if wants_text && found.iter().any(refused) => {
            parsed(template, models, (question, repetition), (confidence, None))
        }
        other => other,
    }
}

fn parsed(
    template: &DebateTemplate,
    models: &RoleModels,
    (question, repetition): (&Question, u32),
    (confidence, answer): (bool, Option<&serde_json::Value>),
) -> Result<DebateSpec, Vec<Diagnostic>> {
    let RoleModels { model, judge_model, moderator_model, edition } = models.clone();
    let defaults = Defaults { model, judge_model, moderator_model, edition, ..Defaults::default() };
    let mut refusals = Vec::new();
    let parsed = parse_filled(&source(template), &defaults, |entries| {
        for (key, value) in &template.set {
            put(entries, key, value);
        }
        refusals = Filling { question, repetition }.fill(entries);
        match answer {
            Some(answer) => put(entries, "answer", answer),
            None => entries.retain(|entry| entry.key != "answer"),
        }
        if confidence {
            put(entries, "confidence", &json!(true));
        }
        entries.retain(|entry| !matches!(entry.key.as_str(), "seed" | "labels"));
        put(entries, "phases", &json!({"feedback": false}));
    });
    let mut diagnostics = parsed.diagnostics;
    let errors = diagnostics.iter().any(|found| found.severity == Severity::Error);
    let mut refuse = |span: Span, code: Code, field: &str, message: String| {
        diagnostics.push(Diagnostic {
            file: template.file.clone(),
            place: span.start,
            length: 1,
            severity: Severity::Error,
            code,
            field: field.to_owned(),
            message,
            help: None,
            excerpt: Default::default(),
        });
    };
    for (span, message) in refusals {
        refuse(span, Code::UnknownVariable, "stance", message);
    }
    let mut spec = parsed.spec;
    if spec.as_ref().is_some_and(|spec| spec.history_limit > 0) {
        let message = "`history_limit` must be 0 in an eval: arms must not tell each other answers".to_owned();
        refuse(Span::default(), Code::Combination, "history_limit", message);
        spec = None;
    }
    let refused = diagnostics.iter().any(|found| found.severity == Severity::Error);
    match spec {
        Some(spec) if !errors && !refused => Ok(spec),
        _ => {
            diagnostics.retain(|found| found.severity == Severity::Error);
            diagnostics.iter_mut().for_each(|found| of_set(template, found));
            Err(diagnostics)
        }
    }
}

/// A problem of a key that an eval file sets does not stand in the debate file.
fn of_set(template: &DebateTemplate, found: &mut Diagnostic) {
    let key = found.field.split(['.', '[']).next().unwrap_or_default();
    if template.set.contains_key(key) {
        found.message = format!("`set` of the eval file: {}", found.message);
        (found.place, found.excerpt) = Default::default();
    }
}

/// The context of a debate file's own topic, which every question that takes the topic's place would be asked with.
pub fn own_context(template: &DebateTemplate) -> Option<String> {
    let mut own = None;
    parse_filled(&source(template), &Defaults::default(), |entries| {
        template.set.iter().for_each(|(key, value)| put(entries, key, value));
        let text = |key: &str| match entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value.value) {
            Some(Value::Text(text)) => Some(text.trim().to_owned()),
            _ => None,
        };
        let replaced = text("topic").is_none_or(|topic| !has(&topic, "question"));
        own = text("context").filter(|text| replaced && !text.is_empty() && !has(text, "context"));
    });
    own
}

fn source(template: &DebateTemplate) -> Source {
    let syntax = match template.syntax.as_str() {
        "markdown" => Syntax::Markdown,
        "yaml" => Syntax::Yaml,
        "json" => Syntax::Json,
        _ => Syntax::Auto,
    };
    Source::new(template.file.as_str(), template.text.as_str()).with_syntax(syntax)
}

/// Sets a key; a mapping is merged into the one that is there, and null removes it.
fn put(entries: &mut Vec<MapEntry>, key: &str, value: &serde_json::Value) {
    if value.is_null() {
        entries.retain(|entry| entry.key != key);
        return;
    }
    let Some(entry) = entries.iter_mut().find(|entry| entry.key == key) else {
        let span = Span::default();
        entries.push(MapEntry { key: key.to_owned(), key_span: span, value: FileNode::of(value, span) });
        return;
    };
    match (&mut entry.value.value, value) {
        (Value::Map(inner), serde_json::Value::Object(map)) if key != "answer" => {
            map.iter().for_each(|(key, value)| put(inner, key, value));
        }
        _ => entry.value = FileNode::of(value, entry.value.span),
    }
}

/// What an answer to the question is; never which one is right.
fn answer(question: &Question) -> Option<serde_json::Value> {
    use crate::Gold;
    if !question.options.is_empty() {
        return Some(json!({"kind": "choice", "options": question.options}));
    }
    match &question.gold {
        Gold::Number { tolerance: Tolerance::Exact, .. } => Some(json!("number")),
        Gold::Number { tolerance, .. } => Some(json!({"kind": "number", "tolerance": tolerance.to_string()})),
        Gold::Exact { .. } | Gold::Rubric { .. } | Gold::Pairwise { .. } | Gold::Command { .. } => Some(json!("text")),
        Gold::Choice { .. } => None,
    }
}

struct Filling<'q> {
    question: &'q Question,
    repetition: u32,
}

/// Which variables a template places itself.
#[derive(Default)]
struct PlacedParts {
    options: bool,
    context: bool,
}

impl Filling<'_> {
    /// Fills all texts in; gives what cannot be filled in.
    fn fill(&self, entries: &mut Vec<MapEntry>) -> Vec<(Span, String)> {
        let mut placed = PlacedParts::default();
        let mut own_topic = false;
        for entry in entries.iter_mut() {
            if let (true, Value::Text(text)) = (entry.key == "topic", &entry.value.value) {
                own_topic = has(text, "question");
            }
        }
        if !own_topic {
            entries.retain(|entry| entry.key != "topic");
        }
        let refused = self.stances(entries);
        entries.iter_mut().for_each(|entry| self.texts(&entry.key, &mut entry.value, &mut placed));
        if !own_topic {
            let value = json!(self.question.text);
            put(entries, "topic", &value);
        }
        let own = entries.iter().find(|entry| entry.key == "context").map(|entry| &entry.value.value);
        let own = match own {
            Some(Value::Text(text)) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            _ => None,
        };
        let context = self.question.context.clone().filter(|_| !placed.context);
        let options = lettered(self.question).filter(|_| !placed.options).map(|options| format!("Options:\n{options}"));
        let parts: Vec<String> = [own, context, options].into_iter().flatten().collect();
        match parts.is_empty() {
            true => entries.retain(|entry| entry.key != "context"),
            false => put(entries, "context", &json!(parts.join("\n\n"))),
        }
        refused
    }

    /// Hands the options out to the personas whose stance is `{{option}}`, one further with each repetition.
    fn stances(&self, entries: &mut [MapEntry]) -> Vec<(Span, String)> {
        let (mut next, mut refused) = (usize::try_from(self.repetition).unwrap_or(0), Vec::new());
        let personas = entries.iter_mut().filter(|entry| entry.key == "personas");
        let lists = personas.filter_map(|entry| match &mut entry.value.value {
            Value::List(items) => Some(items),
            _ => None,
        });
        for persona in lists.flatten() {
            let Value::Map(members) = &mut persona.value else { continue };
            for stance in members.iter_mut().filter(|member| member.key == "stance") {
                let Value::Text(text) = &stance.value.value else { continue };
                if variable(text.trim()) != Some("option") {
                    continue;
                }
                let count = self.question.options.len();
                match self.question.options.get(next.checked_rem(count).unwrap_or(0)) {
                    Some(option) => stance.value.value = Value::Text(option.clone()),
                    None => {
                        let id = quote(&self.question.id);
                        let message = format!("`{{{{option}}}}` hands out options, and question {id} has none");
                        refused.push((stance.value.span, message));
                    }
                }
                next += 1;
            }
        }
        refused
    }

    fn texts(&self, key: &str, node: &mut FileNode, placed: &mut PlacedParts) {
        match &mut node.value {
            Value::Text(text) => {
                // there, two braces begin a variable of the debate's own
                let filled = self.text(text, matches!(key, "instructions" | "system_prompt"), placed);
                *text = filled;
            }
            Value::List(items) => items.iter_mut().for_each(|item| self.texts(key, item, placed)),
            Value::Map(entries) => {
                entries.iter_mut().for_each(|entry| self.texts(&entry.key, &mut entry.value, placed));
            }
            Value::Null | Value::Flag(_) | Value::Integer(_) | Value::Number(_) => {}
        }
    }

    /// The text with its variables filled in, once: what a question holds is not looked at again.
    fn text(&self, text: &str, guards: bool, placed: &mut PlacedParts) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let found = after.split_once("}}").and_then(|(name, next)| Some((self.value(name.trim(), placed)?, next)));
            filled.push_str(before);
            match found {
                Some((value, next)) => {
                    let value = if guards { value.replace("{{", "{ {") } else { value };
                    filled.push_str(&value);
                    rest = next;
                }
                None => {
                    filled.push_str("{{");
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        filled
    }

    fn value(&self, name: &str, placed: &mut PlacedParts) -> Option<String> {
        match name {
            "question" => Some(self.question.text.clone()),
            "options" => {
                placed.options = true;
                Some(lettered(self.question).unwrap_or_default())
            }
            "context" => {
                placed.context = true;
                Some(self.question.context.clone().unwrap_or_default())
            }
            _ => None,
        }
    }
}

/// The name of the variable that a text is.
fn variable(text: &str) -> Option<&str> {
    text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}")).map(str::trim)
}

fn has(text: &str, name: &str) -> bool {
    text.split("{{").skip(1).filter_map(|after| after.split_once("}}")).any(|(inside, _)| inside.trim() == name)
}

/// The options of a question, with the letters that an answer may give instead.
fn lettered(question: &Question) -> Option<String> {
    let short = question.options.iter().any(|option| option.chars().nth(1).is_none());
    let line = |(letter, option): (char, &String)| if short { option.clone() } else { format!("{letter}. {option}") };
    let lines: Vec<String> = ('A'..='Z').zip(&question.options).map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
