//! `cargo xtask bench`: what a debate costs, beside a bare HTTP loop that makes the same calls in the same run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::rehearsal::RehearsalProcess;
use crate::{needs, process};

mod cluster;
mod context;

/// The options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leave out the cells with more than 1,000 debates at once
    #[arg(long)]
    quick: bool,
    /// Only these tables
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<BenchTable>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum BenchTable {
    /// Prompt tokens of five speakers over ten rounds
    Layout,
    /// Prompts and prompt tokens of 64 rounds under each memory, against the model's context
    Context,
    /// Processor time, wall time and memory of 1 to 10,000 debates at once
    Load,
    /// Processor time per turn from 4 to 64 rounds
    Growth,
    /// Memory of a debate that waits for its model
    Memory,
    /// Time to help and to the first speech
    Start,
    /// 1,000 debates at once over NATS, and the growth from 4 to 64 rounds there; several processes
    Cluster,
}

/// What `agon-bench` prints.
#[derive(Debug, Deserialize)]
struct MeasurementReport {
    wall_s: f64,
    cpu_s: f64,
    calls: u64,
    finished: u32,
    before_kib: u64,
    peak_kib: u64,
}

/// What `agon-bench layout` prints.
#[derive(Debug, Deserialize)]
struct LayoutReport {
    turns: u32,
    prompt_tokens: u64,
    evaluated_tokens: u64,
    persona_first_tokens: u64,
    judge_prompt_tokens: u64,
    judge_evaluated_tokens: u64,
}

struct BenchRun {
    agon: PathBuf,
    bench: PathBuf,
    folder: PathBuf,
}

/// Tokens of every answer in the load tables.
const ANSWER_TOKENS: &str = "200";

pub fn run(args: &Args) -> Result<()> {
    let wanted = |table: BenchTable| args.only.is_empty() || args.only.contains(&table);
    // Before the first table: nobody waits for a quarter of an hour to be told that something is missing.
    let nats = wanted(BenchTable::Cluster).then(needs::nats_server).transpose()?;
    let bench = BenchRun::build()?;
    println!("machine: {}", machine());
    let outcome = (|| {
        if wanted(BenchTable::Start) {
            bench.start()?;
        }
        if wanted(BenchTable::Layout) {
            bench.layout()?;
        }
        if wanted(BenchTable::Context) {
            bench.context()?;
        }
        if wanted(BenchTable::Growth) {
            bench.growth()?;
        }
        if wanted(BenchTable::Memory) {
            bench.memory()?;
        }
        if wanted(BenchTable::Load) {
            bench.load(args.quick)?;
        }
        if let Some(nats) = &nats {
            bench.cluster(nats)?;
        }
        Ok(())
    })();
    let _ = std::fs::remove_dir_all(&bench.folder);
    outcome
}

