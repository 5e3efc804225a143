//! Events: which message stands for which.
use crate::error::DecodeError;
use crate::field::Mirrored;
use crate::flat as pb;
use crate::mirror::{mirror, oneof};
use agon_core::gate::GateFeatures;
use agon_core::{Admission, Event, FeedItem, FeedReading, PastDebate, Priority, Recalled};

mod answered;

oneof! {
    Event as Event in event {
        DebateAdmitted(admission) = DebateAdmitted(pb::DebateAdmitted),
        Claimed { writer, epoch } = Claimed(pb::Claimed),
        PhaseEntered { phase } = PhaseEntered(pb::PhaseEntered),
        ParticipantPlaced { participant, host, model, digest } = ParticipantPlaced(pb::ParticipantPlaced),
        RoundOpened { round, speakers, briefing, new_angle } = RoundOpened(pb::RoundOpened),
        StageOpened { round, step, seats, parallel, joins } = StageOpened(pb::StageOpened),
        TurnAsked(ask) = TurnAsked(pb::TurnAsked),
        ToolCalled { turn, participant, tool } = ToolCalled(pb::ToolCalled),
        SpeechHeard { turn, participant, text } = SpeechHeard(pb::SpeechHeard),
        TurnFailed { turn, participant, failure, retry_at as retry_at_ms, call } = TurnFailed(pb::TurnFailed),
        SeatSkipped { round, seat, participant, reason } = SeatSkipped(pb::SeatSkipped),
        GateDecided { features, eligible, cast, score, skip, reason } = GateDecided(pb::GateDecided),
        LoopEnded { rule, round, warning } = LoopEnded(pb::LoopEnded),
        VoteTallied { rule, counts, weights, eligible, received, winner } = VoteTallied(pb::VoteTallied),
        VerdictReached { outcome, verdict, winner, reasoning, reason, consensus, majority, moved }
            = VerdictReached(pb::VerdictReached),
        DebateInterrupted { reason } = DebateInterrupted(pb::DebateInterrupted),
        DebateResumed { by } = DebateResumed(pb::DebateResumed),
        CancelRequested { reason } = CancelRequested(pb::CancelRequested),
        DebateEnded { state, outcome, reason, usage, missing_seats } = DebateEnded(pb::DebateEnded),
    } or answered {
        Answered(answer) => answered::message(answer),
        FallbackDecided { turn, decision } => answered::fallback(*turn, decision),
        RoundCompared { round, measures } => answered::compared(*round, measures),
    }
}

mirror! {
    Admission as Admission {
        id, spec, seed, retry, agon_version, request_id, rehearsal,
        // the usual one is left out, as in records that were written before there was a field
        priority: unless(Priority::Normal),
        labels, creator, submitted_by, rejudges, history, ratings, feeds, recalled,
    }
    GateFeatures as GateFeatures {
        top_share, entropy, margin, answers, reason_words_mean, reason_words_spread, question_words, options,
        models_disagree, confidence_mean,
    }
    PastDebate as PastDebate { id, topic, admitted as admitted_ms, outcome, verdict, winner, failed }
    Recalled as Recalled { method, model }
    FeedReading as FeedReading { name, items, fault: or_none() }
    FeedItem as FeedItem { title, date, link, text }
}

/// A candidate with its votes.
impl Mirrored<pb::VoteCount> for (String, u32) {
    fn out(&self) -> pb::VoteCount {
        let (candidate, votes) = self.clone();
        pb::VoteCount { candidate, votes }
    }
    fn read(wire: pb::VoteCount, _: &str) -> Result<Self, DecodeError> {
        Ok((wire.candidate, wire.votes))
    }
}
