//! What `run` and `resume` share: watching a debate to its end, and what is left to say and to write then.
use super::Context;
use crate::cli::OutputArgs;
use crate::exit::{Exit, Stop};
use crate::reports::{self, Log};
use crate::settings::Settings;
use crate::signals::Signals;
use crate::stage::Stage;
use crate::store::{Store, failed};
use crate::terminal::{Begin, View, choose};
use crate::watching::{End, Ending, Feed, Watching, unwatched};
use agon_core::{DebateId, DebateState, MissingSeat, Outcome};
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

/// Shows the debate until it ends, then writes its reports.
pub async fn to_the_end(mut showing: Showing<'_>, stage: Stage, id: &DebateId, begin: Begin) -> Result<Exit, Stop> {
    let after = begin.after;
    let mut view = choose(&showing.context.output, &showing.output.view, begin)?;
    let watch = stage.node.watch(id, after, view.wants_tokens()).await.map_err(unwatched);
    let watched = match watch {
        Ok(watch) => {
            let feed = Feed::of_node(watch);
            let (view, signals) = (view.as_mut(), &mut showing.signals);
            Watching { feed, view, signals, farewell: FAREWELL }.watch(down(&stage)).await
        }
        Err(stop) => Err(stop),
    };
    let store = close(&mut showing, stage, view.as_mut()).await?;
    let store_flag = store_flag(showing.context);
    let kept = || showing.context.output.note(&format!("the debate is kept; go on with: agon resume {id}{store_flag}"));
    match watched? {
        Ending::Over(state, outcome) => conclude(&showing, &store, id, (state, outcome)).await,
        Ending::Interrupted | Ending::Silent => {
            kept();
            Ok(Exit::Interrupted)
        }
        Ending::Unread => {
            kept();
            Ok(Exit::BrokenPipe)
        }
    }
}

async fn down(stage: &Stage) -> Stop {
    let down = stage.node.failed().await;
    Stop::from(anyhow::Error::from(down).context("the debate cannot go on here"))
}

/// Ends everything in order; a second Ctrl-C does not wait for that.
async fn close(showing: &mut Showing<'_>, stage: Stage, view: &mut dyn View) -> Result<Store, Stop> {
    let store = tokio::select! {
        store = stage.close() => Some(store),
        () = showing.signals.next() => None,
    };
    // The terminal is the user's again, whatever happened.
    let _ = view.finish();
    store.ok_or_else(|| Stop::quietly(Exit::Interrupted))
}

async fn conclude(showing: &Showing<'_>, store: &Store, id: &DebateId, end: End) -> Result<Exit, Stop> {
    // What the registers held stands in the log now.
    store.sqlite.purge_registers(id).await.map_err(failed)?;
    let log = store.log_of(id).await?;
    leave_behind(showing, &log, id.name(), end)?;
    hints(showing.context, id);
    Ok(exit(end.0, end.1))
}

/// What is left to say and to write once a debate is over.
pub fn leave_behind(showing: &Showing<'_>, log: &Log, name: &str, end: End) -> Result<(), Stop> {
    let output = &showing.context.output;
    if showing.output.view.json {
        output.line(&reports::result_json(&log.result()?)?)?;
    }
    if end.1 == Some(Outcome::Degraded) {
        output.warn(&lacking(&log.result()?.missing_seats));
    }
    let files = if showing.output.no_reports { Vec::new() } else { write_reports(showing, log, name)? };
    files.iter().for_each(|file| output.note(&format!("wrote {}", file.display())));
    Ok(())
}

/// What a debate that is degraded lacks.
fn lacking(missing: &[MissingSeat]) -> String {
    let names: BTreeSet<&str> = missing.iter().map(|seat| seat.participant.as_str()).collect();
    if names.is_empty() {
        return "the debate was decided without the synthesis that was wanted; the report says why".to_owned();
    }
    let names: Vec<&str> = names.into_iter().collect();
    format!("the debate was decided with missing seats: {}; the report says why", names.join(", "))
}

/// What one may want to do next, as commands that can be copied.
fn hints(context: &Context, id: &DebateId) {
    let store = store_flag(context);
    context.output.note(&format!(
        "next: agon report {id} --format html -o report.html{store}\n      agon replay {id}{store}\n      agon verify {id}{store}"
    ));
}

/// The flag without which the same command would look into another store.
fn store_flag(context: &Context) -> String {
    context.global.store.as_ref().map(|path| format!(" --store {}", path.display())).unwrap_or_default()
}

fn write_reports(showing: &Showing<'_>, log: &Log, name: &str) -> Result<Vec<PathBuf>, Stop> {
    let dir: &Path = showing.output.output_dir.as_deref().unwrap_or(&showing.settings.output.dir);
    let outputs = log.outputs();
    Ok(reports::write(log, &outputs, &dir.join(name))?)
}

/// What the shell is told of how a debate ended.
pub fn exit(state: DebateState, outcome: Option<Outcome>) -> Exit {
    match (state, outcome) {
        (DebateState::Succeeded, Some(Outcome::Decided | Outcome::Degraded) | None) => Exit::Done,
        (DebateState::Succeeded, Some(Outcome::Tie | Outcome::Inconclusive)) => Exit::Undecided,
        (DebateState::Failed, _) => Exit::Failed,
        (DebateState::Cancelled, _) => Exit::Cancelled,
    }
}
