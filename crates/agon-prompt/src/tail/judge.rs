//! The tail of a judge's prompt.
use super::{Head, Tail, Values, choice_of, staff_languages, votes};
use crate::template::{self, fill};
use crate::text::listed;
use crate::view::View;
use agon_core::{Ask, DebateSpec, Judge, Task};

/// The task and the author's instructions.
pub(crate) fn judge(view: &View, ask: &Ask, judge: &Judge) -> String {
    let spec = &view.spec;
    let name = ask.participant.as_str();
    let mut tail = Tail::new(view, ask, &Head { name, stance: None, role: "judge" });
    staff_languages(&mut tail, spec);
    tail.paragraph(&task_text(spec, &ask.task));
    let values = Values::new(view, ask, name);
    let values = values.list(view, None, spec.language.as_deref());
    tail.close(&[spec.instructions.as_ref(), judge.instructions.as_ref()], &values, ask)
}

fn task_text(spec: &DebateSpec, task: &Task) -> String {
    if let Task::Judge { candidates, .. } = task {
        return fill(template::JUDGE, &[("winner", &choice_of(template::WINNER, candidates))]);
    }
    if let Task::Rank { candidates, .. } = task {
        return fill(template::RANK, &[("choices", &listed(candidates))]);
    }
    if let Task::Vote { candidates, form } = task {
        return votes::vote(spec, candidates, *form);
    }
    if let Task::ScoreDebaters { debaters } = task {
        return votes::scores(debaters);
    }
    // nothing else is asked of a judge
    fill(template::ENOUGH, &[])
}
