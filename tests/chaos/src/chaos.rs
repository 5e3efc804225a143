//! Faults at random, then a check of every log.
use crate::counts::{LogCounts, calls};
use crate::crowd::{Crowd, CrowdPace};
use crate::faults::{Inflicted, inflict, revive};
use crate::paid::{Paid, paid_again};
use crate::schedule::{FaultKind, MODEL_SERVER, PlannedFault, schedule};
use agon_bus::nats::NatsConfig;
use agon_chaos::{GatewayClient, Logs, State};
use agon_store::{NatsLimits, NatsStoreConfig};
use agon_testkit::cluster::{Cluster, MODEL, Scenario};
use agon_testkit::{NatsOptions, until};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::Runtime;

/// The options of `chaos`, as `cargo xtask chaos` describes them and passes them on.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(long)]
    minutes: u32,
    #[arg(long)]
    seed: u64,
    #[arg(long)]
    debates: Option<u32>,
    #[arg(long)]
    coordinators: usize,
    #[arg(long)]
    hosts: usize,
    #[arg(long)]
    gateways: usize,
    #[arg(long)]
    keep: bool,
}

/// How long debates may take to end once the faults are over.
const AFTER: Duration = Duration::from_secs(240);
/// Mebibytes of all logs: as many as a run needs, and few enough to be filled quickly.
const LOGS_MIB: u64 = 64;
/// How long a process may take to be up again.
const UP: Duration = Duration::from_secs(60);

/// Runs it all and prints what came of it.
pub fn run(agon: PathBuf, nats: Option<PathBuf>, args: &Args) -> Result<ExitCode> {
    let length = Duration::from_secs(60) * args.minutes;
    let debates = args.debates.unwrap_or(24 * args.minutes);
    let scenario = Scenario::new(agon).gateways(args.gateways).coordinators(args.coordinators).hosts(args.hosts);
    let scenario = scenario.settings(&format!("[nats.limits]\nlogs_mib = {LOGS_MIB}\n"));
    let scenario = scenario.behind_proxies().own_rehearsals().nats(NatsOptions { program: nats, ..Default::default() });
    let mut cluster = scenario.rehearsal(&["--latency", "600ms", "--token-interval", "2ms"]).start()?;
    if args.keep {
        println!("the logs of all processes are in {}", cluster.keep_folder().display());
    }
    let mut names: Vec<String> = cluster.members().iter().map(|member| member.name.clone()).collect();
    names.extend((1..=args.hosts).map(|n| format!("{MODEL_SERVER}{n}")));
    let faults = schedule(args.seed, length, &names);
    let gateways = (0..args.gateways).map(|n| cluster.grpc(n)).collect::<Result<Vec<_>>>()?;
    println!("seed {}: {} faults in {length:?}, {debates} debates", args.seed, faults.len());
    let crowd = Crowd::start(&gateways, CrowdPace { debates, over: length, patience: length + AFTER }, file)?;
    let logs = logs_of(&cluster)?;
    let Inflicted { done, lost } = inflict(&mut cluster, &logs, &faults)?;
    let revived = recover(&mut cluster)?;
    println!("the faults are over; waiting for the debates");
    let followed = crowd.join()?;
    let teller = GatewayProbe::new(&gateways)?;
    let counts = LogCounts::without(&logs, &followed, |id| Ok(lost.contains(id) && teller.says_lost(id)?))?;
    let paid = paid_again(&calls(&cluster)?, &done);
    report(&faults, &revived, &counts, &paid, fenced(cluster.folder()));
    let bad = counts.bad() + (paid.for_nothing.len() + paid.nats_gone.len()) as u64;
    if bad > 0 {
        println!("\nthe logs of all processes are in {}", cluster.keep_folder().display());
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The logs, with the limits that the cluster has.
fn logs_of(cluster: &Cluster) -> Result<Logs> {
    let log_bytes = NonZeroU64::new(LOGS_MIB << 20).context("no room for logs")?;
    let limits = NatsLimits { log_bytes, ..NatsLimits::default() };
    let who = NatsConfig::new([cluster.nats.url()], "checker", "checker");
    Logs::open_as(who, NatsStoreConfig { limits, ..NatsStoreConfig::default() })
}

/// Asks the gateways for debates.
struct GatewayProbe {
    runtime: Runtime,
    client: GatewayClient,
}

impl GatewayProbe {
    fn new(gateways: &[String]) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let client = runtime.block_on(async { GatewayClient::new(gateways) })?;
        Ok(Self { runtime, client })
    }

    /// Whether a debate is told to be lost. One whose submission came again after its log was deleted was admitted anew, and has to
    /// be as good as any other.
    fn says_lost(&self, id: &str) -> Result<bool> {
        let told =
            until(&format!("a gateway tells of {id}"), UP, || Ok(self.runtime.block_on(self.client.get(id)).ok()));
        Ok(told?.0 == State::Lost)
    }
}

/// A debate whose prompts are no other's: three speakers, ballots, two rounds and a judge who reads twice.
fn file(id: &str) -> String {
    format!(
        "topic: Should {id} be tried?\nmodel: {MODEL}\nmax_rounds: 2\npersonas:\n- {{name: Ada, stance: yes}}\n\
         - {{name: Bo, stance: no}}\n- {{name: Cy, stance: later}}\n"
    )
}

/// Brings up what is down; gives what had ended by itself.
fn recover(cluster: &mut Cluster) -> Result<Vec<String>> {
    let mut revived = Vec::new();
    until("every process is up", UP, || {
        revived.extend(revive(cluster)?);
        let up = |member: &mut agon_testkit::cluster::Member| {
            member.process().is_ok_and(|process| process.log().contains(" is up: "))
        };
        Ok(cluster.members().iter_mut().all(up).then_some(()))
    })?;
    Ok(revived)
}

/// How often an owner found that it was no longer one, as the coordinators' logs tell.
fn fenced(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().filter_map(std::result::Result::ok);
    let logs = files.filter(|file| file.file_name().to_string_lossy().starts_with("coordinator-"));
    let texts = logs.map(|file| std::fs::read_to_string(file.path()).unwrap_or_default());
    texts.map(|text| text.lines().filter(|line| line.contains("Fenced")).count() as u64).sum()
}

fn report(faults: &[PlannedFault], revived: &[String], counts: &LogCounts, paid: &Paid, fenced: u64) {
    let mut kinds: BTreeMap<(String, FaultKind), u64> = BTreeMap::new();
    for fault in faults {
        let role = fault.target.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-').to_owned();
        *kinds.entry((role, fault.kind)).or_default() += 1;
    }
    println!("\nfaults                                       {}", faults.len());
    for ((role, kind), times) in kinds {
        println!("  {:<42} {times}", format!("{role} {kind}"));
    }
    println!("processes that ended by themselves           {}", revived.len());
    counts.print_debates();
    println!("owners fenced                                {fenced}");
    println!("finished turns asked again, host gone        {}", paid.host_gone);
    println!("finished turns asked again, host survived    {}", paid.for_nothing.len() + paid.nats_gone.len());
    paid.for_nothing.iter().for_each(|one| println!("  {one}"));
    paid.nats_gone.iter().for_each(|one| println!("  after nats-server was away: {one}"));
    counts.print_findings();
}
