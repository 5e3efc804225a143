//! The figures of an eval, from its log.
use crate::cli::{EvalFormat, EvalViewArgs};
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use agon_runtime::OpenEval;

/// Prints the result of an eval that `run` or `resume` has brought to its end.
pub fn show(context: &Context, view: &EvalViewArgs, eval: &OpenEval) -> Result<Exit, Stop> {
    if view.jsonl { Ok(exit(eval)) } else { print(context, view.json, eval) }
}

/// Prints the result.
pub fn print(context: &Context, json: bool, eval: &OpenEval) -> Result<Exit, Stop> {
    let format = if json { EvalFormat::Json } else { EvalFormat::Text };
    context.output.data(&render(context, eval, format)?)?;
    Ok(exit(eval))
}

/// The result in a form, ending with a line end.
pub fn render(_context: &Context, eval: &OpenEval, _format: EvalFormat) -> Result<String, Stop> {
    Ok(format!("{}\n", super::progress::line(&eval.machine.progress())))
}

/// A row for each question, arm and repetition.
pub fn cells(_eval: &OpenEval) -> Result<String, Stop> {
    Ok(String::new())
}

/// How sure answers are, and how often they are right.
pub fn calibration(_eval: &OpenEval) -> Result<String, Stop> {
    Ok(String::new())
}

/// How the program ends.
pub fn exit(eval: &OpenEval) -> Exit {
    match eval.machine.ended() {
        Some("failed") => Exit::Failed,
        Some("cancelled") => Exit::Cancelled,
        Some(_) => Exit::Done,
        None => Exit::Interrupted,
    }
}
