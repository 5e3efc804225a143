//! The tables: each cell is measured by this program in a process of its own, so that none starts with what another left behind.
mod ahead;
mod cluster;
mod console;
mod context;
mod paths;
mod scheduling;

use crate::Measurement;
use crate::debates::LayoutFigures;
use agon_testkit::Rehearsal;
use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use std::fmt::{Display, Formatter};
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The options of `tables`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The program that is measured
    #[arg(long)]
    agon: PathBuf,
    /// The nats-server of the cluster; that of the search path if absent
    #[arg(long)]
    nats_server: Option<PathBuf>,
    /// Leave out the cells with more than 1,000 debates at once
    #[arg(long)]
    quick: bool,
    /// Compare ways to schedule at this real server instead
    #[arg(long, value_name = "URL", requires = "model")]
    live: Option<String>,
    /// Its model
    #[arg(long, requires = "live")]
    model: Option<String>,
    /// It speaks OpenAI's interface, as llama.cpp does; Ollama's if absent
    #[arg(long, requires = "live")]
    openai: bool,
    /// Calls that it takes at once
    #[arg(long, requires = "live", default_value = "4")]
    permits: NonZeroUsize,
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
    /// Prompt tokens and times of up to 128 debates at one server, by who is next
    Scheduling,
    /// Wall time of one debate of each format beside its longest chain of calls
    Paths,
    /// Wall time and prompt tokens of a debate whose models read while others speak
    Ahead,
    /// Processor time, wall time and memory of 1 to 10,000 debates at once
    Load,
    /// Processor time per turn from 4 to 64 rounds
    Growth,
    /// Memory of a debate that waits for its model
    Memory,
    /// Time to help and to the first speech
    Start,
    /// The first page of 10,000 debates in the console, and 200 viewers of one debate
    Console,
    /// Up to 10,000 debates at once over NATS, and the growth from 4 to 64 rounds there; several processes
    Cluster,
}

struct BenchRun {
    agon: PathBuf,
    bench: PathBuf,
    nats_server: PathBuf,
    folder: TempDir,
}

/// Tokens of every answer in the load tables.
const ANSWER_TOKENS: &str = "200";
/// Runs of what differs from run to run.
const RUNS: usize = 5;
/// The goal: so many times the processor time of the floor.
const MOST_CPU: f64 = 1.5;
/// The goal for what a turn evaluates beyond the last speech, in tokens.
const MOST_TAIL: u64 = 250;
/// The goal for a debate that waits, beyond a bare call.
const MOST_WAITING_KIB: u64 = 64;

