//! The spec as the file and the defaults give it, before the rules have looked at it.
//!
//! Where a value was refused, a default or an empty name stands in; such a draft never leaves the crate.
use crate::cast::CAST;
use crate::defaults::{Defaults, OUTPUTS, PERSONAS, ROUNDS};
use crate::section::{Checked, Section};
use agon_core::{
    Ballots, Budget, ConsensusStrategy, ContextScope, DebateFormat, DebateSpec, EndCondition, Judge, Memory, Mode,
    ModelName, Moderator, OnTurnFailure, Output, ParticipantId, Persona, Phases, Quorum, SelfVotes, Think, TurnMode,
    Visibility, Voice, VoteRule, Voting,
};

/// The texts that a file may hold in its body or in its keys.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub topic: String,
    pub context: Option<String>,
    pub materials: Option<String>,
}

/// Fills in every default.
pub(crate) fn draft(root: &Section, texts: Texts, defaults: &Defaults) -> DebateSpec {
    let mode = root.choice("mode").unwrap_or(Mode::Adversarial);
    let consensus_strategy = root.choice("consensus_strategy").unwrap_or(ConsensusStrategy::Judge);
    let personas = personas(root, mode, defaults);
    DebateSpec {
        mode,
        debate_format: DebateFormat::RoundRobin,
        max_rounds: root.integer("max_rounds").unwrap_or(ROUNDS),
        turn_mode: root.choice("turn_mode").unwrap_or(TurnMode::RoundRobin),
        visibility: root.choice("visibility").unwrap_or(match mode {
            Mode::Adversarial => Visibility::Sequential,
            Mode::Deliberative => Visibility::Simultaneous,
        }),
        context_scope: ContextScope::FullLog,
        memory: Memory::AppendAll,
        phases: phases(root.section("phases")),
        moderator: moderator(root, defaults),
        judge: (consensus_strategy == ConsensusStrategy::Judge).then(|| judge(root, defaults)),
        voting: (consensus_strategy == ConsensusStrategy::Vote).then(|| voting(root, candidates(mode, &personas))),
        consensus_strategy,
        ballots: root.choice("ballots").unwrap_or(Ballots::Both),
        end_condition: root.choices("end_condition").unwrap_or_else(|| vec![EndCondition::RoundsExhausted]),
        terminate_when: root.owned("terminate_when"),
        timeout_per_turn_ms: root.millis("timeout_per_turn").unwrap_or(defaults.timeout_per_turn_ms),
        budget: budget(root.section("budget")),
        on_turn_failure: root.choice("on_turn_failure").unwrap_or(OnTurnFailure::Skip),
        quorum: quorum(root),
        seed: root.integer("seed"),
        agreement_intensity: root.integer("agreement_intensity"),
        language: root.owned("language"),
        instructions: root.owned("instructions"),
        outputs: outputs(root),
        labels: match root.get("labels").map(|field| &field.value) {
            Some(Checked::Labels(labels)) => labels.clone(),
            _ => Default::default(),
        },
        personas,
        topic: texts.topic,
        context: texts.context,
        materials: texts.materials,
    }
}

/// How many answers a decision can choose from, at most.
pub(crate) fn candidates(mode: Mode, personas: &[Persona]) -> usize {
    let mut stances: Vec<&str> = personas.iter().filter_map(|persona| persona.stance.as_deref()).collect();
    stances.sort_unstable();
    stances.dedup();
    match mode {
        Mode::Adversarial => stances.len(),
        Mode::Deliberative => personas.len(),
    }
}

/// Whether the file wants a moderator, by either key.
pub(crate) fn wants_moderator(root: &Section) -> bool {
    let by_block = root.flag("moderator").unwrap_or(root.section("moderator").is_some());
    by_block || root.flag("use_mediator") == Some(true)
}

