//! From the message of an event to the event.
use crate::answer::percent;
use crate::call::boxed;
use crate::enums::{Numbered, maybe};
use crate::error::{DecodeError, Problem, each, optional, present, required};
use crate::flat as pb;
use crate::task::{participants, turn};
use agon_core::{Event, ModelName, ModeratorDecision, NodeId, ParticipantId, Timestamp};

impl From<pb::Claimed> for Event {
    fn from(event: pb::Claimed) -> Self {
        Self::Claimed { writer: NodeId::new(event.writer), epoch: event.epoch }
    }
}
impl TryFrom<pb::PhaseEntered> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::PhaseEntered) -> Result<Self, DecodeError> {
        Ok(Self::PhaseEntered { phase: Numbered::from_number(event.phase, "phase")? })
    }
}
impl From<pb::ParticipantPlaced> for Event {
    fn from(event: pb::ParticipantPlaced) -> Self {
        Self::ParticipantPlaced {
            participant: ParticipantId::new(event.participant),
            host: event.host,
            model: ModelName::new(event.model),
            digest: event.digest,
        }
    }
}
impl From<pb::RoundOpened> for Event {
    fn from(event: pb::RoundOpened) -> Self {
        Self::RoundOpened {
            round: event.round,
            speakers: participants(event.speakers),
            briefing: event.briefing.map(Into::into),
            new_angle: event.new_angle.map(Into::into),
        }
    }
}
impl TryFrom<pb::BallotCast> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::BallotCast) -> Result<Self, DecodeError> {
        Ok(Self::BallotCast {
            turn: turn(event.turn, "turn")?,
            stage: Numbered::from_number(event.stage, "stage")?,
            participant: ParticipantId::new(event.participant),
            choice: event.choice,
            reasons: event.reasons,
            confidence: percent(event.confidence)?,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::VoteCast> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::VoteCast) -> Result<Self, DecodeError> {
        Ok(Self::VoteCast {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            choice: event.choice,
            choices: event.choices,
            reasons: event.reasons,
            confidence: percent(event.confidence)?,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::ModeratorDecided> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::ModeratorDecided) -> Result<Self, DecodeError> {
        let decision = event.decision.ok_or_else(|| DecodeError::field("decision", Problem::UnknownKind))?;
        Ok(Self::ModeratorDecided {
            turn: turn(event.turn, "turn")?,
            decision: match decision {
                pb::moderator_decided::Decision::Opens(plan) => ModeratorDecision::Opens(plan.into()),
                pb::moderator_decided::Decision::Closes(summary) => {
                    ModeratorDecision::Closes(required(Some(summary), "closes")?)
                }
            },
            fallback: event.fallback,
            call: event.call.map(|call| Box::new(call.into())),
        })
    }
}
impl TryFrom<pb::TurnFailed> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::TurnFailed) -> Result<Self, DecodeError> {
        Ok(Self::TurnFailed {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            failure: required(event.failure, "failure")?,
            retry_at: event.retry_at_ms.map(Timestamp),
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::SeatSkipped> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::SeatSkipped) -> Result<Self, DecodeError> {
        Ok(Self::SeatSkipped {
            round: event.round,
            seat: event.seat,
            participant: ParticipantId::new(event.participant),
            reason: Numbered::from_number(event.reason, "reason")?,
        })
    }
}
impl TryFrom<pb::LoopEnded> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::LoopEnded) -> Result<Self, DecodeError> {
        let rule = Numbered::from_number(event.rule, "rule")?;
        Ok(Self::LoopEnded { rule, round: event.round, warning: event.warning })
    }
}
impl TryFrom<pb::JudgementRecorded> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::JudgementRecorded) -> Result<Self, DecodeError> {
        Ok(Self::JudgementRecorded {
            turn: turn(event.turn, "turn")?,
            judge: ParticipantId::new(event.judge),
            order: event.order,
            verdict: event.verdict,
            winner: event.winner,
            reasoning: event.reasoning,
            citations: event.citations.into_iter().map(Into::into).collect(),
            open_objections: event.open_objections,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::VoteTallied> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::VoteTallied) -> Result<Self, DecodeError> {
        Ok(Self::VoteTallied {
            rule: maybe(event.rule, "rule")?,
            counts: event.counts.into_iter().map(|count| (count.candidate, count.votes)).collect(),
            weights: event.weights.into_iter().map(Into::into).collect(),
            eligible: event.eligible,
            received: event.received,
            winner: event.winner,
        })
    }
}
impl TryFrom<pb::VerdictReached> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::VerdictReached) -> Result<Self, DecodeError> {
        Ok(Self::VerdictReached {
            outcome: Numbered::from_number(event.outcome, "outcome")?,
            verdict: event.verdict,
            winner: event.winner,
            reasoning: event.reasoning,
            reason: optional(event.reason, "reason")?,
            consensus: optional(event.consensus, "consensus")?,
            majority: Numbered::from_number(event.majority, "majority")?,
            moved: participants(event.moved),
        })
    }
}
impl TryFrom<pb::DebateEnded> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::DebateEnded) -> Result<Self, DecodeError> {
        Ok(Self::DebateEnded {
            state: Numbered::from_number(event.state, "state")?,
            outcome: maybe(event.outcome, "outcome")?,
            reason: optional(event.reason, "reason")?,
            usage: present(event.usage, "usage")?.into(),
            missing_seats: each(event.missing_seats, "missing_seats")?,
        })
    }
}
