//! Templates of evals, whose placeholders nothing but an eval fills in.
use crate::diagnostic::{Code, Problems, SpecFinding};
use crate::markdown::{Body, Passage};
use crate::place::Span;
use crate::tree::{MapEntry, Value};

/// What an eval puts into texts.
const PARTS: [&str; 3] = ["question", "options", "context"];
/// What to do with such a file.
const HELP: &str = "an eval fills it in: agon eval run QUESTIONS --debate FILE";

/// Refuses a file whose topic or stances are what an eval fills in, and warns of a context that has such a part. Other braces are text.
pub(crate) fn check(entries: &[MapEntry], body: Option<&Body>, problems: &mut Problems<'_>) {
    let text = |key: &str, passage: Option<&Passage>| {
        let entry = entries.iter().find(|entry| entry.key == key);
        let named = entry.and_then(|entry| Some((as_text(&entry.value.value)?.to_owned(), entry.value.span)));
        named.or_else(|| passage.map(|passage| (passage.text.clone(), passage.span)))
    };
    if let Some((_, span)) =
        text("topic", body.and_then(|body| body.topic.as_ref())).filter(|(topic, _)| has(topic, "question"))
    {
        template(span, ("topic", "`topic` has `{{question}}`"), problems);
    }
    for (at, span) in stances(entries) {
        template(span, (&format!("personas[{at}].stance"), "the stance is `{{option}}`"), problems);
    }
    let context = text("context", body.and_then(|body| body.context.as_ref()));
    for (part, span) in
        context.iter().flat_map(|(text, span)| PARTS.iter().filter(|part| has(text, part)).map(|part| (*part, *span)))
    {
        let message = format!("`context` has `{{{{{part}}}}}`, which is shown as it is; only an eval fills it in");
        problems.warning(SpecFinding::new(Code::UnknownVariable, span, message).field("context"));
    }
}

fn template(span: Span, (field, what): (&str, &str), problems: &mut Problems<'_>) {
    let message = format!("{what}: this file is a template of an eval, not a debate");
    problems.error(SpecFinding::new(Code::UnknownVariable, span, message).field(field).help(HELP));
}

/// The personas whose whole stance is `{{option}}`.
fn stances(entries: &[MapEntry]) -> Vec<(usize, Span)> {
    let list = entries.iter().find(|entry| entry.key == "personas").map(|entry| &entry.value.value);
    let Some(Value::List(personas)) = list else { return Vec::new() };
    let stance = |(at, persona): (usize, &crate::tree::FileNode)| {
        let Value::Map(members) = &persona.value else { return None };
        let stance = members.iter().find(|member| member.key == "stance")?;
        let inner = as_text(&stance.value.value)?.trim().strip_prefix("{{")?.strip_suffix("}}")?;
        (inner.trim() == "option").then_some((at, stance.value.span))
    };
    personas.iter().enumerate().filter_map(stance).collect()
}

fn as_text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Null | Value::Flag(_) | Value::Integer(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => None,
    }
}

/// Whether a text has a placeholder of this name.
fn has(text: &str, name: &str) -> bool {
    text.split("{{").skip(1).filter_map(|after| after.split_once("}}")).any(|(inside, _)| inside.trim() == name)
}
