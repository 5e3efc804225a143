//! `cargo xtask bombs`: very many debate files that are small and unfold to very much, at every door.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::process;
use crate::test::{build, tests};

/// The test that feeds them; it takes its numbers from the environment.
const TEST: &str = "bombs::files_that_unfold_are_refused_at_every_door_and_memory_stays_bounded";

/// The options of `cargo xtask bombs`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many files of each kind
    #[arg(long, default_value_t = 10_000)]
    files: usize,
    /// What the files follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only through this door
    #[arg(long, value_parser = ["rest", "grpc", "check"])]
    door: Option<String>,
}

/// Builds the tests, and runs the one that feeds bombs, which looks at the time of each answer too.
pub fn run(args: &Args) -> Result<ExitCode> {
    println!("xtask: building the program and its tests");
    let built = build()?;
    let test = tests(&built)?.into_iter().find(|test| test.name == TEST).context("the test of the bombs is gone")?;
    let mut command = test.command();
    command.arg("--nocapture").env("AGON_BIN", &built.program);
    command.env("AGON_BOMBS", args.files.to_string()).env("AGON_BOMBS_SEED", args.seed.to_string());
    if let Some(door) = &args.door {
        command.env("AGON_BOMBS_DOOR", door);
    }
    process::to_its_end(&mut command)
}
