//! Commands about evals that are stored: `list`, `get`, `watch`, `report`, `export`, `verify`, `cancel`, `delete`.
use super::drive::{log_failed, print};
use super::figures;
use super::progress::line;
use crate::cli::{
    EvalExport, EvalExportArgs, EvalFormat, EvalListArgs, EvalNameArgs, EvalReportArgs, EvalWatchArgs, Format,
};
use crate::commands::{Context, small_runtime};
use crate::exit::{Exit, Stop};
use crate::output::columns;
use crate::reports;
use crate::signals::Signals;
use crate::store::{self, Store, failed};
use agon_core::{DebateId, TenantId, thousands};
use agon_eval::{EvalCard, EvalStop};
use agon_report::{DebateLinks, one_line};
use agon_runtime::{Clock as _, EvalOrderError, OpenEval, SystemClock, cancel_eval, read_eval};
use agon_store::{EvalHead, EvalLogs as _, StoreError};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How often an eval of another process is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Evals that are read at once.
const PAGE: u32 = 500;

/// The store, which must exist.
pub fn open(context: &Context) -> Result<Store, Stop> {
    Store::open_existing(context)?.ok_or_else(|| Stop::usage("there is no eval yet"))
}

/// The eval that `name` means: an id, the beginning or end of one, or `last`.
pub async fn find(store: &Store, name: &str) -> Result<DebateId, Stop> {
    let ids: Vec<DebateId> = heads(store, u32::MAX).await?.into_iter().map(|head| head.id).collect();
    if ids.is_empty() {
        return Err(Stop::usage("there is no eval yet"));
    }
    store::pick(name, &ids)
        .map_err(|_| Stop::usage(format!("{name:?} is none of the evals, or several; agon eval list shows all")))
}

async fn heads(store: &Store, limit: u32) -> Result<Vec<EvalHead>, Stop> {
    let mut all: Vec<EvalHead> = Vec::new();
    loop {
        let have = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let page = PAGE.min(limit.saturating_sub(have));
        let before = all.last().map(|head| head.id.clone());
        let heads = if page == 0 {
            Vec::new()
        } else {
            store.sqlite.list_evals(&TenantId::default(), before.as_ref(), page).await.map_err(failed)?
        };
        if heads.is_empty() {
            return Ok(all);
        }
        all.extend(heads);
    }
}

/// The eval that `name` means, with its log.
pub async fn read(store: &Store, name: &str) -> Result<OpenEval, Stop> {
    let id = find(store, name).await?;
    read_eval(&*store.sqlite, &id).await.map_err(log_failed)
}

fn card(head: &EvalHead) -> EvalCard {
    serde_json::from_slice(&head.card).unwrap_or_default()
}

fn state(head: &EvalHead, card: &EvalCard) -> String {
    card.state.clone().unwrap_or_else(|| if head.ended { "ended".to_owned() } else { "open".to_owned() })
}

/// `agon eval list`
pub fn list(context: &Context, args: &EvalListArgs) -> Result<Exit, Stop> {
    let heads = match Store::open_existing(context)? {
        Some(store) => small_runtime()?.block_on(heads(&store, args.limit))?,
        None => Vec::new(),
    };
    if args.json {
        let rows: Vec<Value> = heads.iter().map(|head| row(head, &card(head))).collect();
        context.output.safe_json(&rows)?;
        return Ok(Exit::Done);
    }
    if heads.is_empty() {
        context
            .output
            .note("no evals yet; start one with: agon eval run --builtin arithmetic --debate FILE --rehearsal");
        return Ok(Exit::Done);
    }
    let cells = |head: &EvalHead| {
        let card = card(head);
        let mark = if card.rehearsal { "rehearsal" } else { "" };
        vec![
            store::short(head.id.as_str()).to_owned(),
            one_line(&state(head, &card)),
            format!("{} of {} questions", card.questions_over, card.questions),
            one_line(&card.debates.join(", ")),
            mark.to_owned(),
        ]
    };
    let lines: Vec<Vec<String>> = heads.iter().map(cells).collect();
    context.output.data(&columns(&lines))?;
    Ok(Exit::Done)
}

fn row(head: &EvalHead, card: &EvalCard) -> Value {
    json!({
        "id": head.id, "state": state(head, card), "debates": card.debates, "questions": card.questions,
        "questions_over": card.questions_over, "cells_over": card.cells_over, "cells_likely": card.cells_likely,
        "failed": card.failed, "tokens": card.tokens, "rehearsal": card.rehearsal,
        "admitted_ms": head.admitted.0, "updated_ms": head.updated.0,
    })
}

