//! Commands that read stored evals: `list`, `get`, `watch`, `report`, `export`, `verify`.
use super::drive::{log_failed, print};
use super::figures;
use super::progress::line;
use super::seen::SeenEval;
use super::waits::{self, SilentEval};
use crate::cli::{
    EvalAtArgs, EvalExport, EvalExportArgs, EvalFormat, EvalListArgs, EvalNameArgs, EvalReportArgs, EvalShowArgs,
    EvalWatchArgs, Format,
};
use crate::client::{self, DebateSource};
use crate::commands::submit::flag;
use crate::commands::{Context, small_runtime};
use crate::exit::{Exit, Stop};
use crate::output::columns;
use crate::reports;
use crate::signals::Signals;
use crate::store::{self, Store, StoredDebate, failed};
use agon_core::{DebateId, TenantId, thousands};
use agon_eval::{EvalCard, EvalStop};
use agon_proto::pb::v1 as pb;
use agon_proto::pb::v1::eval::State;
use agon_report::{DebateLinks, count, one_line};
use agon_runtime::{OpenEval, read_eval};
use agon_store::{EvalHead, EvalLogs as _, LocalState, StoreError, Upkeep as _};
use serde_json::{Value, json};
use std::collections::BTreeSet;
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
    store::pick_of(("eval", "agon eval list"), name, &ids)
}

pub async fn heads(store: &Store, limit: u32) -> Result<Vec<EvalHead>, Stop> {
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

/// How an eval stands that has not ended: whether a process of this store's user runs it.
pub async fn standing(store: &Store, id: &DebateId) -> Result<&'static str, Stop> {
    Ok(match store.sqlite.local(id).await.map_err(failed)? {
        Some(LocalState::Played(_)) => "running",
        Some(LocalState::Halted(halt)) => halt.as_str(),
        None => "open",
    })
}

async fn state(store: &Store, head: &EvalHead, card: &EvalCard) -> Result<String, Stop> {
    Ok(match &card.state {
        Some(state) => state.clone(),
        None if head.ended => "ended".to_owned(),
        None => standing(store, &head.id).await?.to_owned(),
    })
}

/// An eval in a list.
struct ListedEval {
    id: String,
    state: String,
    card: EvalCard,
    admitted_ms: u64,
    updated_ms: u64,
}

async fn listed(store: &Store, limit: u32) -> Result<Vec<ListedEval>, Stop> {
    let mut all = Vec::new();
    for head in heads(store, limit).await? {
        let card = card(&head);
        let state = state(store, &head, &card).await?;
        let (admitted_ms, updated_ms) = (head.admitted.0, head.updated.0);
        all.push(ListedEval { id: head.id.to_string(), state, card, admitted_ms, updated_ms });
    }
    Ok(all)
}

/// The same as a server lists it.
fn of_server(eval: pb::Eval) -> ListedEval {
    let state = match eval.state() {
        State::Unspecified => "unknown",
        State::Queued => "queued",
        State::Running => "running",
        State::Paused => "paused",
        State::Complete => "complete",
        State::Stopped => "stopped",
        State::Cancelled => "cancelled",
        State::Failed => "failed",
    };
    let ms = |time: Option<prost_types::Timestamp>| {
        let time = time.unwrap_or_default();
        u64::try_from(time.seconds).unwrap_or(0) * 1000 + u64::try_from(time.nanos).unwrap_or(0) / 1_000_000
    };
    let told = eval.progress.unwrap_or_default();
    let card = EvalCard {
        debates: eval.debates,
        questions: told.questions,
        questions_over: told.questions_over,
        cells_over: told.cells_over,
        cells_likely: told.cells_likely,
        failed: told.failed,
        tokens: told.tokens,
        rehearsal: eval.rehearsal,
        ..EvalCard::default()
    };
    let (admitted_ms, updated_ms) = (ms(eval.create_time), ms(eval.update_time));
    ListedEval { id: eval.id, state: state.to_owned(), card, admitted_ms, updated_ms }
}

