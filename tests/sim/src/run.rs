//! One run: a cluster, some debates, some faults, and then a look at the logs.
use crate::cluster::{NodeLife, SimulatedCluster};
use crate::faults::FaultTally;
use crate::findings;
use crate::model::{MODEL, TOPIC};
use crate::plant::PlantedBug;
use crate::run_state::RunState;
use agon_core::{Admission, DebateId, DebateSpec, Priority, RetryPolicy};
use agon_runtime::{CancelError, Node, PauseError, ResumeError};
use agon_spec::{Defaults, Source};
use anyhow::{Context, Result};
use futures_util::future::{join, try_join_all};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What came of the run of one seed.
#[derive(Clone, Debug)]
pub struct SeedReport {
    /// What everything in the run follows from.
    pub seed: u64,
    /// The hash of all events in their order: the same for the same seed.
    pub trace: u64,
    /// How many events that were.
    pub events: u64,
    /// Debates that were accepted.
    pub debates: u64,
    /// How often each fault struck.
    pub faults: FaultTally,
    /// Claims of debates that had an owner before.
    pub takeovers: u64,
    /// Appends that were refused because somebody else had written.
    pub fenced: u64,
    /// Calls of the models.
    pub generations: u64,
    /// How long it took by the simulated clock.
    pub lasted: Duration,
    /// What must not be.
    pub findings: Vec<String>,
}

/// How long debates may take once nothing goes wrong any more.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long the cluster runs on after the last end, so that what is late can do harm.
const SETTLES: Duration = Duration::from_secs(9);
/// How long a client waits for an answer to a submission.
const CLIENT_PATIENCE: Duration = Duration::from_secs(15);
/// How many in thousand debates are cancelled by their client.
const CANCELS: u64 = 60;
/// How many in thousand debates are paused by their client, and cancelled or resumed later.
const PAUSES: u64 = 200;
/// When clients give orders at the latest, in milliseconds after they were accepted: a node that dies meanwhile has an heir by then.
const ORDERS_WITHIN: u64 = 25_000;

/// Runs a seed. `print` shows every event on stdout.
pub fn simulate(seed: u64, plant: Option<PlantedBug>, print: bool) -> Result<SeedReport> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    runtime.block_on(run(seed, plant, print))
}

async fn run(seed: u64, plant: Option<PlantedBug>, print: bool) -> Result<SeedReport> {
    let world = Arc::new(RunState::new(seed, plant, print));
    tokio::spawn(world.scheduler.clone().run(world.draws.clone()));
    let cluster = SimulatedCluster::start(&world).await?;
    let admissions =
        (1..=world.draws.within(2..5)).map(|number| admission(&world, number)).collect::<Result<Vec<_>>>()?;
    let clients = try_join_all(admissions.iter().map(|admission| submit(&world, &cluster, admission)));
    let lasting = try_join_all(world.plan.lasting.iter().map(|fault| cluster.strike(fault)));
    let faults = async {
        let struck = lasting.await;
        world.calm_down();
        world.note(format_args!("no more faults"));
        struck
    };
    let (accepted, struck) = join(clients, faults).await;
    accepted?;
    struck?;
    let ids: Vec<DebateId> = admissions.into_iter().map(|admission| admission.id).collect();
    let all_ended = tokio::time::timeout(PATIENCE, ended(&world, &ids)).await.is_ok();
    if all_ended {
        tokio::time::sleep(SETTLES).await;
    }
    let findings = findings::of_run(&world, &ids).await?;
    let (events, trace) = world.trace();
    let seen = world.seen();
    Ok(SeedReport {
        seed,
        trace,
        events,
        debates: u64::try_from(ids.len())?,
        faults: seen.faults.clone(),
        takeovers: seen.takeovers,
        fenced: seen.fenced,
        generations: u64::try_from(seen.generations.len())?,
        lasted: world.lasted(),
        findings,
    })
}

/// Waits until these debates are over.
async fn ended(world: &RunState, ids: &[DebateId]) {
    loop {
        let ended = world.ended.notified();
        if ids.iter().all(|id| world.seen().ended.contains(id)) {
            return;
        }
        ended.await;
    }
}