/// Measures and prints the tables that are wanted.
pub fn run(args: Args) -> Result<()> {
    let wanted = |table: BenchTable| args.only.is_empty() || args.only.contains(&table);
    let bench = BenchRun {
        bench: std::env::current_exe()?,
        folder: tempfile::tempdir()?,
        nats_server: args.nats_server.unwrap_or_else(|| PathBuf::from("nats-server")),
        agon: args.agon,
    };
    println!("machine: {}", machine());
    if let (Some(url), Some(model)) = (args.live, args.model) {
        return bench.live_scheduling(&scheduling::BenchedServer {
            url,
            model,
            openai: args.openai,
            permits: args.permits.to_string(),
        });
    }
    if wanted(BenchTable::Start) {
        bench.start()?;
    }
    if wanted(BenchTable::Layout) {
        bench.layout()?;
    }
    if wanted(BenchTable::Context) {
        bench.context()?;
    }
    if wanted(BenchTable::Scheduling) {
        bench.scheduling()?;
    }
    if wanted(BenchTable::Paths) {
        bench.paths()?;
    }
    if wanted(BenchTable::Ahead) {
        bench.ahead()?;
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
    if wanted(BenchTable::Console) {
        bench.console()?;
    }
    if wanted(BenchTable::Cluster) {
        bench.cluster(args.quick)?;
    }
    Ok(())
}

impl BenchRun {
    /// A model server with these options.
    fn server(&self, options: &[&str]) -> Result<Rehearsal> {
        Rehearsal::start(&self.agon, self.folder.path(), options)
    }

    /// What a measurement at this server gave, whose figures and cache begin anew.
    fn measure<T: DeserializeOwned>(&self, subject: &str, server: &Rehearsal, options: &[&str]) -> Result<T> {
        server.reset()?;
        self.measure_at(server.url(), subject, options)
    }

    /// What a measurement at the server of this address gave, on an empty store.
    fn measure_at<T: DeserializeOwned>(&self, url: &str, subject: &str, options: &[&str]) -> Result<T> {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(self.folder.path().join(format!("bench.db{suffix}")));
        }
        let mut command = Command::new(&self.bench);
        command.args(["measure", subject, "--url", url]).args(options);
        measured(command.arg("--store").arg(self.folder.path().join("bench.db")))
    }

    fn start(&self) -> Result<()> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/monolith-or-services.md");
        let runs = |run: &dyn Fn() -> Result<Duration>| {
            let times = (0..RUNS).map(|_| run()).collect::<Result<Vec<_>>>()?;
            Spread::of(&times, |time| time.as_secs_f64() * 1e3)
        };
        let help = runs(&|| timed(Command::new(&self.agon).arg("--help")))?;
        let first = runs(&|| self.first_speech(file.as_ref()))?;
        println!("\n## Start\n\n| what | median of {RUNS}, ms |\n| --- | --- |");
        println!("| `agon --help` | {help:.1} |");
        println!("| `agon run --rehearsal` to the first recorded speech | {first:.1} |");
        Ok(())
    }

    fn first_speech(&self, file: &Path) -> Result<Duration> {
        let store = self.folder.path().join(format!("start-{:?}.db", Instant::now()));
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
            "| tokens of an answer | turns | a turn beyond the last speech: evaluated | goal | shared head: evaluated | persona first, same cache: evaluated | no reuse at all | judge, 2 orders: evaluated of prompt |"
        );
        println!("|{}", " --- |".repeat(8));
        for (name, options) in [("rehearsal speeches", &[][..]), ("400", &["--answer-tokens", "400"])] {
            let server = self.server(options)?;
            let layout: LayoutFigures = self.measure("layout", &server, &["--rounds", "10"])?;
            let LayoutFigures { turns, prompt_tokens, evaluated_tokens, persona_first_tokens, .. } = layout;
            let judge = format!("{} of {}", layout.judge_evaluated_tokens, layout.judge_prompt_tokens);
            let tail = layout.tail_tokens as f64 / f64::from(turns.saturating_sub(1).max(1));
            println!(
                "| {name} | {turns} | {tail:.0} | {MOST_TAIL} | {evaluated_tokens} | {persona_first_tokens} | {prompt_tokens} | {judge} |"
            );
        }
        Ok(())
    }

    fn growth(&self) -> Result<()> {
        let server = self.server(&["--answer-tokens", ANSWER_TOKENS, "--no-model-cache"])?;
        println!(
            "\n## CPU per streamed turn of {ANSWER_TOKENS} tokens as a debate grows: 10 debates at once; {RUNS} runs\n"
        );
        println!("| rounds | floor, ms | agon, ms | ratio | goal |\n| --- | --- | --- | --- | --- |");
        for rounds in ["4", "16", "64"] {
            let options = ["--debates", "10", "--rounds", rounds, "--repeat", "2"];
            let [floor, agon] = self.pairs(RUNS, &server, &options)?;
            let (floor, agon) = (Spread::of(&floor, Measurement::cpu_ms)?, Spread::of(&agon, Measurement::cpu_ms)?);
            println!("| {rounds} | {floor:.3} | {agon:.3} | {:.2} | {MOST_CPU} |", agon.median / floor.median);
        }
        Ok(())
    }

    /// What the floor and Agon gave, by turns, so that whatever else the machine does hits both.
    fn pairs(&self, runs: usize, server: &Rehearsal, options: &[&str]) -> Result<[Vec<Measurement>; 2]> {
        let (mut floor, mut agon) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            floor.push(self.measure("floor", server, options)?);
            agon.push(self.measure("agon", server, options)?);
        }
        Ok([floor, agon])
    }

    fn memory(&self) -> Result<()> {
        println!("\n## Memory of a debate that waits for its first answer: 2,000 at once, each with a call open\n");
        println!("| what | KiB each | goal |\n| --- | --- | --- |");
        let mut bare = 0.0;
        for (name, subject) in [
            ("bare call: connection and prompt", "floor-waiting"),
            ("debate: its call, log, prompt and actors", "waiting"),
        ] {
            let server = self.server(&["--answer-tokens", "1", "--latency", "600s", "--no-model-cache"])?;
            let waiting: Measurement = self.measure(subject, &server, &["--debates", "2000"])?;
            let each = waiting.peak_kib.saturating_sub(waiting.before_kib) as f64 / f64::from(waiting.finished.max(1));
            println!("| {name} | {each:.1} | |");
            bare = each - bare;
        }
        println!("| the difference | {bare:.1} | {MOST_WAITING_KIB} |");
        Ok(())
    }

    fn load(&self, quick: bool) -> Result<()> {
        println!(
            "\n## Debates at once in one process: 3 debaters and a moderator, 4 rounds, a judge and a synthesizer (18 calls), {ANSWER_TOKENS} streamed tokens each\n"
        );
        println!(
            "| latency | debates | runs | finished | floor: CPU ms per call | agon: CPU ms per call | ratio | goal | floor: wall s | agon: wall s | sum of latencies, s | floor: peak MiB | agon: peak MiB |"
        );
        println!("|{}", " --- |".repeat(13));
        for latency in [0u32, 20, 200] {
            let wait = format!("{latency}ms");
            let server = self.server(&["--answer-tokens", ANSWER_TOKENS, "--latency", &wait, "--no-model-cache"])?;
            for debates in [1u32, 10, 100, 1_000, 10_000] {
                // the largest take minutes, and are told from the others by their size alone
                if debates < 10_000 || latency == 0 && !quick {
                    self.loaded(&server, latency, debates)?;
                }
            }
        }
        Ok(())
    }

    fn loaded(&self, server: &Rehearsal, latency: u32, debates: u32) -> Result<()> {
        let count = debates.to_string();
        // Short runs are repeated, so that the figures do not hang on a few milliseconds.
        let repeat = (if latency == 0 { 100 } else { 1 } / debates).max(1);
        let (runs, sets) = (if debates < 1_000 { RUNS } else { 1 }, repeat.to_string());
        let options = ["--debates", count.as_str(), "--rounds", "4", "--repeat", sets.as_str()];
        let [floor, agon] = self.pairs(runs, server, &options)?;
        let finished = agon.iter().map(|run| run.finished).min().unwrap_or(0) / repeat;
        let wall = |run: &Measurement| run.wall_s / f64::from(repeat);
        let peak = |run: &Measurement| run.peak_kib as f64 / 1024.0;
        let (floor_cpu, agon_cpu) = (Spread::of(&floor, Measurement::cpu_ms)?, Spread::of(&agon, Measurement::cpu_ms)?);
        let ideal = f64::from(latency) * 18.0 / 1e3;
        println!(
            "| {latency} ms | {debates} | {runs} | {finished} | {floor_cpu:.3} | {agon_cpu:.3} | {:.2} | {MOST_CPU} | {:.2} | {:.2} | {ideal:.2} | {:.0} | {:.0} |",
            agon_cpu.median / floor_cpu.median,
            Spread::of(&floor, wall)?,
            Spread::of(&agon, wall)?,
            Spread::of(&floor, peak)?,
            Spread::of(&agon, peak)?,
        );
        Ok(())
    }
}

