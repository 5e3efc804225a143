//! A turn's task and its speaker, in the words of a trace.
use agon_core::{Admission, Ask, ParticipantId, Role, Task};

/// The task's name, as events have it.
pub(crate) fn name(task: &Task) -> &'static str {
    match task {
        Task::Ballot { .. } => "ballot",
        Task::Opening => "opening",
        Task::Argument { .. } => "argument",
        Task::Closing => "closing",
        Task::OpenRound => "open_round",
        Task::CloseRound => "close_round",
        Task::Judge { .. } => "judge",
        Task::Vote { .. } => "vote",
    }
}

/// What the speaker is in the debate.
pub(crate) fn role(ask: &Ask) -> &'static str {
    match ask.task {
        Task::Ballot { .. } | Task::Opening | Task::Argument { .. } | Task::Closing | Task::Vote { .. } => "debater",
        Task::OpenRound | Task::CloseRound => "moderator",
        Task::Judge { .. } => "judge",
    }
}

/// The stance of a debater, if it was given one.
pub(crate) fn stance<'a>(admission: &'a Admission, participant: &ParticipantId) -> Option<&'a str> {
    match admission.spec.role(participant)? {
        Role::Debater(_, persona) => persona.stance.as_deref(),
        Role::Moderator(_) | Role::Judge(_) => None,
    }
}
