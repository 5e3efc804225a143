//! The tail of a judge's prompt.
use super::{ReplyForm, Tail, TailHead, TurnTask, Values, choosing, instructions, staff_languages};
use crate::view::View;
use agon_core::fence::{Author, Written};
use agon_core::{Ask, Judge};

/// The task and the author's instructions. The order of the candidates is that of this call.
pub(crate) fn judge(view: &View, ask: &Ask, judge: &Judge) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &TailHead { stance: None, role: "judge" });
    staff_languages(&mut tail, spec);
    tail.candidates(view, ask.task.material.candidates());
    let adds = TurnTask { lines: choosing(view, ask), answer: ReplyForm::Json };
    tail.task(view, ask, (&view.heads.judge, adds));
    let own = Author::of(judge, |judge| judge.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), ask)
}