/// The median of some runs, and how far the others lie from it.
struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn of<T>(runs: &[T], figure: impl Fn(&T) -> f64) -> Result<Self> {
        let mut all: Vec<f64> = runs.iter().map(figure).collect();
        all.sort_by(f64::total_cmp);
        let at = |place: usize| all.get(place).copied().context("nothing was measured");
        Ok(Self { median: at(all.len() / 2)?, least: at(0)?, most: at(all.len().saturating_sub(1))? })
    }
}

/// `0.342 (0.317 to 0.348)`; a single run alone.
impl Display for Spread {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let digits = out.precision().unwrap_or(3);
        write!(out, "{:.digits$}", self.median)?;
        if self.least < self.most {
            write!(out, " ({:.digits$} to {:.digits$})", self.least, self.most)
        } else {
            Ok(())
        }
    }
}

/// Runs one measurement to its end and reads what it gave.
fn measured<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot start agon-bench")?;
    ensure!(output.status.success(), "{command:?} failed: {}", output.status);
    serde_json::from_slice(&output.stdout).context("agon-bench printed something else")
}

fn timed(command: &mut Command) -> Result<Duration> {
    let started = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{command:?} failed");
    Ok(started.elapsed())
}

/// Processor, cores, memory and kernel, as the system reports them.
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
