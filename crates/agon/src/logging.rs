//! The log on standard error: warnings by default, errors alone with `--quiet`, more with `-v` or `AGON_LOG`.
use crate::commands::Context;
use crate::environment::Environment;
use crate::exit::Stop;
use crate::output::OutputMode;
use agon_telemetry::{LogConfig, LogFormat};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tracing_subscriber::EnvFilter;

// The MCP library logs what servers do wrong in their own words and at the level of our emergencies; `agon-tools` says
// what matters of it.
// What whoever watches a debate is told anyway is no line of the log besides.
const WARNINGS: &str = "warn,rmcp=off,agon_runtime::watched=off";
const ERRORS: &str = "error,rmcp=off";
const INFO: &str = "warn,rmcp=off,agon=info,agon_runtime=info,agon_store=info,agon_rehearsal=info";
const SERVER: &str =
    "warn,rmcp=off,agon=info,agon_runtime=info,agon_store=info,agon_server=info,agon_bus=info,agon_telemetry=info";
const DEBUG: &str =
    "info,rmcp=off,agon=debug,agon_runtime=debug,agon_store=debug,agon_rehearsal=debug,agon_llm=debug,agon_tools=debug";

/// Starts the log; `quiet` leaves warnings out.
pub fn start(level: u8, quiet: bool, environment: &Environment, output: &OutputMode) -> Result<(), Stop> {
    let chosen = match (environment.get("AGON_LOG"), level) {
        (Some(filter), 0) => filter,
        (_, 0) if quiet => ERRORS,
        (_, 0) => WARNINGS,
        (_, 1) => INFO,
        (_, 2) => DEBUG,
        (_, _) => "trace",
    };
    let filter = EnvFilter::try_new(chosen).map_err(|error| Stop::usage(format!("AGON_LOG: {error}")))?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| LogSink).with_ansi(output.color_stderr).init();
    Ok(())
}

/// The log of a server: what changes is told, so that its operators need no flag.
pub fn of_server(context: &Context, format: LogFormat) -> Result<LogConfig, Stop> {
    let filter = match (context.environment.get("AGON_LOG"), context.global.log) {
        (Some(filter), 0) => filter,
        (_, 0 | 1) => SERVER,
        (_, 2) => DEBUG,
        (_, _) => "trace",
    };
    EnvFilter::try_new(filter).map_err(|error| Stop::usage(format!("AGON_LOG: {error}")))?;
    Ok(LogConfig { format, filter: filter.to_owned(), ansi: context.output.color_stderr, writer: None })
}

/// Lines that wait while a live view owns the terminal; nothing while there is none.
static HELD: Mutex<Option<String>> = Mutex::new(None);

/// From here on lines wait: a live view would be torn by them.
pub fn hold() {
    waiting().get_or_insert_default();
}

/// Takes what waits, for the view to print where it does no harm.
pub fn held() -> String {
    waiting().as_mut().map(std::mem::take).unwrap_or_default()
}

/// The terminal is free again: what waits is written, and nothing waits any more.
pub fn release() {
    let rest = waiting().take().unwrap_or_default();
    // Where standard error is gone there is nobody to tell.
    let _ = io::stderr().write_all(rest.as_bytes());
}

fn waiting() -> MutexGuard<'static, Option<String>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where log lines go: to the live view, or straight to standard error.
struct LogSink;

impl Write for LogSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(held) = waiting().as_mut() {
            held.push_str(&String::from_utf8_lossy(bytes));
            return Ok(bytes.len());
        }
        io::stderr().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
