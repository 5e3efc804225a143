//! `cargo xtask bench`: what a debate costs, beside a bare HTTP loop that makes the same calls in the same run.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::{needs, process};

/// The options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leave out the cells with more than 1,000 debates at once
    #[arg(long)]
    quick: bool,
    /// Only these tables: start, layout, context, scheduling, growth, memory, load, console, cluster
    #[arg(long, value_name = "TABLES", value_delimiter = ',')]
    only: Vec<String>,
}

/// Builds `agon-bench`, and runs it to its end.
pub fn run(args: &Args) -> Result<ExitCode> {
    // Before the build: nobody waits for a quarter of an hour to be told that something is missing.
    let clustered = args.only.is_empty() || args.only.iter().any(|table| table == "cluster");
    let nats = clustered.then(needs::nats_server).transpose()?;
    let release = process::release("agon-bench")?;
    let mut command = Command::new(release.join("agon-bench"));
    command.arg("tables").arg("--agon").arg(release.join("agon")).args(args.quick.then_some("--quick"));
    command.args(args.only.iter().map(|table| format!("--only={table}")));
    if let Some(nats) = nats {
        command.arg("--nats-server").arg(nats);
    }
    process::to_its_end(&mut command)
}
