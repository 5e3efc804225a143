//! Commands that read what is kept: `list`, `get`, `report`.
use super::Context;
use crate::cli::{Format, GetArgs, ListArgs, ReportArgs};
use crate::exit::{Exit, Stop};
use crate::reports::{self, Log};
use crate::store::Store;
use agon_report::{DebateResult, ResultState, one_line};
use serde_json::json;

/// `agon list`
pub fn list(context: &Context, args: &ListArgs) -> Result<Exit, Stop> {
    let store = Store::open_existing(context)?;
    let logs: Vec<Log> = match &store {
        Some(store) => store.block_on(store.newest(args.limit))?,
        None => Vec::new(),
    };
    let results = logs.iter().map(Log::result).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        let rows: Vec<_> = results.iter().map(row).collect();
        context.output.line(&serde_json::to_string_pretty(&rows).map_err(anyhow::Error::from)?)?;
    } else if results.is_empty() {
        context.output.note("no debates yet; start one with: agon run FILE (or --rehearsal to try it without a model)");
    } else {
        let lines: Vec<String> = results.iter().map(line).collect();
        context.output.data(&lines.concat())?;
    }
    Ok(Exit::Done)
}

fn row(result: &DebateResult) -> serde_json::Value {
    let mut row = json!({
        "id": result.id, "topic": result.topic, "state": result.state, "rounds": result.rounds,
        "admitted_at": result.timing.admitted_at, "duration_ms": result.timing.duration_ms, "rehearsal": result.rehearsal,
    });
    if let (Some(row), Some(outcome)) = (row.as_object_mut(), result.outcome) {
        row.insert("outcome".to_owned(), json!(outcome));
        row.insert("winner".to_owned(), json!(winner(result)));
    }
    row
}

fn line(result: &DebateResult) -> String {
    let day = result.timing.admitted_at.get(..16).unwrap_or_default().replace('T', " ");
    let mark = if result.rehearsal { " (rehearsal)" } else { "" };
    let topic: String = one_line(&result.topic).chars().take(60).collect();
    format!("{}  {day}  {:<13} {topic}{mark}\n", result.id, standing(result))
}

fn winner(result: &DebateResult) -> Option<&str> {
    let verdict = result.verdict.as_ref().and_then(|verdict| verdict.winner.as_deref());
    verdict.or_else(|| result.votes.as_ref().and_then(|votes| votes.winner.as_deref()))
}

/// The outcome where there is one, else the state, in the words of the JSON.
fn standing(result: &DebateResult) -> String {
    let word = match result.outcome {
        Some(outcome) => serde_json::to_value(outcome),
        None => serde_json::to_value(result.state),
    };
    let word = word.ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default();
    let unfinished = matches!(result.state, ResultState::Running | ResultState::Cancelling);
    if unfinished { "unfinished".to_owned() } else { word }
}

/// `agon get ID`
pub fn get(context: &Context, args: &GetArgs) -> Result<Exit, Stop> {
    let log = Store::open(context)?.log(&args.id)?;
    context.output.data(&log.render(if args.json { Format::Json } else { Format::Summary })?)?;
    Ok(Exit::Done)
}

/// `agon report ID`
pub fn report(context: &Context, args: &ReportArgs) -> Result<Exit, Stop> {
    let text = Store::open(context)?.log(&args.id)?.render(args.format)?;
    match &args.output {
        Some(path) => reports::replace(path, &text)?,
        None => context.output.data(&text)?,
    }
    Ok(Exit::Done)
}
