//! The project's automation: one command for each thing that is done to the whole workspace.
//!
//! Invariant: nothing here is linked into a shipped binary, and no command writes outside the workspace
//! except where its help says so.

mod process;
mod protos;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's automation", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Regenerate the Rust types of `proto/` into `crates/agon-proto/src/generated`
    Protos(protos::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Protos(args) => protos::run(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
