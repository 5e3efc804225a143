//! What `run` and `resume` share: watching a debate to its end, and what is left to say and to write then.
use super::Context;
use crate::cli::{OutputArgs, ServerArgs};
use crate::exit::{Exit, Stop};
use crate::local_runtime::LocalRuntime;
use crate::ownership::Ownership;
use crate::reports::{self, StoredLog};
use crate::settings::Settings;
use crate::signals::Signals;
use crate::store::{Store, failed, short};
use crate::terminal::{self, Begin, DebateView, choose};
use crate::watching::{Ending, WatchFeed, Watching, interrupts, unwatched};
use agon_core::{DebateId, Halt, MissingSeat, Outcome, Reason, ReasonCode};
use agon_report::{ResultBlock, ResultState};
use agon_store::Upkeep;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const FAREWELL: &str = "Stopping. What was said is kept. Ctrl-C again quits at once.";

/// How a debate is shown, and what comes of it.
pub struct Showing<'a> {
    /// What every command knows.
    pub context: &'a Context,
    /// The settings in force.
    pub settings: &'a Settings,
    /// Where and in which form the results go.
    pub output: &'a OutputArgs,
    /// Ctrl-C.
    pub signals: Signals,
}

/// Shows the debate until it ends, then writes its reports. `server` is what the command line says of model servers.
pub async fn to_the_end(
    mut showing: Showing<'_>,
    stage: LocalRuntime,
    ownership: Ownership,
    begin: Begin,
    server: &ServerArgs,
) -> Result<Exit, Stop> {
    let id = &ownership.debate().clone();
    let after = begin.after;
    let begin = begin.with_prices(showing.settings);
    let mut view = choose(&showing.context.output, &showing.output.view, begin)?;
    let trouble = stage.store.sqlite.trouble();
    let resume = stage.store.advice(&format!("resume {id}{}", server.again()));
    // pieces of answers say what turns wait for, too
    let watch = stage.node.watch(id, after, true).await.map_err(unwatched);
    let watched = match watch {
        Ok(watch) => {
            let feed = WatchFeed::of_node(watch, trouble.clone());
            let (view, signals) = (view.as_mut(), &mut showing.signals);
            Watching { feed, view, signals, farewell: FAREWELL }.watch(down(&stage)).await
        }
        Err(stop) => Err(stop),
    };
    // Whatever ends the watching, this process stops in order.
    if !matches!(watched, Ok(Ending::Over(..))) {
        ownership.pause().await;
    }
    let closed = close(&mut showing, stage, view.as_mut()).await;
    let stopped = match (watched, &closed) {
        (Ok(Ending::Over(..)), Some(store)) => return conclude(&showing, store, id).await,
        (Ok(Ending::Over(..)), None) => return Err(Stop::quietly(Exit::Interrupted)),
        (Ok(Ending::Halted), Some(store)) => so_far(&showing, store, id).await,
        (Ok(Ending::Halted), None) => Ok(Exit::Unavailable),
        (Ok(Ending::Interrupted | Ending::Silent), _) => Ok(Exit::Interrupted),
        (Ok(Ending::Unread), _) => Ok(Exit::BrokenPipe),
        (Err(stop), _) => Err(stop),
    };
    if closed.is_some() {
        ownership.leave().await;
    }
    let lost = trouble.borrow().as_ref().is_some_and(|trouble| trouble.lasting);
    if !lost {
        // Also to whoever wanted nothing but the result: there is none yet.
        showing.context.output.say(&format!("what was said is kept; continue with: {resume}"));
    }
    stopped
}

async fn down(stage: &LocalRuntime) -> Stop {
    let down = stage.node.failed().await;
    Stop::from(anyhow::Error::from(down).context("the debate cannot continue here"))
}

/// Ends everything in order; a second Ctrl-C does not wait for that, and leaves nothing to work with.
async fn close(showing: &mut Showing<'_>, stage: LocalRuntime, view: &mut dyn DebateView) -> Option<Store> {
    let store = tokio::select! {
        store = stage.close() => Some(store),
        () = showing.signals.next() => None,
    };
    // The terminal is the user's again, whatever happened.
    let _ = view.finish();
    store
}

/// Says why nothing more comes, also to whoever wanted nothing but the result, and what there is of that.
async fn so_far(showing: &Showing<'_>, store: &Store, id: &DebateId) -> Result<Exit, Stop> {
    let log = store.log_of(id).await?.with_prices(showing.settings);
    result_so_far(showing, &log)?;
    let Some(reason) = log.records.last().and_then(interrupts) else { return Ok(Exit::Unavailable) };
    let (halt, why) = (Halt::of(reason).as_str(), agon_report::why(reason));
    Err(Stop::say(halted(Some(reason)), format!("the debate is {halt}: {why}")))
}

/// Prints the result of a debate that has not ended, where results are wanted as JSON.
pub fn result_so_far(showing: &Showing<'_>, log: &StoredLog) -> Result<(), Stop> {
    if showing.output.view.json {
        showing.context.output.safe_json(&log.result()?)?;
    }
    Ok(())
}

