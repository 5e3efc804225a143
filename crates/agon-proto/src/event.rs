//! Events: which message stands for which. The messages with many fields are built and read in `kinds`.
use crate::enums::Numbered;
use crate::error::{DecodeError, Problem, required};
use crate::flat as pb;
use crate::kinds;
use crate::task::names;
use agon_core::Event;
use pb::event::Kind;

impl From<&Event> for pb::Event {
    fn from(event: &Event) -> Self {
        Self { kind: Some(kind(event)) }
    }
}

fn kind(event: &Event) -> Kind {
    match event {
        Event::DebateAdmitted(admission) => {
            Kind::DebateAdmitted(pb::DebateAdmitted { admission: Some(admission.as_ref().into()) })
        }
        Event::Claimed { writer, epoch } => Kind::Claimed(pb::Claimed { writer: writer.to_string(), epoch: *epoch }),
        Event::PhaseEntered { phase } => Kind::PhaseEntered(pb::PhaseEntered { phase: phase.number() }),
        Event::ParticipantPlaced { participant, host, model, digest } => {
            kinds::placed(participant, host, model, digest.as_ref())
        }
        Event::RoundOpened { round, speakers, briefing, new_angle } => Kind::RoundOpened(pb::RoundOpened {
            round: *round,
            speakers: names(speakers),
            briefing: briefing.as_deref().map(Into::into),
            new_angle: new_angle.as_deref().map(Into::into),
        }),
        Event::TurnAsked(ask) => Kind::TurnAsked(pb::TurnAsked { ask: Some(ask.into()) }),
        Event::SpeechRecorded(speech) => Kind::SpeechRecorded(speech.into()),
        Event::BallotCast { turn, stage, participant, choice, reasons, call } => {
            kinds::ballot(*turn, *stage, participant, choice, reasons, call)
        }
        Event::VoteCast { turn, participant, choice, reasons, call } => {
            kinds::vote(*turn, participant, choice, reasons, call)
        }
        Event::ModeratorDecided { turn, decision, fallback, call } => {
            kinds::moderator(*turn, decision, *fallback, call.as_deref())
        }
        Event::TurnFailed { turn, participant, failure, retry_at, call } => {
            kinds::failed(*turn, participant, failure, *retry_at, call)
        }
        Event::SeatSkipped { round, seat, participant, reason } => kinds::skipped(*round, *seat, participant, *reason),
        Event::LoopEnded { rule, round } => Kind::LoopEnded(pb::LoopEnded { rule: rule.number(), round: *round }),
        Event::JudgementRecorded { turn, judge, order, verdict, winner, reasoning, citations, call } => {
            Kind::JudgementRecorded(pb::JudgementRecorded {
                turn: Some((*turn).into()),
                judge: judge.to_string(),
                order: *order,
                verdict: verdict.clone(),
                winner: winner.clone(),
                reasoning: reasoning.clone(),
                citations: citations.iter().map(Into::into).collect(),
                call: Some(call.as_ref().into()),
            })
        }
        Event::VoteTallied { rule, counts, eligible, received, winner } => {
            kinds::tally(*rule, counts, *eligible, *received, winner.as_ref())
        }
        Event::VerdictReached { outcome, verdict, winner, reasoning, consensus, majority, moved } => {
            Kind::VerdictReached(pb::VerdictReached {
                outcome: outcome.number(),
                verdict: verdict.clone(),
                winner: winner.clone(),
                reasoning: reasoning.clone(),
                consensus: consensus.as_ref().map(Into::into),
                majority: majority.number(),
                moved: names(moved),
            })
        }
        Event::CancelRequested { reason } => Kind::CancelRequested(pb::CancelRequested { reason: reason.clone() }),
        Event::DebateEnded { state, outcome, reason, usage, missing_seats } => {
            kinds::ended(*state, *outcome, reason.as_ref(), *usage, missing_seats)
        }
    }
}

impl TryFrom<pb::Event> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::Event) -> Result<Self, DecodeError> {
        match event.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))? {
            Kind::DebateAdmitted(event) => required(Some(event), "debate_admitted"),
            Kind::Claimed(event) => Ok(event.into()),
            Kind::PhaseEntered(event) => required(Some(event), "phase_entered"),
            Kind::ParticipantPlaced(event) => Ok(event.into()),
            Kind::RoundOpened(event) => Ok(event.into()),
            Kind::TurnAsked(event) => required(event.ask, "turn_asked.ask").map(Self::TurnAsked),
            Kind::SpeechRecorded(event) => required(Some(event), "speech_recorded").map(Self::SpeechRecorded),
            Kind::BallotCast(event) => required(Some(event), "ballot_cast"),
            Kind::VoteCast(event) => required(Some(event), "vote_cast"),
            Kind::ModeratorDecided(event) => required(Some(event), "moderator_decided"),
            Kind::TurnFailed(event) => required(Some(event), "turn_failed"),
            Kind::SeatSkipped(event) => required(Some(event), "seat_skipped"),
            Kind::LoopEnded(event) => required(Some(event), "loop_ended"),
            Kind::JudgementRecorded(event) => required(Some(event), "judgement_recorded"),
            Kind::VoteTallied(event) => required(Some(event), "vote_tallied"),
            Kind::VerdictReached(event) => required(Some(event), "verdict_reached"),
            Kind::CancelRequested(event) => Ok(Self::CancelRequested { reason: event.reason }),
            Kind::DebateEnded(event) => required(Some(event), "debate_ended"),
        }
    }
}
