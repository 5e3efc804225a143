//! Arbitrary debates.
use super::options::{answers, format, similarity, tool_limits, visible, windows};
use super::roles::{judge, moderator, persona, summarizer, synthesizer};
use super::{maybe_text, text};
use agon_core::*;
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// A debate, valid or not: the wire does not care.
pub fn spec() -> BoxedStrategy<DebateSpec> {
    (texts_and_numbers(), choices(), members(), limits(), shapes())
        .prop_map(|(texts, choices, members, limits, shapes)| {
            let (topic, [context, materials, terminate_when, language, instructions], labels, feeds) = texts;
            let ((mode, turn_mode, visibility), (consensus_strategy, ballots, on_turn_failure), phases) = choices;
            let (personas, moderator, judge, voting, summarizer, synthesizer) = members;
            let (
                (max_rounds, timeout_per_turn_ms, seed, agreement_intensity, (history_limit, failed_arguments)),
                budget,
                quorum,
                end_condition,
                outputs,
            ) = limits;
            let (
                (debate_format, context_scope, memory),
                format,
                windows,
                similarity,
                tools,
                (visible, answers, verifiers),
            ) = shapes;
            DebateSpec {
                topic,
                context,
                materials,
                mode,
                debate_format,
                format,
                max_rounds,
                personas,
                turn_mode,
                visibility,
                context_scope,
                memory,
                windows,
                summarizer,
                history_limit,
                failed_arguments,
                feeds,
                phases,
                moderator,
                consensus_strategy,
                judge,
                voting,
                ballots,
                end_condition,
                terminate_when,
                similarity,
                timeout_per_turn_ms,
                budget,
                on_turn_failure,
                quorum,
                seed,
                agreement_intensity,
                language,
                instructions,
                synthesizer,
                tools,
                visible,
                verifiers,
                answers,
                outputs,
                labels,
            }
        })
        .boxed()
}

type Texts = (String, [Option<String>; 5], std::collections::BTreeMap<String, String>, Vec<String>);
fn texts_and_numbers() -> BoxedStrategy<Texts> {
    let optional = [maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text()];
    (text(), optional, btree_map(text(), text(), 0..3), vec(text(), 0..3)).boxed()
}

type Choices = ((Mode, TurnMode, Visibility), (ConsensusStrategy, Ballots, OnTurnFailure), Phases);
fn choices() -> BoxedStrategy<Choices> {
    let turn_modes = vec![
        TurnMode::RoundRobin,
        TurnMode::Random,
        TurnMode::PriorityOrder,
        TurnMode::ReactionTriggered,
        TurnMode::Moderator,
    ];
    let order = (
        select(vec![Mode::Adversarial, Mode::Deliberative]),
        select(turn_modes),
        select(vec![Visibility::Sequential, Visibility::Simultaneous]),
    );
    let end = (
        select(ConsensusStrategy::ALL.to_vec()),
        select(vec![Ballots::Both, Ballots::FinalOnly, Ballots::None]),
        select(vec![OnTurnFailure::Skip, OnTurnFailure::Abort]),
    );
    let phases =
        any::<[bool; 5]>().prop_map(|[opening_statements, final_statements, rebuttals, analysis, feedback]| Phases {
            opening_statements,
            final_statements,
            rebuttals,
            analysis,
            feedback,
        });
    (order, end, phases).boxed()
}

type Members =
    (Vec<Persona>, Option<Moderator>, Option<Judge>, Option<Voting>, Option<Summarizer>, Option<Synthesizer>);
fn members() -> BoxedStrategy<Members> {
    let votes = (
        vote_rule(),
        select(vec![SelfVotes::Exclude, SelfVotes::Allow]),
        select(vec![Voters::Debaters, Voters::Judges]),
        any::<bool>(),
    );
    let voting =
        votes.prop_map(|(rule, self_votes, voters, every_round)| Voting { rule, self_votes, voters, every_round });
    (vec(persona(), 0..3), of(moderator()), of(judge()), of(voting), of(summarizer()), of(synthesizer())).boxed()
}

type Limits = ((u32, u64, Option<u64>, Option<u8>, (u32, u32)), Budget, Quorum, Vec<EndCondition>, Vec<Output>);
fn limits() -> BoxedStrategy<Limits> {
    let budget = any::<(Option<u64>, Option<u64>)>().prop_map(|(tokens, seconds)| Budget { tokens, seconds });
    let quorum = prop_oneof![Just(Quorum::Majority), Just(Quorum::All), any::<u32>().prop_map(Quorum::AtLeast)];
    let outputs = select(vec![
        Output::FullMarkdown,
        Output::SummaryOnly,
        Output::JsonLog,
        Output::Verbose,
        Output::Html,
        Output::VisualTree,
    ]);
    let ends = select(vec![
        EndCondition::RoundsExhausted,
        EndCondition::ConsensusReached,
        EndCondition::NoNewArguments,
        EndCondition::Impasse,
    ]);
    let numbers = any::<(u32, u64, Option<u64>, Option<u8>, (u32, u32))>();
    (numbers, budget, quorum, vec(ends, 0..3), vec(outputs, 0..3)).boxed()
}

type Shapes = (
    (DebateFormat, ContextScope, Memory),
    FormatOptions,
    Windows,
    Similarity,
    ToolLimits,
    (Visible, AnswerOptions, Vec<String>),
);
fn shapes() -> BoxedStrategy<Shapes> {
    let scope = select(vec![
        ContextScope::FullLog,
        ContextScope::LastNTurns,
        ContextScope::SummaryOnly,
        ContextScope::PersonaScoped,
    ]);
    let memory = select(vec![Memory::AppendAll, Memory::RollingWindow, Memory::SummarizePast, Memory::PersonaMasking]);
    let names = (select(DebateFormat::ALL.to_vec()), scope, memory);
    (names, format(), windows(), similarity(), tool_limits(), (visible(), answers(), vec(text(), 0..2))).boxed()
}

/// A voting rule.
pub(super) fn vote_rule() -> BoxedStrategy<VoteRule> {
    select(VoteRule::ALL.to_vec()).boxed()
}
