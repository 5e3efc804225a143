//! What an append and a register write cost: CPU time of the whole process for both together, at several numbers of debates that append
//! at once; on a NATS server also how long each of them takes.
//!
//! `cargo run --release -p agon-store --example append_cost [FOLDER]`; the folder should lie on the disk in question.
//! `cargo run --release -p agon-store --example append_cost -- --nats URL`; the server should hold no debates that matter.
use agon_bus::nats::{NatsConfig, connect};
use agon_core::{
    Answer, Call, DebateId, Event, Given, Position, Record, Speech, SpeechKind, Timestamp, TurnId, TurnResult,
};
use agon_store::{Journal, NatsStore, NatsStoreConfig, Registers, SqliteOptions, SqliteStore, SyncMode, Upkeep};
use nix::sys::resource::{UsageWho, getrusage};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

type BoxedResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Pairs of an append and a register write, in all.
const PAIRS: u64 = 20_000;
/// Pairs on a NATS server, in all.
const NATS_PAIRS: u64 = 5_000;
/// Bytes of one speech: some 200 tokens.
const TEXT: usize = 1_000;

/// How long each append and each register write took.
#[derive(Default)]
struct AppendTimes {
    appends: Vec<Duration>,
    registers: Vec<Duration>,
}

fn main() -> BoxedResult<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut arguments = std::env::args().skip(1);
    match arguments.next() {
        Some(flag) if flag == "--nats" => runtime.block_on(on_nats(&arguments.next().ok_or("--nats needs a URL")?)),
        folder => on_sqlite(&runtime, &folder.map_or_else(std::env::temp_dir, PathBuf::from)),
    }
}

async fn on_nats(url: &str) -> BoxedResult<()> {
    let link = connect(NatsConfig::new([url], "append-cost", "1")).await?;
    let store = Arc::new(NatsStore::open(&link, NatsStoreConfig::default()).await?);
    println!(
        "{:>8} {:>14} {:>16} {:>15} {:>15} {:>15} {:>15}",
        "debates",
        "CPU us a pair",
        "wall us a pair",
        "append p50 us",
        "append p99 us",
        "register p50 us",
        "register p99 us"
    );
    for debates in [1, 10, 100] {
        let (cpu, wall, mut times) = measure(&store, debates, NATS_PAIRS / debates).await?;
        let each = |time: Duration| time.as_secs_f64() * 1e6 / NATS_PAIRS as f64;
        let [a, b] = percentiles(&mut times.appends);
        let [c, d] = percentiles(&mut times.registers);
        println!("{debates:>8} {:>14.1} {:>16.1} {a:>15} {b:>15} {c:>15} {d:>15}", each(cpu), each(wall));
        for number in 0..debates {
            store.delete(&DebateId::parse(&format!("debate-{number}"))?).await?;
        }
    }
    store.close().await;
    Ok(())
}

/// The median and the 99th percentile, in microseconds.
fn percentiles(times: &mut [Duration]) -> [u128; 2] {
    times.sort_unstable();
    [50, 99].map(|percent| times.get(times.len() * percent / 100).map_or(0, Duration::as_micros))
}

fn on_sqlite(runtime: &tokio::runtime::Runtime, folder: &Path) -> BoxedResult<()> {
    let folder = tempfile::tempdir_in(folder)?;
    println!("{:>8} {:>8} {:>14} {:>16} {:>12}", "sync", "debates", "CPU us a pair", "wall us a pair", "file MiB");
    for sync in [SyncMode::Normal, SyncMode::Full] {
        for debates in [1, 10, 100, 1_000] {
            let path = folder.path().join(format!("{sync:?}-{debates}.db"));
            // One debate at a time flushes once for each pair when it flushes at all: fewer pairs say as much.
            let pairs = if sync == SyncMode::Full && debates < 100 { PAIRS / 20 } else { PAIRS };
            let options = SqliteOptions { sync, ..SqliteOptions::default() };
            let store = Arc::new(SqliteStore::open(&path, options)?);
            let (cpu, wall, _) = runtime.block_on(measure(&store, debates, pairs / debates))?;
            let each = |time: Duration| time.as_secs_f64() * 1e6 / pairs as f64;
            let size = std::fs::metadata(&path)?.len() as f64 / f64::from(1 << 20);
            println!("{:>8} {debates:>8} {:>14.1} {:>16.1} {size:>12.1}", format!("{sync:?}"), each(cpu), each(wall));
        }
    }
    Ok(())
}

async fn measure<S>(store: &Arc<S>, debates: u64, pairs_each: u64) -> BoxedResult<(Duration, Duration, AppendTimes)>
where
    S: Journal + Registers + 'static,
{
    let text: Arc<str> = "word ".repeat(TEXT / 5).into();
    let (cpu, start) = (cpu_time()?, Instant::now());
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..debates {
        let id = DebateId::parse(&format!("debate-{number}"))?;
        tasks.spawn(debate(Arc::clone(store), id, Arc::clone(&text), pairs_each));
    }
    let mut times = AppendTimes::default();
    for outcome in tasks.join_all().await {
        let own = outcome?;
        times.appends.extend(own.appends);
        times.registers.extend(own.registers);
    }
    Ok((cpu_time()?.saturating_sub(cpu), start.elapsed(), times))
}

async fn debate<S: Journal + Registers>(
    store: Arc<S>,
    id: DebateId,
    text: Arc<str>,
    pairs: u64,
) -> BoxedResult<AppendTimes> {
    let mut times = AppendTimes::default();
    for first in 1..=pairs {
        let turn = TurnId { round: u32::try_from(first)?, seat: 0, attempt: 1 };
        let answer = Answer::Speech { text: Arc::clone(&text), cut: false, cut_at_limit: false };
        let start = Instant::now();
        store.decide(&id, turn, TurnResult::Answered { answer, call: Box::new(Call::default()) }).await?;
        times.registers.push(start.elapsed());
        let speech = Speech {
            stance: None,
            kind: SpeechKind::Argument,
            text: Arc::clone(&text),
            to: None,
            bench: None,
            answer: None,
            accepted: Vec::new(),
            declined: Vec::new(),
            cut_by: None,
            cut_at_limit: false,
            confidence: None,
            neutralised: 0,
        };
        let events = vec![Event::answer(turn, "Ada", Given::Speech(speech), Box::default())];
        let record = Record { first: Position(first), at: Timestamp(first), epoch: 1, nonce: first, events };
        let start = Instant::now();
        store.append(&id, record).await?;
        times.appends.push(start.elapsed());
    }
    Ok(times)
}

fn cpu_time() -> BoxedResult<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let micros = |time: nix::sys::time::TimeVal| (time.tv_sec() * 1_000_000 + time.tv_usec()).unsigned_abs();
    Ok(Duration::from_micros(micros(usage.user_time()) + micros(usage.system_time())))
}
