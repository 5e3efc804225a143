//! `cargo xtask crash`: kill `agon run` at many moments, resume, and count what was lost, doubled or asked again.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::process;
use crate::rehearsal::RehearsalProcess;

/// The options of `cargo xtask crash`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many runs are killed, at moments spread over the whole debate
    #[arg(long, default_value_t = 50)]
    runs: u32,
    /// Where in its share of the debate each run is killed
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What happened over all runs.
#[derive(Debug, Default)]
struct CrashCounts {
    killed: u32,
    ended_before_the_kill: u32,
    ended_after_resume: u32,
    turns_asked_again: u64,
    turns_doubled: u64,
    turns_lost: u64,
    damaged_logs: u32,
}

const DEBATE: &str = "examples/monolith-or-services.md";

pub fn run(args: &Args) -> Result<()> {
    let agon = process::build_agon()?;
    let folder = std::env::temp_dir().join(format!("agon-crash-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let outcome = kill_and_count(&agon, &folder, args);
    let _ = std::fs::remove_dir_all(&folder);
    let counts = outcome?;
    println!("runs killed with SIGKILL        {}", counts.killed);
    println!("runs that ended before the kill {}", counts.ended_before_the_kill);
    println!("debates ended after resume      {}", counts.ended_after_resume);
    println!("turns lost                      {}", counts.turns_lost);
    println!("turns doubled in the log        {}", counts.turns_doubled);
    println!("finished turns asked again      {}", counts.turns_asked_again);
    println!("logs that do not verify         {}", counts.damaged_logs);
    let bad = counts.turns_lost + counts.turns_doubled + counts.turns_asked_again + u64::from(counts.damaged_logs);
    ensure!(bad == 0 && counts.ended_after_resume == counts.killed, "a crash did harm");
    Ok(())
}

fn kill_and_count(agon: &Path, folder: &Path, args: &Args) -> Result<CrashCounts> {
    let server = RehearsalProcess::start(agon, &["--latency", "40ms", "--seed", "7"])?;
    let store = folder.join("whole.db");
    let started = Instant::now();
    let whole = debate(agon, &server, &store, "whole-run").output()?;
    ensure!(whole.status.code().is_some_and(|code| code <= 2), "an undisturbed run failed: {}", told(&whole));
    let length = started.elapsed();
    let expected = settled_turns(&events(agon, &store, "whole-run")?);
    println!("an undisturbed run takes {length:.1?} and settles {} turns", expected.len());
    let mut counts = CrashCounts::default();
    let mut dice = args.seed;
    for run in 0..args.runs {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (f64::from(run) + (dice >> 11) as f64 / (1u64 << 53) as f64) / f64::from(args.runs);
        let store = folder.join(format!("{run}.db"));
        one_run(agon, &server, &store, length.mul_f64(share), &expected, &mut counts)
            .with_context(|| format!("run {run}"))?;
    }
    Ok(counts)
}

fn one_run(
    agon: &Path,
    server: &RehearsalProcess,
    store: &Path,
    after: Duration,
    expected: &BTreeMap<String, u64>,
    counts: &mut CrashCounts,
) -> Result<()> {
    const ID: &str = "crash-run";
    let mut process = debate(agon, server, store, ID).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    std::thread::sleep(after);
    if process.try_wait()?.is_some() {
        counts.ended_before_the_kill += 1;
        return Ok(());
    }
    process.kill().context("cannot kill the run")?;
    process.wait()?;
    wait_until_idle(server)?;
    counts.killed += 1;
    // A run that was killed before it was admitted has no log: it is run again, which its fixed id makes the same debate.
    let before = events(agon, store, ID).unwrap_or_default();
    let settled_before = settled_turns(&before);
    server.reset()?;
    let resumed =
        if before.is_empty() { debate(agon, server, store, ID).output()? } else { resume(agon, server, store, ID)? };
    let asked = server.stats()?.chat_calls;
    let after = events(agon, store, ID)?;
    let settled = settled_turns(&after);
    let new = settled.values().sum::<u64>() - settled_before.values().sum::<u64>();
    counts.turns_asked_again += asked.saturating_sub(new);
    counts.turns_doubled += settled.values().map(|times| times.saturating_sub(1)).sum::<u64>();
    counts.turns_lost += expected.keys().filter(|turn| !settled.contains_key(*turn)).count() as u64;
    let ended = after.last().is_some_and(|event| event["type"] == "debate_ended");
    if ended {
        counts.ended_after_resume += 1;
    } else {
        eprintln!("not ended after resume: {}", told(&resumed));
    }
    let verified = Command::new(agon).args(["verify", ID, "--store"]).arg(store).output()?;
    counts.damaged_logs += u32::from(!verified.status.success());
    Ok(())
}

/// The same debate each time: fixed file, seed and id; the home is the store's folder, so that no other settings count.
fn debate(agon: &Path, server: &RehearsalProcess, store: &Path, id: &str) -> Command {
    let mut command = command(agon, store);
    command.arg("run").arg(process::root().join(DEBATE));
    command.args(["--ollama", &server.url, "--model", "crash", "--seed", "11", "--no-reports", "--quiet", "--id", id]);
    command.arg("--store").arg(store);
    command
}

fn resume(agon: &Path, server: &RehearsalProcess, store: &Path, id: &str) -> Result<Output> {
    let mut command = command(agon, store);
    command.args(["resume", id, "--no-reports", "--quiet", "--ollama", &server.url, "--store"]).arg(store);
    Ok(command.output()?)
}

fn command(agon: &Path, store: &Path) -> Command {
    let mut command = Command::new(agon);
    command.env_remove("OLLAMA_HOST").env("HOME", store.with_extension("home")).stdin(Stdio::null());
    command
}

/// The log as events, one JSON object each.
fn events(agon: &Path, store: &Path, id: &str) -> Result<Vec<Value>> {
    let output = command(agon, store).args(["report", id, "--format", "jsonl", "--store"]).arg(store).output()?;
    ensure!(output.status.success(), "no log of {id}: {}", told(&output));
    let lines = String::from_utf8(output.stdout)?;
    lines.lines().map(|line| serde_json::from_str(line).context("a line of the log is not JSON")).collect()
}

/// The turns that have an answer in the log, each with how often it is answered.
fn settled_turns(events: &[Value]) -> BTreeMap<String, u64> {
    const ANSWERS: [&str; 5] =
        ["speech_recorded", "ballot_cast", "vote_cast", "moderator_decided", "judgement_recorded"];
    let mut turns = BTreeMap::new();
    for event in events.iter().filter(|event| ANSWERS.iter().any(|kind| event["type"] == *kind)) {
        let turn = &event["turn"];
        *turns.entry(format!("round {} seat {}", turn["round"], turn["seat"])).or_default() += 1;
    }
    turns
}

/// The killed client's calls end when the server notices; calls of the resumed run are counted after that.
fn wait_until_idle(server: &RehearsalProcess) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(10);
    while server.stats()?.in_flight > 0 {
        if Instant::now() > deadline {
            bail!("the server still works on calls of a killed client");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

fn told(output: &Output) -> String {
    format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
}
