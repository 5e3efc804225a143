//! `cargo xtask bench`: what a debate costs, beside a bare HTTP loop that makes the same calls in the same run.

use std::num::NonZeroUsize;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::{failover, needs, process, sim};

/// The options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leave out the cells with more than 1,000 debates at once, failover and simulation
    #[arg(long)]
    quick: bool,
    /// Only these tables: start, layout, context, scheduling, paths, ahead, growth, memory, load, console, cluster, failover, simulation
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

/// The tables that other programs measure.
const OWN: [&str; 2] = ["failover", "simulation"];
/// Kills of owners, and as many of hosts.
const KILLS: u32 = 50;
/// Runs of the simulated cluster, and the most within which each planted bug has to be found.
const SEEDS: u64 = 100_000;
const PLANTED_SEEDS: u64 = 1_000;

/// Measures what is wanted, each with the program that can.
pub fn run(args: &Args) -> Result<ExitCode> {
    let everything = args.only.is_empty() && args.live.is_none();
    let wanted = |table: &str| everything && !args.quick || args.only.iter().any(|only| only == table);
    let tables: Vec<&String> = args.only.iter().filter(|table| !OWN.contains(&table.as_str())).collect();
    let mut all = Vec::new();
    if args.only.is_empty() || !tables.is_empty() {
        all.push(run_tables(args, &tables)?);
    }
    if wanted("failover") {
        all.push(failover::run(&failover::Args::of(KILLS))?);
    }
    if wanted("simulation") {
        all.push(sim::run(&sim::Args::of(SEEDS, None))?);
        for plant in sim::PLANTS {
            all.push(sim::run(&sim::Args::of(PLANTED_SEEDS, Some(plant)))?);
        }
    }
    Ok(all.into_iter().find(|code| *code != ExitCode::SUCCESS).unwrap_or(ExitCode::SUCCESS))
}

/// Builds `agon-bench`, and runs it to its end.
fn run_tables(args: &Args, tables: &[&String]) -> Result<ExitCode> {
    // Before the build: nobody waits for a quarter of an hour to be told that something is missing.
    let clustered = args.live.is_none() && (tables.is_empty() || tables.iter().any(|table| *table == "cluster"));
    let nats = clustered.then(needs::nats_server).transpose()?;
    let built = process::shipped(&["agon", "agon-bench"])?;
    let mut command = Command::new(built.join("agon-bench"));
    command.arg("tables").arg("--agon").arg(built.join("agon")).args(args.quick.then_some("--quick"));
    command.args(tables.iter().map(|table| format!("--only={table}")));
    if let (Some(url), Some(model)) = (&args.live, &args.model) {
        command.args(["--live", url, "--model", model, "--permits", &args.permits.to_string()]);
        command.args(args.openai.then_some("--openai"));
    }
    if let Some(nats) = nats {
        command.arg("--nats-server").arg(nats);
    }
    process::to_its_end(&mut command)
}
