//! What follows from the format.
use crate::section::Section;
use agon_core::{
    ConsensusStrategy, DebateFormat, FormatOptions, Mode, ParticipantId, Persona, Phases, Topology, TurnMode,
    Visibility,
};

pub(super) fn options(root: &Section, format: DebateFormat, personas: &[Persona]) -> FormatOptions {
    let usual = FormatOptions::default();
    let topology = root.choice("topology").unwrap_or(usual.topology);
    let first = || personas.first().map(|persona| persona.name.clone());
    let wants_hub = format == DebateFormat::CritiqueRevision && topology == Topology::Star;
    let half = if format == DebateFormat::Fishbowl { inner_circle(personas.len()) } else { usual.inner_circle };
    FormatOptions {
        inner_circle: root.integer("inner_circle").unwrap_or(half),
        interruptions: root.choice("interruptions").unwrap_or(usual.interruptions),
        interruption_threshold: root.integer("interruption_threshold").unwrap_or(usual.interruption_threshold),
        points_of_information: root.flag("points_of_information").unwrap_or(usual.points_of_information),
        topology,
        hub: root.text("hub").map(ParticipantId::new).or_else(|| wants_hub.then(first).flatten()),
        direction: root.choice("direction").unwrap_or(usual.direction),
        density: root.number("density").unwrap_or(usual.density),
    }
}

/// Half of the personas, rounded up; two at least.
fn inner_circle(personas: usize) -> u32 {
    u32::try_from(personas.div_ceil(2)).unwrap_or(u32::MAX).max(2)
}

/// Speakers who answer one another speak one after the other, whatever the mode.
pub(super) fn visibility(mode: Mode, format: DebateFormat, turns: TurnMode) -> Visibility {
    let in_turn = match format {
        DebateFormat::Socratic | DebateFormat::BpStyle | DebateFormat::OpenFight => true,
        DebateFormat::RoundRobin
        | DebateFormat::Fishbowl
        | DebateFormat::ChainOfThought
        | DebateFormat::CritiqueRevision => turns == TurnMode::ReactionTriggered,
    };
    match mode {
        Mode::Deliberative if !in_turn => Visibility::Simultaneous,
        Mode::Deliberative | Mode::Adversarial => Visibility::Sequential,
    }
}

/// British Parliamentary ends with a ranking of the four teams.
pub(super) fn strategy(format: DebateFormat) -> ConsensusStrategy {
    match format {
        DebateFormat::BpStyle => ConsensusStrategy::RankedReasons,
        DebateFormat::RoundRobin
        | DebateFormat::Socratic
        | DebateFormat::Fishbowl
        | DebateFormat::ChainOfThought
        | DebateFormat::OpenFight
        | DebateFormat::CritiqueRevision => ConsensusStrategy::Judge,
    }
}

/// British Parliamentary has its eight speeches and nothing besides.
pub(super) fn phases(section: Option<&Section>, format: DebateFormat) -> Phases {
    let on = |name: &str, usual: bool| section.and_then(|section| section.flag(name)).unwrap_or(usual);
    let usual = format != DebateFormat::BpStyle;
    Phases {
        opening_statements: on("opening_statements", usual),
        final_statements: on("final_statements", usual),
        rebuttals: on("rebuttals", false),
        analysis: on("analysis", true),
        feedback: on("feedback", true),
    }
}
