//! `agon eval`: evals held in this process, and those that are stored.
mod check;
mod drive;
mod ending;
mod figures;
mod gate;
mod holder;
mod inputs;
mod label;
mod plan;
mod programs;
mod progress;
mod run;
mod seen;
mod stored;
mod submit;
mod waits;

pub use ending::evals_of;

use super::Context;
use crate::cli::{EvalAction, EvalArgs};
use crate::exit::{Exit, Stop};

/// `agon eval ...`
pub fn run(context: &Context, args: &EvalArgs) -> Result<Exit, Stop> {
    match &args.action {
        EvalAction::Run(args) => run::run(context, args),
        EvalAction::Submit(args) => submit::run(context, args),
        EvalAction::Resume(args) => run::resume(context, args, &run::GoOn::AsItIs),
        EvalAction::Retry(args) => run::retry(context, args),
        EvalAction::Rescore(args) => run::rescore(context, args),
        EvalAction::Label(args) => label::run(context, args),
        EvalAction::Cancel(args) => ending::cancel(context, args),
        EvalAction::Check(args) => check::run(context, args),
        EvalAction::List(args) => stored::list(context, args),
        EvalAction::Get(args) => stored::get(context, args),
        EvalAction::Watch(args) => stored::watch(context, args),
        EvalAction::Report(args) => stored::report(context, args),
        EvalAction::Gate(args) => gate::learn(context, args),
        EvalAction::Export(args) => stored::export(context, args),
        EvalAction::Verify(args) => stored::verify(context, args),
        EvalAction::Delete(args) => ending::delete(context, args),
    }
}
