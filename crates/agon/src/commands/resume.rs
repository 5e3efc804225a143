//! `agon resume`: continuing debates that are paused or interrupted.
mod at_server;
mod choice;

use super::rows::DebateRow;
use super::run::cast;
use super::show::{self, Showing};
use super::{Context, runtime, small_runtime};
use crate::cli::{ResumeArgs, Show};
use crate::client::{self, DebateSource};
use crate::exit::{Exit, Stop};
use crate::local_runtime::{LocalRuntime, ModelServers};
use crate::ownership::{self, Ownership};
use crate::reports::StoredLog;
use crate::settings::Settings;
use crate::signals::Signals;
use crate::store::{Store, failed};
use crate::terminal::Begin;
use agon_core::{Admission, Debate, DebateId};
use agon_report::{excerpt, one_line};
use agon_store::{LocalState, Upkeep};
use anyhow::Context as _;

/// Characters of a speech that are shown again.
const RECALLED: usize = 90;

/// `agon resume [ID...]`
pub fn run(context: &Context, args: &ResumeArgs) -> Result<Exit, Stop> {
    let context = &context.quietly(args.output.view.quiet);
    match client::place_to_play(context, &args.place, &args.server)? {
        DebateSource::Local => here(context, args),
        DebateSource::Server(server) => small_runtime()?.block_on(at_server::run(context, args, &server)),
    }
}

fn here(context: &Context, args: &ResumeArgs) -> Result<Exit, Stop> {
    let settings = context.settings()?;
    let Some(store) = Store::open_existing(context)? else {
        return Ok(nothing(context));
    };
    show::try_reports(&args.output, &settings)?;
    runtime()?.block_on(async {
        let ids = wanted(context, &store, args).await?;
        if ids.is_empty() {
            return Ok(nothing(context));
        }
        one_by_one(&ids, async |id| resume(context, args, &settings, &store, id).await).await
    })
}

/// Resumes debates until one is interrupted; how that one ended, or the worst.
async fn one_by_one<Id>(ids: &[Id], resume: impl AsyncFn(&Id) -> Result<Exit, Stop>) -> Result<Exit, Stop> {
    let mut worst = Exit::Done;
    for id in ids {
        match resume(id).await? {
            exit @ (Exit::Interrupted | Exit::BrokenPipe) => return Ok(exit),
            exit => worst = worse(worst, exit),
        }
    }
    Ok(worst)
}

/// The one with the higher code.
pub fn worse(one: Exit, other: Exit) -> Exit {
    if other.code() > one.code() { other } else { one }
}

fn nothing(context: &Context) -> Exit {
    context.output.note("no debate is paused or interrupted");
    Exit::Done
}

