//! From the fields of an event to its message.
use crate::enums::Numbered;
use crate::flat as pb;
use agon_core::{
    BallotStage, Call, DebateState, Failure, MissingSeat, ModelName, ModeratorDecision, Outcome, ParticipantId, Reason,
    SkipReason, Timestamp, TurnId, UsageTotals, VoteRule,
};
use pb::event::Kind;

pub(crate) fn placed(participant: &ParticipantId, host: &str, model: &ModelName, digest: Option<&String>) -> Kind {
    Kind::ParticipantPlaced(pb::ParticipantPlaced {
        participant: participant.to_string(),
        host: host.to_owned(),
        model: model.to_string(),
        digest: digest.cloned(),
    })
}

pub(crate) fn ballot(
    turn: TurnId,
    stage: BallotStage,
    participant: &ParticipantId,
    choice: &str,
    reasons: &[String],
    call: &Call,
) -> Kind {
    Kind::BallotCast(pb::BallotCast {
        turn: Some(turn.into()),
        stage: stage.number(),
        participant: participant.to_string(),
        choice: choice.to_owned(),
        reasons: reasons.to_vec(),
        call: Some(call.into()),
    })
}

pub(crate) fn vote(turn: TurnId, participant: &ParticipantId, choice: &str, reasons: &[String], call: &Call) -> Kind {
    Kind::VoteCast(pb::VoteCast {
        turn: Some(turn.into()),
        participant: participant.to_string(),
        choice: choice.to_owned(),
        reasons: reasons.to_vec(),
        call: Some(call.into()),
    })
}

pub(crate) fn moderator(turn: TurnId, decision: &ModeratorDecision, fallback: bool, call: Option<&Call>) -> Kind {
    let decision = match decision {
        ModeratorDecision::Opens(plan) => pb::moderator_decided::Decision::Opens(plan.into()),
        ModeratorDecision::Closes(summary) => pb::moderator_decided::Decision::Closes(summary.into()),
    };
    Kind::ModeratorDecided(pb::ModeratorDecided {
        turn: Some(turn.into()),
        decision: Some(decision),
        fallback,
        call: call.map(Into::into),
    })
}

pub(crate) fn failed(
    turn: TurnId,
    participant: &ParticipantId,
    failure: &Failure,
    retry_at: Option<Timestamp>,
    call: &Call,
) -> Kind {
    Kind::TurnFailed(pb::TurnFailed {
        turn: Some(turn.into()),
        participant: participant.to_string(),
        failure: Some(failure.into()),
        retry_at_ms: retry_at.map(|at| at.0),
        call: Some(call.into()),
    })
}

pub(crate) fn skipped(round: u32, seat: u32, participant: &ParticipantId, reason: SkipReason) -> Kind {
    Kind::SeatSkipped(pb::SeatSkipped { round, seat, participant: participant.to_string(), reason: reason.number() })
}

pub(crate) fn tally(
    rule: VoteRule,
    counts: &[(String, u32)],
    eligible: u32,
    received: u32,
    winner: Option<&String>,
) -> Kind {
    let count = |(candidate, votes): &(String, u32)| pb::VoteCount { candidate: candidate.clone(), votes: *votes };
    Kind::VoteTallied(pb::VoteTallied {
        rule: rule.number(),
        counts: counts.iter().map(count).collect(),
        eligible,
        received,
        winner: winner.cloned(),
    })
}

pub(crate) fn ended(
    state: DebateState,
    outcome: Option<Outcome>,
    reason: Option<&Reason>,
    usage: UsageTotals,
    missing_seats: &[MissingSeat],
) -> Kind {
    Kind::DebateEnded(pb::DebateEnded {
        state: state.number(),
        outcome: outcome.map(Numbered::number),
        reason: reason.map(Into::into),
        usage: Some(usage.into()),
        missing_seats: missing_seats.iter().map(Into::into).collect(),
    })
}