/// `agon eval list`
pub fn list(context: &Context, args: &EvalListArgs) -> Result<Exit, Stop> {
    let (evals, first) = match client::place(context, &args.place)? {
        DebateSource::Local => {
            let evals = match Store::open_existing(context)? {
                Some(store) => small_runtime()?.block_on(listed(&store, args.limit))?,
                None => Vec::new(),
            };
            (evals, "agon eval run --builtin arithmetic --debate FILE --rehearsal")
        }
        DebateSource::Server(server) => {
            let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
            let evals = client::ask(context, &server, async |client| client.list_evals(limit).await)?;
            (evals.into_iter().map(of_server).collect(), "agon eval submit FILE --debate FILE")
        }
    };
    if args.json {
        let rows: Vec<Value> = evals.iter().map(row).collect();
        context.output.safe_json(&rows)?;
        return Ok(Exit::Done);
    }
    if evals.is_empty() {
        context.output.note(&format!("no evals yet; start one with: {first}"));
        return Ok(Exit::Done);
    }
    let cells = |ListedEval { id, state, card, .. }: &ListedEval| {
        let mark = if card.rehearsal { "rehearsal" } else { "" };
        vec![
            store::short(id).to_owned(),
            one_line(state),
            format!("{} of {} questions", card.questions_over, card.questions),
            one_line(&card.debates.join(", ")),
            mark.to_owned(),
        ]
    };
    let lines: Vec<Vec<String>> = evals.iter().map(cells).collect();
    context.output.data(&columns(&lines))?;
    Ok(Exit::Done)
}

fn row(ListedEval { id, state, card, admitted_ms, updated_ms }: &ListedEval) -> Value {
    json!({
        "id": id, "state": state, "debates": card.debates, "questions": card.questions,
        "questions_over": card.questions_over, "cells_over": card.cells_over, "cells_likely": card.cells_likely,
        "failed": card.failed, "tokens": card.tokens, "rehearsal": card.rehearsal,
        "admitted_ms": admitted_ms, "updated_ms": updated_ms,
    })
}

