//! From the message of what participants said beside their speeches to the event.
use crate::call::boxed;
use crate::enums::Numbered;
use crate::error::{DecodeError, each, present, required};
use crate::flat as pb;
use crate::task::turn;
use agon_core::{Event, ParticipantId};

impl TryFrom<pb::StageOpened> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::StageOpened) -> Result<Self, DecodeError> {
        Ok(Self::StageOpened {
            round: event.round,
            step: Numbered::from_number(event.step, "step")?,
            seats: each(event.seats, "seats")?,
            parallel: event.parallel,
            joins: event.joins,
        })
    }
}
impl TryFrom<pb::ToolCalled> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::ToolCalled) -> Result<Self, DecodeError> {
        Ok(Self::ToolCalled {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            tool: present(event.tool, "tool")?.into(),
        })
    }
}
impl TryFrom<pb::SpeechHeard> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::SpeechHeard) -> Result<Self, DecodeError> {
        Ok(Self::SpeechHeard {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            text: event.text.into(),
        })
    }
}
impl TryFrom<pb::BidPlaced> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::BidPlaced) -> Result<Self, DecodeError> {
        Ok(Self::BidPlaced {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            purpose: Numbered::from_number(event.purpose, "purpose")?,
            bid: required(event.bid, "bid")?,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::PointsAnswered> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::PointsAnswered) -> Result<Self, DecodeError> {
        Ok(Self::PointsAnswered {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            points: event.points.into_iter().map(Into::into).collect(),
            reply: present(event.reply, "reply")?.into(),
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::CritiqueRecorded> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::CritiqueRecorded) -> Result<Self, DecodeError> {
        Ok(Self::CritiqueRecorded {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            of: ParticipantId::new(event.of),
            critique: required(event.critique, "critique")?,
            neutralised: event.neutralised,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::NoteTaken> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::NoteTaken) -> Result<Self, DecodeError> {
        Ok(Self::NoteTaken {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            note: present(event.note, "note")?.into(),
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::DebatersScored> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::DebatersScored) -> Result<Self, DecodeError> {
        Ok(Self::DebatersScored {
            turn: turn(event.turn, "turn")?,
            participant: ParticipantId::new(event.participant),
            scores: each(event.scores, "scores")?,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::EnoughAsked> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::EnoughAsked) -> Result<Self, DecodeError> {
        Ok(Self::EnoughAsked {
            turn: turn(event.turn, "turn")?,
            judge: ParticipantId::new(event.judge),
            enough: event.enough,
            reasoning: event.reasoning,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::RankingRecorded> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::RankingRecorded) -> Result<Self, DecodeError> {
        Ok(Self::RankingRecorded {
            turn: turn(event.turn, "turn")?,
            judge: ParticipantId::new(event.judge),
            order: event.order,
            ranking: event.ranking.into_iter().map(Into::into).collect(),
            call: boxed(event.call, "call")?,
        })
    }
}
