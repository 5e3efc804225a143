//! The spec as the file and the defaults give it, before the rules have looked at it.
//!
//! What the file says comes in by the table of keys. Beside that stands here only what follows from other values. Where a value was
//! refused, a default or an empty name stands in; such a draft never leaves the crate.
mod people;
pub(crate) mod usual;

use crate::defaults::Defaults;
use crate::section::Section;
use crate::slot::fill;
use agon_core::{
    Ballots, ConsensusStrategy, ContextScope, DebateFormat, DebateSpec, Memory, Mode, SelfVotes, Topology, TurnMode,
    Visibility, VoteRule, Voters, Windows,
};

/// The texts that a file may hold in its body or in its keys.
#[derive(Debug, Default)]
pub(crate) struct FileTexts {
    pub topic: String,
    pub context: Option<String>,
    pub materials: Option<String>,
}

/// What follows from values that are known. The file's own values go before it.
type DraftStep = fn(&mut DebateSpec, &Section, &Defaults);
const STEPS: [DraftStep; 3] = [by_format, by_people, by_roles];

/// Fills in every default.
pub(crate) fn draft(root: &Section, texts: FileTexts, defaults: &Defaults) -> DebateSpec {
    let FileTexts { topic, context, materials } = texts;
    let timeout_per_turn_ms = defaults.timeout_per_turn_ms;
    let mut spec = DebateSpec { topic, context, materials, timeout_per_turn_ms, ..usual::debate() };
    fill(&mut spec, root);
    for step in STEPS {
        step(&mut spec, root, defaults);
        fill(&mut spec, root);
    }
    spec
}

fn by_format(spec: &mut DebateSpec, _: &Section, defaults: &Defaults) {
    let format = spec.debate_format;
    // British Parliamentary has its eight speeches and nothing besides.
    if format == DebateFormat::BpStyle {
        spec.max_rounds = 1;
        (spec.phases.opening_statements, spec.phases.final_statements) = (false, false);
    }
    // A poll has its samples and nothing besides.
    if format == DebateFormat::Poll {
        (spec.mode, spec.max_rounds, spec.ballots) = (Mode::Deliberative, 1, Ballots::None);
        (spec.phases.final_statements, spec.visibility) = (false, Visibility::Simultaneous);
    }
    spec.visible.names = spec.mode == Mode::Deliberative || defaults.edition.is_first();
    spec.consensus_strategy = format.traits().strategy;
    // Speakers who answer one another speak one after the other, whatever the mode.
    let in_turn = format.traits().one_by_one.is_some() || spec.turn_mode == TurnMode::ReactionTriggered;
    if spec.mode == Mode::Deliberative && !in_turn {
        spec.visibility = Visibility::Simultaneous;
    }
}

fn by_people(spec: &mut DebateSpec, root: &Section, defaults: &Defaults) {
    spec.personas = people::personas(root, spec.mode, spec.debate_format, defaults);
    if spec.debate_format == DebateFormat::Fishbowl {
        // half of the personas, rounded up; two at least
        spec.format.inner_circle = u32::try_from(spec.personas.len().div_ceil(2)).unwrap_or(u32::MAX).max(2);
    }
    if spec.debate_format == DebateFormat::CritiqueRevision && spec.format.topology == Topology::Star {
        spec.format.hub = spec.personas.first().map(|persona| persona.name.clone());
    }
    // Summaries come after every second round, and where that would be never, after the first.
    if spec.memory == Memory::SummarizePast && spec.context_scope != ContextScope::SummaryOnly {
        let most = spec.max_rounds.saturating_sub(1).max(1);
        spec.windows.summarize_every = Windows::default().summarize_every.min(most);
    }
    if let Some(size) = spec.smallest_window().filter(|_| defaults.edition.is_first()) {
        spec.windows.window_step = (size / 2).max(1);
    }
    if spec.is_poll() {
        spec.format.samples = u32::try_from(spec.personas.len()).unwrap_or(u32::MAX);
    }
    spec.voting = (spec.consensus_strategy == ConsensusStrategy::Vote).then(|| usual::voting(Voters::Debaters));
    if let Some(voting) = spec.voting.as_mut().filter(|_| spec.debate_format == DebateFormat::Poll) {
        voting.rule = VoteRule::Plurality;
    }
}

fn by_roles(spec: &mut DebateSpec, root: &Section, defaults: &Defaults) {
    let candidates = candidates(spec);
    if let Some(voting) = &mut spec.voting {
        let few = !voting.rule.is_scored() && candidates < 3;
        let allows = voting.voters == Voters::Judges || few && spec.debate_format != DebateFormat::Poll;
        voting.self_votes = if allows { SelfVotes::Allow } else { SelfVotes::Exclude };
    }
    let wants_summaries = spec.context_scope == ContextScope::SummaryOnly || spec.memory == Memory::SummarizePast;
    spec.summarizer = wants_summaries.then(|| people::summarizer(root, defaults));
    spec.moderator = people::moderator(root, defaults);
    // Judges decide, vote, or say when enough was said.
    let votes = spec.voting.is_some_and(|voting| voting.voters == Voters::Judges);
    let ends_rounds = root.section("judge").and_then(|judge| judge.flag("ends_rounds")) == Some(true);
    let wants_judge = spec.consensus_strategy.is_judged() || votes || ends_rounds;
    spec.judge = wants_judge.then(|| people::judge(root, spec.debate_format, defaults));
    spec.synthesizer = people::synthesizer(root, defaults);
}

/// How many answers a vote can choose from, at most. Proposals stand for their authors.
fn candidates(spec: &DebateSpec) -> usize {
    if let Some(options) = spec.options().filter(|_| !spec.elects_debaters()) {
        return options.len();
    }
    if spec.mode == Mode::Deliberative || spec.debate_format == DebateFormat::CritiqueRevision {
        return spec.personas.len();
    }
    let stances = spec.personas.iter().filter_map(|persona| persona.stance.as_ref());
    stances.collect::<std::collections::BTreeSet<_>>().len()
}
