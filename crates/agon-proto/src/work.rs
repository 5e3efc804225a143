//! What seats are opened for.
use crate::enums::{Numbered, maybe};
use crate::error::{DecodeError, Problem, required};
use crate::flat as pb;
use crate::task::{bid, name, owned};
use agon_core::{ParticipantId, Seat, Work};
use pb::task::{Conclude, Critique};
use pb::work::{self, Kind};

impl From<&Seat> for pb::Seat {
    fn from(seat: &Seat) -> Self {
        Self { participant: seat.participant.to_string(), work: Some((&seat.work).into()) }
    }
}
impl TryFrom<pb::Seat> for Seat {
    type Error = DecodeError;
    fn try_from(seat: pb::Seat) -> Result<Self, DecodeError> {
        Ok(Self { participant: ParticipantId::new(seat.participant), work: required(seat.work, "work")? })
    }
}

impl From<&Work> for pb::Work {
    fn from(work: &Work) -> Self {
        let kind = match work {
            Work::Ballot { stage } => Kind::Ballot(work::Ballot { stage: stage.number() }),
            Work::Opening => Kind::Opening(()),
            Work::Argument { to, bench } => {
                Kind::Argument(work::Argument { to: name(to.as_ref()), bench: bench.map(Numbered::number) })
            }
            Work::Statement { speech, to, about } => Kind::Statement(work::Statement {
                speech: speech.number(),
                to: name(to.as_ref()),
                about: owned(about.as_ref()),
            }),
            Work::Closing => Kind::Closing(()),
            Work::Bid { purpose, on, heard } => Kind::Bid(bid(*purpose, on.as_ref(), heard.as_ref())),
            Work::AnswerPoints => Kind::AnswerPoints(()),
            Work::Critique { of } => Kind::Critique(Critique { of: of.to_string() }),
            Work::Revise => Kind::Revise(()),
            Work::Reflect => Kind::Reflect(()),
            Work::OpenRound => Kind::OpenRound(()),
            Work::CloseRound => Kind::CloseRound(()),
            Work::Interject => Kind::Interject(()),
            Work::ScoreSpeeches => Kind::ScoreSpeeches(()),
            Work::Research => Kind::Research(()),
            Work::Conclude { conclusion } => Kind::Conclude(Conclude { conclusion: conclusion.number() }),
            Work::Summarise => Kind::Summarise(()),
            Work::Measure => Kind::Measure(()),
            Work::EnoughSaid => Kind::EnoughSaid(()),
            Work::Judge { order } => Kind::Judge(work::Reading { order: *order }),
            Work::Rank { order } => Kind::Rank(work::Reading { order: *order }),
            Work::Vote => Kind::Vote(()),
            Work::ScoreDebaters => Kind::ScoreDebaters(()),
            Work::Synthesise => Kind::Synthesise(()),
        };
        Self { kind: Some(kind) }
    }
}
impl TryFrom<pb::Work> for Work {
    type Error = DecodeError;
    fn try_from(work: pb::Work) -> Result<Self, DecodeError> {
        let kind = work.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))?;
        Ok(match kind {
            Kind::Ballot(ballot) => Self::Ballot { stage: Numbered::from_number(ballot.stage, "ballot.stage")? },
            Kind::Opening(()) => Self::Opening,
            Kind::Argument(argument) => Self::Argument {
                to: argument.to.map(ParticipantId::new),
                bench: maybe(argument.bench, "argument.bench")?,
            },
            Kind::Statement(statement) => Self::Statement {
                speech: Numbered::from_number(statement.speech, "statement.speech")?,
                to: statement.to.map(ParticipantId::new),
                about: statement.about.map(Into::into),
            },
            Kind::Closing(()) => Self::Closing,
            Kind::Bid(bid) => Self::Bid {
                purpose: Numbered::from_number(bid.purpose, "bid.purpose")?,
                on: bid.on.map(ParticipantId::new),
                heard: bid.heard.map(Into::into),
            },
            Kind::AnswerPoints(()) => Self::AnswerPoints,
            Kind::Critique(critique) => Self::Critique { of: ParticipantId::new(critique.of) },
            Kind::Revise(()) => Self::Revise,
            Kind::Reflect(()) => Self::Reflect,
            Kind::OpenRound(()) => Self::OpenRound,
            Kind::CloseRound(()) => Self::CloseRound,
            Kind::Interject(()) => Self::Interject,
            Kind::ScoreSpeeches(()) => Self::ScoreSpeeches,
            Kind::Research(()) => Self::Research,
            Kind::Conclude(conclude) => {
                Self::Conclude { conclusion: Numbered::from_number(conclude.conclusion, "conclude.conclusion")? }
            }
            Kind::Summarise(()) => Self::Summarise,
            Kind::Measure(()) => Self::Measure,
            Kind::EnoughSaid(()) => Self::EnoughSaid,
            Kind::Judge(reading) => Self::Judge { order: reading.order },
            Kind::Rank(reading) => Self::Rank { order: reading.order },
            Kind::Vote(()) => Self::Vote,
            Kind::ScoreDebaters(()) => Self::ScoreDebaters,
            Kind::Synthesise(()) => Self::Synthesise,
        })
    }
}
