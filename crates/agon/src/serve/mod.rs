//! `agon serve`: a process with any mix of the roles gateway, coordinator and host; and `agon ui`, which is one with all of them for the
//! user of this machine.
//!
//! [`plan`] makes of flags and settings what the process is to be, [`infrastructure`] is what it stands on (NATS, or memory and SQLite),
//! [`process`] starts and ends it in order.
mod admin;
mod hosts;
mod infrastructure;
mod listener;
mod own_door;
pub mod permissions;
pub mod plan;
mod process;
pub mod provision;
mod restore;

use crate::cli::{ServeArgs, UiArgs};
use crate::commands::{Context, runtime};
use crate::exit::{Exit, Stop};
use crate::logging;
use crate::signals::Signals;
use crate::traces::{self, TraceOrigin};
use agon_telemetry::{LogFormat, Telemetry};
use plan::ServePlan;

/// `agon serve`
pub fn run(context: &Context, args: &ServeArgs) -> Result<Exit, Stop> {
    hold(context, &ServePlan::of(context, args)?)
}

/// `agon ui`
pub fn ui(context: &Context, args: &UiArgs) -> Result<Exit, Stop> {
    hold(context, &ServePlan::ui(context, args)?)
}

fn hold(context: &Context, plan: &ServePlan) -> Result<Exit, Stop> {
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let settings = &plan.settings.telemetry;
        // that of a command is installed already
        let log = match plan.own_door {
            Some(_) => None,
            None => Some(logging::of_server(context, settings.log_format)?),
        };
        let (service, instance) = (plan.service_name(), plan.id.to_string());
        let telemetry = TraceOrigin { service, instance, log, settings }.start(context)?;
        let served = serve(context, plan, &telemetry, &mut signals).await;
        traces::finish(context, &telemetry).await;
        served
    })
}

async fn serve(
    context: &Context,
    plan: &ServePlan,
    telemetry: &Telemetry,
    signals: &mut Signals,
) -> Result<Exit, Stop> {
    let process = tokio::select! {
        started = process::ServeProcess::start(context, plan, telemetry) => started?,
        () = signals.next() => return Ok(Exit::Interrupted),
    };
    let ended = tokio::select! {
        () = signals.next() => Ok(Exit::Done),
        stop = process.failed() => Err(stop),
        () = process.let_in(context, plan) => Ok(Exit::Done),
    };
    plan.herald.tell(match plan.own_door {
        Some(_) => "ending: running debates are given up, and the next `agon ui` continues them; a second Ctrl-C ends it at once",
        None => "ending: running work is handed over; a second signal ends it at once",
    });
    tokio::select! {
        clean = process.end() => if !clean {
            context.output.warn("some work was cut off at the end; another process or the next start continues it");
        },
        () = signals.next() => return Err(Stop::quietly(Exit::Interrupted)),
    }
    ended
}

/// Says what happens, in the form of the log.
#[derive(Clone, Copy, Debug)]
pub struct Herald {
    output: crate::output::OutputMode,
    format: LogFormat,
}

impl Herald {
    /// A line for people, or a line of the log where machines read it.
    pub fn tell(&self, text: &str) {
        match self.format {
            LogFormat::Text => self.output.note(text),
            LogFormat::Json => tracing::info!("{text}"),
        }
    }
}
