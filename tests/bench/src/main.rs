//! What debates cost: through Agon's runtime, and the same calls in a bare loop.
//!
//! `cargo xtask bench` builds this and runs its `tables`, each cell of which is a `measure` in a fresh process. The model
//! server is another process and is not counted.
//!
//! Invariant: nothing here is linked into a shipped binary, and nothing is measured that the product does not do.
mod ahead;
mod cluster;
mod context;
mod debates;
mod floor;
mod meter;
mod paths;
mod scheduling;
mod tables;

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// As the `agon` program has it; the floor runs on it too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Debug, Parser)]
enum Cli {
    /// Measure and print every table
    Tables(tables::Args),
    /// One measurement in this process, printed as JSON
    Measure(BenchPlan),
}

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
struct BenchPlan {
    /// What runs
    #[arg(value_enum)]
    subject: BenchSubject,
    /// The model server; a cluster has its own
    #[arg(long, default_value = "")]
    url: String,
    /// The program that a cluster is made of
    #[arg(long)]
    agon: Option<PathBuf>,
    /// The nats-server of a cluster; that of the search path if absent
    #[arg(long)]
    nats_server: Option<PathBuf>,
    /// nats-servers of a cluster, with as many copies of everything
    #[arg(long, default_value_t = 1)]
    nats_servers: u32,
    /// Debates at once
    #[arg(long, default_value_t = 1)]
    debates: u32,
    /// So many times, one set of debates after the other
    #[arg(long, default_value_t = 1)]
    repeat: u32,
    /// Rounds of each
    #[arg(long, default_value_t = 4)]
    rounds: u32,
    /// Where the journal goes
    #[arg(long)]
    store: Option<PathBuf>,
    /// Write without waiting for the disk at each commit
    #[arg(long)]
    sync_normal: bool,
    /// What is kept of the past, and what is shown of it
    #[arg(long, value_enum)]
    past: Option<context::Past>,
    /// The context in tokens that the host gives the model; the server's own if absent
    #[arg(long)]
    context: Option<u32>,
    /// A judge decides, not the debaters' votes
    #[arg(long)]
    judge: bool,
    /// Who is next at the host
    #[arg(long, value_enum, default_value = "cache-aware")]
    scheduling: scheduling::BenchedScheduling,
    /// Models read what is said while others speak
    #[arg(long)]
    read_ahead: bool,
    /// Models that the debaters have
    #[arg(long, default_value_t = 1)]
    models: u32,
    /// The debate file of a path
    #[arg(long)]
    file: Option<PathBuf>,
    /// Play one debate after the other
    #[arg(long)]
    one_by_one: bool,
    /// The model of a real server, which is then at the address; a rehearsal serves any
    #[arg(long)]
    live: Option<String>,
    /// The real server speaks OpenAI's interface, as llama.cpp does
    #[arg(long)]
    openai: bool,
    /// Calls at once; as many as debates if absent
    #[arg(long)]
    permits: Option<std::num::NonZeroUsize>,
    /// Worker threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BenchSubject {
    /// A bare streaming HTTP loop that makes the same calls
    Floor,
    /// Debates through Agon's runtime, journal included
    Agon,
    /// Debates that wait for a model that does not answer: memory only
    Waiting,
    /// Bare calls that wait for a model that does not answer: memory only
    FloorWaiting,
    /// Debates through a cluster of processes over NATS
    Cluster,
    /// Debates that wait in such a cluster for a model that does not answer: messages only
    ClusterWaiting,
    /// One debate of five speakers and ten rounds on one model: prompt tokens only
    Layout,
    /// Many debates of four debaters at one server: what their prompts cost, and when each ends
    Scheduling,
    /// One long debate of four speakers on one model: its prompts against the model's context
    Context,
    /// One debate of a file: its time beside its longest chain of calls
    Path,
    /// One debate of four debaters on one or more models: its prompt tokens and its time
    Ahead,
}

impl BenchPlan {
    /// Calls of one debate: three speakers and a moderator a round, then a judge and who writes the conclusion.
    fn calls(&self) -> u32 {
        4 * self.rounds + 2
    }
}

/// What one measurement gave.
#[derive(Debug, Serialize, Deserialize)]
struct Measurement {
    wall_s: f64,
    cpu_s: f64,
    calls: u64,
    finished: u32,
    before_kib: u64,
    peak_kib: u64,
}

impl Measurement {
    /// Processor milliseconds per call.
    fn cpu_ms(&self) -> f64 {
        self.cpu_s * 1e3 / self.calls.max(1) as f64
    }
}

/// A count of the rehearsal server.
async fn counted(plan: &BenchPlan, name: &str) -> Result<u64> {
    let http = reqwest::Client::builder().no_proxy().build()?;
    let stats: serde_json::Value = http.get(format!("{}/rehearsal/stats", plan.url)).send().await?.json().await?;
    stats.get(name).and_then(serde_json::Value::as_u64).with_context(|| format!("the server does not count {name}"))
}

/// Calls of the debates of the plan, which have ended: as many as the server has answered since it had answered `before`.
async fn calls_since(plan: &BenchPlan, before: u64) -> Result<u64> {
    let calls = u64::from(plan.calls()) * u64::from(plan.debates) * u64::from(plan.repeat);
    let answered = counted(plan, "finished_calls").await? - before;
    ensure!(calls == answered, "the server has answered {answered} calls of {calls}");
    Ok(calls)
}

/// Returns once the server has a call of every debate in its hands.
async fn until_all_wait(plan: &BenchPlan) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let waiting = counted(plan, "in_flight").await?;
        if waiting == u64::from(plan.debates) {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "only {waiting} of {} debates wait for their model", plan.debates);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn main() -> Result<()> {
    let plan = match Cli::parse() {
        Cli::Tables(args) => return tables::run(args),
        Cli::Measure(plan) => plan,
    };
    // reqwest wants a provider even where no TLS is spoken; an earlier one is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let printed = match plan.subject {
        BenchSubject::Floor => played(&plan, floor::run(&plan))?,
        BenchSubject::Agon => played(&plan, debates::run(&plan))?,
        BenchSubject::Waiting => played(&plan, debates::wait(&plan))?,
        BenchSubject::FloorWaiting => played(&plan, floor::wait(&plan))?,
        BenchSubject::Cluster => serde_json::to_string(&cluster::run(&plan)?)?,
        BenchSubject::ClusterWaiting => serde_json::to_string(&cluster::wait(&plan)?)?,
        BenchSubject::Layout => played(&plan, debates::layout(&plan))?,
        BenchSubject::Scheduling => played(&plan, scheduling::run(&plan))?,
        BenchSubject::Context => played(&plan, context::run(&plan))?,
        BenchSubject::Path => played(&plan, paths::run(&plan))?,
        BenchSubject::Ahead => played(&plan, ahead::run(&plan))?,
    };
    println!("{printed}");
    Ok(())
}

/// What a measurement in this process gave, as JSON.
fn played<T: Serialize>(plan: &BenchPlan, measurement: impl Future<Output = Result<T>>) -> Result<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(plan.threads).enable_all().build()?;
    Ok(serde_json::to_string(&runtime.block_on(measurement)?)?)
}
