//! What an append and a register write cost together: CPU time of the whole process, at several numbers of debates that append at once.
//!
//! `cargo run --release -p agon-store --example append_cost [FOLDER]`; the folder should lie on the disk in question.
use agon_core::{
    Answer, Call, DebateId, Event, ParticipantId, Position, Record, Speech, SpeechKind, Timestamp, TurnId, TurnResult,
};
use agon_store::{Journal, Registers, SqliteOptions, SqliteStore, SyncMode};
use nix::sys::resource::{UsageWho, getrusage};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Pairs of an append and a register write, in all.
const PAIRS: u64 = 20_000;
/// Bytes of one speech: some 200 tokens.
const TEXT: usize = 1_000;

fn main() -> Outcome<()> {
    let folder = tempfile::tempdir_in(std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    println!("{:>8} {:>8} {:>14} {:>16} {:>12}", "sync", "debates", "CPU us a pair", "wall us a pair", "file MiB");
    for sync in [SyncMode::Normal, SyncMode::Full] {
        for debates in [1, 10, 100, 1_000] {
            let path = folder.path().join(format!("{sync:?}-{debates}.db"));
            // One debate at a time flushes once for each pair when it flushes at all: fewer pairs say as much.
            let pairs = if sync == SyncMode::Full && debates < 100 { PAIRS / 20 } else { PAIRS };
            let (cpu, wall) = runtime.block_on(measure(&path, sync, debates, pairs / debates))?;
            let each = |time: Duration| time.as_secs_f64() * 1e6 / pairs as f64;
            let size = std::fs::metadata(&path)?.len() as f64 / f64::from(1 << 20);
            println!("{:>8} {debates:>8} {:>14.1} {:>16.1} {size:>12.1}", format!("{sync:?}"), each(cpu), each(wall));
        }
    }
    Ok(())
}

async fn measure(path: &Path, sync: SyncMode, debates: u64, pairs_each: u64) -> Outcome<(Duration, Duration)> {
    let store = Arc::new(SqliteStore::open(path, SqliteOptions { sync, ..SqliteOptions::default() })?);
    let text: Arc<str> = "word ".repeat(TEXT / 5).into();
    let (cpu, start) = (cpu_time()?, Instant::now());
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..debates {
        tasks.spawn(debate(
            Arc::clone(&store),
            DebateId::parse(&format!("debate-{number}"))?,
            Arc::clone(&text),
            pairs_each,
        ));
    }
    for outcome in tasks.join_all().await {
        outcome?;
    }
    Ok((cpu_time()?.saturating_sub(cpu), start.elapsed()))
}

async fn debate(store: Arc<SqliteStore>, id: DebateId, text: Arc<str>, pairs: u64) -> Outcome<()> {
    for first in 1..=pairs {
        let turn = TurnId { round: u32::try_from(first)?, seat: 0, attempt: 1 };
        let answer = Answer::Speech { text: Arc::clone(&text) };
        store.decide(&id, turn, TurnResult::Answered { answer, call: Box::new(Call::default()) }).await?;
        let speech = Speech {
            turn,
            participant: ParticipantId::new("Ada"),
            stance: None,
            kind: SpeechKind::Argument,
            text: Arc::clone(&text),
            neutralised: 0,
            call: Box::new(Call::default()),
        };
        let events = vec![Event::SpeechRecorded(speech)];
        store
            .append(&id, Record { first: Position(first), at: Timestamp(first), epoch: 1, nonce: first, events })
            .await?;
    }
    Ok(())
}

fn cpu_time() -> Outcome<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let micros = |time: nix::sys::time::TimeVal| (time.tv_sec() * 1_000_000 + time.tv_usec()).unsigned_abs();
    Ok(Duration::from_micros(micros(usage.user_time()) + micros(usage.system_time())))
}
