//! From the fields of an event to its message.
use crate::enums::Numbered;
use crate::flat as pb;
use agon_core::{
    BallotStage, Bid, BidPurpose, Call, Critique, DebateState, DebaterScore, Failure, MissingSeat, ModelName,
    ModeratorDecision, Note, Outcome, ParticipantId, Point, PointReply, Ranked, Reason, SkipReason, Timestamp, ToolUse,
    TurnId, UsageTotals,
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

/// Whose answer an event records, of which turn, and how it came about.
pub(crate) struct By<'a> {
    turn: Option<pb::TurnId>,
    who: String,
    call: &'a Call,
}
impl<'a> By<'a> {
    pub(crate) fn new(turn: TurnId, participant: &ParticipantId, call: &'a Call) -> Self {
        Self { turn: Some(turn.into()), who: participant.to_string(), call }
    }
    fn call(&self) -> Option<pb::Call> {
        Some(self.call.into())
    }
    pub(crate) fn ballot(self, stage: BallotStage, choice: &str, reasons: &[String], confidence: Option<u8>) -> Kind {
        let (call, stage, choice) = (self.call(), stage.number(), choice.to_owned());
        let (reasons, confidence) = (reasons.to_vec(), confidence.map(u32::from));
        let participant = self.who;
        Kind::BallotCast(pb::BallotCast { turn: self.turn, stage, participant, choice, reasons, call, confidence })
    }
    pub(crate) fn vote(self, choice: &str, choices: &[String], reasons: &[String], confidence: Option<u8>) -> Kind {
        let (call, choice) = (self.call(), choice.to_owned());
        let (choices, reasons, confidence) = (choices.to_vec(), reasons.to_vec(), confidence.map(u32::from));
        let participant = self.who;
        Kind::VoteCast(pb::VoteCast { turn: self.turn, participant, choice, reasons, call, choices, confidence })
    }
    pub(crate) fn bid(self, purpose: BidPurpose, bid: &Bid) -> Kind {
        let (call, bid) = (self.call(), Some(bid.into()));
        let purpose = purpose.number();
        Kind::BidPlaced(pb::BidPlaced { turn: self.turn, participant: self.who, purpose, bid, call })
    }
    pub(crate) fn points(self, points: &[Point], reply: &PointReply) -> Kind {
        let (call, reply) = (self.call(), Some(reply.into()));
        let points = points.iter().map(Into::into).collect();
        Kind::PointsAnswered(pb::PointsAnswered { turn: self.turn, participant: self.who, points, reply, call })
    }
    pub(crate) fn critique(self, of: &ParticipantId, critique: &Critique, neutralised: u32) -> Kind {
        let call = self.call();
        Kind::CritiqueRecorded(pb::CritiqueRecorded {
            turn: self.turn,
            participant: self.who,
            of: of.to_string(),
            critique: Some(critique.into()),
            neutralised,
            call,
        })
    }
    pub(crate) fn note(self, note: &Note) -> Kind {
        let (call, note) = (self.call(), Some(note.into()));
        Kind::NoteTaken(pb::NoteTaken { turn: self.turn, participant: self.who, note, call })
    }
    pub(crate) fn scores(self, scores: &[DebaterScore]) -> Kind {
        let (call, scores) = (self.call(), scores.iter().map(Into::into).collect());
        Kind::DebatersScored(pb::DebatersScored { turn: self.turn, participant: self.who, scores, call })
    }
    pub(crate) fn enough(self, enough: bool, reasoning: &str) -> Kind {
        let (call, reasoning) = (self.call(), reasoning.to_owned());
        Kind::EnoughAsked(pb::EnoughAsked { turn: self.turn, judge: self.who, enough, reasoning, call })
    }
    pub(crate) fn ranking(self, order: u32, ranking: &[Ranked]) -> Kind {
        let (call, ranking) = (self.call(), ranking.iter().map(Into::into).collect());
        Kind::RankingRecorded(pb::RankingRecorded { turn: self.turn, judge: self.who, order, ranking, call })
    }
}

pub(crate) fn tool_called(turn: TurnId, participant: &ParticipantId, tool: &ToolUse) -> Kind {
    let (turn, tool) = (Some(turn.into()), Some(tool.into()));
    Kind::ToolCalled(pb::ToolCalled { turn, participant: participant.to_string(), tool })
}

pub(crate) fn speech_heard(turn: TurnId, participant: &ParticipantId, text: &str) -> Kind {
    let (turn, text) = (Some(turn.into()), text.to_owned());
    Kind::SpeechHeard(pb::SpeechHeard { turn, participant: participant.to_string(), text })
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

pub(crate) fn count((candidate, votes): &(String, u32)) -> pb::VoteCount {
    pb::VoteCount { candidate: candidate.clone(), votes: *votes }
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
