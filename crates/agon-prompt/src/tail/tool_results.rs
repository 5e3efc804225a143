//! What a debater's own tools found in its earlier turns.
use crate::view::View;
use agon_core::fence::{Fence, FenceKind, Foreign, Mark, Written};
use agon_core::{Ask, ToolUse};

/// How much of one result is shown again, and of the arguments that it was asked for with.
const RESULT_LENGTH: usize = 800;
const ARGUMENTS_LENGTH: usize = 160;

/// The results, oldest first, each fenced like speech, where a debater argues; else nothing. They stand before the tail, because
/// they are material.
pub(crate) fn found(view: &View, ask: &Ask) -> Written {
    let mut all = Written::default();
    if ask.task.work.traits().findings {
        let mark = super::mark(view, ask);
        let found = view.facts.found(ask.sees, &ask.participant);
        found.iter().for_each(|(_, tool)| push(&mut all, tool, &mark));
    }
    all
}

fn push(out: &mut Written, tool: &ToolUse, mark: &Mark) {
    let mut fence = Fence::open(out, FenceKind::Result, mark);
    let arguments = Foreign::new(tool.arguments.as_str()).on_one_line().cut(ARGUMENTS_LENGTH);
    fence.ours("Tool: ").line(&Foreign::new(tool.tool.as_str())).ours(" ").line(&arguments).ours("\n");
    fence.text(&Foreign::new(tool.result.as_deref().unwrap_or_default()).cut(RESULT_LENGTH)).ours("\n");
    fence.close(FenceKind::Result);
    out.push("\n\n");
}
