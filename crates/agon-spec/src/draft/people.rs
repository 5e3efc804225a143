//! Who takes part.
use super::usual;
use crate::cast::CAST;
use crate::defaults::{Defaults, PERSONAS, SUMMARIZER_TOKENS, SYNTHESIZER_TOKENS};
use crate::section::Section;
use crate::slot::fill;
use agon_core::tally::same_answer;
use agon_core::{Bench, DebateFormat, Judge, Mode, Moderator, Persona, Summarizer, Synthesizer};

/// Whether the file wants a moderator, by either key.
fn wants_moderator(root: &Section) -> bool {
    let by_block = root.flag("moderator").unwrap_or(root.section("moderator").is_some());
    by_block || root.flag("use_mediator") == Some(true)
}

pub(super) fn personas(root: &Section, mode: Mode, format: DebateFormat, defaults: &Defaults) -> Vec<Persona> {
    let general = root.text("model").or(defaults.model.as_deref());
    let listed = root.list("personas");
    let mut personas = if listed.is_some() || root.has("personas") {
        listed.unwrap_or_default().iter().map(|section| persona(section, general, defaults)).collect()
    } else {
        cast(root, mode, format, general, defaults)
    };
    if format == DebateFormat::BpStyle {
        teams(&mut personas);
    }
    share_stances(&mut personas);
    personas
}

/// The teams are the stances, by the persona's place in the file.
fn teams(personas: &mut [Persona]) {
    let count = personas.len();
    for (at, persona) in personas.iter_mut().enumerate().filter(|_| matches!(count, 4 | 8)) {
        let bench = Bench::ALL.into_iter().find(|bench| bench.speaker(count) == at);
        let team = bench.and_then(|bench| Bench::TEAMS.get(bench.team()));
        persona.stance = persona.stance.take().or_else(|| team.map(|team| (*team).to_owned()));
    }
}

/// One spelling for each stance: the first.
fn share_stances(personas: &mut [Persona]) {
    let mut known: Vec<String> = Vec::new();
    for stance in personas.iter_mut().filter_map(|persona| persona.stance.as_mut()) {
        match known.iter().find(|other| same_answer(stance, other)) {
            Some(first) => stance.clone_from(first),
            None => known.push(stance.clone()),
        }
    }
}

fn cast(root: &Section, mode: Mode, format: DebateFormat, general: Option<&str>, defaults: &Defaults) -> Vec<Persona> {
    let usual = if format == DebateFormat::BpStyle { Bench::TEAMS.len() } else { PERSONAS };
    let stance = |stance: Option<&str>| stance.filter(|_| format != DebateFormat::BpStyle).map(str::to_owned);
    CAST.iter()
        .take(root.integer("persona_count").unwrap_or(usual))
        .map(|member| Persona {
            name: member.name.into(),
            stance: stance(member.stance_in(mode)),
            role: Some(member.role.to_owned()),
            ..persona(&Section::default(), general, defaults)
        })
        .collect()
}

fn persona(section: &Section, general: Option<&str>, defaults: &Defaults) -> Persona {
    let voice = usual::voice(general, defaults.max_tokens.debater);
    let mut persona = Persona { voice, ..Persona::default() };
    fill(&mut persona, section);
    persona
}

/// The duties of a moderator's `type`, and of one without.
fn duties(kind: Option<&str>) -> &'static [&'static str] {
    match kind {
        None => &["opens", "closes"],
        Some("silent") => &["concludes"],
        Some("active") => &["interjects", "warns", "clarifies"],
        Some("judge") => &["scores"],
        Some("consensus") => &["reconciles"],
        Some("reflector") => &["reflects"],
        Some("tool_agent") => &["researches"],
        Some(_) => &[],
    }
}

/// The first model that is named, then the model for all, then the configured one.
fn general<'a>(root: &'a Section, first: Option<&'a str>, defaults: &'a Defaults) -> Option<&'a str> {
    first.or(root.text("model")).or(defaults.model.as_deref())
}

pub(super) fn moderator(root: &Section, defaults: &Defaults) -> Option<Moderator> {
    let model = general(root, defaults.moderator_model.as_deref(), defaults);
    let duties = duties(root.section("moderator").and_then(|section| section.chosen("type")));
    wants_moderator(root).then(|| usual::moderator(usual::voice(model, defaults.max_tokens.moderator), duties))
}

pub(super) fn judge(root: &Section, format: DebateFormat, defaults: &Defaults) -> Judge {
    let model = general(root, defaults.judge_model.as_deref(), defaults);
    let shuffle_for_judge = format != DebateFormat::BpStyle;
    Judge { shuffle_for_judge, ..usual::judge(usual::voice(model, defaults.max_tokens.judge)) }
}

pub(super) fn summarizer(root: &Section, defaults: &Defaults) -> Summarizer {
    Summarizer { instructions: None, voice: usual::voice(general(root, None, defaults), SUMMARIZER_TOKENS) }
}

pub(super) fn synthesizer(root: &Section, defaults: &Defaults) -> Option<Synthesizer> {
    let moderator = root.section("moderator").and_then(|moderator| moderator.text("model"));
    let model = root.text("model").or(moderator).or(defaults.model.as_deref());
    // Where a moderator frames the debate there is something to be brought together.
    let usual = root.section("synthesizer").is_some() || wants_moderator(root);
    let wanted = root.flag("synthesizer").unwrap_or(usual);
    let voice = usual::voice(model, SYNTHESIZER_TOKENS);
    wanted.then(|| Synthesizer { voice, ..Synthesizer::default() })
}
