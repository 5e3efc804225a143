//! How soon debates go on when the process that they depend on is killed, or stopped in order.
mod stops;

use crate::faults::now_ms;
use agon_chaos::{GatewayClient, Logs, owner};
use agon_core::{Answered, Debate, Effect, Event, Given, Record};
use agon_testkit::cluster::{Cluster, MODEL, Scenario};
use agon_testkit::{NatsOptions, until};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::Runtime;

/// The options of `failover`, as `cargo xtask failover` describes them and passes them on.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(long)]
    kills: u32,
    #[arg(long)]
    debates: u32,
    #[arg(long, value_enum)]
    only: Option<KillTarget>,
    #[arg(long)]
    stops: Option<u32>,
}

/// Who is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum KillTarget {
    /// The coordinator that owns debates
    Owner,
    /// The host that plays their open turns
    Host,
}

/// What is promised.
const PROMISED: u64 = 10_000;
/// The goal at 99 %, in seconds.
const GOAL: u64 = 4;
/// How long a debate may take to go on; it decides nothing.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that stands still for so long is not dead.
const STOP: Duration = Duration::from_secs(2);

/// A process that has just been started has heard all others by then.
const ACQUAINTED: Duration = Duration::from_secs(5);

struct FailoverRig {
    cluster: Cluster,
    logs: Logs,
    runtime: Runtime,
    client: GatewayClient,
    /// Debates that were not over when they were last looked at.
    live: Vec<String>,
    submitted: u32,
    wanted: u32,
}

