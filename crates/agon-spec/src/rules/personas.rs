//! Names and stances.
use crate::diagnostic::{Code, Problems, SpecFinding, quote};
use crate::section::Section;
use agon_core::names::normal_form;
use agon_core::tally::same_answer;
use agon_core::{DebateFormat, DebateSpec, Mode, TurnKind, is_reserved};

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let sections = root.list("personas").unwrap_or_default();
    for (at, section) in sections.iter().enumerate() {
        let before = sections.get(..at).unwrap_or_default();
        name(section, before, problems);
        if spec.debate_format != DebateFormat::BpStyle {
            stance(root, spec, section, before, problems);
        }
        fallbacks(section, section.text("model").or(root.text("model")), problems);
    }
    if spec.debate_format != DebateFormat::BpStyle {
        one_sided(root, spec, problems);
    }
}

fn name(section: &Section, before: &[Section], problems: &mut Problems<'_>) {
    let Some(name) = section.text("name") else { return };
    let (span, path) = (section.span_of("name"), section.path_of("name"));
    let folded = normal_form(name);
    let kind = TurnKind::ALL.iter().any(|kind| kind.as_str() == folded);
    if kind || is_reserved(name) {
        let what = if kind {
            "means a kind of turn in `sees`"
        } else {
            "is reserved for a role of the debate, or for debaters with hidden names"
        };
        let message = format!("the name {} {what}", quote(name));
        problems.error(
            SpecFinding::new(Code::ReservedName, span, message).field(path).help("give the persona another name"),
        );
        return;
    }
    let mut named = before.iter().filter_map(|other| Some((other, other.text("name")?)));
    if let Some((twin, taken)) = named.find(|(_, other)| same_answer(other, name)) {
        let line = twin.span_of("name").start.line;
        let alike = if taken.to_lowercase() == name.to_lowercase() { "is the same as" } else { "looks like" };
        let message = format!("the name {} {alike} {}, the persona on line {line}", quote(name), quote(taken));
        let finding = SpecFinding::new(Code::DuplicateName, span, message).field(path);
        problems.error(finding.help(
            "names must differ in more than letter case, spacing, punctuation at the end and letters that look alike",
        ));
    }
}

fn stance(root: &Section, spec: &DebateSpec, section: &Section, before: &[Section], problems: &mut Problems<'_>) {
    let mode_is_known = root.get("mode").is_none_or(|_| root.chosen("mode").is_some());
    if spec.mode == Mode::Adversarial && mode_is_known && !section.has("stance") {
        let name = section.text("name").map_or_else(|| section.path.clone(), quote);
        let message = format!("{name} has no `stance`, which adversarial mode needs");
        let span = section.get("name").map_or(section.span, |field| field.span);
        let finding = SpecFinding::new(Code::MissingKey, span, message).field(section.path_of("stance"));
        problems.error(finding.help("add a stance, or write `mode: deliberative`"));
    }
    let Some(own) = folded_stance(section) else { return };
    let may_share = root.get("allow_shared_stance").is_some_and(|_| root.flag("allow_shared_stance") != Some(false));
    let mut taken = before.iter().filter_map(|other| Some((other, folded_stance(other)?)));
    if let (Some((twin, other)), false) = (taken.find(|(_, other)| same_answer(&own, other)), may_share) {
        let line = twin.span_of("stance").start.line;
        let message = if own.to_lowercase() == other.to_lowercase() {
            format!("this stance is the same as on line {line}")
        } else {
            format!("the stance {} looks like {} on line {line}", quote(&own), quote(&other))
        };
        let finding = SpecFinding::new(Code::DuplicateStance, section.span_of("stance"), message);
        let finding = finding.field(section.path_of("stance"));
        problems.error(finding.help("give each persona its own stance, or write `allow_shared_stance: true`"));
    }
}

fn folded_stance(section: &Section) -> Option<String> {
    section.text("stance").map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn one_sided(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let shared = root.flag("allow_shared_stance") == Some(true);
    let complete = spec.personas.len() > 1 && spec.personas.iter().all(|persona| persona.stance.is_some());
    if shared && complete && spec.mode == Mode::Adversarial && spec.stances().len() < 2 {
        let span = root.get("personas").map_or(root.span, |field| field.key_span);
        let message = "all personas argue for the same stance, so there is nothing to debate";
        problems.error(SpecFinding::new(Code::OneSided, span, message).field("personas"));
    }
}

fn fallbacks(section: &Section, own: Option<&str>, problems: &mut Problems<'_>) {
    for (model, span) in section.lines("fallback_models") {
        if Some(model.as_str()) == own {
            let message = format!("{} is the first model already", quote(model));
            let path = section.path_of("fallback_models");
            problems.warning(SpecFinding::new(Code::NoEffect, *span, message).field(path));
        }
    }
}
