//! The console: how fast its first page is with 10,000 debates, and what 200 people who watch one debate cost it.
use super::BenchRun;
use agon_core::{
    CallCounts, DebateId, DebateState, Dissent, DissentAmong, ModelName, ModelUsage, Outcome, Position, Priority,
    SummaryFigures, Timestamp, UsageTotals,
};
use agon_proto::{DebateSummary, SummaryState};
use agon_store::{Catalogue as _, SqliteOptions, SqliteStore};
use agon_testkit::Process;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Debates in the list.
const LISTED: u64 = 10_000;
/// Looks at its first page.
const LOOKS: usize = 500;
/// People who watch one debate.
const VIEWERS: usize = 200;
/// A token each 20 ms: 50 tokens a second.
const INTERVAL: &str = "20ms";
/// How long one debate may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// Goals: milliseconds of the list at the 99th percentile, seconds until each viewer has each token, KiB a viewer, and how much slower.
const GOALS: (f64, f64, f64, f64) = (50.0, 1.0, 200.0, 5.0);

/// What is watched: a minute or two of words.
const FILE: &str = "---\npersonas:\n  - {name: Ada, stance: Build the tram}\n  - {name: Ben, stance: Run more buses}\nmax_rounds: 3\n\
consensus_strategy: no_consensus\n---\n# Should the town build a tram along the river?\n";

/// Words as they came: the running answer, UTF-16 units of it so far, and when.
type Arrivals = Vec<(String, usize, Instant)>;

impl BenchRun {
    /// Prints both tables.
    pub(super) fn console(&self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        self.first_page(&runtime)?;
        self.viewers(&runtime)
    }

    fn first_page(&self, runtime: &tokio::runtime::Runtime) -> Result<()> {
        let store = self.folder.path().join("listed.db");
        runtime.block_on(fill(&store))?;
        let mut server = self.console_server("listed", &store)?;
        let address = address(&mut server)?;
        let mut times = runtime.block_on(look(&address, LOOKS))?;
        times.sort();
        let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default().as_secs_f64() * 1e3;
        println!("\n## Console: first page of {LISTED} debates, {LOOKS} requests one after the other\n");
        println!("| median, ms | 99 %, ms | at most, ms |\n| --- | --- | --- |");
        println!("| {:.1} | {:.1} | {:.0} |", at(50), at(99), GOALS.0);
        Ok(())
    }

    fn viewers(&self, runtime: &tokio::runtime::Runtime) -> Result<()> {
        println!("\n## Console: {VIEWERS} people watch one debate of 50 tokens a second\n");
        let (alone, one, _) = self.watched(runtime, "alone", 1)?;
        let (crowded, all, latest) = self.watched(runtime, "crowded", VIEWERS)?;
        let each = (all as f64 - one as f64) / (VIEWERS - 1) as f64;
        let slower = (crowded / alone - 1.0) * 100.0;
        println!("| what | found | at most |\n| --- | --- | --- |");
        println!("| every token with every viewer after, s | {latest:.2} | {:.1} |", GOALS.1);
        println!("| memory of the server for a viewer, KiB | {each:.0} | {:.0} |", GOALS.2);
        println!("| the debate slower than with one viewer ({alone:.1} s), % | {slower:.1} | {:.0} |", GOALS.3);
        Ok(())
    }

    /// A debate with so many viewers: its seconds, the server's peak in KiB, and the latest token in seconds.
    fn watched(&self, runtime: &tokio::runtime::Runtime, name: &str, viewers: usize) -> Result<(f64, u64, f64)> {
        let mut server = self.console_server(name, &self.folder.path().join(format!("{name}.db")))?;
        let address = address(&mut server)?;
        let latest = runtime.block_on(watch(&address, viewers))?;
        let debate: Value = serde_json::from_str(&agon_testkit::http_get(&address, "/v1/debates/watched?view=basic")?)?;
        let moment = |name: &str| -> Result<f64> {
            let text = debate.get(name).and_then(Value::as_str).context("a moment is missing")?;
            let (_, seconds) = text.rsplit_once('T').context("no moment")?;
            let parts: Vec<f64> = seconds.trim_end_matches('Z').split(':').map(str::parse).collect::<Result<_, _>>()?;
            Ok(parts.iter().fold(0.0, |sum, part| sum * 60.0 + part))
        };
        Ok((moment("endTime")? - moment("startTime")?, server.peak_kib(), latest))
    }

