//! `cargo xtask crash`: kill `agon run` at many moments, resume, and count what was lost, doubled or asked again.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::process;

/// The options of `cargo xtask crash`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many runs are killed, at moments spread over the whole debate
    #[arg(long, default_value_t = 50)]
    runs: u32,
    /// Where in its share of the debate each run is killed
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Builds `agon` and `agon-chaos`, and runs the latter to its end.
pub fn run(args: &Args) -> Result<ExitCode> {
    let agon = process::build_agon()?;
    let mut command = Command::new(process::debug("agon-chaos")?.join("agon-chaos"));
    command.arg("--agon").arg(agon).arg("crash");
    command.args(["--runs", &args.runs.to_string(), "--seed", &args.seed.to_string()]);
    process::to_its_end(&mut command)
}
