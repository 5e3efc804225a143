//! The spec as the file and the defaults give it, before the rules have looked at it.
//!
//! Where a value was refused, a default or an empty name stands in; such a draft never leaves the crate.
mod format;
mod people;

use crate::defaults::{Defaults, OUTPUTS, ROUNDS};
use crate::section::{Checked, Section};
use agon_core::{
    AnswerOptions, Ballots, Budget, ConsensusStrategy, ContextScope, DebateFormat, DebateSpec, EndCondition, Memory,
    Mode, OnTurnFailure, Output, Persona, Quorum, SelfVotes, Shown, Similarity, ToolLimits, TurnMode, Visible,
    VoteRule, Voters, Voting, Windows,
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
    let debate_format = root.choice("debate_format").unwrap_or(DebateFormat::RoundRobin);
    let turn_mode = root.choice("turn_mode").unwrap_or(TurnMode::RoundRobin);
    let consensus_strategy = root.choice("consensus_strategy").unwrap_or_else(|| format::strategy(debate_format));
    let personas = people::personas(root, mode, debate_format, defaults);
    let voting = (consensus_strategy == ConsensusStrategy::Vote).then(|| voting(root, mode, debate_format, &personas));
    let max_rounds =
        root.integer("max_rounds").unwrap_or(if debate_format == DebateFormat::BpStyle { 1 } else { ROUNDS });
    let (context_scope, memory) = past(root);
    DebateSpec {
        mode,
        debate_format,
        format: format::options(root, debate_format, &personas),
        max_rounds,
        turn_mode,
        visibility: root.choice("visibility").unwrap_or_else(|| format::visibility(mode, debate_format, turn_mode)),
        context_scope,
        memory,
        windows: windows(root, context_scope, memory, max_rounds),
        summarizer: wants_summaries(context_scope, memory).then(|| people::summarizer(root, defaults)),
        history_limit: root.integer("history_limit").unwrap_or(0),
        failed_arguments: root.integer("failed_arguments").unwrap_or(0),
        feeds: root.items("feeds"),
        phases: format::phases(root.section("phases"), debate_format),
        moderator: people::moderator(root, defaults),
        judge: wants_judge(root, consensus_strategy, voting.as_ref())
            .then(|| people::judge(root, debate_format, defaults)),
        voting,
        consensus_strategy,
        ballots: root.choice("ballots").unwrap_or(Ballots::Both),
        end_condition: root.choices("end_condition").unwrap_or_else(|| vec![EndCondition::RoundsExhausted]),
        terminate_when: root.owned("terminate_when"),
        similarity: similarity(root),
        timeout_per_turn_ms: root.millis("timeout_per_turn").unwrap_or(defaults.timeout_per_turn_ms),
        budget: budget(root.section("budget")),
        on_turn_failure: root.choice("on_turn_failure").unwrap_or(OnTurnFailure::Skip),
        quorum: quorum(root),
        seed: root.integer("seed"),
        agreement_intensity: root.integer("agreement_intensity"),
        language: root.owned("language"),
        instructions: root.owned("instructions"),
        synthesizer: people::synthesizer(root, defaults),
        tools: tools(root.section("tools")),
        verifiers: root.items("verifiers"),
        answers: answers(root),
        visible: visible(root.section("visible")),
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

fn past(root: &Section) -> (ContextScope, Memory) {
    let scope = root.choice("context_scope").unwrap_or(ContextScope::FullLog);
    (scope, root.choice("memory").unwrap_or(Memory::AppendAll))
}

fn wants_summaries(scope: ContextScope, memory: Memory) -> bool {
    scope == ContextScope::SummaryOnly || memory == Memory::SummarizePast
}

/// Summaries come after every second round, and where that would be never, after the first.
fn windows(root: &Section, scope: ContextScope, memory: Memory, max_rounds: u32) -> Windows {
    let usual = Windows::default();
    let by_rounds = memory == Memory::SummarizePast && scope != ContextScope::SummaryOnly;
    let most = if by_rounds { max_rounds.saturating_sub(1).max(1) } else { u32::MAX };
    let summarize_every = usual.summarize_every.min(most);
    Windows {
        context_turns: root.integer("context_turns").unwrap_or(usual.context_turns),
        memory_window: root.integer("memory_window").unwrap_or(usual.memory_window),
        summarize_every: root.integer("summarize_every").unwrap_or(summarize_every),
        window_step: root.integer("window_step").unwrap_or(usual.window_step),
    }
}

/// Judges decide, vote, or say when enough was said.
fn wants_judge(root: &Section, strategy: ConsensusStrategy, voting: Option<&Voting>) -> bool {
    let ends_rounds = root.section("judge").and_then(|judge| judge.flag("ends_rounds")) == Some(true);
    strategy.is_judged() || voting.is_some_and(|voting| voting.voters == Voters::Judges) || ends_rounds
}

fn voting(root: &Section, mode: Mode, format: DebateFormat, personas: &[Persona]) -> Voting {
    let none = Section::default();
    let section = root.section("voting").unwrap_or(&none);
    let rule = section.choice("rule").unwrap_or(VoteRule::Majority);
    let voters = section.choice("voters").unwrap_or_default();
    let few = || candidates(mode, format, personas) < 3;
    let allows = voters == Voters::Judges || rule != VoteRule::AnonymousScoring && few();
    let usual = if allows { SelfVotes::Allow } else { SelfVotes::Exclude };
    let every_round = section.flag("every_round").unwrap_or_default();
    Voting { rule, self_votes: section.choice("self_votes").unwrap_or(usual), voters, every_round }
}

/// How many answers a vote can choose from, at most. Proposals stand for their authors.
fn candidates(mode: Mode, format: DebateFormat, personas: &[Persona]) -> usize {
    if mode == Mode::Deliberative || format == DebateFormat::CritiqueRevision {
        return personas.len();
    }
    let stances: std::collections::BTreeSet<_> =
        personas.iter().filter_map(|persona| persona.stance.as_ref()).collect();
    stances.len()
}

fn similarity(root: &Section) -> Similarity {
    let usual = Similarity::default();
    Similarity {
        similarity_threshold: root.number("similarity_threshold").unwrap_or(usual.similarity_threshold),
        embedding_model: root.text("embedding_model").map(Into::into),
    }
}

fn answers(root: &Section) -> AnswerOptions {
    let on = |key: &str| root.flag(key).unwrap_or_default();
    AnswerOptions {
        coerce_answers: on("coerce_answers"),
        adapt_max_tokens: on("adapt_max_tokens"),
        confidence: on("confidence"),
        weigh_by_confidence: on("weigh_by_confidence"),
    }
}

fn tools(section: Option<&Section>) -> ToolLimits {
    let usual = ToolLimits::default();
    let Some(section) = section else { return usual };
    ToolLimits {
        max_calls_per_turn: section.integer("max_calls_per_turn").unwrap_or(usual.max_calls_per_turn),
        timeout_ms: section.millis("timeout").unwrap_or(usual.timeout_ms),
        max_result_chars: section.integer("max_result_chars").unwrap_or(usual.max_result_chars),
    }
}

fn visible(section: Option<&Section>) -> Visible {
    let shown = |role: &str| {
        let section = section.and_then(|section| section.section(role));
        let flag = |key: &str| section.and_then(|section| section.flag(key)).unwrap_or(true);
        Shown { client: flag("client"), history: flag("history") }
    };
    Visible {
        debaters: shown("debaters"),
        moderator: shown("moderator"),
        judge: shown("judge"),
        synthesizer: shown("synthesizer"),
        names: section.and_then(|section| section.flag("names")).unwrap_or(true),
    }
}

pub(crate) fn budget(section: Option<&Section>) -> Budget {
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
