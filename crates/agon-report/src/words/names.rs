//! The names of the core, as a person reads them, where that depends on more than the value; else they have labels.
use crate::result::DebateGate;
use agon_core::gate::{GateOutcome, GateReason};
use agon_core::{AnswerForm, AnswerKind, MajorityShift, Outcome, Quorum, RoundStatus, TurnMode};

/// The outcome at the end: one that is degraded without a missing seat lacks its synthesis.
pub(crate) fn ended(outcome: Outcome, missing: bool) -> &'static str {
    match outcome {
        Outcome::Degraded if !missing => "Decided without the synthesis that was wanted",
        Outcome::Degraded | Outcome::Decided | Outcome::Tie | Outcome::Inconclusive => outcome.label(),
    }
}
pub(crate) fn majority(shift: MajorityShift, won: bool) -> &'static str {
    match (shift, won) {
        (MajorityShift::Kept, _) => "The winner is what the majority held before the debate.",
        (MajorityShift::Overturned, _) => "The debate overturned the majority that stood before it.",
        (MajorityShift::None, true) => "No position had a majority before the debate.",
        (MajorityShift::None, false) => "There is no winner to hold against the first ballots.",
    }
}
/// What the moderator did when it opened a round, whom it called included. Where the order of speakers is fixed, it calls nobody and
/// nobody is missing.
pub(crate) fn opens(mode: TurnMode, names: &[String]) -> String {
    match (mode, names) {
        (mode, []) if mode.is_by_moderator() => "calls nobody".to_owned(),
        (_, []) => "opens the round".to_owned(),
        (_, names) => format!("calls {}", names.join(", ")),
    }
}

/// What a gate decided, and why.
pub(crate) fn gate(gate: &DebateGate) -> String {
    let outcome = GateOutcome::of(gate.skip, gate.reason);
    let what = match (outcome, gate.reason) {
        (GateOutcome::Skip, _) => "skipped: the first ballots were not contested enough for a debate".to_owned(),
        (GateOutcome::Debate, GateReason::Rule) => "held: the first ballots were contested".to_owned(),
        (GateOutcome::Debate | GateOutcome::Explored, reason) => format!("held: {}", why_held(reason)),
    };
    let score = gate.score.map(|score| format!("; score {score:.3}")).unwrap_or_default();
    format!("{what} ({} of {} ballots cast{score})", gate.cast, gate.eligible)
}

fn why_held(reason: GateReason) -> &'static str {
    match reason {
        GateReason::Rule => "by its rule",
        GateReason::BallotFailed => "a ballot failed",
        GateReason::TooFewBallots => "there were fewer ballots than the rule wants",
        GateReason::FeatureUnknown => "a feature of the rule is unknown",
        GateReason::Explored => "the rule would skip it, and it was drawn to see whether the rule is still right",
    }
}

/// What an answer to the topic may be.
pub(crate) fn answer_form(form: &AnswerForm) -> String {
    match form.kind {
        AnswerKind::Choice => format!("one of: {}", form.options.join(" · ")),
        AnswerKind::Number if form.tolerance.is_exact() => "a number".to_owned(),
        AnswerKind::Number => format!("a number; numbers within {} are one answer", form.tolerance),
        AnswerKind::Text => "any text".to_owned(),
    }
}

/// How a moderator's decision in the closing of a round is called.
pub(crate) fn decided(status: RoundStatus) -> &'static str {
    match status {
        RoundStatus::Settled => "Decision",
        RoundStatus::Continue => "Decision so far",
    }
}

pub(crate) fn quorum(quorum: Quorum) -> String {
    match quorum {
        Quorum::Majority => "more than half of a round's seats".to_owned(),
        Quorum::All => "every seat of a round".to_owned(),
        Quorum::AtLeast(1) => "at least one seat of a round".to_owned(),
        Quorum::AtLeast(n) => format!("at least {n} seats of a round"),
    }
}
