//! `cargo xtask bench`: what a debate costs, beside a bare HTTP loop that makes the same calls in the same run.

use std::num::NonZeroUsize;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::{needs, process};

/// The options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leave out the cells with more than 1,000 debates at once
    #[arg(long)]
    quick: bool,
    /// Only these tables: start, layout, context, scheduling, paths, growth, memory, load, console, cluster
    #[arg(long, value_name = "TABLES", value_delimiter = ',')]
    only: Vec<String>,
    /// Compare ways to schedule at this real server instead
    #[arg(long, value_name = "URL", requires = "model")]
    live: Option<String>,
    /// Its model
    #[arg(long, requires = "live")]
    model: Option<String>,
    /// It speaks OpenAI's interface, as llama.cpp does; Ollama's if absent
    #[arg(long, requires = "live")]
    openai: bool,
    /// Calls that it takes at once
    #[arg(long, requires = "live", default_value = "4")]
    permits: NonZeroUsize,
}

/// Builds `agon-bench`, and runs it to its end.
pub fn run(args: &Args) -> Result<ExitCode> {
    // Before the build: nobody waits for a quarter of an hour to be told that something is missing.
    let clustered = args.live.is_none() && (args.only.is_empty() || args.only.iter().any(|table| table == "cluster"));
    let nats = clustered.then(needs::nats_server).transpose()?;
    let built = process::shipped(&["agon", "agon-bench"])?;
    let mut command = Command::new(built.join("agon-bench"));
    command.arg("tables").arg("--agon").arg(built.join("agon")).args(args.quick.then_some("--quick"));
    command.args(args.only.iter().map(|table| format!("--only={table}")));
    if let (Some(url), Some(model)) = (&args.live, &args.model) {
        command.args(["--live", url, "--model", model, "--permits", &args.permits.to_string()]);
        command.args(args.openai.then_some("--openai"));
    }
    if let Some(nats) = nats {
        command.arg("--nats-server").arg(nats);
    }
    process::to_its_end(&mut command)
}
