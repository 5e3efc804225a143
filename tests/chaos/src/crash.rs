//! `agon run` is killed at many moments and resumed: what was lost, doubled or asked again.
use agon_testkit::{Rehearsal, answered};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The options of `crash`, as `cargo xtask crash` describes them and passes them on.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(long)]
    runs: u32,
    #[arg(long)]
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

const DEBATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/monolith-or-services.md");

/// The program, a model server, and a folder for the stores.
struct CrashRig {
    agon: PathBuf,
    server: Rehearsal,
    folder: TempDir,
}

/// Kills and resumes, and prints the counts.
pub fn run(agon: PathBuf, args: &Args) -> Result<ExitCode> {
    let folder = tempfile::tempdir()?;
    let server = Rehearsal::start(&agon, folder.path(), &["--latency", "40ms", "--seed", "7"])?;
    let rig = CrashRig { agon, folder, server };
    let counts = rig.kill_and_count(args)?;
    println!("runs killed with SIGKILL        {}", counts.killed);
    println!("runs that ended before the kill {}", counts.ended_before_the_kill);
    println!("debates ended after resume      {}", counts.ended_after_resume);
    println!("turns lost                      {}", counts.turns_lost);
    println!("turns doubled in the log        {}", counts.turns_doubled);
    println!("finished turns asked again      {}", counts.turns_asked_again);
    println!("logs that do not verify         {}", counts.damaged_logs);
    let bad = counts.turns_lost + counts.turns_doubled + counts.turns_asked_again + u64::from(counts.damaged_logs);
    ensure!(bad == 0 && counts.ended_after_resume == counts.killed, "a crash did harm");
    Ok(ExitCode::SUCCESS)
}

impl CrashRig {
    fn kill_and_count(&self, args: &Args) -> Result<CrashCounts> {
        let store = self.folder.path().join("whole.db");
        let started = Instant::now();
        let whole = self.debate(&store, "whole-run").output()?;
        ensure!(whole.status.code().is_some_and(|code| code <= 2), "an undisturbed run failed: {}", told(&whole));
        let length = started.elapsed();
        let expected = answered(&self.events(&store, "whole-run")?);
        println!("an undisturbed run takes {length:.1?} and settles {} turns", expected.len());
        let mut counts = CrashCounts::default();
        let mut dice = args.seed;
        for run in 0..args.runs {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let share = (f64::from(run) + (dice >> 11) as f64 / (1u64 << 53) as f64) / f64::from(args.runs);
            let store = self.folder.path().join(format!("{run}.db"));
            self.one_run(&store, length.mul_f64(share), &expected, &mut counts)
                .with_context(|| format!("run {run}"))?;
        }
        Ok(counts)
    }

    fn one_run(
        &self,
        store: &Path,
        after: Duration,
        expected: &BTreeMap<String, u64>,
        counts: &mut CrashCounts,
    ) -> Result<()> {
        const ID: &str = "crash-run";
        let mut process = self.debate(store, ID).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        std::thread::sleep(after);
        if process.try_wait()?.is_some() {
            counts.ended_before_the_kill += 1;
            return Ok(());
        }
        process.kill().context("cannot kill the run")?;
        process.wait()?;
        // calls of the resumed run are counted after those of the killed one have ended
        self.server.until_idle()?;
        counts.killed += 1;
        // A run that was killed before it was admitted has no log: it is run again, which its fixed id makes the same debate.
        let before = self.events(store, ID).unwrap_or_default();
        let settled_before = answered(&before);
        self.server.reset()?;
        let mut again = if before.is_empty() { self.debate(store, ID) } else { self.resume(store, ID) };
        let resumed = again.output()?;
        let asked = self.server.count("chat_calls")?;
        let after = self.events(store, ID)?;
        let settled = answered(&after);
        let new = settled.values().sum::<u64>() - settled_before.values().sum::<u64>();
        counts.turns_asked_again += asked.saturating_sub(new);
        counts.turns_doubled += settled.values().map(|times| times.saturating_sub(1)).sum::<u64>();
        counts.turns_lost += expected.keys().filter(|turn| !settled.contains_key(*turn)).count() as u64;
        let ended = after.last().and_then(|event| event.get("type")).is_some_and(|kind| kind == "debate_ended");
        if ended {
            counts.ended_after_resume += 1;
        } else {
            eprintln!("not ended after resume: {}", told(&resumed));
        }
        let verified = Command::new(&self.agon).args(["verify", ID, "--store"]).arg(store).output()?;
        counts.damaged_logs += u32::from(!verified.status.success());
        Ok(())
    }

    /// The same debate each time: fixed file, seed and id; the home is the store's folder, so that no other settings count.
    fn debate(&self, store: &Path, id: &str) -> Command {
        let mut command = self.command(store);
        command.args(["run", DEBATE, "--ollama", self.server.url(), "--model", "crash", "--seed", "11"]);
        command.args(["--no-reports", "--quiet", "--id", id, "--store"]).arg(store);
        command
    }

    fn resume(&self, store: &Path, id: &str) -> Command {
        let mut command = self.command(store);
        let args = ["resume", id, "--no-reports", "--quiet", "--ollama", self.server.url(), "--store"];
        command.args(args).arg(store);
        command
    }

    fn command(&self, store: &Path) -> Command {
        let mut command = Command::new(&self.agon);
        command.env_remove("OLLAMA_HOST").env("HOME", store.with_extension("home")).stdin(Stdio::null());
        command
    }

    /// The log as events, one JSON object each.
    fn events(&self, store: &Path, id: &str) -> Result<Vec<Value>> {
        let output = self.command(store).args(["report", id, "--format", "jsonl", "--store"]).arg(store).output()?;
        ensure!(output.status.success(), "no log of {id}: {}", told(&output));
        let lines = String::from_utf8(output.stdout)?;
        lines.lines().map(|line| serde_json::from_str(line).context("a line of the log is not JSON")).collect()
    }
}

fn told(output: &Output) -> String {
    format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
}
