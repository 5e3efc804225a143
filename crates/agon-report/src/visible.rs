//! Whose words are shown where, as `visible` in the debate file says.
use agon_core::{Answered, DebateSpec, Event, Given, MODERATOR, ParticipantId, Role, Shown};

/// Where the words of a participant are shown. Those of the summarizer are shown everywhere.
pub fn shown(spec: &DebateSpec, participant: &ParticipantId) -> Shown {
    match spec.role(participant) {
        Some(Role::Debater(..)) => spec.visible.debaters,
        Some(Role::Moderator(_)) => spec.visible.moderator,
        Some(Role::Judge(..)) => spec.visible.judge,
        Some(Role::Synthesizer(_)) => spec.visible.synthesizer,
        Some(Role::Summarizer(_) | Role::Embedder(_)) | None => Shown::default(),
    }
}

/// Whether watchers are shown the pieces of a participant's running answers.
pub fn deltas_shown_to_clients(spec: &DebateSpec, participant: &ParticipantId) -> bool {
    shown(spec, participant).client
}

/// Whether watchers are shown an event while the debate runs. What a hidden role says is not; that it was asked, what it
/// chose where choices decide, and the result are.
pub fn shown_to_clients(spec: &DebateSpec, event: &Event) -> bool {
    let shows = |participant: &ParticipantId| shown(spec, participant).client;
    match event {
        // What services do for the debate is everybody's.
        Event::Answered(Answered { given: Given::Summary { .. } | Given::Measures { .. }, .. }) => true,
        Event::Answered(Answered { participant, .. })
        | Event::SpeechHeard { participant, .. }
        | Event::ToolCalled { participant, .. } => shows(participant),
        Event::FallbackDecided { .. } => shows(&MODERATOR.into()),
        // An ask names what others said: a question, a point, a briefing.
        Event::TurnAsked(ask) => shows(&ask.participant),
        Event::DebateAdmitted(_)
        | Event::Claimed { .. }
        | Event::PhaseEntered { .. }
        | Event::ParticipantPlaced { .. }
        | Event::RoundOpened { .. }
        | Event::StageOpened { .. }
        | Event::RoundCompared { .. }
        | Event::TurnFailed { .. }
        | Event::SeatSkipped { .. }
        | Event::GateDecided { .. }
        | Event::LoopEnded { .. }
        | Event::VoteTallied { .. }
        | Event::VerdictReached { .. }
        | Event::DebateInterrupted { .. }
        | Event::DebateResumed { .. }
        | Event::CancelRequested { .. }
        | Event::DebateEnded { .. } => true,
    }
}
