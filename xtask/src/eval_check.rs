//! `cargo xtask eval-check`: simulated evals with a planted truth, and whether the statistics find it.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use crate::process;

/// The options of `cargo xtask eval-check`: none.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Builds the simulations, and runs all of them.
pub fn run(_: &Args) -> Result<ExitCode> {
    let mut command = process::cargo();
    command.args(["run", "--quiet", "-p", "agon-eval", "--features", "testing", "--example", "eval-check"]);
    let start = Instant::now();
    let code = process::to_its_end(&mut command)?;
    println!("{:.0} s, the build included", start.elapsed().as_secs_f64());
    Ok(code)
}
