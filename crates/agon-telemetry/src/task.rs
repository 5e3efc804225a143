//! A turn's task and its speaker, in the words of a trace.
use agon_core::{Admission, Ask, EMBEDDER, MODERATOR, ParticipantId, Role, SUMMARIZER, SYNTHESIZER, Task, judge_index};

/// The task's name, as events have it.
pub(crate) fn name(task: &Task) -> &'static str {
    match task {
        Task::Ballot { .. } => "ballot",
        Task::Opening => "opening",
        Task::Argument { .. } => "argument",
        Task::Statement { .. } => "statement",
        Task::Closing => "closing",
        Task::Bid { .. } => "bid",
        Task::AnswerPoints { .. } => "answer_points",
        Task::Critique { .. } => "critique",
        Task::Revise { .. } => "revise",
        Task::Reflect { .. } => "reflect",
        Task::OpenRound => "open_round",
        Task::CloseRound => "close_round",
        Task::Interject => "interject",
        Task::ScoreSpeeches { .. } => "score_speeches",
        Task::Research => "research",
        Task::Conclude { .. } => "conclude",
        Task::Summarise { .. } => "summarise",
        Task::Measure { .. } => "measure",
        Task::EnoughSaid => "enough_said",
        Task::Judge { .. } => "judge",
        Task::Rank { .. } => "rank",
        Task::Vote { .. } => "vote",
        Task::ScoreDebaters { .. } => "score_debaters",
        Task::Synthesise => "synthesise",
    }
}

/// What the speaker is in the debate.
pub(crate) fn role(ask: &Ask) -> &'static str {
    match ask.participant.as_str() {
        MODERATOR => "moderator",
        SUMMARIZER => "summarizer",
        SYNTHESIZER => "synthesizer",
        EMBEDDER => "embedder",
        _ if judge_index(&ask.participant).is_some() => "judge",
        _ => "debater",
    }
}

/// The stance of a debater, if it was given one.
pub(crate) fn stance<'a>(admission: &'a Admission, participant: &ParticipantId) -> Option<&'a str> {
    match admission.spec.role(participant)? {
        Role::Debater(_, persona) => persona.stance.as_deref(),
        Role::Moderator(_) | Role::Judge(..) | Role::Summarizer(_) | Role::Synthesizer(_) | Role::Embedder(_) => None,
    }
}
