//! Which try an event settles.
use super::Event;
use crate::call::Call;
use crate::ids::TurnId;

impl Event {
    /// The try whose answer the event records, and how that came about. None for what nobody was asked for: a decision put in
    /// a moderator's place, words that were compared without a model.
    pub fn answered(&self) -> Option<(TurnId, Option<&Call>)> {
        match self {
            Self::SpeechRecorded(speech) => Some((speech.turn, Some(&speech.call))),
            Self::BallotCast { turn, call, .. }
            | Self::BidPlaced { turn, call, .. }
            | Self::PointsAnswered { turn, call, .. }
            | Self::CritiqueRecorded { turn, call, .. }
            | Self::NoteTaken { turn, call, .. }
            | Self::VoteCast { turn, call, .. }
            | Self::DebatersScored { turn, call, .. }
            | Self::ModeratorInterjected { turn, call, .. }
            | Self::SpeechesScored { turn, call, .. }
            | Self::ResearchBriefed { turn, call, .. }
            | Self::ModeratorConcluded { turn, call, .. }
            | Self::SummaryRecorded { turn, call, .. }
            | Self::EnoughAsked { turn, call, .. }
            | Self::JudgementRecorded { turn, call, .. }
            | Self::RankingRecorded { turn, call, .. }
            | Self::SynthesisRecorded { turn, call, .. } => Some((*turn, Some(call))),
            Self::ModeratorDecided { turn, call, fallback, .. } => (!fallback).then_some((*turn, call.as_deref())),
            Self::RoundMeasured { turn, call, .. } => turn.map(|turn| (turn, call.as_deref())),
            Self::DebateAdmitted(_)
            | Self::Claimed { .. }
            | Self::PhaseEntered { .. }
            | Self::ParticipantPlaced { .. }
            | Self::RoundOpened { .. }
            | Self::StageOpened { .. }
            | Self::TurnAsked(_)
            | Self::ToolCalled { .. }
            | Self::SpeechHeard { .. }
            | Self::TurnFailed { .. }
            | Self::SeatSkipped { .. }
            | Self::LoopEnded { .. }
            | Self::VoteTallied { .. }
            | Self::VerdictReached { .. }
            | Self::DebateInterrupted { .. }
            | Self::DebateResumed { .. }
            | Self::CancelRequested { .. }
            | Self::DebateEnded { .. } => None,
        }
    }

    /// The try that the event settles, by an answer or by a failure, and its call.
    pub fn settled(&self) -> Option<(TurnId, Option<&Call>)> {
        match self {
            Self::TurnFailed { turn, call, .. } => Some((*turn, Some(call))),
            answer => answer.answered(),
        }
    }
}
