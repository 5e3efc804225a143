//! How tasks are called in the line `Task:`.
use agon_core::{BallotForm, DebateFormat, DebateSpec, Task};

pub(super) fn task_name(spec: &DebateSpec, task: &Task) -> &'static str {
    let steps = spec.debate_format == DebateFormat::ChainOfThought;
    match task {
        Task::Argument { .. } if steps => "argument in steps",
        Task::Vote { form: BallotForm::Ranking, .. } => "ranked vote",
        Task::Vote { form: BallotForm::Approval, .. } => "approval vote",
        Task::Vote { form: BallotForm::Scores, .. } => "score debaters",
        task => task.traits().title,
    }
}
