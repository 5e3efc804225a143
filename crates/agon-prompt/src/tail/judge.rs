//! The tail of a judge's prompt.
use super::{Tail, TailHead, Values, all_of, choice_of, instructions, staff_languages, votes};
use crate::template::{self, fill};
use crate::view::View;
use agon_core::fence::{Author, Written};
use agon_core::{Ask, Judge, Task, Work};

/// The task and the author's instructions.
pub(crate) fn judge(view: &View, ask: &Ask, judge: &Judge) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &TailHead { stance: None, role: "judge" });
    staff_languages(&mut tail, spec);
    tail.candidates(view, ask.task.material.candidates());
    tail.paragraph(task_text(view, &ask.task));
    let own = Author::of(judge, |judge| judge.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), ask)
}

fn task_text(view: &View, Task { work, material }: &Task) -> Written {
    let candidates = material.candidates();
    match work {
        Work::Judge { .. } => {
            let form = if view.spec.wants_winner(candidates) { "text" } else { "text or null" };
            let winner = choice_of(view, template::WINNER, candidates).into();
            fill(template::JUDGE, &[("winner", winner), ("form", form.into())])
        }
        Work::Rank { .. } => fill(template::RANK, &[("choices", all_of(view, candidates).into())]),
        Work::Vote => votes::vote(view, candidates, material.form()),
        Work::ScoreDebaters => votes::scores(view, material.debaters()),
        // nothing else is asked of a judge
        _ => fill(template::ENOUGH, &[]),
    }
}
