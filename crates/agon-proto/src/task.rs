//! What a participant is asked.
use crate::enums::{Numbered, maybe, or_default};
use crate::error::{DecodeError, Problem, present, required};
use crate::flat as pb;
use agon_core::{
    Ask, BallotForm, Bench, BidPurpose, Guidance, ModelName, ParticipantId, Point, Position, Task, Timestamp, TurnId,
};
use pb::task::{self, Kind};
use std::sync::Arc;

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

/// A participant who may be absent, by name.
pub(crate) fn name(participant: Option<&ParticipantId>) -> Option<String> {
    participant.map(ToString::to_string)
}

/// A shared text that may be absent, as its own.
pub(crate) fn owned(text: Option<&Arc<str>>) -> Option<String> {
    text.map(|text| text.as_ref().into())
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
            kept: ask.kept,
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
            kept: ask.kept,
        })
    }
}

impl From<&Task> for pb::Task {
    fn from(task: &Task) -> Self {
        let kind = match task {
            Task::Ballot { stage, choices } => {
                Kind::Ballot(task::Ballot { stage: stage.number(), choices: choices.clone() })
            }
            Task::Opening => Kind::Opening(task::Opening {}),
            Task::Argument { guidance, to, bench } => Kind::Argument(argument(guidance, to.as_ref(), *bench)),
            Task::Statement { speech, guidance, to, about } => Kind::Statement(task::Statement {
                speech: speech.number(),
                briefing: owned(guidance.briefing.as_ref()),
                new_angle: owned(guidance.new_angle.as_ref()),
                summary: owned(guidance.summary.as_ref()),
                to: name(to.as_ref()),
                about: owned(about.as_ref()),
            }),
            Task::Closing => Kind::Closing(task::Closing {}),
            Task::Bid { purpose, on, heard } => Kind::Bid(bid(*purpose, on.as_ref(), heard.as_ref())),
            Task::AnswerPoints { points } => {
                Kind::AnswerPoints(task::AnswerPoints { points: points.iter().map(Into::into).collect() })
            }
            Task::Critique { of } => Kind::Critique(task::Critique { of: of.to_string() }),
            Task::Revise { critics } => Kind::Revise(task::Revise { critics: names(critics) }),
            Task::Reflect { reflection, evolution } => {
                Kind::Reflect(task::Reflect { reflection: *reflection, evolution: *evolution })
            }
            Task::OpenRound => Kind::OpenRound(task::OpenRound {}),
            Task::CloseRound => Kind::CloseRound(task::CloseRound {}),
            Task::Interject => Kind::Interject(()),
            Task::ScoreSpeeches { speeches } => Kind::ScoreSpeeches(task::ScoreSpeeches {
                speeches: speeches.iter().map(|turn| (*turn).into()).collect(),
            }),
            Task::Research => Kind::Research(()),
            Task::Conclude { conclusion } => Kind::Conclude(task::Conclude { conclusion: conclusion.number() }),
            Task::Summarise { through } => Kind::Summarise(task::Summarise { through: *through }),
            Task::Measure { round } => Kind::Measure(task::Measure { round: *round }),
            Task::EnoughSaid => Kind::EnoughSaid(()),
            Task::Judge { order, candidates } => {
                Kind::Judge(task::Judge { order: *order, candidates: candidates.clone() })
            }
            Task::Rank { order, candidates } => {
                Kind::Rank(task::Rank { order: *order, candidates: candidates.clone() })
            }
            Task::Vote { candidates, form } => Kind::Vote(vote(candidates, *form)),
            Task::ScoreDebaters { debaters } => {
                Kind::ScoreDebaters(task::ScoreDebaters { debaters: debaters.iter().map(labelled).collect() })
            }
            Task::Synthesise => Kind::Synthesise(()),
        };
        Self { kind: Some(kind) }
    }
}

fn argument(guidance: &Guidance, to: Option<&ParticipantId>, bench: Option<Bench>) -> task::Argument {
    task::Argument {
        briefing: owned(guidance.briefing.as_ref()),
        new_angle: owned(guidance.new_angle.as_ref()),
        summary: owned(guidance.summary.as_ref()),
        to: name(to),
        bench: bench.map(Numbered::number),
    }
}

/// A bid's task, which is its seat's work as well.
pub(crate) fn bid(purpose: BidPurpose, on: Option<&ParticipantId>, heard: Option<&Arc<str>>) -> task::Bid {
    task::Bid { purpose: purpose.number(), on: name(on), heard: owned(heard) }
}

