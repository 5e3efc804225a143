//! The command line of Agon: reads what is asked for, wires the libraries together, prints what they say.
//!
//! `agon run` holds a whole debate in this process: the coordinator, the hosts and the journal of `agon-runtime` over an
//! in-memory bus and a SQLite store. A rehearsal differs only in the server that the model client talks to.
//!
//! Invariant: no rule of debates lives here, and nothing is printed of what models wrote that did not pass through
//! `agon-report`.

mod alumni;
mod cast;
mod checkup;
mod cli;
mod client;
mod commands;
mod debate_file;
mod environment;
mod exit;
mod filter;
mod grants;
mod local_runtime;
mod logging;
mod output;
mod ownership;
mod reports;
mod serve;
mod servers;
mod settings;
mod shell;
mod signals;
mod speeds;
mod store;
mod terminal;
mod traces;
mod watching;

use clap::error::ErrorKind;
use environment::Environment;
use exit::{Exit, Stop};
use output::OutputMode;
use std::process::ExitCode;

/// Thousands of debates allocate on several threads at once; the system's allocator spends more time and memory on it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    own_files_only();
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(told) => return tell(&told).into(),
    };
    let environment = Environment::of_process();
    let output = OutputMode::new(cli.global.color, &environment);
    // A server's log has settings of its own.
    let started = match &cli.command {
        cli::Command::Serve(_) => Ok(()),
        command => logging::start(cli.global.log, command.is_quiet(), &environment, &output),
    };
    match started.and_then(|()| commands::run(cli, environment, output)) {
        Ok(exit) => exit.into(),
        Err(stop) => {
            say(&stop, &output);
            stop.exit.into()
        }
    }
}

/// Whatever is created from here on, by a library too, is for its owner alone: debates, keys and settings are nobody else's.
#[cfg(unix)]
fn own_files_only() {
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

#[cfg(not(unix))]
fn own_files_only() {}

/// Prints what clap has to say: help and versions as data, mistakes as mistakes.
fn tell(told: &clap::Error) -> Exit {
    let printed = told.print();
    match told.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion if printed.is_ok() => Exit::Done,
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::BrokenPipe,
        _ => Exit::Usage,
    }
}

fn say(stop: &Stop, output: &OutputMode) {
    if stop.error.is_some() {
        output.error(&stop.why());
    }
}
