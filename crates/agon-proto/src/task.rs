//! What a participant is asked, and what it answers.
use crate::enums::Numbered;
use crate::error::{DecodeError, Problem, present, required};
use crate::flat as pb;
use agon_core::{
    Answer, Ask, CitedEntry, Judgement, ModelName, ParticipantId, Position, RoundPlan, RoundSummary, Task, Timestamp,
    TurnId, TurnResult,
};
use pb::{answer, task, turn_result};

impl From<TurnId> for pb::TurnId {
    fn from(turn: TurnId) -> Self {
        Self { round: turn.round, seat: turn.seat, attempt: turn.attempt }
    }
}
impl From<pb::TurnId> for TurnId {
    fn from(turn: pb::TurnId) -> Self {
        Self { round: turn.round, seat: turn.seat, attempt: turn.attempt }
    }
}

/// The turn of a field that must be there.
pub(crate) fn turn(value: Option<pb::TurnId>, field: &str) -> Result<TurnId, DecodeError> {
    present(value, field).map(Into::into)
}

/// Names as participants.
pub(crate) fn participants(names: Vec<String>) -> Vec<ParticipantId> {
    names.into_iter().map(ParticipantId::new).collect()
}

/// Participants as names.
pub(crate) fn names(participants: &[ParticipantId]) -> Vec<String> {
    participants.iter().map(ToString::to_string).collect()
}

impl From<&Ask> for pb::Ask {
    fn from(ask: &Ask) -> Self {
        Self {
            turn: Some(ask.turn.into()),
            participant: ask.participant.to_string(),
            model: ask.model.to_string(),
            task: Some((&ask.task).into()),
            sees: ask.sees.0,
            deadline_ms: ask.deadline.0,
            correction: ask.correction.clone(),
        }
    }
}
impl TryFrom<pb::Ask> for Ask {
    type Error = DecodeError;
    fn try_from(ask: pb::Ask) -> Result<Self, DecodeError> {
        Ok(Self {
            turn: turn(ask.turn, "turn")?,
            participant: ParticipantId::new(ask.participant),
            model: ModelName::new(ask.model),
            task: required(ask.task, "task")?,
            sees: Position(ask.sees),
            deadline: Timestamp(ask.deadline_ms),
            correction: ask.correction,
        })
    }
}

impl From<&Task> for pb::Task {
    fn from(task: &Task) -> Self {
        let kind = match task {
            Task::Ballot { stage, choices } => {
                task::Kind::Ballot(task::Ballot { stage: stage.number(), choices: choices.clone() })
            }
            Task::Opening => task::Kind::Opening(task::Opening {}),
            Task::Argument { briefing, new_angle, summary } => task::Kind::Argument(task::Argument {
                briefing: briefing.as_deref().map(Into::into),
                new_angle: new_angle.as_deref().map(Into::into),
                summary: summary.as_deref().map(Into::into),
            }),
            Task::Closing => task::Kind::Closing(task::Closing {}),
            Task::OpenRound => task::Kind::OpenRound(task::OpenRound {}),
            Task::CloseRound => task::Kind::CloseRound(task::CloseRound {}),
            Task::Judge { order, candidates } => {
                task::Kind::Judge(task::Judge { order: *order, candidates: candidates.clone() })
            }
            Task::Vote { candidates } => task::Kind::Vote(task::Vote { candidates: candidates.clone() }),
        };
        Self { kind: Some(kind) }
    }
}
impl TryFrom<pb::Task> for Task {
    type Error = DecodeError;
    fn try_from(task: pb::Task) -> Result<Self, DecodeError> {
        let kind = task.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))?;
        Ok(match kind {
            task::Kind::Ballot(ballot) => {
                Self::Ballot { stage: Numbered::from_number(ballot.stage, "ballot.stage")?, choices: ballot.choices }
            }
            task::Kind::Opening(task::Opening {}) => Self::Opening,
            task::Kind::Argument(argument) => Self::Argument {
                briefing: argument.briefing.map(Into::into),
                new_angle: argument.new_angle.map(Into::into),
                summary: argument.summary.map(Into::into),
            },
            task::Kind::Closing(task::Closing {}) => Self::Closing,
            task::Kind::OpenRound(task::OpenRound {}) => Self::OpenRound,
            task::Kind::CloseRound(task::CloseRound {}) => Self::CloseRound,
            task::Kind::Judge(judge) => Self::Judge { order: judge.order, candidates: judge.candidates },
            task::Kind::Vote(vote) => Self::Vote { candidates: vote.candidates },
        })
    }
}