fn vote(candidates: &[String], form: BallotForm) -> task::Vote {
    // A vote for one is left out, as in records that were written before there was a field.
    let form = if form == BallotForm::default() { 0 } else { form.number() };
    task::Vote { candidates: candidates.to_vec(), form }
}

fn labelled((participant, label): &(ParticipantId, String)) -> task::Labelled {
    task::Labelled { participant: participant.to_string(), label: label.clone() }
}

impl TryFrom<pb::Task> for Task {
    type Error = DecodeError;
    fn try_from(task: pb::Task) -> Result<Self, DecodeError> {
        let kind = task.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))?;
        Ok(match kind {
            Kind::Ballot(ballot) => {
                Self::Ballot { stage: Numbered::from_number(ballot.stage, "ballot.stage")?, choices: ballot.choices }
            }
            Kind::Opening(task::Opening {}) => Self::Opening,
            Kind::Argument(argument) => Self::Argument {
                guidance: guidance(argument.briefing, argument.new_angle, argument.summary),
                to: argument.to.map(ParticipantId::new),
                bench: maybe(argument.bench, "argument.bench")?,
            },
            Kind::Closing(task::Closing {}) => Self::Closing,
            Kind::OpenRound(task::OpenRound {}) => Self::OpenRound,
            Kind::CloseRound(task::CloseRound {}) => Self::CloseRound,
            Kind::Judge(judge) => Self::Judge { order: judge.order, candidates: judge.candidates },
            Kind::Vote(vote) => Self::Vote { candidates: vote.candidates, form: or_default(vote.form, "vote.form")? },
            Kind::Statement(statement) => Self::Statement {
                speech: Numbered::from_number(statement.speech, "statement.speech")?,
                guidance: guidance(statement.briefing, statement.new_angle, statement.summary),
                to: statement.to.map(ParticipantId::new),
                about: statement.about.map(Into::into),
            },
            Kind::Bid(bid) => Self::Bid {
                purpose: Numbered::from_number(bid.purpose, "bid.purpose")?,
                on: bid.on.map(ParticipantId::new),
                heard: bid.heard.map(Into::into),
            },
            Kind::AnswerPoints(answer) => {
                Self::AnswerPoints { points: answer.points.into_iter().map(Into::into).collect() }
            }
            Kind::Critique(critique) => Self::Critique { of: ParticipantId::new(critique.of) },
            Kind::Revise(revise) => Self::Revise { critics: participants(revise.critics) },
            Kind::Reflect(asked) => Self::Reflect { reflection: asked.reflection, evolution: asked.evolution },
            Kind::Interject(()) => Self::Interject,
            Kind::ScoreSpeeches(score) => {
                Self::ScoreSpeeches { speeches: score.speeches.into_iter().map(Into::into).collect() }
            }
            Kind::Research(()) => Self::Research,
            Kind::Conclude(conclude) => {
                Self::Conclude { conclusion: Numbered::from_number(conclude.conclusion, "conclude.conclusion")? }
            }
            Kind::Summarise(summarise) => Self::Summarise { through: summarise.through },
            Kind::Measure(measure) => Self::Measure { round: measure.round },
            Kind::EnoughSaid(()) => Self::EnoughSaid,
            Kind::Rank(rank) => Self::Rank { order: rank.order, candidates: rank.candidates },
            Kind::ScoreDebaters(score) => {
                let whom = |one: task::Labelled| (ParticipantId::new(one.participant), one.label);
                Self::ScoreDebaters { debaters: score.debaters.into_iter().map(whom).collect() }
            }
            Kind::Synthesise(()) => Self::Synthesise,
        })
    }
}

fn guidance(briefing: Option<String>, new_angle: Option<String>, summary: Option<String>) -> Guidance {
    Guidance {
        briefing: briefing.map(Into::into),
        new_angle: new_angle.map(Into::into),
        summary: summary.map(Into::into),
    }
}

impl From<&Point> for pb::Point {
    fn from(point: &Point) -> Self {
        Self { by: point.by.to_string(), text: point.text.clone() }
    }
}
impl From<pb::Point> for Point {
    fn from(point: pb::Point) -> Self {
        Self { by: ParticipantId::new(point.by), text: point.text }
    }
}
