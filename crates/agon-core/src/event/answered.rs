//! An answer that was taken: one event for all kinds of turns.
mod kind;

pub use kind::*;

use super::{Event, ModeratorDecision, Speech};
use crate::answer::{
    Bid, Citation, Critique, DebaterScore, Interjection, Measures, Note, PointReply, Ranked, SpeechScore, Synthesis,
};
use crate::call::Call;
use crate::ids::{ParticipantId, TurnId};
use crate::task::{BallotStage, BidPurpose, Conclusion, Point};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// Somebody answered what it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The turn.
    pub turn: TurnId,
    /// Who.
    pub participant: ParticipantId,
    /// What the answer gives the debate.
    pub given: Given,
    /// How it came about.
    pub call: Box<Call>,
}

/// What an answer gives the debate: checked by the rules, with names as the roster spells them, and with what the
/// coordinator knows besides. What a model said is an [`Answer`](crate::Answer).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Given {
    /// A debater spoke.
    Speech(Speech),
    /// A private ballot.
    Ballot {
        /// Before round 1 or at the end.
        #[serde(skip)]
        stage: BallotStage,
        /// What.
        choice: String,
        /// Why.
        reasons: Vec<String>,
        /// How sure the voter says it is, 0 to 100; absent unless the file asks for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<u8>,
    },
    /// How much somebody wants to speak.
    Bid {
        /// For what.
        purpose: BidPurpose,
        /// The bid.
        #[serde(flatten)]
        bid: Bid,
    },
    /// A speaker took one of the points of information that it was offered, or none.
    Points {
        /// What was offered.
        points: Vec<Point>,
        /// What the speaker made of it.
        #[serde(flatten)]
        reply: PointReply,
    },
    /// A proposal was criticised.
    Critique {
        /// Whose proposal.
        of: ParticipantId,
        /// The critique.
        #[serde(flatten)]
        critique: Critique,
        /// How many look-alikes of the transcript's own marks it holds.
        #[serde(skip_serializing_if = "super::parts::is_zero")]
        neutralised: u32,
    },
    /// A debater noted something for itself; nobody else is shown it.
    Note(Note),
    /// A vote that decides.
    Vote {
        /// For whom; the first of `choices` where there are several.
        choice: String,
        /// The whole ranking, best first, or all that are approved; empty in a vote for one.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        choices: Vec<String>,
        /// Why.
        reasons: Vec<String>,
        /// How sure the voter says it is, 0 to 100; absent unless the file asks for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<u8>,
    },
    /// A voter scored the other debaters.
    DebaterScores {
        /// The scores.
        scores: Vec<DebaterScore>,
    },
    /// The moderator opened or closed a round.
    Decision {
        /// What it decided.
        decision: ModeratorDecision,
    },
    /// The moderator said something between the speeches and the end of a round.
    Interjection(Interjection),
    /// The moderator scored the speeches of a round.
    SpeechScores {
        /// The scores.
        scores: Vec<SpeechScore>,
    },
    /// The moderator briefed everybody on what it had found out.
    Research {
        /// The brief.
        text: Arc<str>,
    },
    /// The moderator concluded.
    Conclusion {
        /// In what manner.
        conclusion: Conclusion,
        /// What it said; the verdict where it decides.
        text: Arc<str>,
        /// Why, where it decides.
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
    },
    /// What was said up to the end of a round was summed up.
    Summary {
        /// That round.
        through: u32,
        /// The summary.
        text: Arc<str>,
    },
    /// The similarity of a round's speeches was measured by a model.
    Measures {
        /// The round.
        round: u32,
        /// The figures.
        #[serde(flatten)]
        measures: Measures,
    },
    /// The judge said whether enough was said.
    Enough {
        /// Whether no further round can change the answer.
        enough: bool,
        /// Why.
        reasoning: String,
    },
    /// The judge judged one order.
    Judgement {
        /// Which order of presentation, from 0.
        order: u32,
        /// The answer to the topic.
        verdict: String,
        /// One of the candidates, or none for a synthesis.
        winner: Option<String>,
        /// Why.
        reasoning: String,
        /// What it rests on, checked.
        citations: Vec<Citation>,
        /// Critical objections that nobody answered, as this judge sees it.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        open_objections: Vec<String>,
    },
    /// The judge ranked all candidates in one order of presentation.
    Ranking {
        /// Which order of presentation, from 0.
        order: u32,
        /// The candidates, best first.
        ranking: Vec<Ranked>,
    },
    /// The result was turned into what the author wants.
    Synthesis(Synthesis),
}

impl Event {
    /// An answer.
    pub fn answer(turn: TurnId, participant: impl Into<ParticipantId>, given: Given, call: Box<Call>) -> Self {
        Self::Answered(Answered { turn, participant: participant.into(), given, call })
    }
    /// The answer that the event records. None for what nobody was asked for: a decision put in a moderator's place, words that
    /// were compared without a model.
    pub fn answered(&self) -> Option<&Answered> {
        if let Self::Answered(answered) = self { Some(answered) } else { None }
    }
    /// The speech that the event records, and the answer that it is.
    pub fn speech(&self) -> Option<(&Answered, &Speech)> {
        let answered = self.answered()?;
        if let Given::Speech(speech) = &answered.given { Some((answered, speech)) } else { None }
    }
    /// The try that the event settles, by an answer or by a failure, and its call.
    pub fn settled(&self) -> Option<(TurnId, &Call)> {
        match self {
            Self::TurnFailed { turn, call, .. } => Some((*turn, call)),
            event => event.answered().map(|answered| (answered.turn, answered.call.as_ref())),
        }
    }
    /// The call to a model that the event records, whatever came of it. None where no model was asked.
    pub fn made_call(&self) -> Option<&Call> {
        let (_, call) = self.settled()?;
        let failed = if let Self::TurnFailed { failure, .. } = self { Some(failure.cause) } else { None };
        call.was_made(failed).then_some(call)
    }
}

/// An answer as logs show it in JSON: each kind has a type of its own, and the members stand in the order in which readers
/// know them.
#[derive(Serialize)]
struct AnswerInJson<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<TurnId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<BallotStage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    participant: Option<&'a ParticipantId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<&'a ParticipantId>,
    #[serde(flatten)]
    given: &'a Given,
    /// Of what names its round first.
    #[serde(rename = "turn", skip_serializing_if = "Option::is_none")]
    turn_after: Option<TurnId>,
    call: &'a Call,
}

impl Serialize for Answered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { turn, participant, given, call } = self;
        let (kind, after) = (given.kind(), matches!(given, Given::Measures { .. }));
        let shown = AnswerInJson {
            r#type: kind.event,
            turn: (!after).then_some(*turn),
            stage: if let Given::Ballot { stage, .. } = given { Some(*stage) } else { None },
            participant: (kind.by == By::Participant).then_some(participant),
            judge: (kind.by == By::Judge).then_some(participant),
            given,
            turn_after: after.then_some(*turn),
            call,
        };
        shown.serialize(serializer)
    }
}

/// A decision put in a moderator's place, as logs show it.
pub(super) fn fallback<S: Serializer>(
    turn: &TurnId,
    decision: &ModeratorDecision,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fallback<'a> {
        turn: &'a TurnId,
        decision: &'a ModeratorDecision,
        fallback: bool,
    }
    Fallback { turn, decision, fallback: true }.serialize(serializer)
}

#[cfg(test)]
mod tests;
