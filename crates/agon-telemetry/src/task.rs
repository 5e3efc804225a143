//! A turn's task, its speaker and its tools, in the words of a trace.
use agon_core::{Admission, Ask, EMBEDDER, MODERATOR, ParticipantId, Role, SUMMARIZER, SYNTHESIZER, judge_index};

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
