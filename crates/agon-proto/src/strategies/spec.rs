//! Arbitrary debates.
use super::{maybe_real, maybe_text, text};
use agon_core::*;
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// A debate, valid or not: the wire does not care.
pub fn spec() -> BoxedStrategy<DebateSpec> {
    (texts_and_numbers(), choices(), members(), limits())
        .prop_map(|(texts, choices, members, limits)| {
            let (topic, [context, materials, terminate_when, language, instructions], labels) = texts;
            let ((mode, turn_mode, visibility), (consensus_strategy, ballots, on_turn_failure), phases) = choices;
            let (personas, moderator, judge, voting) = members;
            let ((max_rounds, timeout_per_turn_ms, seed, agreement_intensity), budget, quorum, end_condition, outputs) =
                limits;
            DebateSpec {
                topic,
                context,
                materials,
                mode,
                debate_format: DebateFormat::RoundRobin,
                max_rounds,
                personas,
                turn_mode,
                visibility,
                context_scope: ContextScope::FullLog,
                memory: Memory::AppendAll,
                phases,
                moderator,
                consensus_strategy,
                judge,
                voting,
                ballots,
                end_condition,
                terminate_when,
                timeout_per_turn_ms,
                budget,
                on_turn_failure,
                quorum,
                seed,
                agreement_intensity,
                language,
                instructions,
                outputs,
                labels,
            }
        })
        .boxed()
}

type Texts = (String, [Option<String>; 5], std::collections::BTreeMap<String, String>);
fn texts_and_numbers() -> BoxedStrategy<Texts> {
    let optional = [maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text()];
    (text(), optional, btree_map(text(), text(), 0..3)).boxed()
}

type Choices = ((Mode, TurnMode, Visibility), (ConsensusStrategy, Ballots, OnTurnFailure), Phases);
fn choices() -> BoxedStrategy<Choices> {
    let order = (
        select(vec![Mode::Adversarial, Mode::Deliberative]),
        select(vec![TurnMode::RoundRobin, TurnMode::Random, TurnMode::PriorityOrder, TurnMode::Moderator]),
        select(vec![Visibility::Sequential, Visibility::Simultaneous]),
    );
    let end = (
        select(vec![ConsensusStrategy::Judge, ConsensusStrategy::Vote]),
        select(vec![Ballots::Both, Ballots::FinalOnly, Ballots::None]),
        select(vec![OnTurnFailure::Skip, OnTurnFailure::Abort]),
    );
    let phases = any::<(bool, bool)>()
        .prop_map(|(opening_statements, final_statements)| Phases { opening_statements, final_statements });
    (order, end, phases).boxed()
}

type Members = (Vec<Persona>, Option<Moderator>, Option<Judge>, Option<Voting>);
fn members() -> BoxedStrategy<Members> {
    let moderator = (any::<(bool, bool)>(), maybe_text(), voice())
        .prop_map(|((opens, closes), instructions, voice)| Moderator { opens, closes, instructions, voice });
    let judge = (any::<(u32, bool, bool)>(), maybe_text(), voice()).prop_map(
        |((orders, anonymize_transcript, shuffle_for_judge), instructions, voice)| Judge {
            orders,
            anonymize_transcript,
            shuffle_for_judge,
            instructions,
            voice,
        },
    );
    let voting = (vote_rule(), select(vec![SelfVotes::Exclude, SelfVotes::Allow]))
        .prop_map(|(rule, self_votes)| Voting { rule, self_votes });
    (vec(persona(), 0..3), of(moderator), of(judge), of(voting)).boxed()
}

type Limits = ((u32, u64, Option<u64>, Option<u8>), Budget, Quorum, Vec<EndCondition>, Vec<Output>);
fn limits() -> BoxedStrategy<Limits> {
    let budget = any::<(Option<u64>, Option<u64>)>().prop_map(|(tokens, seconds)| Budget { tokens, seconds });
    let quorum = prop_oneof![Just(Quorum::Majority), Just(Quorum::All), any::<u32>().prop_map(Quorum::AtLeast)];
    let outputs =
        select(vec![Output::FullMarkdown, Output::SummaryOnly, Output::JsonLog, Output::Verbose, Output::Html]);
    (
        any::<(u32, u64, Option<u64>, Option<u8>)>(),
        budget,
        quorum,
        vec(Just(EndCondition::RoundsExhausted), 0..2),
        vec(outputs, 0..3),
    )
        .boxed()
}

fn persona() -> BoxedStrategy<Persona> {
    let style = select(vec![Style::Formal, Style::Casual, Style::BulletPoint, Style::Paragraph]);
    let optional = [maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text()];
    (text(), optional, voice(), vec(text(), 0..3), of(style), any::<i64>())
        .prop_map(
            |(name, [stance, role, system_prompt, instructions, tone, language], voice, models, style, priority)| {
                Persona {
                    name: ParticipantId::new(name),
                    stance,
                    role,
                    system_prompt,
                    instructions,
                    voice,
                    fallback_models: models.into_iter().map(ModelName::new).collect(),
                    style,
                    tone,
                    language,
                    priority,
                }
            },
        )
        .boxed()
}

fn voice() -> BoxedStrategy<Voice> {
    let think = select(vec![Think::Off, Think::On, Think::Low, Think::Medium, Think::High]);
    (text(), maybe_real(), maybe_real(), maybe_real(), any::<u32>(), of(think))
        .prop_map(|(model, temperature, top_p, presence_penalty, max_tokens, think)| Voice {
            model: ModelName::new(model),
            temperature,
            top_p,
            presence_penalty,
            max_tokens,
            think,
        })
        .boxed()
}

/// A voting rule.
pub(super) fn vote_rule() -> BoxedStrategy<VoteRule> {
    select(vec![VoteRule::Majority, VoteRule::Supermajority, VoteRule::Unanimous, VoteRule::Plurality]).boxed()
}
