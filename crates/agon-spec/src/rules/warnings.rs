//! What is allowed and seldom wise.
use crate::diagnostic::{Code, Problems, SpecFinding, quote};
use crate::place::Span;
use crate::section::Section;
use agon_core::{DebateFormat, DebateSpec, Quorum, TurnMode, is_ordinary_name};
use std::collections::BTreeSet;

const ROUNDS: u32 = 4;
const PERSONAS: usize = 5;
/// More than these are refused already.
const MOST: usize = 16;

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    size(root, spec, problems);
    models(root, spec, problems);
    priorities(root, spec, problems);
    panel(root, spec, problems);
    unheard(root, spec, problems);
    ordinary_names(root, spec, problems);
    let (all, what) = match spec.is_poll() {
        true => (spec.samplers().count(), "samples"),
        false => (spec.personas.len(), "personas"),
    };
    if let Quorum::AtLeast(count) = spec.quorum
        && all > 1
        && usize::try_from(count).is_ok_and(|count| count > all)
    {
        let message = format!("a quorum of {count} is more than the {all} {what}; it means all of them");
        problems.warning(SpecFinding::new(Code::NoEffect, root.span_of("quorum"), message).field("quorum"));
    }
}

fn size(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    // Who writes what ends or shortens a long debate has thought of it.
    let bounded = ["memory", "end_condition", "terminate_when", "budget"].into_iter().any(|key| root.has(key));
    if spec.max_rounds > ROUNDS && !bounded {
        let message =
            format!("{} rounds: after {ROUNDS}, debates mostly repeat themselves and cost more", spec.max_rounds);
        problems.warning(SpecFinding::new(Code::ManyRounds, root.span_of("max_rounds"), message).field("max_rounds"));
    }
    // British Parliamentary has eight speeches, however many give them; a poll has its samples, which answer nobody.
    let many = !matches!(spec.debate_format, DebateFormat::BpStyle | DebateFormat::Poll)
        && (PERSONAS + 1..=MOST).contains(&spec.personas.len());
    if many {
        let key = if root.has("personas") { "personas" } else { "persona_count" };
        let span = root.get(key).map_or(root.span, |field| field.key_span);
        let message =
            format!("{} personas: with more than {PERSONAS}, each says less and all cost more", spec.personas.len());
        problems.warning(SpecFinding::new(Code::ManyPersonas, span, message).field(key));
    }
}

fn models(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let models: Vec<&str> = spec.personas.iter().map(|persona| persona.voice.model.as_str()).collect();
    let place = |name: &str| root.get(name).map_or_else(Span::default, |field| field.key_span);
    let shared = spec.judge.as_ref().and_then(|judge| {
        let mut judges = (0..judge.panel).map(|index| judge.model(index));
        judges.find(|model| !model.is_external() && !model.as_str().is_empty() && models.contains(&model.as_str()))
    });
    if let Some(model) = shared {
        let section = root.section("judge");
        let own = section.and_then(|judge| judge.get("model").filter(|_| judge.text("model") == Some(model.as_str())));
        let panel =
            section.and_then(|judge| judge.lines("panel_models").iter().find(|(name, _)| name == model.as_str()));
        let span = own.map(|field| field.span).or(panel.map(|(_, span)| *span)).unwrap_or_else(|| place("model"));
        let message = format!("the judge's model `{model}` also debates; judges favour what sounds like themselves");
        let finding = SpecFinding::new(Code::JudgeSharesModel, span, message).field("judge.model");
        problems.warning(finding.help("name a model of another family under `judge:`"));
    }
    if let [first, rest @ ..] = models.as_slice()
        && !rest.is_empty()
        && !first.is_empty()
        && !spec.is_poll()
        && rest.iter().all(|model| model == first)
    {
        let span = if root.has("model") { place("model") } else { place("personas") };
        let message = format!("all debaters speak with the one model `{first}`; they will share its blind spots");
        let finding = SpecFinding::new(Code::SingleModel, span, message).field("personas");
        problems.warning(finding.help("give at least one persona a model of another family"));
    }
}