/// Two stances are one where they differ only in case and blanks.
pub(crate) fn same_stance(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn personas(root: &Section, mode: Mode, defaults: &Defaults) -> Vec<Persona> {
    let general = root.text("model").or(defaults.model.as_deref());
    let listed = root.list("personas");
    if listed.is_some() || root.has("personas") {
        let mut personas: Vec<Persona> = Vec::new();
        for section in listed.unwrap_or_default() {
            let mut persona = persona(section, general, defaults);
            let known = personas.iter().filter_map(|other| other.stance.clone());
            let twin =
                persona.stance.as_deref().and_then(|own| known.into_iter().find(|other| same_stance(own, other)));
            persona.stance = twin.or(persona.stance);
            personas.push(persona);
        }
        return personas;
    }
    let count = root.integer("persona_count").unwrap_or(PERSONAS);
    let voice = voice(&Section::default(), general, defaults.max_tokens.debater, None);
    CAST.iter()
        .take(count)
        .map(|member| Persona {
            name: member.name.into(),
            stance: member.stance_in(mode).map(str::to_owned),
            role: Some(member.role.to_owned()),
            voice: voice.clone(),
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
        fallback_models: section.lines("fallback_models").iter().map(|(model, _)| model.as_str().into()).collect(),
        style: section.choice("style"),
        tone: section.owned("tone"),
        language: section.owned("language"),
        priority: section.integer("priority").unwrap_or_default(),
    }
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
    }
}

fn phases(section: Option<&Section>) -> Phases {
    let on = |name: &str| section.and_then(|section| section.flag(name)).unwrap_or(true);
    Phases { opening_statements: on("opening_statements"), final_statements: on("final_statements") }
}

fn moderator(root: &Section, defaults: &Defaults) -> Option<Moderator> {
    let none = Section::default();
    let section = root.section("moderator").unwrap_or(&none);
    let general = defaults.moderator_model.as_deref().or(root.text("model")).or(defaults.model.as_deref());
    wants_moderator(root).then(|| Moderator {
        opens: section.flag("opens").unwrap_or(true),
        closes: section.flag("closes").unwrap_or(true),
        instructions: section.owned("instructions"),
        voice: voice(section, general, defaults.max_tokens.moderator, None),
    })
}

fn judge(root: &Section, defaults: &Defaults) -> Judge {
    let none = Section::default();
    let section = root.section("judge").unwrap_or(&none);
    let general = defaults.judge_model.as_deref().or(root.text("model")).or(defaults.model.as_deref());
    Judge {
        orders: section.integer("orders").unwrap_or(2),
        anonymize_transcript: section.flag("anonymize_transcript").unwrap_or(true),
        shuffle_for_judge: section.flag("shuffle_for_judge").unwrap_or(true),
        instructions: section.owned("instructions"),
        voice: voice(section, general, defaults.max_tokens.judge, Some(0.0)),
    }
}

fn voting(root: &Section, candidates: usize) -> Voting {
    let none = Section::default();
    let section = root.section("voting").unwrap_or(&none);
    let usual = if candidates < 3 { SelfVotes::Allow } else { SelfVotes::Exclude };
    Voting {
        rule: section.choice("rule").unwrap_or(VoteRule::Majority),
        self_votes: section.choice("self_votes").unwrap_or(usual),
    }
}

fn budget(section: Option<&Section>) -> Budget {
    let cap = |name: &str| section.and_then(|section| section.integer(name));
    Budget { tokens: cap("tokens"), seconds: cap("seconds") }
}

fn quorum(root: &Section) -> Quorum {
    let count = root.integer("quorum").map(Quorum::AtLeast);
    count.or_else(|| root.choice("quorum")).unwrap_or(Quorum::Majority)
}

fn outputs(root: &Section) -> Vec<Output> {
    let one = root.choice("logging_mode").map(|output| vec![output]);
    one.or_else(|| root.choices("outputs")).unwrap_or_else(|| OUTPUTS.to_vec())
}
