//! Driving an eval in this process, and showing it to its end.
use super::holder::LocalHolder;
use super::progress::ProgressLine;
use super::waits::CellWaits;
use crate::cli::EvalViewArgs;
use crate::client::TELL;
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use crate::local_runtime::{LocalRuntime, ModelServers};
use crate::ownership::Ownership;
use crate::settings::Settings;
use crate::signals::Signals;
use crate::store::{Store, failed};
use agon_core::{DebateId, DebateSpec};
use agon_eval::{CellSpecs, ComparisonFamily, EvalEvent, facts, is_decided, result_of};
use agon_runtime::{DriverConfig, DriverState, EvalDriver, EvalLogError, OpenEval, SystemClock, read_eval};
use agon_telemetry::Silent;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Cells that are held at once where nothing else is said.
const HERE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);
const FAREWELL: &str = "Stopping. What was held is kept. Ctrl-C again quits at once.";

/// What drives an eval.
pub struct Drive<'a> {
    /// What every command knows.
    pub context: &'a Context,
    /// The settings in force.
    pub settings: &'a Settings,
    /// How it is held and shown.
    pub view: &'a EvalViewArgs,
    /// Ctrl-C.
    pub signals: Signals,
    /// The debates of its cells.
    pub specs: Arc<dyn CellSpecs>,
    /// One debate of each kind, which say what models are needed.
    pub samples: Vec<DebateSpec>,
    /// Whom to ask.
    pub servers: ModelServers,
    /// The right to run it.
    pub ownership: Ownership,
}

impl Drive<'_> {
    /// Runs the eval until it ends or is stopped; gives it as it is then, and how the program ends where it did not end.
    pub async fn run(mut self, store: Store, eval: OpenEval) -> Result<(OpenEval, Option<Exit>), Stop> {
        let id = eval.id.clone();
        let mut shown = eval.events.len();
        let specs: Vec<&DebateSpec> = self.samples.iter().collect();
        let runtime = Arc::new(LocalRuntime::open(self.context, store.clone(), Some(self.servers), &specs).await?);
        let waits = Arc::new(CellWaits::default());
        let retry = self.settings.retry_policy();
        let holder = Arc::new(LocalHolder { runtime: runtime.clone(), retry, waits: waits.clone() });
        let config = DriverConfig {
            writer: format!("{}@{}", std::process::id(), env!("CARGO_PKG_VERSION")),
            concurrency: self.view.concurrency.unwrap_or_else(|| self.settings.eval.at_once(HERE)),
            peek: self.view.peek,
            logs: store.sqlite.clone(),
            holder,
            specs: self.specs,
            facts,
            decided: is_decided,
            clock: Arc::new(SystemClock),
            observer: Arc::new(Silent),
        };
        let driver = EvalDriver::start(config, eval).await.map_err(log_failed)?;
        let mut updates = driver.updates();
        let mut line = ProgressLine::new(self.context, self.view.show.jsonl || self.view.show.quiet);
        let mut peeked = updates.borrow().progress.blocks_over;
        let interrupted = loop {
            let update = updates.borrow_and_update().clone();
            line.show(self.context, &update.progress);
            if self.view.peek && update.progress.blocks_over > peeked {
                let eval = read_eval(&*store.sqlite, &id).await.map_err(log_failed)?;
                let looked = last_look(&eval);
                if looked > peeked {
                    peeked = looked;
                    line.finish();
                    peek(self.context, &eval);
                }
            }
            if self.view.show.jsonl {
                shown = events(self.context, &store, &id, shown).await?;
            }
            if update.state != DriverState::Running {
                break false;
            }
            tokio::select! {
                changed = updates.changed() => if changed.is_err() { break false },
                () = self.signals.next() => break true,
                () = tokio::time::sleep(TELL) => line.wait(self.context, &waits.told()),
            }
        };
        line.finish();
        let state = if interrupted { DriverState::Running } else { driver.done().await.state };
        if interrupted {
            self.ownership.pause().await;
            self.context.output.note(FAREWELL);
        }
        let closing = async {
            driver.stop().await;
            close(runtime).await;
            self.ownership.leave().await;
        };
        tokio::select! {
            () = closing => {}
            () = self.signals.next() => return Err(Stop::quietly(Exit::Interrupted)),
        }
        if self.view.show.jsonl {
            events(self.context, &store, &id, shown).await?;
        }
        let eval = read_eval(&*store.sqlite, &id).await.map_err(log_failed)?;
        let resume = store.advice(&format!("eval resume {id}"));
        match state {
            DriverState::Ended => Ok((eval, None)),
            DriverState::Running => {
                self.context.output.say(&format!("what was held is kept; continue with: {resume}"));
                Ok((eval, Some(Exit::Interrupted)))
            }
            // somebody else ended it
            DriverState::Failed(_) if eval.machine.ended().is_some() => Ok((eval, None)),
            DriverState::Failed(why) => {
                Err(Stop::say(Exit::Unavailable, format!("{why}; what was held is kept; continue with: {resume}")))
            }
        }
    }
}

/// The runtime is shared with the holder, whose tasks have ended.
async fn close(runtime: Arc<LocalRuntime>) {
    match Arc::try_unwrap(runtime) {
        Ok(runtime) => drop(runtime.close().await),
        Err(runtime) => drop(runtime.node.drain().await),
    }
}

/// Blocks that were over at the last look of the log.
fn last_look(eval: &OpenEval) -> u32 {
    let look = |(_, event): &(u64, EvalEvent)| match event {
        EvalEvent::LookTaken { blocks, .. } => Some(*blocks),
        _ => None,
    };
    eval.events.iter().rev().find_map(look).unwrap_or(0)
}

/// Shows the primary comparisons as they stand.
fn peek(context: &Context, eval: &OpenEval) {
    let result = result_of(&eval.machine);
    let primary = result.comparisons.iter().filter(|found| found.family == ComparisonFamily::Primary);
    for count in primary.filter_map(|found| found.counts.first()) {
        context.output.note(&format!("until now: {}", agon_report::one_line(&count.sentence)));
    }
}

/// Prints the events that were not printed yet.
async fn events(context: &Context, store: &Store, id: &DebateId, shown: usize) -> Result<usize, Stop> {
    let eval = read_eval(&*store.sqlite, id).await.map_err(log_failed)?;
    for (at, event) in eval.events.iter().skip(shown) {
        print(context, *at, event)?;
    }
    Ok(eval.events.len())
}

/// Prints an event as a JSON line.
pub fn print(context: &Context, at: u64, event: &EvalEvent) -> Result<(), Stop> {
    Ok(context.output.line(&agon_report::eval_event_line(at, event).map_err(anyhow::Error::from)?)?)
}

/// What a failure of an eval's log means for the program.
pub fn log_failed(error: EvalLogError) -> Stop {
    match error {
        EvalLogError::Unknown(_) | EvalLogError::Exists(_) | EvalLogError::Fenced(_) => Stop::usage(error),
        EvalLogError::Unreadable { .. } => Stop::say(Exit::Failed, error),
        EvalLogError::Unsure(_) => Stop::say(Exit::Internal, error),
        EvalLogError::Full(_) => Stop::say(Exit::Unavailable, error),
        EvalLogError::Store(error) => failed(error),
    }
}
