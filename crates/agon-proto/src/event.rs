//! Events: which message stands for which. The messages with many fields are built and read in `kinds`.
use crate::enums::Numbered;
use crate::error::{DecodeError, Problem, required};
use crate::flat as pb;
use crate::kinds::{self, By};
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
        Event::StageOpened { round, step, seats, parallel, joins } => Kind::StageOpened(pb::StageOpened {
            round: *round,
            step: step.number(),
            seats: seats.iter().map(Into::into).collect(),
            parallel: *parallel,
            joins: *joins,
        }),
        Event::ToolCalled { turn, participant, tool } => kinds::tool_called(*turn, participant, tool),
        Event::SpeechHeard { turn, participant, text } => kinds::speech_heard(*turn, participant, text),
        Event::BallotCast { turn, stage, participant, choice, reasons, confidence, call } => {
            By::new(*turn, participant, call).ballot(*stage, choice, reasons, *confidence)
        }
        Event::BidPlaced { turn, participant, purpose, bid, call } => {
            By::new(*turn, participant, call).bid(*purpose, bid)
        }
        Event::PointsAnswered { turn, participant, points, reply, call } => {
            By::new(*turn, participant, call).points(points, reply)
        }
        Event::CritiqueRecorded { turn, participant, of, critique, neutralised, call } => {
            By::new(*turn, participant, call).critique(of, critique, *neutralised)
        }
        Event::NoteTaken { turn, participant, note, call } => By::new(*turn, participant, call).note(note),
        Event::VoteCast { turn, participant, choice, choices, reasons, confidence, call } => {
            By::new(*turn, participant, call).vote(choice, choices, reasons, *confidence)
        }
        Event::DebatersScored { turn, participant, scores, call } => By::new(*turn, participant, call).scores(scores),
        Event::ModeratorInterjected { turn, interjection, call } => kinds::interjected(*turn, interjection, call),
        Event::SpeechesScored { turn, scores, call } => kinds::speeches_scored(*turn, scores, call),
        Event::ResearchBriefed { turn, text, call } => kinds::researched(*turn, text, call),
        Event::ModeratorConcluded { turn, conclusion, text, reasoning, call } => {
            kinds::concluded(*turn, *conclusion, text, reasoning.as_ref(), call)
        }
        Event::SummaryRecorded { turn, through, text, call } => kinds::summarised(*turn, *through, text, call),
        Event::RoundMeasured { round, measures, turn, call } => {
            kinds::measured(*round, measures, *turn, call.as_deref())
        }
        Event::EnoughAsked { turn, judge, enough, reasoning, call } => {
            By::new(*turn, judge, call).enough(*enough, reasoning)
        }
        Event::ModeratorDecided { turn, decision, fallback, call } => {
            kinds::moderator(*turn, decision, *fallback, call.as_deref())
        }
        Event::TurnFailed { turn, participant, failure, retry_at, call } => {
            kinds::failed(*turn, participant, failure, *retry_at, call)
        }
        Event::SeatSkipped { round, seat, participant, reason } => kinds::skipped(*round, *seat, participant, *reason),
        Event::LoopEnded { rule, round, warning } => {
            Kind::LoopEnded(pb::LoopEnded { rule: rule.number(), round: *round, warning: warning.clone() })
        }
        Event::JudgementRecorded {
            turn,
            judge,
            order,
            verdict,
            winner,
            reasoning,
            citations,
            open_objections,
            call,
        } => Kind::JudgementRecorded(pb::JudgementRecorded {
            turn: Some((*turn).into()),
            judge: judge.to_string(),
            order: *order,
            verdict: verdict.clone(),
            winner: winner.clone(),
            reasoning: reasoning.clone(),
            citations: citations.iter().map(Into::into).collect(),
            call: Some(call.as_ref().into()),
            open_objections: open_objections.clone(),
        }),
        Event::RankingRecorded { turn, judge, order, ranking, call } => {
            By::new(*turn, judge, call).ranking(*order, ranking)
        }
        Event::VoteTallied { rule, counts, weights, eligible, received, winner } => {
            Kind::VoteTallied(pb::VoteTallied {
                rule: rule.map(Numbered::number),
                counts: counts.iter().map(kinds::count).collect(),
                eligible: *eligible,
                received: *received,
                winner: winner.clone(),
                weights: weights.iter().map(Into::into).collect(),
            })
        }
        Event::VerdictReached { outcome, verdict, winner, reasoning, reason, consensus, majority, moved } => {
            Kind::VerdictReached(pb::VerdictReached {
                outcome: outcome.number(),
                verdict: verdict.clone(),
                winner: winner.clone(),
                reasoning: reasoning.clone(),
                consensus: consensus.as_ref().map(Into::into),
                majority: majority.number(),
                moved: names(moved),
                reason: reason.as_ref().map(Into::into),
            })
        }
        Event::SynthesisRecorded { turn, synthesis, call } => kinds::synthesised(*turn, synthesis, call),
        Event::DebateInterrupted { reason } => {
            Kind::DebateInterrupted(pb::DebateInterrupted { reason: Some(reason.into()) })
        }
        Event::DebateResumed { by } => Kind::DebateResumed(pb::DebateResumed { by: by.clone() }),
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
            Kind::DebateInterrupted(event) => {
                required(event.reason, "debate_interrupted.reason").map(|reason| Self::DebateInterrupted { reason })
            }
            Kind::DebateResumed(event) => Ok(Self::DebateResumed { by: event.by }),
            Kind::CancelRequested(event) => Ok(Self::CancelRequested { reason: event.reason }),
            Kind::DebateEnded(event) => required(Some(event), "debate_ended"),
            Kind::StageOpened(event) => required(Some(event), "stage_opened"),
            Kind::ToolCalled(event) => required(Some(event), "tool_called"),
            Kind::SpeechHeard(event) => required(Some(event), "speech_heard"),
            Kind::BidPlaced(event) => required(Some(event), "bid_placed"),
            Kind::PointsAnswered(event) => required(Some(event), "points_answered"),
            Kind::CritiqueRecorded(event) => required(Some(event), "critique_recorded"),
            Kind::NoteTaken(event) => required(Some(event), "note_taken"),
            Kind::DebatersScored(event) => required(Some(event), "debaters_scored"),
            Kind::ModeratorInterjected(event) => required(Some(event), "moderator_interjected"),
            Kind::SpeechesScored(event) => required(Some(event), "speeches_scored"),
            Kind::ResearchBriefed(event) => required(Some(event), "research_briefed"),
            Kind::ModeratorConcluded(event) => required(Some(event), "moderator_concluded"),
            Kind::SummaryRecorded(event) => required(Some(event), "summary_recorded"),
            Kind::RoundMeasured(event) => required(Some(event), "round_measured"),
            Kind::EnoughAsked(event) => required(Some(event), "enough_asked"),
            Kind::RankingRecorded(event) => required(Some(event), "ranking_recorded"),
            Kind::SynthesisRecorded(event) => required(Some(event), "synthesis_recorded"),
        }
    }
}
