//! What a debater's own tools found in its earlier turns.
use crate::view::View;
use agon_core::fence::{Fence, Foreign, Kind, Mark, Written};
use agon_core::{Ask, SpeechKind, Task, ToolUse};

/// How much of one result is shown again, and of the arguments that it was asked for with.
const RESULT_LENGTH: usize = 800;
const ARGUMENTS_LENGTH: usize = 160;

/// The results, oldest first, each fenced like speech, where a debater argues; else nothing. They stand before the tail, because
/// they are material.
pub(crate) fn found(view: &View, ask: &Ask) -> Written {
    let mut all = Written::default();
    if argues(&ask.task) {
        let mark = super::mark(view, ask);
        let found = view.facts.found(ask.sees, &ask.participant);
        found.iter().for_each(|(_, tool)| push(&mut all, tool, &mark));
    }
    all
}

fn push(out: &mut Written, tool: &ToolUse, mark: &Mark) {
    let mut fence = Fence::open(out, Kind::Result, mark);
    let arguments = Foreign::new(tool.arguments.as_str()).on_one_line().cut(ARGUMENTS_LENGTH);
    fence.ours("Tool: ").line(&Foreign::new(tool.tool.as_str())).ours(" ").line(&arguments).ours("\n");
    fence.text(&Foreign::new(tool.result.as_deref().unwrap_or_default()).cut(RESULT_LENGTH)).ours("\n");
    fence.close(Kind::Result);
    out.push("\n\n");
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
