//! What a debater's own tools found in its earlier turns.
use crate::template::{self, fill};
use crate::text::{cut, quoted_line, shown};
use crate::view::View;
use agon_core::{Ask, SpeechKind, Task, ToolUse};

/// How much of one result is shown again, and of the arguments that it was asked for with.
const RESULT_LENGTH: usize = 800;
const ARGUMENTS_LENGTH: usize = 160;

/// The results, oldest first, each fenced like speech, where a debater argues; else nothing. They stand before the tail, because
/// they are material.
pub(crate) fn found(view: &View, ask: &Ask) -> String {
    if !argues(&ask.task) {
        return String::new();
    }
    let result = |tool: &ToolUse| {
        let result = cut(tool.result.as_deref().unwrap_or_default(), RESULT_LENGTH);
        let arguments = quoted_line(&tool.arguments);
        let call = format!("{} {}", quoted_line(&tool.tool), cut(&arguments, ARGUMENTS_LENGTH));
        let values = [("tool", call.as_str()), ("marker", view.marker.as_ref()), ("result", &shown(&result))];
        format!("{}\n\n", fill(template::TOOL_RESULT, &values))
    };
    view.facts.found(ask.sees, &ask.participant).iter().map(|(_, tool)| result(tool)).collect()
}

/// Tasks in which a debater can use what it found, once others were heard.
fn argues(task: &Task) -> bool {
    match task {
        Task::Statement { speech, .. } => *speech != SpeechKind::Proposal,
        Task::Argument { .. } | Task::Closing | Task::Critique { .. } | Task::Revise { .. } => true,
        Task::Opening
        | Task::Ballot { .. }
        | Task::Bid { .. }
        | Task::AnswerPoints { .. }
        | Task::Reflect { .. }
        | Task::OpenRound
        | Task::CloseRound
        | Task::Interject
        | Task::ScoreSpeeches { .. }
        | Task::Research
        | Task::Conclude { .. }
        | Task::Summarise { .. }
        | Task::Measure { .. }
        | Task::EnoughSaid
        | Task::Judge { .. }
        | Task::Rank { .. }
        | Task::Vote { .. }
        | Task::ScoreDebaters { .. }
        | Task::Synthesise => false,
    }
}