/// The debates that the user means. What cannot be resumed is refused before any is played.
async fn wanted(context: &Context, store: &Store, args: &ResumeArgs) -> Result<Vec<DebateId>, Stop> {
    if args.ids.is_empty() {
        let mut halted: Vec<DebateId> = store.halted().await?.into_iter().map(|(id, _)| id).collect();
        if args.all || halted.len() < 2 {
            return Ok(halted);
        }
        let mut debates = Vec::new();
        for id in &halted {
            debates.push(DebateRow::of_result(&store.log_of(id).await?.result()?));
        }
        let chosen = choice::one_of(context, &debates)?;
        return Ok(chosen.map(|at| halted.swap_remove(at)).into_iter().collect());
    }
    let mut ids: Vec<DebateId> = Vec::new();
    for name in &args.ids {
        let id = store.find(name).await?;
        check_free(store, &id).await?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Refuses a debate that somebody else plays.
async fn check_free(store: &Store, id: &DebateId) -> Result<(), Stop> {
    match store.sqlite.local(id).await.map_err(failed)? {
        Some(LocalState::Halted(_)) => Ok(()),
        Some(LocalState::Played(owner)) => Err(ownership::held(store, id, &owner)),
        None => match Debate::fold(&store.log_of(id).await?.records) {
            Some(debate) if debate.ended().is_some() => Ok(()),
            folded => match folded.and_then(|debate| debate.halt()) {
                Some(halt) => Err(Stop::usage(format!(
                    "debate {id} was submitted to a server and is {} there; continue it with: agon resume {id} --server ADDR, \
                     or in the browser: {}",
                    halt.as_str(),
                    store.advice("ui")
                ))),
                None => Err(ownership::servers(store, id)),
            },
        },
    }
}

async fn resume(
    context: &Context,
    args: &ResumeArgs,
    settings: &Settings,
    store: &Store,
    id: &DebateId,
) -> Result<Exit, Stop> {
    let log = store.log_of(id).await?;
    let debate = Debate::fold(&log.records).context("the log does not begin with an admission")?;
    if debate.ended().is_some() {
        return over(context, args, (store, id), &log);
    }
    let admission = debate.admission();
    let signals = Signals::listen()?;
    let servers =
        ModelServers::find(the_same_cast(context, args, admission)?, context, settings, &[&admission.spec]).await?;
    not_mixed(admission, &servers)?;
    let Some(ownership) = Ownership::claim(store, id).await? else {
        return Err(Stop::usage(format!(
            "debate {id} has just ended; {} shows it",
            store.advice(&format!("report {id}"))
        )));
    };
    // another process may have played it since
    let log = store.log_of(id).await?;
    context.output.note(&format!("resuming debate {id} on {}", servers.names()));
    recall(context, args, &log)?;
    let stage = LocalRuntime::open(context, store.clone(), Some(servers), &[&admission.spec]).await?;
    stage.node.resume(id, None).await.context("the debate cannot be continued")?;
    let showing = Showing { context, settings, output: &args.output, signals };
    show::to_the_end(showing, stage, ownership, Begin::after(&log), &args.server).await
}

fn over(context: &Context, args: &ResumeArgs, (store, id): (&Store, &DebateId), log: &StoredLog) -> Result<Exit, Stop> {
    context.output.note(&format!("debate {id} has ended; {} shows it", store.advice(&format!("report {id}"))));
    if args.output.view.json {
        context.output.safe_json(&log.result()?)?;
    }
    show::exit(log)
}

/// Who said what before, a line each, where a person reads.
fn recall(context: &Context, args: &ResumeArgs, log: &StoredLog) -> Result<(), Stop> {
    let view = &args.output.view;
    if view.json || view.jsonl || view.quiet || view.show == Show::Verdict {
        return Ok(());
    }
    let said = log.result()?.transcript;
    if said.is_empty() {
        return Ok(context.output.line("No speech was made so far.")?);
    }
    let mut text = format!("== Said so far: {} ==\n", said.len());
    for entry in &said {
        text.push_str(&format!("{}: {}\n", one_line(&entry.speaker), excerpt(&entry.text, RECALLED)));
    }
    Ok(context.output.line(&text)?)
}

/// A rehearsal goes on as one without being told.
fn the_same_cast(
    context: &Context,
    args: &ResumeArgs,
    admission: &Admission,
) -> Result<crate::local_runtime::ModelSource, Stop> {
    let mut server = args.server.clone();
    server.rehearsal |= admission.rehearsal && !server.is_named();
    cast(context, &server, &args.pace, admission.seed)
}

/// Nobody is to take scripted words for a model's, or the other way round.
fn not_mixed(admission: &Admission, servers: &ModelServers) -> Result<(), Stop> {
    match (admission.rehearsal, servers.is_rehearsal()) {
        (false, true) => Err(Stop::usage(format!(
            "debate {} was begun by models; scripted speakers cannot continue it",
            admission.id
        ))),
        (true, false) => Err(Stop::usage(format!("debate {} is a rehearsal; models cannot continue it", admission.id))),
        (true, true) | (false, false) => Ok(()),
    }
}