impl BenchRun {
    fn build() -> Result<Self> {
        let built =
            process::cargo().args(["build", "--quiet", "--release", "-p", "agon", "-p", "agon-bench"]).status()?;
        ensure!(built.success(), "the release build failed");
        let release = process::metadata()?.target_directory.join("release").into_std_path_buf();
        let folder = std::env::temp_dir().join(format!("agon-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self { agon: release.join("agon"), bench: release.join("agon-bench"), folder })
    }

    fn measure(&self, subject: &str, server: &RehearsalProcess, options: &[&str]) -> Result<MeasurementReport> {
        serde_json::from_str(&self.output(subject, server, options)?).context("agon-bench printed something else")
    }

    fn output(&self, subject: &str, server: &RehearsalProcess, options: &[&str]) -> Result<String> {
        server.reset()?;
        let store = self.folder.join("bench.db");
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(self.folder.join(format!("bench.db{suffix}")));
        }
        let mut command = Command::new(&self.bench);
        command.arg(subject).args(["--url", &server.url]).args(options).arg("--store").arg(&store);
        let output =
            command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot start agon-bench")?;
        ensure!(output.status.success(), "agon-bench {subject} {options:?} failed: {}", output.status);
        Ok(String::from_utf8(output.stdout)?)
    }

    fn start(&self) -> Result<()> {
        let help = median(5, || timed(Command::new(&self.agon).arg("--help")))?;
        let file = process::root().join("examples/monolith-or-services.md");
        let first = median(5, || self.first_speech(&file))?;
        println!("\n## Start\n\n| what | median of 5 |\n| --- | --- |");
        println!("| `agon --help` | {:.1} ms |", help.as_secs_f64() * 1e3);
        println!("| `agon run --rehearsal` to the first recorded speech | {:.1} ms |", first.as_secs_f64() * 1e3);
        Ok(())
    }

    fn first_speech(&self, file: &Path) -> Result<Duration> {
        use std::io::{BufRead, BufReader};
        let store = self.folder.join(format!("start-{:?}.db", Instant::now()));
        let started = Instant::now();
        let mut command = Command::new(&self.agon);
        command.arg("run").arg(file).args(["--rehearsal", "--jsonl", "--no-reports", "--store"]).arg(store);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let lines = BufReader::new(child.stdout.take().context("no stdout")?).lines();
        let mut first = None;
        for line in lines {
            if first.is_none() && line?.contains("\"speech_recorded\"") {
                first = Some(started.elapsed());
            }
        }
        child.wait()?;
        first.context("the rehearsal debate has no speech")
    }

    fn layout(&self) -> Result<()> {
        println!("\n## Prompt tokens: 5 debaters, 10 rounds, one model, one slot of prompt cache\n");
        println!(
            "| tokens of an answer | turns | shared head: evaluated | persona first, same cache: evaluated | no reuse at all | judge, 2 orders: evaluated of prompt |"
        );
        println!("| --- | --- | --- | --- | --- | --- |");
        for (name, options) in [("rehearsal speeches", &[][..]), ("400", &["--answer-tokens", "400"])] {
            let server = RehearsalProcess::start(&self.agon, options)?;
            let layout: LayoutReport = serde_json::from_str(&self.output("layout", &server, &["--rounds", "10"])?)?;
            let LayoutReport { turns, prompt_tokens, evaluated_tokens, persona_first_tokens, .. } = layout;
            let judge = format!("{} of {}", layout.judge_evaluated_tokens, layout.judge_prompt_tokens);
            println!("| {name} | {turns} | {evaluated_tokens} | {persona_first_tokens} | {prompt_tokens} | {judge} |");
        }
        Ok(())
    }

    fn growth(&self) -> Result<()> {
        let server = RehearsalProcess::start(&self.agon, &["--answer-tokens", ANSWER_TOKENS, "--no-model-cache"])?;
        println!("\n## CPU per streamed turn of {ANSWER_TOKENS} tokens as a debate grows: 10 debates at once\n");
        println!("| rounds | floor, ms | agon, ms | agon − floor, ms |\n| --- | --- | --- | --- |");
        for rounds in ["4", "16", "64"] {
            let options = ["--debates", "10", "--rounds", rounds, "--repeat", "5"];
            let floor = self.measure("floor", &server, &options)?.cpu_ms();
            let agon = self.measure("agon", &server, &options)?.cpu_ms();
            println!("| {rounds} | {floor:.3} | {agon:.3} | {:.3} |", agon - floor);
        }
        Ok(())
    }

    fn memory(&self) -> Result<()> {
        println!("\n## Memory of a debate that waits for its first answer: 2,000 at once, each with a call open\n");
        println!("| what | KiB each |\n| --- | --- |");
        for (name, subject) in [
            ("bare call: connection and prompt", "floor-waiting"),
            ("debate: its call, log, prompt and actors", "waiting"),
        ] {
            let server = RehearsalProcess::start(
                &self.agon,
                &["--answer-tokens", "1", "--latency", "600s", "--no-model-cache"],
            )?;
            let waiting = self.measure(subject, &server, &["--debates", "2000"])?;
            let each = waiting.peak_kib.saturating_sub(waiting.before_kib) as f64 / f64::from(waiting.finished.max(1));
            println!("| {name} | {each:.1} |");
        }
        Ok(())
    }

    fn load(&self, quick: bool) -> Result<()> {
        println!(
            "\n## Debates at once in one process: 3 debaters and a moderator, 4 rounds and a judge (17 calls), {ANSWER_TOKENS} streamed tokens each\n"
        );
        println!(
            "| latency | debates | finished | floor: CPU ms per call | agon: CPU ms per call | ratio | floor: wall s | agon: wall s | sum of latencies, s | floor: peak MiB | agon: peak MiB |"
        );
        println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for latency in [0u32, 20, 200] {
            let wait = format!("{latency}ms");
            let server = RehearsalProcess::start(
                &self.agon,
                &["--answer-tokens", ANSWER_TOKENS, "--latency", &wait, "--no-model-cache"],
            )?;
            for debates in [1u32, 10, 100, 1_000, 10_000].into_iter().filter(|debates| !quick || *debates <= 1_000) {
                let count = debates.to_string();
                // Short runs are repeated, so that the figures do not hang on a few milliseconds.
                let repeat = (if latency == 0 { 300 } else { 1 } / debates).max(1);
                let sets = repeat.to_string();
                let options = ["--debates", count.as_str(), "--rounds", "4", "--repeat", sets.as_str()];
                let floor = self.measure("floor", &server, &options)?;
                let agon = self.measure("agon", &server, &options)?;
                let ideal = f64::from(latency) * 17.0 / 1e3;
                println!(
                    "| {latency} ms | {debates} | {} | {:.3} | {:.3} | {:.2} | {:.2} | {:.2} | {ideal:.2} | {:.0} | {:.0} |",
                    agon.finished / repeat,
                    floor.cpu_ms(),
                    agon.cpu_ms(),
                    agon.cpu_ms() / floor.cpu_ms(),
                    floor.wall_s / f64::from(repeat),
                    agon.wall_s / f64::from(repeat),
                    floor.peak_kib as f64 / 1024.0,
                    agon.peak_kib as f64 / 1024.0,
                );
            }
        }
        Ok(())
    }
}

impl MeasurementReport {
    /// Processor milliseconds per call.
    fn cpu_ms(&self) -> f64 {
        self.cpu_s * 1e3 / self.calls.max(1) as f64
    }
}

fn timed(command: &mut Command) -> Result<Duration> {
    let started = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{command:?} failed");
    Ok(started.elapsed())
}

fn median(times: u32, mut measure: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut all = (0..times).map(|_| measure()).collect::<Result<Vec<_>>>()?;
    all.sort_unstable();
    all.get(all.len() / 2).copied().context("nothing was measured")
}

/// Processor, cores, memory and kernel, as the system tells them.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key)).map(str::to_owned);
        line.and_then(|line| line.split_once(':').map(|(_, value)| value.trim().to_owned()))
            .unwrap_or_else(|| "?".to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let memory: f64 = field(&read("/proc/meminfo"), "MemTotal")
        .split_whitespace()
        .next()
        .and_then(|kib| kib.parse().ok())
        .unwrap_or(0.0);
    let kernel = read("/proc/sys/kernel/osrelease");
    format!(
        "{}, {cores} cores, {:.0} GiB, Linux {}",
        field(&read("/proc/cpuinfo"), "model name"),
        memory / 1_048_576.0,
        kernel.trim()
    )
}
