//! What speakers see and note, and what is compared between rounds.
use super::ProblemList;
use crate::spec::{ContextScope, DebateFormat, DebateSpec, Memory, Similarity, Windows};

pub(super) fn check(spec: &DebateSpec, found: &mut ProblemList) {
    windows(spec, found);
    summaries(spec, found);
    masking(spec, found);
    notes(spec, found);
    similarity(spec, found);
    found.require(spec.failed_arguments == 0 || spec.history_limit > 0, &["failed_arguments", "history_limit"], || {
        "`failed_arguments` are those of the earlier debates that everybody is told of: it needs a `history_limit` of 1 or more"
            .to_owned()
    });
}

fn windows(spec: &DebateSpec, found: &mut ProblemList) {
    let (given, usual) = (spec.windows, Windows::default());
    let last_n = spec.context_scope == ContextScope::LastNTurns;
    found.require(last_n || given.context_turns == usual.context_turns, &["context_turns", "context_scope"], || {
        "the number of turns that speakers see needs `context_scope: last_n_turns`".to_owned()
    });
    let rolls = spec.memory == Memory::RollingWindow;
    found.require(rolls || given.memory_window == usual.memory_window, &["memory_window", "memory"], || {
        "the number of turns that are kept needs `memory: rolling_window`".to_owned()
    });
    let step = given.window_step;
    found.require(last_n || rolls || step == usual.window_step, &["window_step", "context_scope", "memory"], || {
        "`window_step` says how many speeches a window drops at a time, and there is none: it needs `context_scope: \
         last_n_turns` or `memory: rolling_window`"
            .to_owned()
    });
    let smallest = spec.smallest_window();
    found.require(smallest.is_none_or(|size| step <= size), &["window_step"], || {
        let size = smallest.unwrap_or_default();
        format!("`window_step` is {step}, and the window shows {size} speeches: allowed are 1 to {size}")
    });
    let sums_up = spec.memory == Memory::SummarizePast && spec.context_scope != ContextScope::SummaryOnly;
    found.require(sums_up || given.summarize_every == usual.summarize_every, &["summarize_every", "memory"], || {
        "`summarize_every` needs `memory: summarize_past`, and another scope than `summary_only`, which sums up after \
         every round"
            .to_owned()
    });
}

/// Nothing is summed up after the last round, because no round is left that would read it.
fn summaries(spec: &DebateSpec, found: &mut ProblemList) {
    let (rounds, every) = (spec.max_rounds, spec.windows.summarize_every);
    let scope = spec.context_scope == ContextScope::SummaryOnly;
    let memory = spec.memory == Memory::SummarizePast;
    found.require(!scope || rounds > 1, &["context_scope", "max_rounds"], || {
        "`context_scope: summary_only` shows what was said in rounds before the last: `max_rounds` must be at least 2"
            .to_owned()
    });
    found.require(scope || !memory || every < rounds, &["memory", "summarize_every", "max_rounds"], || {
        format!(
            "`memory: summarize_past` sums up every {every} rounds, and never after the last, so that with \
             `max_rounds: {rounds}` nothing is ever summed up: allow more rounds or write a smaller `summarize_every`"
        )
    });
    found.require(spec.summarizer.is_some() == (scope || memory), &["summarizer"], || {
        "the summarizer is used with `memory: summarize_past` or `context_scope: summary_only`, and only then"
            .to_owned()
    });
}

fn masking(spec: &DebateSpec, found: &mut ProblemList) {
    let masks = spec.memory == Memory::PersonaMasking;
    let needed = "needs `memory: persona_masking`";
    for (at, persona) in spec.personas.iter().enumerate() {
        found.persona((at, "sees"), persona.sees.is_some(), masks, needed);
        found.persona((at, "hidden_from"), !persona.hidden_from.is_empty(), masks, needed);
    }
    let masked = spec.personas.iter().any(|persona| persona.sees.is_some() || !persona.hidden_from.is_empty());
    found.require(!masks || masked, &["memory"], || {
        "`memory: persona_masking` hides nothing: give at least one persona `sees` or `hidden_from`".to_owned()
    });
    let summed_up = spec.context_scope == ContextScope::SummaryOnly;
    found.require(!masks || !summed_up, &["context_scope", "memory"], || {
        "`context_scope: summary_only` shows everybody one summary of all that was said, so that \
         `memory: persona_masking` would hide nothing for long: allowed with it are full_log, last_n_turns, persona_scoped"
            .to_owned()
    });
}

/// Notes are taken for the next round.
fn notes(spec: &DebateSpec, found: &mut ProblemList) {
    let goes_on = spec.max_rounds > 1;
    let needed = "notes something for the next round: `max_rounds` must be at least 2";
    for (at, persona) in spec.personas.iter().enumerate() {
        found.persona((at, "reflection"), persona.reflection, goes_on, needed);
        found.persona((at, "evolution"), persona.evolution, goes_on, needed);
    }
}

fn similarity(spec: &DebateSpec, found: &mut ProblemList) {
    let threshold = spec.similarity.similarity_threshold;
    let converges = spec.debate_format == DebateFormat::CritiqueRevision;
    let used = converges || spec.end_condition.iter().any(|rule| rule.compares());
    let usual = (threshold - Similarity::default().similarity_threshold).abs() < f64::EPSILON;
    found.require(used || usual, &["similarity_threshold", "end_condition"], || {
        "`similarity_threshold` is read by the end conditions `consensus_reached`, `no_new_arguments` and `impasse`, and by \
         `critique_revision`"
            .to_owned()
    });
}