/// `agon eval get`
pub fn get(context: &Context, args: &EvalAtArgs) -> Result<Exit, Stop> {
    let SeenEval { id, machine, progress, standing, waits_for } = SeenEval::find(context, &args.place, &args.eval.id)?;
    if args.eval.json {
        let debates: Vec<&str> = machine.admission().spec.debates.iter().map(|debate| debate.name.0.as_str()).collect();
        let value = json!({
            "id": id, "state": machine.ended().unwrap_or(standing), "stopped": machine.stopped(),
            "stopped_detail": machine.stop().and_then(|stop| stop.detail.as_deref()), "debates": debates,
            "rehearsal": machine.admission().rehearsal, "seed": machine.admission().spec.seed, "progress": progress,
            "waits_for": waits_for,
        });
        context.output.safe_json(&value)?;
        return Ok(Exit::Done);
    }
    let state = one_line(machine.ended().unwrap_or(standing));
    let why = machine.stop().map(|stop| format!(" ({})", one_line(&stopped(stop)))).unwrap_or_default();
    let mark = if machine.admission().rehearsal { ", a rehearsal" } else { "" };
    context.output.line(&format!("eval {id}: {state}{why}{mark}"))?;
    context.output.line(&line(&progress))?;
    if let Some(waits_for) = waits_for {
        context.output.line(&one_line(&waits_for))?;
    }
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
    if let DebateSource::Server(server) = client::place(context, &args.place)? {
        let show = EvalShowArgs { json: args.json, jsonl: args.jsonl, ..EvalShowArgs::default() };
        let flag = flag(&args.place.api.server);
        return client::ask(context, &server, async |client| {
            let id = client.find_eval(&args.id).await?;
            super::submit::follow(context, client, &id, &show, &flag).await
        });
    }
    let store = open(context)?;
    crate::commands::runtime()?.block_on(async {
        let id = find(&store, &args.id).await?;
        let mut signals = Signals::listen()?;
        let mut shown = 0;
        let mut progress = super::progress::ProgressLine::new(context, args.jsonl);
        let mut silence = SilentEval::default();
        loop {
            let eval = read_eval(&*store.sqlite, &id).await.map_err(log_failed)?;
            if args.jsonl {
                for (at, event) in eval.events.iter().skip(shown) {
                    print(context, *at, event)?;
                }
            }
            shown = eval.events.len();
            progress.show(context, &eval.machine.progress());
            if silence.is_long(eval.records)
                && let Some(waits_for) = waits::by_logs(&store, &eval.machine).await
            {
                progress.wait(context, &one_line(&waits_for));
            }
            if eval.machine.ended().is_some() {
                progress.finish();
                return match args.jsonl {
                    true => Ok(figures::exit(&eval.machine)),
                    false => figures::print(context, args.json, &eval.machine),
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
    let (eval, links) = match (&args.output, args.debates) {
        (Some(path), true) => {
            if let DebateSource::Server(_) = client::place(context, &args.place)? {
                return Err(Stop::usage(
                    "--debates is for evals of this machine; `agon report ID --server ...` writes a debate of a server",
                ));
            }
            let store = open(context)?;
            let eval = small_runtime()?.block_on(read(&store, &args.id))?;
            let deleted = small_runtime()?.block_on(write_debates(&store, &eval, path))?;
            if !deleted.is_empty() {
                let (gone, all) =
                    (thousands(deleted.len() as u64), count(eval.machine.closed().count() as u64, "debate"));
                context.output.warn(&format!("{gone} of {all} were deleted; the page does not link to them"));
            }
            (eval.machine, DebateLinks::Files { deleted })
        }
        (Some(_) | None, _) => (SeenEval::find(context, &args.place, &args.id)?.machine, DebateLinks::None),
    };
    write(context, args.output.as_deref(), &figures::render(&eval, format, &links)?)
}

/// Writes the report of every debate into the folder `debates` beside the eval's own, and returns the ids of those that were deleted.
async fn write_debates(store: &Store, eval: &OpenEval, path: &Path) -> Result<BTreeSet<String>, Stop> {
    let folder = path.parent().unwrap_or(Path::new("")).join("debates");
    std::fs::create_dir_all(&folder)?;
    let mut deleted = BTreeSet::new();
    for closed in eval.machine.closed().filter(|closed| !closed.cell.is_program()) {
        let id = DebateId::parse(&closed.debate).map_err(Stop::usage)?;
        let page = folder.join(format!("{id}.html"));
        match store.kept(&id).await? {
            Some(StoredDebate::Whole(log)) => reports::replace(&page, &log.render(Format::Html)?)?,
            Some(StoredDebate::Damaged(why)) => return Err(Stop::say(Exit::Failed, why)),
            None => {
                // a page that an earlier report has left would be that of a debate that is gone
                match std::fs::remove_file(&page) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                    Ok(()) | Err(_) => drop(deleted.insert(id.to_string())),
                }
            }
        }
    }
    Ok(deleted)
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
        EvalExport::Cells | EvalExport::Pairs => "csv",
        EvalExport::Result | EvalExport::Calibration => "json",
    };
    let ending = args.output.as_ref().and_then(|path| path.extension()).map(|ending| ending.to_ascii_lowercase());
    if ending.is_some_and(|ending| ending != form && (ending == "csv" || ending == "json")) {
        return Err(Stop::usage(format!("this export is {form}; --output must name a file that ends in .{form}")));
    }
    let eval = SeenEval::find(context, &args.place, &args.id)?.machine;
    let text = match args.what {
        EvalExport::Cells => figures::cells(&eval)?,
        EvalExport::Pairs => figures::pairs(&eval)?,
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
    // a tail that is missing leaves a chain that is whole
    let written = store.sqlite.eval_head(&id).await.map_err(failed)?.map_or(eval.records, |head| head.records);
    if written != eval.records {
        problems.push(format!("the log has {} records, and {written} were written", eval.records));
    }
    let closed = eval.machine.closed().chain(eval.machine.replaced());
    for closed in closed.filter(|closed| !closed.cell.is_program()) {
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
