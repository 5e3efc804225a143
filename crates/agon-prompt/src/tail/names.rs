//! How tasks are called in the line `Task:`.
use agon_core::{BallotForm, DebateFormat, DebateSpec, Task, Work};

pub(super) fn task_name(spec: &DebateSpec, task: &Task) -> &'static str {
    let steps = spec.debate_format == DebateFormat::ChainOfThought;
    match (&task.work, task.material.form()) {
        (Work::Argument { .. }, _) if steps => "argument in steps",
        (Work::Vote, BallotForm::Ranking) => "ranked vote",
        (Work::Vote, BallotForm::Approval) => "approval vote",
        (Work::Vote, BallotForm::Scores) => "score debaters",
        (work, _) => work.traits().title,
    }
}
