//! Simulates evals with a planted truth, prints what was wanted and what was seen, and ends with 1 where a figure misses.
use agon_eval::testing::{SIMULATION_CHECKS, SimulationCheck};
use std::process::ExitCode;

fn main() -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(1, |threads| u32::try_from(threads.get()).unwrap_or(1));
    println!("{:<58} {:>6} {:>17} {:>8}  verdict", "what", "evals", "wanted", "seen");
    let mut missed = 0;
    for check in &SIMULATION_CHECKS {
        let seen = mean(check, threads);
        let ok = check.low <= seen && seen <= check.high;
        missed += u32::from(!ok);
        let wanted = format!("{} to {}", figure(check, check.low), figure(check, check.high));
        let verdict = if ok { "ok" } else { "MISSED" };
        println!("{:<58} {:>6} {wanted:>17} {:>8}  {verdict}", check.what, check.evals, figure(check, seen));
    }
    println!("{} checks, {missed} missed", SIMULATION_CHECKS.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A share in percent; a number of questions as it is.
fn figure(check: &SimulationCheck, figure: f64) -> String {
    if check.high > 1.0 { format!("{figure:.0}") } else { format!("{:.1} %", figure * 100.0) }
}

/// The mean over all evals, each thread taking every so many; a thread that fails makes the check miss.
fn mean(check: &SimulationCheck, threads: u32) -> f64 {
    let sum_of = |first: u32| (first..check.evals).step_by(threads as usize).map(|eval| (check.one)(eval)).sum::<f64>();
    let sum: f64 = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|first| scope.spawn(move || sum_of(first))).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or(f64::NAN)).sum()
    });
    sum / f64::from(check.evals)
}
