//! Runs seeds of the simulated cluster and says what they found.
//!
//! Invariant: nothing here is shipped, and what is printed of a seed is the same each time it is run.
use agon_sim::{PlantedBug, SeedPlan, SeedReport, SimulationTotals, simulate, simulate_many};
use anyhow::Result;
use clap::Parser;
use nix::sys::resource::{UsageWho, getrusage};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// As the `agon` program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Debug, Parser)]
struct Cli {
    /// How many seeds to run
    #[arg(long, default_value_t = 1_000)]
    seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds to run at once [default: the number of cores]
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Plant a bug in the store, to see whether it is found; succeeds if it is
    #[arg(long, value_enum)]
    plant: Option<PlantedBug>,
    /// Print every event of the first seed and run no other
    #[arg(long)]
    trace: bool,
}

/// The goal: processor milliseconds of a seed, which is 100,000 seeds in ten minutes on two cores.
const GOAL_MS: u32 = 12;
/// So many seeds with findings end a run.
const MOST_FINDINGS: usize = 10;

fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    if cli.trace {
        let report = simulate(cli.seed, cli.plant, true)?;
        print_report(&report, cli.plant);
        return Ok(exit(report.findings.is_empty(), cli.plant));
    }
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let plan = SeedPlan {
        seeds: cli.seed..cli.seed.saturating_add(cli.seeds),
        threads: cli.threads.unwrap_or(cores),
        plant: cli.plant,
        most_findings: if cli.plant.is_some() { 1 } else { MOST_FINDINGS },
    };
    let began = Instant::now();
    let totals = simulate_many(&plan, |report| {
        if cli.seeds == 1 || !report.findings.is_empty() {
            print_report(report, cli.plant);
        }
    })?;
    print_totals(&totals, began.elapsed(), cpu_time()?);
    Ok(exit(totals.found.is_empty(), cli.plant))
}

/// A planted bug has to be found, and nothing else.
fn exit(nothing_found: bool, plant: Option<PlantedBug>) -> ExitCode {
    if nothing_found == plant.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cpu_time() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    Ok(Duration::from_micros(u64::try_from(micros(usage.user_time()) + micros(usage.system_time()))?))
}

fn print_totals(totals: &SimulationTotals, wall: Duration, cpu: Duration) {
    let seeds = totals.seeds.max(1) as f64;
    println!(
        "{} seeds in {:.1} s, {:.1} s of CPU time ({:.1} ms a seed, goal {GOAL_MS}), {} events, trace {:016x}",
        totals.seeds,
        wall.as_secs_f64(),
        cpu.as_secs_f64(),
        cpu.as_secs_f64() * 1_000.0 / seeds,
        totals.events,
        totals.trace
    );
    println!(
        "{} debates, {} calls of models, {} takeovers, {} fenced appends",
        totals.debates, totals.generations, totals.takeovers, totals.fenced
    );
    let faults: Vec<String> = totals.faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    println!("faults: {}", if faults.is_empty() { "none".to_owned() } else { faults.join(", ") });
    println!("{} seeds with findings", totals.found.len());
}

fn print_report(report: &SeedReport, plant: Option<PlantedBug>) {
    println!(
        "seed {}: trace {:016x}, {} events in {:.1} s of simulated time, {} debates, {} takeovers, {} findings",
        report.seed,
        report.trace,
        report.events,
        report.lasted.as_secs_f64(),
        report.debates,
        report.takeovers,
        report.findings.len()
    );
    report.findings.iter().for_each(|finding| println!("  {finding}"));
    if !report.findings.is_empty() {
        let plant = plant.map_or_else(String::new, |plant| format!(" --plant {}", format!("{plant:?}").to_lowercase()));
        println!("  replay: cargo xtask sim --seed {} --trace{plant}", report.seed);
    }
}
