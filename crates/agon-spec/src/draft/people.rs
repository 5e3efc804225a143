//! Who takes part.
use crate::cast::CAST;
use crate::defaults::{Defaults, PERSONAS, SUMMARIZER_TOKENS, SYNTHESIZER_TOKENS};
use crate::section::Section;
use agon_core::tally::same_answer;
use agon_core::{
    Bench, DebateFormat, Judge, Mode, ModelName, Moderator, ParticipantId, Persona, Sight, Summarizer, Synthesizer,
    Think, TurnKind, Voice,
};

/// Whether the file wants a moderator, by either key.
fn wants_moderator(root: &Section) -> bool {
    let by_block = root.flag("moderator").unwrap_or(root.section("moderator").is_some());
    by_block || root.flag("use_mediator") == Some(true)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
    Persona {
        name: ParticipantId::new(section.text("name").unwrap_or_default()),
        stance: section.text("stance").map(one_line),
        role: section.owned("role"),
        system_prompt: section.owned("system_prompt"),
        instructions: section.owned("instructions"),
        voice: voice(section, general, defaults.max_tokens.debater, None),
        style: section.choice("style"),
        tone: section.owned("tone"),
        language: section.owned("language"),
        priority: section.integer("priority").unwrap_or_default(),
        sees: section.has("sees").then(|| section.lines("sees").iter().map(|(name, _)| sight(name)).collect()),
        hidden_from: section.lines("hidden_from").iter().map(|(name, _)| name.as_str().into()).collect(),
        reflection: section.flag("reflection").unwrap_or_default(),
        evolution: section.flag("evolution").unwrap_or_default(),
        weight: section.number("weight"),
        elo: section.number("elo"),
        calibration: section.number("calibration"),
        tools: section.items("tools"),
    }
}

fn sight(name: &str) -> Sight {
    let kind = TurnKind::ALL.into_iter().find(|kind| kind.as_str() == name);
    kind.map_or_else(|| Sight::Persona(name.into()), Sight::Kind)
}

fn voice(section: &Section, general: Option<&str>, max_tokens: u32, temperature: Option<f64>) -> Voice {
    let model = match section.has("endpoint") {
        true => ModelName::EXTERNAL,
        false => section.text("model").or(general).unwrap_or_default(),
    };
    let think = section.flag("think").map(|on| if on { Think::On } else { Think::Off });
    Voice {
        model: ModelName::new(model),
        temperature: section.number("temperature").or(temperature),
        top_p: section.number("top_p"),
        presence_penalty: section.number("presence_penalty"),
        max_tokens: section.integer("max_tokens").unwrap_or(max_tokens),
        think: think.or_else(|| section.choice("think")),
        num_ctx: section.integer("num_ctx"),
        fallback_models: section.lines("fallback_models").iter().map(|(model, _)| model.as_str().into()).collect(),
    }
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

pub(super) fn moderator(root: &Section, defaults: &Defaults) -> Option<Moderator> {
    let none = Section::default();
    let section = root.section("moderator").unwrap_or(&none);
    let general = defaults.moderator_model.as_deref().or(root.text("model")).or(defaults.model.as_deref());
    let usual = duties(section.choice::<String>("type").as_deref());
    let duty = |name: &str| section.flag(name).unwrap_or_else(|| usual.contains(&name));
    wants_moderator(root).then(|| Moderator {
        opens: duty("opens"),
        closes: duty("closes"),
        interjects: duty("interjects"),
        warns: duty("warns"),
        clarifies: duty("clarifies"),
        reflects: duty("reflects"),
        scores: duty("scores"),
        researches: duty("researches"),
        reconciles: duty("reconciles"),
        concludes: duty("concludes"),
        interject: section.choice("interject").unwrap_or_default(),
        summary_style: section.choice("summary_style").unwrap_or_default(),
        tools: section.items("tools"),
        instructions: section.owned("instructions"),
        voice: voice(section, general, defaults.max_tokens.moderator, None),
    })
}

pub(super) fn judge(root: &Section, format: DebateFormat, defaults: &Defaults) -> Judge {
    let none = Section::default();
    let section = root.section("judge").unwrap_or(&none);
    let general = defaults.judge_model.as_deref().or(root.text("model")).or(defaults.model.as_deref());
    Judge {
        orders: section.integer("orders").unwrap_or(2),
        anonymize_transcript: section.flag("anonymize_transcript").unwrap_or(true),
        shuffle_for_judge: section.flag("shuffle_for_judge").unwrap_or(format != DebateFormat::BpStyle),
        panel: section.integer("panel").unwrap_or(1),
        panel_models: section.lines("panel_models").iter().map(|(model, _)| model.as_str().into()).collect(),
        ends_rounds: section.flag("ends_rounds").unwrap_or_default(),
        instructions: section.owned("instructions"),
        voice: voice(section, general, defaults.max_tokens.judge, Some(0.0)),
    }
}

pub(super) fn summarizer(root: &Section, defaults: &Defaults) -> Summarizer {
    let none = Section::default();
    let section = root.section("summarizer").unwrap_or(&none);
    let general = root.text("model").or(defaults.model.as_deref());
    Summarizer { instructions: section.owned("instructions"), voice: voice(section, general, SUMMARIZER_TOKENS, None) }
}

pub(super) fn synthesizer(root: &Section, defaults: &Defaults) -> Option<Synthesizer> {
    let none = Section::default();
    let section = root.section("synthesizer");
    let moderator = root.section("moderator").and_then(|moderator| moderator.text("model"));
    let general = root.text("model").or(moderator).or(defaults.model.as_deref());
    // Where a moderator frames the debate there is something to be brought together.
    let usual = section.is_some() || wants_moderator(root);
    let wanted = root.flag("synthesizer").unwrap_or(usual);
    let section = section.unwrap_or(&none);
    wanted.then(|| Synthesizer {
        output_schema: section.data("output_schema").cloned(),
        instructions: section.owned("instructions"),
        voice: voice(section, general, SYNTHESIZER_TOKENS, None),
    })
}
