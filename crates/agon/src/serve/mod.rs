//! `agon serve`: a process with any mix of the roles gateway, coordinator and host.
//!
//! [`plan`] makes of flags and settings what the process is to be, [`ground`] is what it stands on (NATS, or memory and SQLite),
//! [`process`] starts and ends it in order.
mod admin;
mod face;
mod ground;
mod hosts;
mod permissions;
mod plan;
mod process;
pub mod provision;

use crate::cli::ServeArgs;
use crate::commands::{Context, runtime};
use crate::exit::{Exit, Stop};
use crate::logging;
use crate::settings::LogFormat;
use crate::signals::Signals;
use agon_telemetry::{Otlp, Telemetry, TelemetryConfig};
use anyhow::Context as _;
use plan::Plan;
use secrecy::ExposeSecret as _;
use std::collections::BTreeMap;

/// `agon serve`
pub fn run(context: &Context, args: &ServeArgs) -> Result<Exit, Stop> {
    let plan = Plan::of(context, args)?;
    runtime()?.block_on(async {
        let mut signals = Signals::listen().context("signals cannot be heard")?;
        let telemetry = telemetry(context, &plan)?;
        let served = serve(context, &plan, &telemetry, &mut signals).await;
        let flushed = telemetry.shutdown().await;
        if flushed.lost_spans > 0 {
            context.output.warn(&format!("{} spans did not reach the collector", flushed.lost_spans));
        }
        served
    })
}

async fn serve(context: &Context, plan: &Plan, telemetry: &Telemetry, signals: &mut Signals) -> Result<Exit, Stop> {
    let process = tokio::select! {
        started = process::Process::start(context, plan, telemetry) => started?,
        () = signals.next() => return Ok(Exit::Interrupted),
    };
    let ended = tokio::select! {
        () = signals.next() => Ok(Exit::Done),
        stop = process.failed() => Err(stop),
    };
    plan.herald.tell("ending: what runs is handed over; once more ends it at once");
    tokio::select! {
        clean = process.end() => if !clean {
            context.output.warn("some work was cut off at the end; it is taken up by others, or by the next start");
        },
        () = signals.next() => return Err(Stop::quietly(Exit::Interrupted)),
    }
    ended
}

fn telemetry(context: &Context, plan: &Plan) -> Result<Telemetry, Stop> {
    let settings = &plan.settings.telemetry;
    let wrong = |error: anyhow::Error| Stop::new(Exit::Usage, error);
    let token = settings.otlp_token.as_ref().map(|source| source.read(&context.environment)).transpose();
    let token = token.context("the token of `telemetry.otlp_token`").map_err(wrong)?;
    let headers = token.map(|token| ("authorization".to_owned(), format!("Bearer {}", token.expose_secret())));
    let otlp = settings.otlp_endpoint.as_ref().map(|endpoint| Otlp {
        headers: headers.into_iter().collect::<BTreeMap<_, _>>(),
        ..Otlp::to(endpoint.clone())
    });
    let config = TelemetryConfig {
        otlp,
        debate_ratio: settings.sampling,
        capture_content: settings.capture_content,
        log: Some(logging::of_server(context, settings.log_format)?),
        ..TelemetryConfig::new(plan.service_name(), plan.id.to_string())
    };
    Telemetry::start(config).map_err(|error| wrong(error.into()))
}

/// Says what happens, in the form of the log.
#[derive(Clone, Copy, Debug)]
pub struct Herald {
    output: crate::output::Output,
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
