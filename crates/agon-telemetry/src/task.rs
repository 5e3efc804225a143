//! A turn's task, its speaker and its tools, in the words of a trace.
use crate::span::word;
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

/// What kind of such a task, where there are several: of speech, of bid, of conclusion.
pub(crate) fn kind(task: &Task) -> Option<String> {
    match task {
        Task::Statement { speech, .. } => Some(word(speech)),
        Task::Bid { purpose, .. } => Some(word(purpose)),
        Task::Conclude { conclusion } => Some(word(conclusion)),
        Task::Ballot { .. }
        | Task::Opening
        | Task::Argument { .. }
        | Task::Closing
        | Task::AnswerPoints { .. }
        | Task::Critique { .. }
        | Task::Revise { .. }
        | Task::Reflect { .. }
        | Task::OpenRound
        | Task::CloseRound
        | Task::Interject
        | Task::ScoreSpeeches { .. }
        | Task::Research
        | Task::Summarise { .. }
        | Task::Measure { .. }
        | Task::EnoughSaid
        | Task::Judge { .. }
        | Task::Rank { .. }
        | Task::Vote { .. }
        | Task::ScoreDebaters { .. }
        | Task::Synthesise => None,
    }
}

/// Whether the model's answer is vectors and not text.
pub(crate) fn is_embedded(task: &Task) -> bool {
    matches!(task, Task::Measure { .. })
}

/// What the speaker is in the debate. Names of roles are reserved, so that a name is enough.
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

/// What stands between the name of an MCP server's tool and its function.
const FUNCTION: &str = "__";
/// What a tool is called that the speaker does not have: the name is the model's invention.
pub(crate) const OTHER_TOOL: &str = "other";

/// The tool among those that the speaker has: by the name that its host's configuration gives it.
pub(crate) fn tool<'a>(admission: Option<&'a Admission>, participant: &ParticipantId, called: &str) -> Option<&'a str> {
    let tools = admission?.spec.role(participant)?.tools();
    let server = called.split_once(FUNCTION).map(|(server, _)| server);
    tools.iter().map(String::as_str).find(|tool| *tool == called || Some(*tool) == server)
}