/// `agon eval get`
pub fn get(context: &Context, args: &EvalNameArgs) -> Result<Exit, Stop> {
    let store = open(context)?;
    let eval = small_runtime()?.block_on(read(&store, &args.id))?;
    let (machine, progress) = (&eval.machine, eval.machine.progress());
    if args.json {
        let debates: Vec<&str> = machine.admission().spec.debates.iter().map(|debate| debate.name.0.as_str()).collect();
        let value = json!({
            "id": eval.id, "state": machine.ended().unwrap_or("open"), "stopped": machine.stopped(),
            "stopped_detail": machine.stop().and_then(|stop| stop.detail.as_deref()), "debates": debates,
            "rehearsal": machine.admission().rehearsal, "seed": machine.admission().spec.seed, "progress": progress,
        });
        context.output.safe_json(&value)?;
        return Ok(Exit::Done);
    }
    let state = one_line(machine.ended().unwrap_or("open"));
    let why = machine.stop().map(|stop| format!(" ({})", one_line(&stopped(stop)))).unwrap_or_default();
    let mark = if machine.admission().rehearsal { ", a rehearsal" } else { "" };
    context.output.line(&format!("eval {}: {state}{why}{mark}", eval.id))?;
    context.output.line(&line(&progress))?;
    for arm in &progress.arms {
        context.output.line(&format!(
            "  {}: {} held, {} failed, {} tokens",
            one_line(&arm.name),
            thousands(arm.over.into()),
            thousands(arm.failed.into()),
            thousands(arm.tokens)
        ))?;
    }
    Ok(Exit::Done)
}

/// Why an eval ended before its last question.
fn stopped(stop: &EvalStop) -> String {
    match &stop.detail {
        Some(detail) => format!("{}: {detail}", stop.reason),
        None => stop.reason.clone(),
    }
}

/// `agon eval watch`
pub fn watch(context: &Context, args: &EvalWatchArgs) -> Result<Exit, Stop> {
    let store = open(context)?;
    crate::commands::runtime()?.block_on(async {
        let id = find(&store, &args.id).await?;
        let mut signals = Signals::listen()?;
        let mut shown = 0;
        let mut progress = super::progress::ProgressLine::new(context, args.jsonl);
        loop {
            let eval = read_eval(&*store.sqlite, &id).await.map_err(log_failed)?;
            if args.jsonl {
                for (at, event) in eval.events.iter().skip(shown) {
                    print(context, *at, event)?;
                }
            }
            shown = eval.events.len();
            progress.show(context, &eval.machine.progress());
            if eval.machine.ended().is_some() {
                progress.finish();
                return match args.jsonl {
                    true => Ok(figures::exit(&eval)),
                    false => figures::print(context, args.json, &eval),
                };
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = signals.next() => {
                    progress.finish();
                    return Ok(Exit::Interrupted);
                }
            }
        }
    })
}

/// `agon eval report`
pub fn report(context: &Context, args: &EvalReportArgs) -> Result<Exit, Stop> {
    let format = args.format.unwrap_or_else(|| format_of(args.output.as_deref()));
    let store = open(context)?;
    let eval = small_runtime()?.block_on(read(&store, &args.id))?;
    let links = match (&args.output, args.debates) {
        (Some(path), true) => {
            small_runtime()?.block_on(write_debates(&store, &eval, path))?;
            DebateLinks::Files
        }
        (Some(_) | None, _) => DebateLinks::None,
    };
    write(context, args.output.as_deref(), &figures::render(&eval, format, &links)?)
}

/// Writes the report of every debate into the folder `debates` beside the eval's own.
async fn write_debates(store: &Store, eval: &OpenEval, path: &Path) -> Result<(), Stop> {
    let folder = path.parent().unwrap_or(Path::new("")).join("debates");
    std::fs::create_dir_all(&folder)?;
    for closed in eval.machine.closed() {
        let id = DebateId::parse(&closed.debate).map_err(Stop::usage)?;
        let page = store.log_of(&id).await?.render(Format::Html)?;
        reports::replace(&folder.join(format!("{id}.html")), &page)?;
    }
    Ok(())
}

/// The form that a file's ending asks for.
fn format_of(path: Option<&Path>) -> EvalFormat {
    match path.and_then(|path| path.extension()).and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => EvalFormat::Html,
        Some("md" | "markdown") => EvalFormat::Markdown,
        Some("json") => EvalFormat::Json,
        _ => EvalFormat::Text,
    }
}

