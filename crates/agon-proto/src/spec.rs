//! The debate as its author wants it. What older writers do not know is its default where it is absent.
use crate::mirror::mirror;

mod options;
mod roles;

mirror! {
    agon_core::DebateSpec as DebateSpec {
        topic, context, materials, mode, debate_format, max_rounds, personas, turn_mode, visibility, context_scope, memory,
        phases, moderator, consensus_strategy, judge, voting, ballots, end_condition, terminate_when, timeout_per_turn_ms,
        budget: or(Default::default()),
        on_turn_failure, quorum, seed, history_limit, failed_arguments, feeds, agreement_intensity, language, instructions,
        outputs, labels,
        format: or(Default::default()),
        windows: or(Default::default()),
        summarizer,
        similarity: or(Default::default()),
        synthesizer,
        tools: or(Default::default()),
        visible: or(Default::default()),
        verifiers, answer,
        debate: unless(Default::default()),
        gate: unless(Default::default()),
        scoring: unless(Default::default()),
        on_cut: unless(Default::default()),
        answers: unless(Default::default()),
    }
}
