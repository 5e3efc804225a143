//! `cargo xtask sim`: a cluster in one process, under faults and a clock that follow from a seed, in the build that is shipped.

use std::num::NonZeroUsize;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::process;

/// The options of `cargo xtask sim`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many seeds to run
    #[arg(long, default_value_t = 1_000)]
    seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds to run at once [default: the number of cores]
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Plant a bug in the simulated store and look for it: an append that ignores the end of the log, a result that overwrites its
    /// register, a takeover in the epoch of the owner before, jobs that sleep, jobs that are believed, debates that are left and not known.
    /// Succeeds if it is found
    #[arg(long, value_name = "fence|register|epoch|sleep|moved|left")]
    plant: Option<String>,
    /// Print every event of the first seed and run no other
    #[arg(long)]
    trace: bool,
}

/// The bugs that can be planted.
pub const PLANTS: [&str; 6] = ["fence", "register", "epoch", "sleep", "moved", "left"];

impl Args {
    /// So many seeds from the first one on, and perhaps a planted bug.
    pub fn of(seeds: u64, plant: Option<&str>) -> Self {
        Self { seeds, seed: 1, threads: None, plant: plant.map(str::to_owned), trace: false }
    }
}

/// Builds `agon-sim` and runs it to its end.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut command = Command::new(process::shipped(&["agon-sim"])?.join("agon-sim"));
    command.args(["--seeds", &args.seeds.to_string(), "--seed", &args.seed.to_string()]);
    if let Some(threads) = args.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    if let Some(plant) = &args.plant {
        command.args(["--plant", plant]);
    }
    if args.trace {
        command.arg("--trace");
    }
    process::to_its_end(&mut command)
}
