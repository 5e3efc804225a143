//! `cargo xtask misbehaviour`: how long a debate takes when one of its three personas has a model server that misbehaves.

mod server;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::process;
use server::{MisbehavingServer, Misbehaviour};

/// The options of `cargo xtask misbehaviour`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only the kinds whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// This program instead of one built from the workspace
    #[arg(long, value_name = "PROGRAM")]
    agon: Option<PathBuf>,
}

/// The limit of a turn, and how often a first turn is tried.
const TURN: Duration = Duration::from_secs(2);
const TRIES: u32 = 3;
/// The pauses between these tries, the start of the program, and what a busy machine adds.
const SLACK: Duration = Duration::from_secs(4);
/// A debate that takes longer than this is killed.
const HARD_LIMIT: Duration = Duration::from_secs(90);

/// One debate.
struct MisbehaviourRow {
    kind: Misbehaviour,
    took: Duration,
    outcome: String,
    failures: String,
}

/// Holds one debate for each kind, prints the table, and fails where one took longer than a dead persona may cost.
pub fn run(args: &Args) -> Result<()> {
    let agon = args.agon.clone().map_or_else(process::build_agon, Ok)?;
    let folder = std::env::temp_dir().join(format!("agon-misbehaviour-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let rows = hold_all(&agon, &folder, args);
    let _ = std::fs::remove_dir_all(&folder);
    let rows = rows?;
    println!("{}", table(&rows));
    let calm = rows.first().map_or(Duration::ZERO, |row| row.took);
    let most = calm + TURN * TRIES + TURN * 2 + SLACK;
    let slow: Vec<&str> = rows.iter().filter(|row| row.took > most).map(|row| row.kind.name()).collect();
    ensure!(slow.is_empty(), "longer than {:.1} s: {}", most.as_secs_f64(), slow.join(", "));
    Ok(())
}

fn hold_all(agon: &Path, folder: &Path, args: &Args) -> Result<Vec<MisbehaviourRow>> {
    let wanted = |kind: &Misbehaviour| args.only.as_ref().is_none_or(|only| kind.name().contains(only.as_str()));
    let others = Misbehaviour::ALL.into_iter().filter(|kind| *kind != Misbehaviour::Well && wanted(kind));
    std::iter::once(Misbehaviour::Well).chain(others).map(|kind| hold(agon, folder, kind)).collect()
}

fn hold(agon: &Path, folder: &Path, kind: Misbehaviour) -> Result<MisbehaviourRow> {
    let (well, bad) =
        (MisbehavingServer::start(Misbehaviour::Well, "well:1b")?, MisbehavingServer::start(kind, "own:1b")?);
    let settings = folder.join("agon.toml");
    let store = folder.join(format!("{kind:?}.db"));
    let text = format!(
        "[[hosts]]\nname = \"well\"\nurl = \"{}\"\nmodels = [\"well:1b\"]\n\n\
         [[hosts]]\nname = \"bad\"\nurl = \"{}\"\nmodels = [\"own:1b\"]\nidle_timeout = \"1s\"\n\n\
         [runtime]\nwait_limit = \"3s\"\n\n\
         [store]\npath = \"{}\"\n",
        well.url(),
        bad.url(),
        store.display()
    );
    std::fs::write(&settings, text)?;
    let file = folder.join("debate.yaml");
    std::fs::write(&file, debate(kind))?;
    let mut command = Command::new(agon);
    command.env_clear().env("HOME", folder).current_dir(folder).stdin(Stdio::null());
    command.arg("run").arg(&file).args(["--json", "--quiet", "--no-reports", "--config"]).arg(&settings);
    let began = Instant::now();
    let output = within(HARD_LIMIT, command)?;
    let took = began.elapsed();
    let (outcome, failures) = output.as_ref().map_or_else(
        || ("killed: it did not end".to_owned(), String::new()),
        |output| (outcome(output), failures(output)),
    );
    Ok(MisbehaviourRow { kind, took, outcome, failures })
}

/// Three personas, of whom the third has a model of its own, unless the embeddings are what fails.
fn debate(kind: Misbehaviour) -> String {
    let dead = kind == Misbehaviour::DeadEmbeddings;
    let (third, embeddings) = if dead { ("well:1b", "embedding_model: \"own:1b\"\n") } else { ("own:1b", "") };
    format!(
        "topic: Should the town build a bridge?\nmode: adversarial\nmax_rounds: 4\ntimeout_per_turn: {}s\nballots: none\n\
         consensus_strategy: no_consensus\nend_condition: [no_new_arguments, rounds_exhausted]\n\
         phases: {{opening_statements: false, final_statements: false}}\n{embeddings}personas:\n\
         \x20 - {{name: ada, stance: build it, model: \"well:1b\"}}\n\
         \x20 - {{name: bob, stance: do not build it, model: \"well:1b\"}}\n\
         \x20 - {{name: cora, stance: wait a year, model: \"{third}\"}}\n",
        TURN.as_secs()
    )
}

/// What a program printed; none where it had to be killed.
fn within(limit: Duration, mut command: Command) -> Result<Option<Output>> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("cannot start agon")?;
    let until = Instant::now() + limit;
    while child.try_wait()?.is_none() {
        if Instant::now() >= until {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(Some(child.wait_with_output()?))
}

fn result(output: &Output) -> Option<Value> {
    serde_json::from_slice(&output.stdout).ok()
}

fn outcome(output: &Output) -> String {
    let code = output.status.code().map_or_else(|| "signal".to_owned(), |code| code.to_string());
    let Some(result) = result(output) else {
        let said = String::from_utf8_lossy(&output.stderr);
        return format!("exit {code}: {}", said.lines().next().unwrap_or_default());
    };
    let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let missing = result.get("missing_seats").and_then(Value::as_array).map_or(0, Vec::len);
    let missing = if missing == 0 { String::new() } else { format!(", {missing} seats missing") };
    format!("{} {}{missing}, exit {code}", text("state"), text("outcome"))
}

/// The causes of all failed tries with their numbers.
fn failures(output: &Output) -> String {
    let result = result(output).unwrap_or_default();
    let mut causes: BTreeMap<&str, u32> = BTreeMap::new();
    for failure in result.get("failures").and_then(Value::as_array).into_iter().flatten() {
        *causes.entry(failure.get("cause").and_then(Value::as_str).unwrap_or("unknown")).or_default() += 1;
    }
    let causes: Vec<String> = causes.iter().map(|(cause, count)| format!("{count} x {cause}")).collect();
    if causes.is_empty() { "none".to_owned() } else { causes.join(", ") }
}

fn table(rows: &[MisbehaviourRow]) -> String {
    let mut text = String::from("| the third persona's server | s | failed tries | end |\n| --- | --- | --- | --- |\n");
    for row in rows {
        // writing to a text cannot fail
        let _ = writeln!(
            text,
            "| {} | {:.1} | {} | {} |",
            row.kind.name(),
            row.took.as_secs_f64(),
            row.failures,
            row.outcome
        );
    }
    text
}
