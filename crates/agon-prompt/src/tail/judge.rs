//! The tail of a judge's prompt.
use super::{Tail, Values, choosing, instructions, like, staff_languages};
use crate::tasks::described;
use crate::template::fill;
use crate::view::View;
use agon_core::fence::{Author, Written};
use agon_core::{Ask, Judge};

/// The task, what may be chosen, and the author's instructions. The order of the candidates is that of this call.
pub(crate) fn judge(view: &View, ask: &Ask, judge: &Judge) -> Written {
    let spec = &view.spec;
    let alone = ask.participant.as_str() == agon_core::JUDGE;
    let mut tail = Tail::new(view, ask, &if alone { fill("the judge", &[]) } else { view.called(&ask.participant) });
    tail.question(spec);
    staff_languages(&mut tail, spec);
    tail.candidates(view, ask.task.material.candidates());
    let task = described(spec, &ask.task);
    let lines: Vec<Written> = std::iter::once(task.words).chain(choosing(view, ask)).collect();
    tail.lines(&lines);
    let own = Author::of(judge, |judge| judge.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), (ask, &like(task.example)))
}
