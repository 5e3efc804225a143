//! `cargo xtask fuzz`: hostile input, by a seed, for every reader of what comes from outside.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::process;

/// The options of `cargo xtask fuzz`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How long, all targets together
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// What the inputs follow from; drawn and printed where none is given
    #[arg(long)]
    seed: Option<u64>,
    /// Only these targets
    #[arg(long = "target", value_name = "NAME")]
    targets: Vec<String>,
}

/// Builds `agon-fuzz` with its checks on, and runs it to its end.
pub fn run(args: &Args) -> Result<ExitCode> {
    let folder = process::debug("agon-fuzz")?;
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let seed = args.seed.unwrap_or(since.as_secs());
    let mut command = Command::new(folder.join("agon-fuzz"));
    command.args(["--seconds", &(args.minutes * 60).to_string(), "--seed", &seed.to_string()]);
    command.arg("--findings").arg(folder.with_file_name("fuzz"));
    for name in &args.targets {
        command.args(["--target", name]);
    }
    process::to_its_end(&mut command)
}