/// Names that judges of an anonymised transcript read all the same, because speeches use them as words.
fn ordinary_names(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    if !spec.judge.as_ref().is_some_and(|judge| judge.anonymize_transcript) {
        return;
    }
    for section in root.list("personas").unwrap_or_default() {
        let Some(name) = section.text("name").filter(|name| is_ordinary_name(name)) else { continue };
        let message = format!("{} is a word that speeches use; judges will read it there, not a label", quote(name));
        let finding =
            SpecFinding::new(Code::OrdinaryName, section.span_of("name"), message).field(section.path_of("name"));
        problems.warning(finding.help("give the persona a name that no speech uses as a word"));
    }
}

/// Judges of one family make the same mistakes, and agree on them.
fn panel(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let Some(judge) = spec.judge.as_ref().filter(|judge| judge.panel > 1) else { return };
    let models = || (0..judge.panel).map(|index| judge.model(index));
    let families: BTreeSet<String> = models().map(|model| family(model.as_str())).collect();
    let [family] = families.iter().map(String::as_str).collect::<Vec<_>>()[..] else { return };
    if family.is_empty() || models().all(agon_core::ModelName::is_external) {
        return;
    }
    let section = root.section("judge");
    let span = section.map_or(root.span, |section| section.span_of("panel"));
    let message =
        format!("all {} judges of the panel are of the family `{family}`; they will make the same errors", judge.panel);
    let finding = SpecFinding::new(Code::SingleFamily, span, message).field("judge.panel");
    problems.warning(finding.help("name models of other families under `panel_models`"));
}

/// `qwen3:8b` and `library/Qwen2.5` are of the family `qwen`.
fn family(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let letters: String = name.chars().take_while(|c| c.is_alphabetic()).collect();
    if letters.is_empty() { name } else { letters }
}

/// Settings of tools that nobody has, and of the words of those who say none.
fn unheard(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let personas = root.list("personas").unwrap_or_default().iter();
    let armed = personas.chain(root.section("moderator")).any(|section| section.has("tools"));
    let mut warn = |span: Option<Span>, field: &str, message: &str| {
        if let Some(span) = span {
            problems.warning(SpecFinding::new(Code::NoEffect, span, message).field(field));
        }
    };
    if !armed && root.section("tools").is_some() {
        let message = "`tools` limits the use of tools, but neither a persona nor the moderator has any";
        warn(root.get("tools").map(|field| field.key_span), "tools", message);
    }
    let place = |role: &str| root.section("visible")?.get(role).map(|field| field.key_span);
    if spec.moderator.is_none() {
        warn(place("moderator"), "visible.moderator", "there is no moderator to show or hide");
    }
    if spec.synthesizer.is_none() {
        warn(place("synthesizer"), "visible.synthesizer", "there is no synthesizer to show or hide");
    }
    if spec.judge.is_none() {
        warn(place("judge"), "visible.judge", "there is no judge to show or hide");
    }
}

fn priorities(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let sections = root.list("personas").unwrap_or_default();
    let mut given = sections.iter().filter(|section| section.has("priority")).peekable();
    if spec.turn_mode == TurnMode::PriorityOrder {
        if given.peek().is_none() {
            let message = "no persona has a `priority`, so this is the order of the file";
            let span = root.span_of("turn_mode");
            problems.warning(SpecFinding::new(Code::NoEffect, span, message).field("turn_mode"));
        }
        return;
    }
    if root.get("turn_mode").is_some_and(|_| root.chosen("turn_mode").is_none()) {
        return;
    }
    for section in given {
        let span = section.get("priority").map_or(section.span, |field| field.key_span);
        let message = "`priority` has no effect without `turn_mode: priority_order`";
        problems.warning(SpecFinding::new(Code::NoEffect, span, message).field(section.path_of("priority")));
    }
}

#[cfg(test)]
mod tests {
    use super::family;

    #[test]
    fn a_family_is_the_name_without_version_and_place() {
        for (model, expected) in
            [("qwen3:8b", "qwen"), ("library/Qwen2.5", "qwen"), ("gpt-4o", "gpt"), ("4chan", "4chan"), ("", "")]
        {
            assert_eq!(family(model), expected);
        }
    }
}