impl From<&Answer> for pb::Answer {
    fn from(answer: &Answer) -> Self {
        let kind = match answer {
            Answer::Speech { text } => answer::Kind::Speech(answer::Speech { text: text.to_string() }),
            Answer::Choice { choice, reasons } => {
                answer::Kind::Choice(answer::Choice { choice: choice.clone(), reasons: reasons.clone() })
            }
            Answer::RoundPlan(plan) => answer::Kind::RoundPlan(plan.into()),
            Answer::RoundSummary(summary) => answer::Kind::RoundSummary(summary.into()),
            Answer::Judgement(judgement) => answer::Kind::Judgement(judgement.into()),
        };
        Self { kind: Some(kind) }
    }
}
impl TryFrom<pb::Answer> for Answer {
    type Error = DecodeError;
    fn try_from(answer: pb::Answer) -> Result<Self, DecodeError> {
        let kind = answer.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))?;
        Ok(match kind {
            answer::Kind::Speech(speech) => Self::Speech { text: speech.text.into() },
            answer::Kind::Choice(choice) => Self::Choice { choice: choice.choice, reasons: choice.reasons },
            answer::Kind::RoundPlan(plan) => Self::RoundPlan(plan.into()),
            answer::Kind::RoundSummary(summary) => Self::RoundSummary(required(Some(summary), "round_summary")?),
            answer::Kind::Judgement(judgement) => Self::Judgement(judgement.into()),
        })
    }
}

impl From<&RoundPlan> for pb::RoundPlan {
    fn from(plan: &RoundPlan) -> Self {
        Self {
            next_speakers: names(&plan.next_speakers),
            briefing: plan.briefing.clone(),
            new_angle: plan.new_angle.clone(),
            done: plan.done,
        }
    }
}
impl From<pb::RoundPlan> for RoundPlan {
    fn from(plan: pb::RoundPlan) -> Self {
        Self {
            next_speakers: participants(plan.next_speakers),
            briefing: plan.briefing,
            new_angle: plan.new_angle,
            done: plan.done,
        }
    }
}

impl From<&RoundSummary> for pb::RoundSummary {
    fn from(summary: &RoundSummary) -> Self {
        Self { summary: summary.summary.clone(), status: summary.status.number(), decision: summary.decision.clone() }
    }
}
impl TryFrom<pb::RoundSummary> for RoundSummary {
    type Error = DecodeError;
    fn try_from(summary: pb::RoundSummary) -> Result<Self, DecodeError> {
        Ok(Self {
            summary: summary.summary,
            status: Numbered::from_number(summary.status, "status")?,
            decision: summary.decision,
        })
    }
}

impl From<&Judgement> for pb::Judgement {
    fn from(judgement: &Judgement) -> Self {
        let cited = |cited: &CitedEntry| pb::CitedEntry { entry: cited.entry, quote: cited.quote.clone() };
        Self {
            verdict: judgement.verdict.clone(),
            winner: judgement.winner.clone(),
            reasoning: judgement.reasoning.clone(),
            citations: judgement.citations.iter().map(cited).collect(),
        }
    }
}
impl From<pb::Judgement> for Judgement {
    fn from(judgement: pb::Judgement) -> Self {
        let cited = |cited: pb::CitedEntry| CitedEntry { entry: cited.entry, quote: cited.quote };
        Self {
            verdict: judgement.verdict,
            winner: judgement.winner,
            reasoning: judgement.reasoning,
            citations: judgement.citations.into_iter().map(cited).collect(),
        }
    }
}

impl From<&TurnResult> for pb::TurnResult {
    fn from(result: &TurnResult) -> Self {
        let kind = match result {
            TurnResult::Answered { answer, call } => turn_result::Kind::Answered(turn_result::Answered {
                answer: Some(answer.into()),
                call: Some(call.as_ref().into()),
            }),
            TurnResult::Failed { failure, call } => turn_result::Kind::Failed(turn_result::Failed {
                failure: Some(failure.into()),
                call: Some(call.as_ref().into()),
            }),
            TurnResult::Withdrawn => turn_result::Kind::Withdrawn(turn_result::Withdrawn {}),
        };
        Self { kind: Some(kind) }
    }
}
impl TryFrom<pb::TurnResult> for TurnResult {
    type Error = DecodeError;
    fn try_from(result: pb::TurnResult) -> Result<Self, DecodeError> {
        let kind = result.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))?;
        Ok(match kind {
            turn_result::Kind::Answered(answered) => Self::Answered {
                answer: required(answered.answer, "answered.answer")?,
                call: crate::call::boxed(answered.call, "answered.call")?,
            },
            turn_result::Kind::Failed(failed) => Self::Failed {
                failure: required(failed.failure, "failed.failure")?,
                call: crate::call::boxed(failed.call, "failed.call")?,
            },
            turn_result::Kind::Withdrawn(turn_result::Withdrawn {}) => Self::Withdrawn,
        })
    }
}
