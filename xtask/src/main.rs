//! The project's automation: one command for each thing that is done to the whole workspace.
//!
//! Invariant: nothing here is linked into a shipped binary, and no command writes outside the workspace
//! except where its help says so.

mod bench;
mod bombs;
mod chaos;
mod check;
mod crash;
mod eval_check;
mod failover;
mod fuzz;
mod licences;
mod misbehaviour;
mod needs;
mod notes;
mod package;
mod pictures;
mod process;
mod protos;
mod sbom;
mod ship;
mod shipped;
mod sim;
mod steps;
mod test;
mod tidy;
mod upgrade;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

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
    /// Set up what the tests need (as root on Debian: install chromium, nats-server and python3), then run the tests; `--all` runs every one
    Test(test::Args),
    /// Formatting, lints, docs, generated code, dependencies and house rules
    Check(check::Args),
    /// Measure what debates cost beside a bare HTTP loop, and every other goal; the build that is shipped, takes hours (`--quick`: less)
    Bench(bench::Args),
    /// Image, compose file, chart, monitoring and NATS configurations, each checked by its own tool
    Ship(ship::Args),
    /// Kill `agon run` at many moments, resume, and count lost, doubled and repeated turns
    Crash(crash::Args),
    /// Kill, stop and cut the processes of a cluster at random, then check every log; the build that is shipped
    Chaos(chaos::Args),
    /// Run a cluster in one process under a simulated clock, with faults by seeds, and check every log; the build that is shipped
    Sim(sim::Args),
    /// Send 10,000 debate files of each kind that unfold to very much over REST and gRPC and to the command line; each has to be answered within a second
    Bombs(bombs::Args),
    /// Simulate evals with a planted truth, and print what the statistics of `agon eval` find of it; a figure that misses is a failure
    EvalCheck(eval_check::Args),
    /// Feed hostile input, by a seed, to every reader of what comes from outside; a finding is kept in target/fuzz
    Fuzz(fuzz::Args),
    /// Kill owners and hosts of running debates, and measure when the debates go on; the build that is shipped, half an hour
    Failover(failover::Args),
    /// Hold a debate beside each kind of misbehaving model server, and print what it costs; two minutes
    Misbehaviour(misbehaviour::Args),
    /// Replace every process of an older version by this one while debates run, then check every log
    Upgrade(upgrade::Args),
    /// Write LICENSES-THIRD-PARTY.md: every crate in the shipped program, and the texts of its licences
    Licences(licences::Args),
    /// Write the bill of materials of the shipped program, as CycloneDX
    Sbom(sbom::Args),
    /// Print what the changelog says of this version, once tag, charts and changelog name the same one
    Notes(notes::Args),
    /// Package every crate of the product as a registry would get it; a warning is a failure
    Package(package::Args),
    /// Make the pictures of the README anew, from a rehearsal in a terminal and in a browser
    Pictures,
    /// House rules only: crate edges, file sizes, words, links, licences, examples
    Tidy(tidy::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Protos(args) => protos::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Test(args) => test::run(&args),
        Command::Check(args) => check::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Bench(args) => bench::run(&args),
        Command::Ship(args) => ship::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Crash(args) => crash::run(&args),
        Command::Chaos(args) => chaos::run(&args),
        Command::Sim(args) => sim::run(&args),
        Command::Bombs(args) => bombs::run(&args),
        Command::EvalCheck(args) => eval_check::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Failover(args) => failover::run(&args),
        Command::Misbehaviour(args) => misbehaviour::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Upgrade(args) => upgrade::run(&args),
        Command::Licences(args) => licences::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Sbom(args) => sbom::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Notes(args) => notes::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Package(args) => package::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Pictures => pictures::run(),
        Command::Tidy(args) => tidy::run(&args).map(|()| ExitCode::SUCCESS),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("xtask: {error:#}");
        ExitCode::FAILURE
    })
}

/// The help of one of these commands, or of all of them for an empty name; `None` if there is no such command.
fn help(subcommand: &str) -> Option<String> {
    let mut all = Cli::command();
    if subcommand.is_empty() {
        return Some(all.render_long_help().to_string());
    }
    all.find_subcommand_mut(subcommand).map(|command| command.render_long_help().to_string())
}
