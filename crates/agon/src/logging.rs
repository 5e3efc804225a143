//! The log on standard error: warnings by default, more with `-v` or `AGON_LOG`.
use crate::environment::Environment;
use crate::exit::Stop;
use crate::output::Output;
use tracing_subscriber::EnvFilter;

const INFO: &str = "warn,agon=info,agon_runtime=info,agon_store=info,agon_rehearsal=info";
const DEBUG: &str = "info,agon=debug,agon_runtime=debug,agon_store=debug,agon_rehearsal=debug,agon_llm=debug";

/// Starts the log.
pub fn start(level: u8, environment: &Environment, output: &Output) -> Result<(), Stop> {
    let chosen = match (environment.get("AGON_LOG"), level) {
        (Some(filter), 0) => filter,
        (_, 0) => "warn",
        (_, 1) => INFO,
        (_, 2) => DEBUG,
        (_, _) => "trace",
    };
    let filter = EnvFilter::try_new(chosen).map_err(|error| Stop::usage(format!("AGON_LOG: {error}")))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(output.color_stderr)
        .init();
    Ok(())
}