/// A client that asks one node after another until one has accepted its debate.
async fn submit(world: &RunState, cluster: &SimulatedCluster, admission: &Admission) -> Result<()> {
    tokio::time::sleep(Duration::from_millis(world.draws.within(0..6_000))).await;
    loop {
        world.scheduler.pass((format!("client {}", admission.id), Vec::new())).await;
        if let Some(NodeLife { node, ports }) = cluster.any_well() {
            let submitted = tokio::time::timeout(CLIENT_PATIENCE, node.submit(admission.clone())).await;
            let accepted = matches!(submitted, Ok(Ok(())));
            world.note(format_args!("client: {} to {}, accepted {accepted}", admission.id, ports.name));
            if accepted {
                return give_orders(world, cluster, &admission.id).await;
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// A client that, in some cases, pauses its debate and resumes it, or wants it ended.
async fn give_orders(world: &RunState, cluster: &SimulatedCluster, debate: &DebateId) -> Result<()> {
    world.scheduler.pass((format!("client {debate}"), Vec::new())).await;
    let (pauses, cancels) = (world.draws.happens(PAUSES), world.draws.happens(CANCELS));
    if !pauses && !cancels {
        return Ok(());
    }
    tokio::time::sleep(Duration::from_millis(world.draws.within(0..ORDERS_WITHIN))).await;
    if pauses {
        order(world, cluster, (debate, "pauses"), async |node| match node.pause(debate, None).await {
            Ok(()) | Err(PauseError::Ended { .. }) => true,
            Err(PauseError::Unknown(_) | PauseError::Append(_)) => false,
        })
        .await;
        tokio::time::sleep(Duration::from_millis(world.draws.within(0..8_000))).await;
    }
    if cancels || (pauses && world.draws.happens(300)) {
        order(world, cluster, (debate, "cancels"), async |node| {
            let asked = node.cancel(debate, "no longer wanted", None).await;
            matches!(asked, Ok(()) | Err(CancelError::Ended { .. }))
        })
        .await;
    } else {
        order(world, cluster, (debate, "resumes"), async |node| {
            // one that nobody had played when it was paused was not
            matches!(node.resume(debate, None).await, Ok(()) | Err(ResumeError::Ended { .. } | ResumeError::Runs(_)))
        })
        .await;
    }
    Ok(())
}

/// Asks one node after the other until one has written the order down; a debate that has ended takes none.
async fn order(
    world: &RunState,
    cluster: &SimulatedCluster,
    (debate, what): (&DebateId, &str),
    ask: impl AsyncFn(&Node) -> bool,
) {
    loop {
        world.scheduler.pass((format!("client {debate}"), Vec::new())).await;
        if let Some(NodeLife { node, ports }) = cluster.any_well() {
            let heard = tokio::time::timeout(CLIENT_PATIENCE, ask(&node)).await.unwrap_or(false);
            world.note(format_args!("client: {what} {debate} at {}, heard {heard}", ports.name));
            if heard {
                return;
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

fn admission(world: &RunState, number: u64) -> Result<Admission> {
    let id = DebateId::parse(&format!("debate-{number}"))?;
    let kinds = specs()?;
    let kind = world.draws.one_of(kinds).context("there is no debate to hold")?;
    Ok(Admission {
        spec: DebateSpec { topic: format!("{TOPIC}{id}"), ..kind.clone() },
        id,
        seed: world.draws.number(),
        retry: RetryPolicy::default(),
        agon_version: env!("CARGO_PKG_VERSION").to_owned(),
        request_id: None,
        rehearsal: true,
        priority: world.draws.one_of(&Priority::ALL).copied().unwrap_or_default(),
        labels: Default::default(),
        creator: None,
        submitted_by: None,
        rejudges: None,
        history: Vec::new(),
        recalled: None,
        feeds: Vec::new(),
        ratings: Default::default(),
    })
}

/// The kinds of debates that are held.
fn specs() -> Result<&'static [DebateSpec]> {
    static SPECS: OnceLock<Vec<DebateSpec>> = OnceLock::new();
    if let Some(specs) = SPECS.get() {
        return Ok(specs);
    }
    let kinds =
        [(1, "sequential", true), (2, "sequential", false), (1, "simultaneous", false), (2, "simultaneous", false)];
    let specs = kinds.map(|(rounds, visibility, statements)| {
        let file = format!(
            "topic: simulated\nmodel: {MODEL}\nmax_rounds: {rounds}\nvisibility: {visibility}\nballots: none\n\
             phases: {{opening_statements: {statements}, final_statements: {statements}}}\ntimeout_per_turn: 45s\n\
             judge: {{orders: 1}}\npersonas:\n- {{name: Ada, stance: yes}}\n- {{name: Bo, stance: no}}\n"
        );
        let parsed = agon_spec::parse(&Source::new("simulated.yaml", file), &Defaults::default());
        parsed.spec.with_context(|| format!("the debate file is wrong: {:?}", parsed.diagnostics))
    });
    let specs = specs.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(SPECS.get_or_init(|| specs))
}
