//! The figures of an eval, from its log: printed, exported, and as an exit code.
use crate::cli::{EvalFormat, EvalShowArgs, Required};
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use crate::terminal;
use agon_eval::{
    ComparisonFamily, CountResult, EvalMachine, EvalResult, VerdictKind, cells_csv, pairs_csv, persona_calibration,
    result_json, result_of,
};
use agon_report::{DebateLinks, eval_html, eval_markdown, eval_terminal};
use anyhow::Context as _;

/// Columns of a result that is not shown on a terminal.
const PIPED: usize = 100;

/// Prints the result of an eval that `run` or `resume` has brought to its end.
pub fn show(context: &Context, show: &EvalShowArgs, eval: &EvalMachine) -> Result<Exit, Stop> {
    let result = result_of(eval);
    if !show.jsonl {
        print_result(context, show.json, &result)?;
    }
    let exit = exit_of(eval, &result);
    match show.require {
        Some(required) if matches!(exit, Exit::Done | Exit::Undecided) => Ok(as_required(context, required, &result)),
        Some(_) | None => Ok(exit),
    }
}

/// Prints the result.
pub fn print(context: &Context, json: bool, eval: &EvalMachine) -> Result<Exit, Stop> {
    let result = result_of(eval);
    print_result(context, json, &result)?;
    Ok(exit_of(eval, &result))
}

fn print_result(context: &Context, json: bool, result: &EvalResult) -> Result<(), Stop> {
    if json {
        return Ok(context.output.safe_json(result)?);
    }
    let width = context.output.columns().unwrap_or(PIPED);
    Ok(terminal::print(&eval_terminal(result, width), width, context.output.color)?)
}

/// The result in a form, ending with a line end.
pub fn render(eval: &EvalMachine, format: EvalFormat, links: &DebateLinks) -> Result<String, Stop> {
    let result = result_of(eval);
    let text = match format {
        EvalFormat::Text => {
            let lines = eval_terminal(&result, PIPED);
            terminal::text(&lines, PIPED)
        }
        EvalFormat::Markdown => eval_markdown(&result),
        EvalFormat::Html => eval_html(&result, links).context("the page cannot be written")?,
        EvalFormat::Json => agon_report::safe_json(&result_json(&result).context("the result cannot be written")?),
    };
    Ok(if text.ends_with('\n') { text } else { format!("{text}\n") })
}

/// A row for each question, arm and repetition.
pub fn cells(eval: &EvalMachine) -> Result<String, Stop> {
    Ok(cells_csv(&result_of(eval)).context("the cells cannot be written")?)
}

/// A row for each pair of answers that graders compared.
pub fn pairs(eval: &EvalMachine) -> Result<String, Stop> {
    Ok(pairs_csv(&result_of(eval)).context("the pairs cannot be written")?)
}

/// How well each persona judges its own certainty, as debate files take it.
pub fn calibration(eval: &EvalMachine) -> Result<String, Stop> {
    let file = persona_calibration(eval).map_err(Stop::usage)?;
    let text = serde_json::to_string_pretty(&file).context("the calibration cannot be written")?;
    Ok(format!("{}\n", agon_report::safe_json(&text)))
}

/// How the program ends where an eval was only read.
pub fn exit(eval: &EvalMachine) -> Exit {
    exit_of(eval, &result_of(eval))
}

fn exit_of(eval: &EvalMachine, result: &EvalResult) -> Exit {
    match eval.ended() {
        Some("failed") => Exit::Failed,
        Some("cancelled") => Exit::Cancelled,
        Some(_) if primary(result).all(|count| !is_told(count)) => Exit::Undecided,
        Some(_) => Exit::Done,
        None => Exit::Interrupted,
    }
}

/// The primary comparisons, by the count of the eval.
fn primary(result: &EvalResult) -> impl Iterator<Item = &CountResult> {
    let primary = result.comparisons.iter().filter(|of| of.family == ComparisonFamily::Primary);
    primary.filter_map(|comparison| comparison.counts.first())
}

fn is_told(count: &CountResult) -> bool {
    match count.verdict {
        Some(VerdictKind::Helped | VerdictKind::NoGain | VerdictKind::Hurt) => true,
        Some(VerdictKind::CannotTell) | None => false,
    }
}

/// Whether every primary comparison is as it is required to be.
fn as_required(context: &Context, required: Required, result: &EvalResult) -> Exit {
    let worth = result.setup.worth_points / 100.0;
    let holds = |count: &CountResult| match required {
        Required::Helped => count.verdict == Some(VerdictKind::Helped),
        Required::NoHarm => count.difference.interval.is_some_and(|interval| interval.low > -worth),
    };
    let mut all = primary(result).peekable();
    if all.peek().is_some() && all.all(holds) {
        return Exit::Done;
    }
    let wanted = match required {
        Required::Helped => "helped",
        Required::NoHarm => "no_harm",
    };
    context.output.warn(&format!("not every primary comparison is `{wanted}`, as --require wants it"));
    Exit::Unwell
}
