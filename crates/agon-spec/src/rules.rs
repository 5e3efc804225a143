//! What must hold between the values of a debate file.

mod decision;
mod personas;
mod warnings;

use crate::diagnostic::{Code, Finding, Problems};
use crate::draft::{Texts, wants_moderator};
use crate::markdown::{Body, Passage};
use crate::place::Span;
use crate::section::Section;
use agon_core::{DebateSpec, TurnMode};

/// Reports everything that is wrong with the draft or worth a warning.
pub(crate) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    personas::check(root, spec, problems);
    decision::check(root, spec, problems);
    moderator(root, spec, problems);
    models(root, spec, problems);
    crate::expression::check(root, problems);
    warnings::check(root, spec, problems);
}

/// Takes topic, context and materials from where they stand.
pub(crate) fn texts(root: &Section, body: Body, has_body: bool, problems: &mut Problems<'_>) -> Texts {
    let topic = one_of(root, "topic", body.topic, problems);
    match &topic {
        Some(topic) if topic.text.trim().is_empty() => {
            problems.error(Finding::new(Code::Empty, topic.span, "`topic` is empty").field("topic"));
        }
        None if !root.has("topic") => problems.error(missing_topic(has_body)),
        Some(_) | None => {}
    }
    let topic = topic.map(|topic| topic.text.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default();
    let mut text = |name, passage| one_of(root, name, passage, problems).map(|passage| passage.text);
    let context = text("context", body.context);
    Texts { topic, context, materials: text("materials", body.materials) }
}

fn missing_topic(has_body: bool) -> Finding {
    let finding = Finding::new(Code::MissingKey, Span::default(), "the debate has no topic").field("topic");
    finding.help(if has_body {
        "write it as the first heading: # Should we ...?"
    } else {
        "write topic: Should we ...?"
    })
}

fn one_of(root: &Section, name: &str, body: Option<Passage>, problems: &mut Problems<'_>) -> Option<Passage> {
    let key = root.text(name).map(|text| Passage { text: text.to_owned(), span: root.span_of(name) });
    if let (Some(key), Some(body)) = (&key, &body)
        && !key.text.split_whitespace().eq(body.text.split_whitespace())
    {
        let (front, line) = (root.get(name).map_or(key.span, |field| field.key_span), body.span.start.line);
        let message = format!("`{name}` stands here and in the body (line {line}), and the two differ; keep one");
        problems.error(Finding::new(Code::Conflict, front, message).field(name));
        let message =
            format!("`{name}` stands here and in the front matter (line {}), and the two differ", front.start.line);
        problems.error(Finding::new(Code::Conflict, body.span, message).field(name));
    }
    key.or(body)
}

fn moderator(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let block = root.flag("moderator").or(root.section("moderator").map(|_| true));
    if let (Some(block), Some(by_flag), Some(field)) = (block, root.flag("use_mediator"), root.get("use_mediator"))
        && block != by_flag
    {
        let other = root.get("moderator").map_or("moderator", |field| field.written.as_str());
        let message = format!("`use_mediator` is {by_flag}, and `{other}` says the opposite; keep one");
        problems.error(Finding::new(Code::Conflict, field.key_span, message).field("use_mediator"));
    }
    if let Some(moderator) = &spec.moderator
        && !moderator.opens
        && !moderator.closes
    {
        let span = root.section("moderator").map_or(root.span, |section| section.span_of("opens"));
        let message = "the moderator neither opens nor closes rounds, so it has nothing to do";
        problems.error(
            Finding::new(Code::Conflict, span, message).field("moderator").help("remove it, or switch on a duty"),
        );
    }
    let readable = root.get("moderator").is_none() || block.is_some();
    let opens = spec.moderator.as_ref().is_some_and(|moderator| moderator.opens);
    if spec.turn_mode == TurnMode::Moderator && readable && !opens {
        let what = if wants_moderator(root) { "a moderator that opens rounds" } else { "a moderator" };
        let message = format!("`turn_mode: moderator` needs {what}, for it is the moderator who calls the speakers");
        let finding = Finding::new(Code::ModeratorNeeded, root.span_of("turn_mode"), message).field("turn_mode");
        problems.error(finding.help("add `moderator: true`, or take another turn_mode"));
    }
}

fn models(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let listed = root.list("personas").unwrap_or_default();
    let refused = |section: Option<&Section>| root.has("model") || section.is_some_and(|section| section.has("model"));
    let mut without: Vec<String> = Vec::new();
    for (at, persona) in spec.personas.iter().enumerate() {
        if persona.voice.model.as_str().is_empty() && !refused(listed.get(at)) {
            let name = persona.name.as_str();
            without.push(if name.is_empty() { format!("personas[{at}]") } else { name.to_owned() });
        }
    }
    let moderator = spec.moderator.as_ref().map(|moderator| &moderator.voice);
    let judge = spec.judge.as_ref().map(|judge| &judge.voice);
    for (name, voice) in [("moderator", moderator), ("judge", judge)] {
        if voice.is_some_and(|voice| voice.model.as_str().is_empty()) && !refused(root.section(name)) {
            without.push(format!("the {name}"));
        }
    }
    if without.is_empty() {
        return;
    }
    let message = format!("no model is named for {}", without.join(", "));
    let help = "write `model: NAME` at the top level or per role, or give --model NAME; --rehearsal needs no model";
    problems.error(Finding::new(Code::MissingModel, Span::default(), message).field("model").help(help));
}