/// Runs it all and prints the distributions.
pub fn run(agon: PathBuf, nats: Option<PathBuf>, args: &Args) -> Result<ExitCode> {
    let scenario = Scenario::new(agon.clone()).coordinators(2).hosts(2).own_rehearsals();
    let scenario = scenario.nats(NatsOptions { program: nats, ..Default::default() });
    let cluster = scenario.rehearsal(&["--latency", "500ms", "--token-interval", "2ms"]).start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let client = runtime.block_on(async { GatewayClient::new(&[cluster.grpc(0)?]) })?;
    let logs = Logs::open(&cluster.nats.url())?;
    let mut rig = FailoverRig { cluster, logs, runtime, client, live: Vec::new(), submitted: 0, wanted: args.debates };
    if let Some(stops) = args.stops {
        let late = stops::run(&mut rig, &agon, stops)?;
        return Ok(if late == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let mut late = 0;
    for (victim, title) in [
        (KillTarget::Owner, "from kill -9 of the owner to the next event of each of its debates"),
        (KillTarget::Host, "from kill -9 of a host to the next event of each debate whose turn it played"),
    ] {
        if args.only.is_some_and(|only| only != victim) {
            continue;
        }
        let (mut times, mut deposed) = (Vec::new(), Vec::new());
        for _ in 0..args.kills {
            deposed.push(rig.pause(victim)?);
            times.extend(rig.kill(victim)?);
        }
        late += print((title, GOAL), args.kills, times);
        let all: usize = deposed.iter().sum();
        println!(
            "\nstopped for {} s before each kill: {} times, debates or turns taken from it: {all}",
            STOP.as_secs(),
            deposed.len()
        );
    }
    Ok(if late == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl FailoverRig {
    /// Stops one for a while, and says how many debates, or turns, somebody else has taken from it.
    fn pause(&mut self, victim: KillTarget) -> Result<usize> {
        self.refill()?;
        let (name, debates) = self.depend_on(victim)?;
        let before: Vec<u64> = debates.iter().map(|id| self.last(id)).collect::<Result<_>>()?;
        let at = now_ms();
        self.cluster.member(&name)?.process()?.stop()?;
        std::thread::sleep(STOP);
        self.cluster.member(&name)?.process()?.go_on()?;
        let mut deposed = 0;
        for (id, last) in debates.iter().zip(before) {
            self.next_after(id, last, at + STOP.as_secs() * 1_000)?;
            let after = self.logs.records(id)?.into_iter().filter(|record| record.first.0 > last);
            let after: Vec<Event> = after.flat_map(|record| record.events).collect();
            deposed += usize::from(match victim {
                KillTarget::Owner => after.iter().any(|event| matches!(event, Event::Claimed { .. })),
                // it was playing the next turn that was answered
                KillTarget::Host => {
                    let host = after.iter().find_map(Event::made_call).and_then(|call| call.host.clone());
                    host.is_some_and(|host| self.cluster.member_of(&host).is_some_and(|member| member != name))
                }
            });
        }
        Ok(deposed)
    }

    /// The process of a kind that most debates depend on, and these.
    fn depend_on(&mut self, victim: KillTarget) -> Result<(String, Vec<String>)> {
        match victim {
            KillTarget::Owner => self.owned(),
            KillTarget::Host => self.played(),
        }
    }

    /// Kills one, waits until all that depended on it goes on, and starts it again. Gives the times in milliseconds.
    fn kill(&mut self, victim: KillTarget) -> Result<Vec<u64>> {
        self.refill()?;
        let (name, debates) = self.depend_on(victim)?;
        let before: Vec<u64> = debates.iter().map(|id| self.last(id)).collect::<Result<_>>()?;
        let at = now_ms();
        self.cluster.member(&name)?.kill();
        let mut times = Vec::new();
        for (id, last) in debates.iter().zip(before) {
            times.extend(self.next_after(id, last, at)?);
        }
        self.cluster.restart(&name)?;
        // whoever is to notice the next one has heard it before
        std::thread::sleep(ACQUAINTED);
        Ok(times)
    }

    /// Keeps the number of debates up, each with a speech at least.
    fn refill(&mut self) -> Result<()> {
        let mut live = Vec::new();
        for id in std::mem::take(&mut self.live) {
            let records = self.logs.records(&id)?;
            // one that soon ends would tell nothing
            let speeches = records.iter().flat_map(|record| &record.events).filter(|event| is_speech(event)).count();
            if speeches < ENOUGH && !is_over(&records) {
                live.push(id);
            }
        }
        while live.len() < self.wanted as usize {
            self.submitted += 1;
            let id = format!("failover-{:04}", self.submitted);
            self.runtime.block_on(self.client.submit(&id, &file(&id), PATIENCE))?;
            live.push(id);
        }
        for id in &live {
            self.logs.until_count(id, "speeches", 1, is_speech)?;
        }
        self.live = live;
        Ok(())
    }

    /// The coordinator that owns most debates, and these.
    fn owned(&mut self) -> Result<(String, Vec<String>)> {
        until("a coordinator owns a debate", PATIENCE, || self.groups(owner))
    }

    /// The host that plays most open turns, and their debates.
    fn played(&mut self) -> Result<(String, Vec<String>)> {
        until("a host plays a turn", PATIENCE, || {
            self.groups(|records| {
                let debate = Debate::fold(records)?;
                let open = debate.outstanding().iter().any(|effect| matches!(effect, Effect::Ask(_)));
                open.then(|| host(records)).flatten()
            })
        })
    }

    fn groups(&mut self, node: impl Fn(&[Record]) -> Option<String>) -> Result<Option<(String, Vec<String>)>> {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for id in self.live.clone() {
            let Some(node) = node(&self.logs.records(&id)?) else { continue };
            let Some(name) = self.cluster.member_of(&node) else { continue };
            match groups.iter_mut().find(|(known, _)| *known == name) {
                Some((_, debates)) => debates.push(id),
                None => groups.push((name, vec![id])),
            }
        }
        Ok(groups.into_iter().max_by_key(|(_, debates)| debates.len()))
    }

    fn last(&self, id: &str) -> Result<u64> {
        Ok(self.logs.records(id)?.last().context("the log is empty")?.last().0)
    }

    /// The time from `at` to the first record that came after it. Nothing if the debate went on before the kill took effect and ended.
    fn next_after(&self, id: &str, last: u64, at: u64) -> Result<Option<u64>> {
        let fresh = |record: &&Record| record.first.0 > last && record.at.0 > at;
        let records = self
            .logs
            .until(id, "the next event", |records| records.iter().any(|record| fresh(&record)) || is_over(records))?;
        Ok(records.iter().find(fresh).map(|record| record.at.0 - at))
    }
}

/// So many speeches of the longest debate are held when it is replaced.
const ENOUGH: usize = 30;

fn file(id: &str) -> String {
    format!(
        "topic: Should {id} be tried?\nmodel: {MODEL}\nmax_rounds: 20\nballots: none\njudge: {{orders: 1}}\n\
         phases: {{opening_statements: false, final_statements: false}}\n\
         personas:\n- {{name: Ada, stance: yes}}\n- {{name: Bo, stance: no}}\n"
    )
}

fn is_speech(event: &Event) -> bool {
    event.speech().is_some()
}

fn is_over(records: &[Record]) -> bool {
    records.iter().flat_map(|record| &record.events).any(|event| matches!(event, Event::DebateEnded { .. }))
}

/// The host that played the last speech: it has the prompts of the debate, so it plays the next one too.
fn host(records: &[Record]) -> Option<String> {
    let mut events = records.iter().rev().flat_map(|record| record.events.iter().rev());
    events.find_map(|event| match event {
        Event::Answered(said @ Answered { given: Given::Speech(_), .. }) => said.call.host.clone(),
        _ => None,
    })
}

/// Prints a distribution; gives how many were later than promised.
fn print((title, goal): (&str, u64), kills: u32, mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    let seconds = |share: f64| {
        let at = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len().max(1)) - 1;
        times.get(at).map_or(f64::NAN, |time| *time as f64 / 1e3)
    };
    let late = times.iter().filter(|time| **time > PROMISED).count() as u64;
    println!("\n{title}: {kills} times, {} debates", times.len());
    println!("| min | p50 | p90 | p99 | goal | max | over {} s |\n|{}", PROMISED / 1_000, " --- |".repeat(7));
    println!(
        "| {:.2} s | {:.2} s | {:.2} s | {:.2} s | {goal} s | {:.2} s | {late} |",
        seconds(0.0),
        seconds(0.5),
        seconds(0.9),
        seconds(0.99),
        seconds(1.0)
    );
    late
}
