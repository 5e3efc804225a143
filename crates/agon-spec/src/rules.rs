//! What must hold between the values of a debate file.

mod budgets;
mod combinations;
mod endpoints;
mod gates;
mod masks;
mod personas;
pub(crate) mod placeholders;
mod rooms;
mod templates;
mod warnings;

use crate::defaults::Defaults;
use crate::diagnostic::{Code, Problems, SpecFinding, quote};
use crate::draft::FileTexts;
use crate::markdown::{Body, Passage};
use crate::place::Span;
use crate::section::Section;
use crate::suggest::nearest;
use agon_core::{ConsensusStrategy, DebateSpec, Moderator};

/// Reports everything that is wrong with the draft or worth a warning.
pub(crate) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    personas::check(root, spec, problems);
    masks::check(root, problems);
    combinations::check(root, spec, problems);
    moderator(root, spec, problems);
    models(root, spec, problems);
    endpoints::check(root, problems);
    rooms::check(root, spec, problems);
    crate::expression::check(root, spec.budget, problems);
    templates::check(root, spec, problems);
    gates::check(root, spec, problems);
    budgets::check(root, spec, problems);
    warnings::check(root, spec, problems);
}

/// Warns of feeds and verifiers that the settings do not define, where it is known which they do.
pub(crate) fn settings(root: &Section, defaults: &Defaults, problems: &mut Problems<'_>) {
    let known =
        [("feed", Code::UndefinedFeed, &defaults.feeds), ("verifier", Code::UndefinedVerifier, &defaults.verifiers)];
    for (what, code, known) in known {
        if let Some(known) = known {
            undefined(root, (what, code), known, problems);
        }
    }
}

fn undefined(root: &Section, (what, code): (&str, Code), known: &[String], problems: &mut Problems<'_>) {
    let key = format!("{what}s");
    for (name, span) in root.lines(&key).iter().filter(|(name, _)| !known.contains(name)) {
        let near = nearest(name, known.iter().map(String::as_str));
        let hint = near.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        let message = format!("the settings define no {what} {}{hint}", quote(name));
        let help = match known {
            [] => format!("add [{key}.NAME] to agon.toml"),
            known => format!("defined: {}", known.join(", ")),
        };
        problems.warning(SpecFinding::new(code, *span, message).field(&key).help(help));
    }
}

/// Takes topic, context and materials from where they stand.
pub(crate) fn texts(root: &Section, body: Body, has_body: bool, problems: &mut Problems<'_>) -> FileTexts {
    let topic = one_of(root, "topic", body.topic, problems);
    match &topic {
        Some(topic) if topic.text.trim().is_empty() => {
            problems.error(SpecFinding::new(Code::Empty, topic.span, "`topic` is empty").field("topic"));
        }
        None if !root.has("topic") => problems.error(missing_topic(has_body)),
        Some(_) | None => {}
    }
    let topic = topic.map(|topic| topic.text.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default();
    let mut text = |name, passage| one_of(root, name, passage, problems).map(|passage| passage.text);
    let context = text("context", body.context);
    FileTexts { topic, context, materials: text("materials", body.materials) }
}

fn missing_topic(has_body: bool) -> SpecFinding {
    let finding = SpecFinding::new(Code::MissingKey, Span::default(), "the debate has no topic").field("topic");
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
        let message = format!("`{name}` is here and in the body (line {line}), and the two differ; keep one");
        problems.error(SpecFinding::new(Code::Conflict, front, message).field(name));
        let message =
            format!("`{name}` is here and in the front matter (line {}), and the two differ", front.start.line);
        problems.error(SpecFinding::new(Code::Conflict, body.span, message).field(name));
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
        problems.error(SpecFinding::new(Code::Conflict, field.key_span, message).field("use_mediator"));
    }
    let decides = spec.consensus_strategy == ConsensusStrategy::MediatorSummary;
    if spec.moderator.as_ref().is_some_and(|moderator| !decides && !has_duty(moderator)) {
        let span = root.get("moderator").map_or(root.span, |field| field.key_span);
        let message = "the moderator has no duty, so it has nothing to do";
        problems.error(
            SpecFinding::new(Code::Conflict, span, message).field("moderator").help("remove it, or switch on a duty"),
        );
    }
}

fn has_duty(moderator: &Moderator) -> bool {
    let between = moderator.opens || moderator.closes || moderator.has_interjections() || moderator.scores;
    between || moderator.researches || moderator.reconciles || moderator.concludes
}

fn models(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    if root.has("model") {
        return;
    }
    // Whoever writes `enabled: false` wants none.
    let off = problems.is_about("synthesizer.enabled");
    let others = others_without_model(root, spec).filter(|(name, _)| !(off && name == "the synthesizer"));
    let without: Vec<(String, Option<Span>)> = debaters_without_model(root, spec).chain(others).collect();
    if without.is_empty() {
        return;
    }
    let names: Vec<&str> = without.iter().map(|(name, _)| name.as_str()).collect();
    let message = format!("no model is named for {}", names.join(", "));
    let help = "write `model: NAME` at the top level or per role, or give --model NAME; --rehearsal needs no model";
    let span = without.iter().find_map(|(_, span)| *span).unwrap_or_default();
    problems.error(SpecFinding::new(Code::MissingModel, span, message).field("model").help(help));
}

fn debaters_without_model(root: &Section, spec: &DebateSpec) -> impl Iterator<Item = (String, Option<Span>)> {
    let listed = root.list("personas").unwrap_or_default();
    spec.personas.iter().enumerate().filter_map(|(at, persona)| {
        let section = listed.get(at);
        let refused = section.is_some_and(|section| section.has("model"));
        let name = persona.name.as_str();
        let name = if name.is_empty() { format!("personas[{at}]") } else { name.to_owned() };
        let wanting = persona.voice.model.as_str().is_empty() && !refused;
        wanting.then(|| (name, section.map(|section| section.span_of("name"))))
    })
}

fn others_without_model(root: &Section, spec: &DebateSpec) -> impl Iterator<Item = (String, Option<Span>)> {
    // A refused strategy may not want a judge at all.
    let strategy = root.get("consensus_strategy").is_none_or(|_| root.chosen("consensus_strategy").is_some());
    let judge = spec.judge.as_ref().filter(|_| strategy);
    let roles = [
        ("moderator", spec.moderator.as_ref().map(|moderator| &moderator.voice)),
        ("judge", judge.map(|judge| &judge.voice)),
        ("summarizer", spec.summarizer.as_ref().map(|summarizer| &summarizer.voice)),
        ("synthesizer", spec.synthesizer.as_ref().map(|synthesizer| &synthesizer.voice)),
    ];
    let roles = roles.into_iter().filter_map(|(name, voice)| Some((name, voice?)));
    roles.filter_map(|(name, voice)| {
        let field = root.get(name);
        let section = root.section(name);
        let refused = match section {
            Some(section) => section.has("model"),
            None => field.is_some() && root.flag(name).is_none(),
        };
        let wanting = voice.model.as_str().is_empty() && !refused;
        wanting.then(|| (format!("the {name}"), field.map(|field| field.key_span)))
    })
}