    fn console_server(&self, name: &str, store: &Path) -> Result<Process> {
        let mut command = Command::new(&self.agon);
        command.env_clear().env("HOME", self.folder.path());
        let free = "127.0.0.1:0";
        command.args(["serve", "--rehearsal", "--token-interval", INTERVAL, "--grpc", free, "--http", free]);
        command.args(["--admin", free, "--store"]).arg(store);
        Process::start(name, command, self.folder.path().join(format!("{name}.log")))
    }
}

fn address(server: &mut Process) -> Result<String> {
    let line = server.wait_for("HTTP ")?;
    server.wait_for(" is up: ")?;
    Ok(line.rsplit_once("http://").context("no address")?.1.trim().to_owned())
}

/// Fills the catalogue as the runtime does when debates end; their logs are not needed for a list.
async fn fill(path: &Path) -> Result<()> {
    let store = SqliteStore::open(path, SqliteOptions::default())?;
    for n in 0..LISTED {
        store.note(summary(n)?).await?;
    }
    Ok(())
}

async fn look(address: &str, times: usize) -> Result<Vec<Duration>> {
    let mut stream = BufReader::new(TcpStream::connect(address).await?);
    let mut taken = Vec::new();
    for _ in 0..times {
        let started = Instant::now();
        stream.write_all(format!("GET / HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes()).await?;
        let (mut line, mut length, mut first) = (String::new(), 0, true);
        loop {
            line.clear();
            stream.read_line(&mut line).await?;
            ensure!(!first || line.contains(" 200 "), "{line}");
            first = false;
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        taken.push(started.elapsed());
        ensure!(body.windows(8).filter(|window| window == b"id=\"row-").count() == 50, "a page has 50 debates");
    }
    Ok(taken)
}

/// Watches a debate from its beginning to its end, and says how late the latest token was with a viewer, in seconds behind the event
/// stream of the API, which has it as soon as the gateway does.
async fn watch(address: &str, viewers: usize) -> Result<f64> {
    let file = FILE;
    let post = format!(
        "POST /v1/debates?rehearsal=true&debate_id=watched HTTP/1.0\r\nhost: {address}\r\ncontent-type: text/markdown\r\n\
         content-length: {}\r\n\r\n{file}",
        file.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(post.as_bytes()).await?;
    let mut said = String::new();
    stream.read_to_string(&mut said).await?;
    ensure!(said.contains(" 200 "), "{said}");
    let reference = tokio::spawn(tokio::time::timeout(PATIENCE, reference(address.to_owned())));
    let guests: Vec<_> =
        (0..viewers).map(|_| tokio::spawn(tokio::time::timeout(PATIENCE, follow(address.to_owned())))).collect();
    let mut all: Vec<Arrivals> = Vec::new();
    for guest in guests {
        all.push(guest.await???);
    }
    let first = reference.await???;
    for guest in &all {
        ensure!(guest.len() > 20 && first.len() > 20, "only {} of {} pieces came", guest.len(), first.len());
    }
    let late = all.iter().flat_map(|guest| lateness(&first, guest));
    Ok(late.fold(0.0, f64::max))
}

/// How late each piece was with one viewer: whoever had a longer piece by then had the shorter one, too.
fn lateness<'a>(first: &'a Arrivals, guest: &'a Arrivals) -> impl Iterator<Item = f64> + 'a {
    first.iter().map(move |(id, end, at)| {
        let had = guest.iter().filter(|(of, upto, _)| of == id && upto >= end).map(|(.., when)| *when).min();
        // the record of the answer comes in place of its last pieces, at most a drawing later
        had.map_or(0.0, |had| had.saturating_duration_since(*at).as_secs_f64())
    })
}

async fn follow(address: String) -> Result<Arrivals> {
    let mut stream = BufReader::new(TcpStream::connect(&address).await?);
    // without chunks, since it is HTTP/1.0
    let asked = format!("GET /debates/watched/live?after=0 HTTP/1.0\r\nhost: {address}\r\n\r\n");
    stream.write_all(asked.as_bytes()).await?;
    let (mut arrivals, mut line, mut name) = (Arrivals::new(), String::new(), String::new());
    while stream.read_line(&mut line).await? > 0 {
        if let Some(event) = line.strip_prefix("event: ") {
            event.trim().clone_into(&mut name);
        } else if let Some(data) = line.strip_prefix("data: ").filter(|_| name == "words" || name == "speech") {
            let data: Value = serde_json::from_str(data)?;
            let text = data.get("text").and_then(Value::as_str).unwrap_or_default().encode_utf16().count();
            let at = usize::try_from(data.get("at").and_then(Value::as_u64).unwrap_or(0))?;
            arrivals.push((
                data.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
                at + text,
                Instant::now(),
            ));
        }
        line.clear();
    }
    Ok(arrivals)
}

/// The pieces as the API's own event stream has them.
async fn reference(address: String) -> Result<Arrivals> {
    let mut stream = BufReader::new(TcpStream::connect(&address).await?);
    let asked = format!("GET /v1/debates/watched/events?deltas=true HTTP/1.0\r\nhost: {address}\r\n\r\n");
    stream.write_all(asked.as_bytes()).await?;
    let (mut arrivals, mut line, mut name) = (Arrivals::new(), String::new(), String::new());
    let mut lengths: HashMap<String, usize> = HashMap::new();
    while stream.read_line(&mut line).await? > 0 {
        if let Some(event) = line.strip_prefix("event: ") {
            event.trim().clone_into(&mut name);
        } else if line == "\n" {
            name.clear();
        } else if let Some(data) = line.strip_prefix("data: ").filter(|_| name == "delta") {
            let data: Value = serde_json::from_str(data)?;
            let number = |name: &str| data.pointer(&format!("/turn/{name}")).and_then(Value::as_u64).unwrap_or(0);
            let text = data.get("text").and_then(Value::as_str).unwrap_or_default();
            let id = format!("run-{}-{}-{}", number("round"), number("seat"), number("attempt"));
            let length = lengths.entry(id.clone()).or_default();
            *length += text.encode_utf16().count();
            if !text.is_empty() {
                arrivals.push((id, *length, Instant::now()));
            }
        }
        line.clear();
    }
    Ok(arrivals)
}

/// What a list shows of a debate of three models.
fn figures(n: u64) -> Result<SummaryFigures> {
    let model = |name: &str, calls: u32| -> Result<ModelUsage> {
        let tokens = u64::from(calls) * 1_200;
        let usage =
            UsageTotals { calls, prompt_tokens: tokens, completion_tokens: tokens / 8, ..UsageTotals::default() };
        Ok(ModelUsage { model: ModelName::new(name), usage })
    };
    Ok(SummaryFigures {
        winner: Some(format!("A tram along the river, in {} steps", n % 9 + 1)),
        dissent: Some(Dissent { against: 1, of: 3, among: DissentAmong::Ballots }),
        models: vec![model("qwen3:8b", 9)?, model("llama3.2:3b", 5)?, model("gemma3:12b", 3)?],
        calls: CallCounts { done: 17, planned: 17 },
        max_rounds: 3,
        turns: 17,
        ..SummaryFigures::default()
    })
}

fn summary(n: u64) -> Result<DebateSummary> {
    let at = Timestamp(1_790_000_000_000 + n * 60_000);
    Ok(DebateSummary {
        id: DebateId::parse(&format!("listed-{n}"))?,
        topic: format!("Question {n}: should the town build a tram along the river, or a second ring of buses?"),
        state: SummaryState::Ended { state: DebateState::Succeeded, outcome: Some(Outcome::Decided) },
        labels: [("team".to_owned(), format!("team-{}", n % 7))].into(),
        priority: Priority::Normal,
        creator: None,
        rehearsal: true,
        epoch: 1,
        last: Position(60),
        admitted: at,
        updated: Timestamp(at.0 + 90_000),
        card: None,
        paused_ms: 0,
        claimed: Some(at),
        rounds: Some(3),
        figures: Some(figures(n)?),
    })
}
