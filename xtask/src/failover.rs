//! `cargo xtask failover`: how soon debates go on when their owner or host is killed, or stopped in order.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use crate::chaos;

/// The options of `cargo xtask failover`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kills of owners, and as many of hosts
    #[arg(long, default_value_t = 50)]
    kills: u32,
    /// Debates that run at one time
    #[arg(long, default_value_t = DEBATES)]
    debates: u32,
    /// Only these kills
    #[arg(long, value_name = "owner|host")]
    only: Option<String>,
    /// Instead of killing, stop so often in each of five orderly ways, or give orders after a crash
    #[arg(long)]
    stops: Option<u32>,
    /// This nats-server instead of the installed one
    #[arg(long, value_name = "PROGRAM")]
    nats_server: Option<PathBuf>,
}

impl Args {
    /// So many kills of each kind, and nothing else that differs from the defaults.
    pub fn of(kills: u32) -> Self {
        Self { kills, debates: DEBATES, only: None, stops: None, nats_server: None }
    }
}

/// Debates at one time.
const DEBATES: u32 = 6;

/// Kills one after the other and prints the times as distributions.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut words = vec![OsString::from("failover")];
    words.extend([OsString::from("--kills"), OsString::from(args.kills.to_string())]);
    words.extend([OsString::from("--debates"), OsString::from(args.debates.to_string())]);
    words.extend(args.only.iter().flat_map(|only| [OsString::from("--only"), OsString::from(only)]));
    words.extend(args.stops.iter().flat_map(|stops| [OsString::from("--stops"), OsString::from(stops.to_string())]));
    chaos::start(args.nats_server.clone(), &words)
}
