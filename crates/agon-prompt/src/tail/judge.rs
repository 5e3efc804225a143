//! The tail of a judge's prompt.
use super::{Tail, TailHead, Values, all_of, choice_of, instructions, staff_languages, votes};
use crate::prompt::presented;
use crate::template::{self, fill};
use crate::view::View;
use agon_core::fence::{Author, Written};
use agon_core::{Ask, Judge, Task};

/// The task and the author's instructions.
pub(crate) fn judge(view: &View, ask: &Ask, judge: &Judge) -> Written {
    let spec = &view.spec;
    let mut tail = Tail::new(view, ask, &TailHead { stance: None, role: "judge" });
    staff_languages(&mut tail, spec);
    tail.candidates(view, presented(&ask.task).1);
    tail.paragraph(task_text(view, &ask.task));
    let own = Author::of(judge, |judge| judge.instructions.as_deref());
    tail.close([instructions(spec), own], &Values::new(view, ask), ask)
}

fn task_text(view: &View, task: &Task) -> Written {
    if let Task::Judge { candidates, .. } = task {
        return fill(template::JUDGE, &[("winner", choice_of(view, template::WINNER, candidates).into())]);
    }
    if let Task::Rank { candidates, .. } = task {
        return fill(template::RANK, &[("choices", all_of(view, candidates).into())]);
    }
    if let Task::Vote { candidates, form } = task {
        return votes::vote(view, candidates, *form);
    }
    if let Task::ScoreDebaters { debaters } = task {
        return votes::scores(view, debaters);
    }
    // nothing else is asked of a judge
    fill(template::ENOUGH, &[])
}