/// How the program ends where a debate was interrupted for this reason.
pub fn halted(reason: Option<&Reason>) -> Exit {
    match reason.map(|reason| reason.code) {
        Some(ReasonCode::ServerAway) => Exit::Unavailable,
        Some(_) | None => Exit::Interrupted,
    }
}

async fn conclude(showing: &Showing<'_>, store: &Store, id: &DebateId) -> Result<Exit, Stop> {
    // What the registers held stands in the log now.
    store.sqlite.purge_registers(id, &[]).await.map_err(failed)?;
    let log = store.log_of(id).await?.with_prices(showing.settings);
    let open = store.advice(&format!("open {}", short(id.name())));
    leave_behind(showing, &log, id.name(), &open)?;
    exit(&log)
}

/// What is left to say and to write once a debate is over: the reports, and then the result, so that it stands last.
/// `open` is the command that opens the report.
pub fn leave_behind(showing: &Showing<'_>, log: &StoredLog, name: &str, open: &str) -> Result<(), Stop> {
    let written = if showing.output.no_reports { Ok(Vec::new()) } else { write_reports(showing, log, name) };
    // The result is worth more than its reports: it is shown in any case.
    let (files, unwritten) = match written {
        Ok(files) => (files, None),
        Err(Stop { exit, error }) => {
            (Vec::new(), Some(Stop { exit, error: error.map(|error| error.context(kept(open))) }))
        }
    };
    shown(showing, log, &files, open)?;
    unwritten.map_or(Ok(()), Err)
}

fn kept(open: &str) -> String {
    format!("the debate is stored ({open}), but its reports could not be written")
}

fn shown(showing: &Showing<'_>, log: &StoredLog, files: &[PathBuf], open: &str) -> Result<(), Stop> {
    let (output, view) = (&showing.context.output, &showing.output.view);
    if view.json || view.jsonl {
        if view.json {
            output.safe_json(&log.result()?)?;
        }
        files.iter().for_each(|file| output.note(&format!("wrote {}", file.display())));
        let missing = log.result()?;
        if missing.outcome == Some(Outcome::Degraded) {
            output.warn(&lacking(&missing.missing_seats));
        }
        return Ok(());
    }
    let ends_in = |end: &str| files.iter().find(|file| file.extension().is_some_and(|found| found == end));
    let page = ends_in("html").or_else(|| ends_in("md"));
    let report = match page.or(files.first()) {
        Some(file) => format!("{} ({open})", file.display()),
        None => open.to_owned(),
    };
    let block = ResultBlock::of(&log.minutes()?).with("Report", &report);
    Ok(terminal::print(&block.lines(), output.columns().unwrap_or(usize::MAX), output.color)?)
}

/// What a debate that is degraded lacks.
fn lacking(missing: &[MissingSeat]) -> String {
    let names: BTreeSet<&str> = missing.iter().map(|seat| seat.participant.as_str()).collect();
    if names.is_empty() {
        return "the debate was decided without the requested synthesis; the report gives the reason".to_owned();
    }
    let names: Vec<&str> = names.into_iter().collect();
    format!("the debate was decided with missing seats: {}; the report gives the reasons", names.join(", "))
}

fn write_reports(showing: &Showing<'_>, log: &StoredLog, name: &str) -> Result<Vec<PathBuf>, Stop> {
    let outputs = log.outputs();
    Ok(reports::write(log, &outputs, &folder(showing.output, showing.settings).join(name))?)
}

fn folder<'a>(output: &'a OutputArgs, settings: &'a Settings) -> &'a Path {
    output.output_dir.as_deref().unwrap_or(&settings.output.dir)
}

/// Sees to it that reports can be written, before a model is asked for anything.
pub fn try_reports(output: &OutputArgs, settings: &Settings) -> Result<(), Stop> {
    if output.no_reports {
        return Ok(());
    }
    let folder = folder(output, settings);
    reports::try_folder(folder).map_err(|error| {
        Stop::usage(format!(
            "reports cannot be written to {}: {error}; name another folder with --output-dir DIR, or use --no-reports",
            folder.display()
        ))
    })
}

/// What the shell is told of how a debate ended. A debate that is held without a decision, as its file asks, ended well.
pub fn exit(log: &StoredLog) -> Result<Exit, Stop> {
    let result = log.result()?;
    let as_asked = result.reason.as_ref().is_some_and(|reason| reason.code == ReasonCode::NoDecisionWanted);
    Ok(match (result.state, result.outcome) {
        (ResultState::Succeeded, Some(Outcome::Tie | Outcome::Inconclusive)) if !as_asked => Exit::Undecided,
        (ResultState::Succeeded, _) => Exit::Done,
        (ResultState::Cancelled, _) => Exit::Cancelled,
        (ResultState::Failed, _) => Exit::Failed,
        (ResultState::Running | ResultState::Cancelling | ResultState::Paused | ResultState::Interrupted, _) => {
            Exit::Interrupted
        }
    })
}
