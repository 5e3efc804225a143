//! `cargo xtask eval-check`: evals with a planted truth, and whether figures and verdicts find it.

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::{process, test};

/// The test that holds planted evals, and is asked for more of them.
const PLANTED: &str = "eval::planted::every_arm_is_right_as_often_as_planted_and_a_gain_of_20_points_is_found";

/// The test that holds one in a cluster.
const PLANTED_IN_CLUSTER: &str = "eval::planted::an_eval_of_a_cluster_of_three_hosts_is_right_as_often_as_planted";

/// The test that counts how often intervals of flips cover what was planted.
const FLIPS: &str = "eval::planted::intervals_of_flips_cover_the_planted_shares_as_often_as_they_say";

/// The test that kills what holds an eval in a cluster, and is asked for more of it.
const KILLED: &str = "cluster_evals::an_eval_comes_to_the_same_whichever_coordinators_and_hosts_are_killed";

/// The options of `cargo xtask eval-check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Hold the evals instead of simulating them: each cell is a debate of scripted speakers
    #[arg(long)]
    runtime: bool,
    /// So many evals are held
    #[arg(long, value_name = "N", requires = "runtime", default_value_t = 20)]
    evals: u32,
    /// Of so many questions each
    #[arg(long, value_name = "N", requires = "runtime", default_value_t = 200)]
    questions: u32,
    /// Hold one such eval in a cluster of three hosts instead
    #[arg(long, requires = "runtime", conflicts_with = "evals")]
    cluster: bool,
    /// Hold so many small evals instead, and count how often the intervals of flips cover what was planted
    #[arg(long, value_name = "N", requires = "runtime", conflicts_with_all = ["cluster", "evals", "questions"], num_args = 0..=1, default_missing_value = "100")]
    flips: Option<u32>,
    /// Hold one eval in a cluster, and kill the coordinator that drives it and a host so often
    #[arg(long, value_name = "N", conflicts_with = "runtime", num_args = 0..=1, default_missing_value = "25")]
    kills: Option<u32>,
}

/// Builds the simulations, or what holds evals, and runs all of them.
pub fn run(args: &Args) -> Result<ExitCode> {
    let start = Instant::now();
    let mut command = match args.kills {
        Some(kills) => killed(kills)?,
        None if args.runtime => held(args)?,
        None => simulated(),
    };
    let code = process::to_its_end(&mut command)?;
    println!("{:.0} s, the build included", start.elapsed().as_secs_f64());
    Ok(code)
}

fn simulated() -> Command {
    let mut command = process::cargo();
    command.args(["run", "--quiet", "-p", "agon-eval", "--features", "testing", "--example", "eval-check"]);
    command
}

fn held(args: &Args) -> Result<Command> {
    if let Some(evals) = args.flips {
        let mut command = system_test(FLIPS)?;
        command.env("AGON_PLANTED_FLIPS", evals.to_string());
        return Ok(command);
    }
    let mut command = system_test(if args.cluster { PLANTED_IN_CLUSTER } else { PLANTED })?;
    command.env("AGON_PLANTED_EVALS", args.evals.to_string());
    command.env("AGON_PLANTED_QUESTIONS", args.questions.to_string());
    Ok(command)
}

fn killed(kills: u32) -> Result<Command> {
    let mut command = system_test(KILLED)?;
    command.env("AGON_EVAL_KILLS", kills.to_string());
    Ok(command)
}

/// The test as `cargo xtask test` builds and runs it, with an `agon` as the README builds it.
fn system_test(name: &str) -> Result<Command> {
    let agon = process::release_agon()?;
    println!("xtask: building the tests");
    let tests = test::tests(&test::build()?)?;
    let test = tests.iter().find(|test| test.name == name).with_context(|| format!("there is no test {name}"))?;
    let mut command = test.command();
    command.arg("--nocapture").env("AGON_BIN", agon);
    Ok(command)
}
