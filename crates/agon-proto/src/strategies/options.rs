//! Arbitrary options of formats, memory and limits.
use super::task::participant;
use super::{real, text};
use agon_core::*;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

pub(super) fn format() -> BoxedStrategy<FormatOptions> {
    let interruptions = select(vec![Interruptions::Off, Interruptions::TurnBoundary, Interruptions::MidSpeech]);
    let topology =
        select(vec![Topology::AllToAll, Topology::RoundRobin, Topology::Ring, Topology::Star, Topology::Sparse]);
    let direction = select(vec![Direction::HubCritiques, Direction::CritiqueHub]);
    (any::<(u32, u8, bool)>(), interruptions, topology, of(participant()), direction, real())
        .prop_map(|((inner_circle, threshold, points), interruptions, topology, hub, direction, density)| {
            FormatOptions {
                inner_circle,
                interruptions,
                interruption_threshold: threshold,
                points_of_information: points,
                topology,
                hub,
                direction,
                density,
            }
        })
        .boxed()
}

pub(super) fn windows() -> BoxedStrategy<Windows> {
    any::<[u32; 4]>()
        .prop_map(|[context_turns, memory_window, summarize_every, window_step]| Windows {
            context_turns,
            memory_window,
            summarize_every,
            window_step,
        })
        .boxed()
}

pub(super) fn similarity() -> BoxedStrategy<Similarity> {
    (real(), of(text()))
        .prop_map(|(similarity_threshold, model)| Similarity {
            similarity_threshold,
            embedding_model: model.map(ModelName::new),
        })
        .boxed()
}

pub(super) fn tool_limits() -> BoxedStrategy<ToolLimits> {
    any::<(u32, u64, u32)>()
        .prop_map(|(max_calls_per_turn, timeout_ms, max_result_chars)| ToolLimits {
            max_calls_per_turn,
            timeout_ms,
            max_result_chars,
        })
        .boxed()
}

pub(super) fn answers() -> BoxedStrategy<AnswerOptions> {
    any::<[bool; 4]>()
        .prop_map(|[coerce_answers, adapt_max_tokens, confidence, weigh_by_confidence]| AnswerOptions {
            coerce_answers,
            adapt_max_tokens,
            confidence,
            weigh_by_confidence,
        })
        .boxed()
}

pub(super) fn visible() -> BoxedStrategy<Visible> {
    let shown = || any::<(bool, bool)>().prop_map(|(client, history)| Shown { client, history });
    ([shown(), shown(), shown(), shown()], any::<bool>())
        .prop_map(|([debaters, moderator, judge, synthesizer], names)| Visible {
            debaters,
            moderator,
            judge,
            synthesizer,
            names,
        })
        .boxed()
}
