//! `cargo xtask chaos` and `cargo xtask failover`: faults done to a cluster of real processes, in the build that is shipped.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::{needs, process};

/// The options of `cargo xtask chaos`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How long faults go on
    #[arg(long, default_value_t = 10)]
    minutes: u32,
    /// What the faults follow from: the same seed gives the same faults at the same times
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Debates, submitted evenly over that time [default: 24 a minute]
    #[arg(long)]
    debates: Option<u32>,
    /// Coordinators
    #[arg(long, default_value_t = 3)]
    coordinators: u32,
    /// Hosts, each with a model server of its own
    #[arg(long, default_value_t = 3)]
    hosts: u32,
    /// Gateways
    #[arg(long, default_value_t = 2)]
    gateways: u32,
    /// Keep the logs of all processes, and say where they are
    #[arg(long)]
    keep: bool,
    /// This nats-server instead of the installed one
    #[arg(long, value_name = "PROGRAM")]
    nats_server: Option<PathBuf>,
}

/// Kills, stops and cuts at random, then checks every log.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut words = vec![OsString::from("chaos")];
    let numbers = [
        ("--minutes", u64::from(args.minutes)),
        ("--seed", args.seed),
        ("--coordinators", u64::from(args.coordinators)),
        ("--hosts", u64::from(args.hosts)),
        ("--gateways", u64::from(args.gateways)),
    ];
    let debates = args.debates.map(|debates| ("--debates", u64::from(debates)));
    for (flag, number) in numbers.into_iter().chain(debates) {
        words.extend([OsString::from(flag), OsString::from(number.to_string())]);
    }
    words.extend(args.keep.then(|| OsString::from("--keep")));
    start(args.nats_server.clone(), &words)
}

/// Builds both programs and runs `agon-chaos` to its end.
pub fn start(nats_server: Option<PathBuf>, words: &[OsString]) -> Result<ExitCode> {
    let nats = nats_server.map_or_else(needs::nats_server, Ok)?;
    let shipped = process::shipped(&["agon", "agon-chaos"])?;
    let mut command = Command::new(shipped.join("agon-chaos"));
    command.arg("--agon").arg(shipped.join("agon")).arg("--nats-server").arg(nats).args(words);
    process::to_its_end(&mut command)
}
