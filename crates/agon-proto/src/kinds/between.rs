//! What moderators, summarizers, measures and synthesizers add to a log, both ways.
use crate::call::boxed;
use crate::enums::Numbered;
use crate::error::{DecodeError, each, present, required};
use crate::flat as pb;
use crate::task::turn;
use agon_core::{Call, Conclusion, Event, Interjection, Measures, SpeechScore, Synthesis, TurnId};
use pb::event::Kind;

pub(crate) fn interjected(turn: TurnId, interjection: &Interjection, call: &Call) -> Kind {
    Kind::ModeratorInterjected(pb::ModeratorInterjected {
        turn: Some(turn.into()),
        interjection: Some(interjection.into()),
        call: Some(call.into()),
    })
}

pub(crate) fn speeches_scored(turn: TurnId, scores: &[SpeechScore], call: &Call) -> Kind {
    let scores = scores.iter().map(Into::into).collect();
    Kind::SpeechesScored(pb::SpeechesScored { turn: Some(turn.into()), scores, call: Some(call.into()) })
}

pub(crate) fn researched(turn: TurnId, text: &str, call: &Call) -> Kind {
    let text = text.to_owned();
    Kind::ResearchBriefed(pb::ResearchBriefed { turn: Some(turn.into()), text, call: Some(call.into()) })
}

pub(crate) fn concluded(
    turn: TurnId,
    conclusion: Conclusion,
    text: &str,
    reasoning: Option<&String>,
    call: &Call,
) -> Kind {
    Kind::ModeratorConcluded(pb::ModeratorConcluded {
        turn: Some(turn.into()),
        conclusion: conclusion.number(),
        text: text.to_owned(),
        reasoning: reasoning.cloned(),
        call: Some(call.into()),
    })
}

pub(crate) fn summarised(turn: TurnId, through: u32, text: &str, call: &Call) -> Kind {
    let text = text.to_owned();
    Kind::SummaryRecorded(pb::SummaryRecorded { turn: Some(turn.into()), through, text, call: Some(call.into()) })
}

pub(crate) fn measured(round: u32, measures: &Measures, turn: Option<TurnId>, call: Option<&Call>) -> Kind {
    Kind::RoundMeasured(pb::RoundMeasured {
        round,
        measures: Some(measures.into()),
        turn: turn.map(Into::into),
        call: call.map(Into::into),
    })
}

pub(crate) fn synthesised(turn: TurnId, synthesis: &Synthesis, call: &Call) -> Kind {
    let synthesis = Some(synthesis.into());
    Kind::SynthesisRecorded(pb::SynthesisRecorded { turn: Some(turn.into()), synthesis, call: Some(call.into()) })
}

impl TryFrom<pb::ModeratorInterjected> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::ModeratorInterjected) -> Result<Self, DecodeError> {
        Ok(Self::ModeratorInterjected {
            turn: turn(event.turn, "turn")?,
            interjection: present(event.interjection, "interjection")?.into(),
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::SpeechesScored> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::SpeechesScored) -> Result<Self, DecodeError> {
        Ok(Self::SpeechesScored {
            turn: turn(event.turn, "turn")?,
            scores: each(event.scores, "scores")?,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::ResearchBriefed> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::ResearchBriefed) -> Result<Self, DecodeError> {
        Ok(Self::ResearchBriefed {
            turn: turn(event.turn, "turn")?,
            text: event.text.into(),
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::ModeratorConcluded> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::ModeratorConcluded) -> Result<Self, DecodeError> {
        Ok(Self::ModeratorConcluded {
            turn: turn(event.turn, "turn")?,
            conclusion: Numbered::from_number(event.conclusion, "conclusion")?,
            text: event.text.into(),
            reasoning: event.reasoning,
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::SummaryRecorded> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::SummaryRecorded) -> Result<Self, DecodeError> {
        Ok(Self::SummaryRecorded {
            turn: turn(event.turn, "turn")?,
            through: event.through,
            text: event.text.into(),
            call: boxed(event.call, "call")?,
        })
    }
}
impl TryFrom<pb::RoundMeasured> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::RoundMeasured) -> Result<Self, DecodeError> {
        Ok(Self::RoundMeasured {
            round: event.round,
            measures: required(event.measures, "measures")?,
            turn: event.turn.map(Into::into),
            call: event.call.map(|call| Box::new(call.into())),
        })
    }
}
impl TryFrom<pb::SynthesisRecorded> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::SynthesisRecorded) -> Result<Self, DecodeError> {
        Ok(Self::SynthesisRecorded {
            turn: turn(event.turn, "turn")?,
            synthesis: present(event.synthesis, "synthesis")?.into(),
            call: boxed(event.call, "call")?,
        })
    }
}
