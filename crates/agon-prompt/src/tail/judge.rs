//! The tail of a judge's prompt.
use super::{Head, Tail, Values, choice_of, staff_languages, votes};
use crate::template::{self, fill};
use crate::text::listed;
use crate::view::View;
use agon_core::{Ask, Judge, Task};

/// The task and the author's instructions.
pub(crate) fn judge(view: &View, ask: &Ask, judge: &Judge) -> String {
    let spec = &view.spec;
    let name = ask.participant.as_str();
    let mut tail = Tail::new(view, ask, &Head { name, stance: None, role: "judge" });
    staff_languages(&mut tail, spec);
    tail.paragraph(&match &ask.task {
        Task::Rank { candidates, .. } => fill(template::RANK, &[("choices", &listed(candidates))]),
        Task::EnoughSaid => fill(template::ENOUGH, &[]),
        Task::Vote { candidates, form } => votes::vote(candidates, *form),
        Task::ScoreDebaters { debaters } => votes::scores(debaters),
        Task::Judge { candidates, .. } => {
            fill(template::JUDGE, &[("winner", &choice_of(template::WINNER, candidates))])
        }
        // nothing else is asked of a judge
        _ => String::new(),
    });
    let values = Values::new(view, ask, name);
    let values = values.list(view, None, spec.language.as_deref());
    tail.close(&[spec.instructions.as_ref(), judge.instructions.as_ref()], &values, ask)
}
