//! Hostile input for every reader of what comes from outside, by a seed: the same seed gives the same inputs.
//!
//! A finding is a panic, an input that takes longer or more memory than it may, or a crash of the process. The process that runs the
//! inputs is a child of the one that was started, so that a stack overflow or a failed allocation is a finding like any other.
//!
//! Invariant: nothing but the seed decides what is fed.

mod dice;
mod expressions;
mod files;
mod guard;
mod mcp;
mod replies;
mod schemas;
mod targets;
mod wire;

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use dice::SplitMix;
use guard::Guard;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use targets::{Plant, Target, targets};

/// Runs all targets in turn until the time is over.
#[derive(Debug, Parser)]
struct Args {
    /// How long, in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// What the inputs follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these targets
    #[arg(long = "target", value_name = "NAME")]
    names: Vec<String>,
    /// At most so many inputs for each target
    #[arg(long, default_value_t = u64::MAX)]
    inputs: u64,
    /// Where findings are written
    #[arg(long, default_value = "target/fuzz")]
    findings: PathBuf,
    /// How many seconds one input may take
    #[arg(long, default_value_t = 10)]
    input_seconds: u64,
    /// How many MiB the process may use
    #[arg(long, default_value_t = 1024)]
    memory: u64,
    /// Runs the input of this file, against the one target that is named, and nothing else
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Adds a target with this fault, to see that it is found
    #[arg(long)]
    plant: Option<Plant>,
    /// Runs the inputs in this process
    #[arg(long, hide = true)]
    child: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = if args.child { child(&args) } else { parent(&args) };
    match outcome {
        Ok(found) => ExitCode::from(u8::from(found)),
        Err(error) => {
            eprintln!("agon-fuzz: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Starts the child, and takes its sudden death for a finding.
fn parent(args: &Args) -> Result<bool> {
    std::fs::create_dir_all(&args.findings).context("the folder for findings cannot be made")?;
    println!("seed {}, {} s", args.seed, args.seconds);
    let program = std::env::current_exe().context("this program has no path")?;
    let status = Command::new(program).args(std::env::args_os().skip(1)).arg("--child").status()?;
    match status.code() {
        Some(0) => Ok(false),
        Some(1) => Ok(true),
        Some(code) => bail!("the process that runs the inputs ended with {code}"),
        None => {
            let (current, kept) = (args.findings.join("current"), args.findings.join(format!("crash-{}", args.seed)));
            std::fs::rename(&current, &kept).context("the input that crashed is lost")?;
            println!("FINDING: {status}; input and target: {}", kept.display());
            Ok(true)
        }
    }
}

fn child(args: &Args) -> Result<bool> {
    let all = targets(args.plant);
    let known: Vec<&str> = all.iter().map(|target| target.name).collect();
    for name in &args.names {
        ensure!(known.contains(&name.as_str()), "there is no target {name}; there are {}", known.join(", "));
    }
    let chosen: Vec<&Target> = all
        .iter()
        .filter(|target| args.names.is_empty() || args.names.iter().any(|name| name == target.name))
        .collect();
    let limit = Duration::from_secs(args.input_seconds);
    let mut guard = Guard::new(args.findings.clone(), args.seed, limit, args.memory * 1024 * 1024)?;
    match &args.input {
        Some(file) => {
            let [target] = chosen.as_slice() else { bail!("--input needs one --target") };
            guard.run(target, 0, std::fs::read(file)?);
        }
        None => rounds(args, &chosen, &mut guard),
    }
    Ok(guard.report())
}

/// Runs the targets in turn, each for a tenth of a second at a time.
fn rounds(args: &Args, chosen: &[&Target], guard: &mut Guard) {
    const SHARE: Duration = Duration::from_millis(100);
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let mut counts = vec![0_u64; chosen.len()];
    while Instant::now() < end && counts.iter().any(|count| *count < args.inputs) {
        for (target, count) in chosen.iter().zip(&mut counts) {
            let share = Instant::now() + SHARE;
            while Instant::now() < share.min(end) && *count < args.inputs {
                let mut dice = SplitMix::new(args.seed, target.name, *count);
                guard.run(target, *count, (target.make)(&mut dice));
                *count += 1;
            }
        }
    }
}