fn write(context: &Context, path: Option<&Path>, text: &str) -> Result<Exit, Stop> {
    match path {
        Some(path) => reports::replace(path, text)?,
        None => context.output.data(text)?,
    }
    Ok(Exit::Done)
}

/// `agon eval export`
pub fn export(context: &Context, args: &EvalExportArgs) -> Result<Exit, Stop> {
    let form = match args.what {
        EvalExport::Cells => "csv",
        EvalExport::Result | EvalExport::Calibration => "json",
    };
    let ending = args.output.as_ref().and_then(|path| path.extension()).map(|ending| ending.to_ascii_lowercase());
    if ending.is_some_and(|ending| ending != form && (ending == "csv" || ending == "json")) {
        return Err(Stop::usage(format!("this export is {form}; --output must name a file that ends in .{form}")));
    }
    let store = open(context)?;
    let eval = small_runtime()?.block_on(read(&store, &args.id))?;
    let text = match args.what {
        EvalExport::Cells => figures::cells(&eval)?,
        EvalExport::Result => figures::render(&eval, EvalFormat::Json, &DebateLinks::None)?,
        EvalExport::Calibration => figures::calibration(&eval)?,
    };
    write(context, args.output.as_deref(), &text)
}

/// `agon eval verify`
pub fn verify(context: &Context, args: &EvalNameArgs) -> Result<Exit, Stop> {
    let store = open(context)?;
    let (id, records, problems, checked) = small_runtime()?.block_on(verified(&store, &args.id))?;
    if args.json {
        context.output.safe_json(&json!({"id": id, "records": records, "debates": checked, "problems": problems}))?;
    } else {
        for problem in &problems {
            context.output.line(problem)?;
        }
        context.output.line(&format!(
            "eval {id}: {records} records and {checked} debates verified, {} problems",
            problems.len()
        ))?;
    }
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Reading checks the chain of the eval's log; each debate's chain must end with the hash that the eval wrote down.
async fn verified(store: &Store, name: &str) -> Result<(DebateId, u64, Vec<String>, usize), Stop> {
    let id = find(store, name).await?;
    let eval = match read_eval(&*store.sqlite, &id).await {
        Ok(eval) => eval,
        Err(error) => return Err(Stop::say(Exit::Failed, error)),
    };
    let (mut problems, mut checked) = (Vec::new(), 0);
    for closed in eval.machine.closed().chain(eval.machine.replaced()) {
        let debate = DebateId::parse(&closed.debate).map_err(Stop::usage)?;
        checked += 1;
        match store.stored_log(&debate).await {
            Ok(log) if log.head.as_deref() == Some(closed.head.as_str()) => {}
            Ok(_) => problems
                .push(format!("debate {debate} is not what the eval was computed from: the hash of its log differs")),
            Err(StoreError::NotFound(_)) => problems.push(format!("debate {debate} was deleted")),
            Err(error) => problems.push(one_line(&error.to_string())),
        }
    }
    Ok((id, eval.records, problems, checked))
}

/// `agon eval cancel`
pub fn cancel(context: &Context, args: &EvalNameArgs) -> Result<Exit, Stop> {
    let store = open(context)?;
    let id = small_runtime()?.block_on(async {
        let id = find(&store, &args.id).await?;
        let cancelled = cancel_eval(&*store.sqlite, &id, None, SystemClock.now()).await;
        let eval = cancelled.map_err(|refused| match refused {
            EvalOrderError::Log(error) => log_failed(error),
            refused => Stop::usage(refused),
        })?;
        Ok::<DebateId, Stop>(eval.id)
    })?;
    context.output.became(args.json, &json!({"id": id, "cancelled": true}), &format!("eval {id} is cancelled"))?;
    Ok(Exit::Done)
}

/// `agon eval delete`
pub fn delete(context: &Context, args: &EvalNameArgs) -> Result<Exit, Stop> {
    let store = open(context)?;
    let id = small_runtime()?.block_on(async {
        let eval = read(&store, &args.id).await?;
        if eval.machine.ended().is_none() {
            let cancel = store.advice(&format!("eval cancel {}", eval.id));
            return Err(Stop::usage(format!("eval {} has not ended; end it first: {cancel}", eval.id)));
        }
        store.sqlite.delete_eval(&eval.id).await.map_err(failed)?;
        Ok(eval.id)
    })?;
    context.output.became(
        args.json,
        &json!({"id": id, "removed": true}),
        &format!("eval {id} is removed; its debates stay"),
    )?;
    Ok(Exit::Done)
}
