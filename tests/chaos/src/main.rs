//! Kills and cuts a cluster of real processes at random and says what that did to its debates.
//!
//! `cargo xtask` builds this and runs it, by the same names.
//!
//! Invariant: nothing here is shipped, the faults follow from the seed alone, and every process that is started is ended.
mod chaos;
mod counts;
mod crash;
mod crowd;
mod failover;
mod faults;
mod paid;
mod schedule;
mod upgrade;
mod variety;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Parser)]
struct Cli {
    /// The program under test
    #[arg(long)]
    agon: PathBuf,
    /// nats-server; that of the search path by default
    #[arg(long)]
    nats_server: Option<PathBuf>,
    /// What to do
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Faults at random, then a check of every log
    Chaos(chaos::Args),
    /// How soon debates go on when their owner or host is killed
    Failover(failover::Args),
    /// Kills `agon run` at many moments, resumes, and counts the harm
    Crash(crash::Args),
    /// Replaces every process by another version while debates run
    Upgrade(upgrade::Args),
}

fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    match cli.command {
        Command::Chaos(args) => chaos::run(cli.agon, cli.nats_server, &args),
        Command::Failover(args) => failover::run(cli.agon, cli.nats_server, &args),
        Command::Crash(args) => crash::run(cli.agon, &args),
        Command::Upgrade(args) => upgrade::run(&cli.agon, cli.nats_server, &args),
    }
}
