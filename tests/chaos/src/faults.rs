//! Doing faults to a cluster, and undoing them.
use crate::schedule::{FaultKind, MODEL_SERVER, NATS, PlannedFault};
use agon_chaos::Logs;
use agon_testkit::Rehearsal;
use agon_testkit::cluster::Cluster;
use anyhow::{Context, Result, ensure};
use nix::sys::signal::Signal;
use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often it is looked whether a fault begins or ends.
const TICK: Duration = Duration::from_millis(10);

/// A fault that was done, by the clock that logs have.
#[derive(Clone, Debug)]
pub struct FaultRecord {
    /// What.
    pub fault: PlannedFault,
    /// When it began, in milliseconds since the epoch.
    pub began: u64,
    /// When it was over; a process that was killed is up again then.
    pub ended: u64,
}

/// What was done, and what it has cost for certain.
#[derive(Debug)]
pub struct Inflicted {
    /// The faults.
    pub done: Vec<FaultRecord>,
    /// The debates that had a log when the logs were deleted.
    pub lost: BTreeSet<String>,
}

/// Milliseconds since the epoch.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Does all faults, each at its time; returns when the last is undone.
pub fn inflict(cluster: &mut Cluster, logs: &Logs, faults: &[PlannedFault]) -> Result<Inflicted> {
    let start = Instant::now();
    let mut lost = BTreeSet::new();
    let (mut todo, mut open, mut done) = (faults.iter().peekable(), Vec::<(PlannedFault, u64)>::new(), Vec::new());
    while todo.peek().is_some() || !open.is_empty() {
        let now = start.elapsed();
        let (over, still) = open.into_iter().partition(|(fault, _)| fault.until() <= now);
        open = still;
        for (fault, began) in over {
            undo(cluster, logs, &fault).with_context(|| format!("{fault:?} cannot be undone"))?;
            done.push(FaultRecord { fault, began, ended: now_ms() });
        }
        while let Some(fault) = todo.next_if(|fault| fault.at <= now) {
            let began = now_ms();
            lost.extend(inflict_one(cluster, logs, fault).with_context(|| format!("{fault:?}"))?);
            open.push((fault.clone(), began));
        }
        std::thread::sleep(TICK);
    }
    Ok(Inflicted { done, lost })
}

/// The debates whose logs are lost by it.
fn inflict_one(cluster: &mut Cluster, logs: &Logs, fault: &PlannedFault) -> Result<Vec<String>> {
    if fault.target == NATS {
        match fault.kind {
            FaultKind::Kill => cluster.nats.kill(),
            FaultKind::Stop | FaultKind::Cut | FaultKind::Freeze => cluster.nats.signal(Signal::SIGSTOP)?,
            FaultKind::Fill => logs.fill_logs()?,
            FaultKind::Lose => return logs.delete_logs(),
        }
        return Ok(Vec::new());
    }
    if let Some(server) = model_server(cluster, &fault.target) {
        server?.process.kill();
        return Ok(Vec::new());
    }
    let member = cluster.member(&fault.target)?;
    match fault.kind {
        FaultKind::Kill => member.kill(),
        FaultKind::Stop => member.process()?.stop()?,
        FaultKind::Cut => member.line()?.cut(),
        FaultKind::Freeze => member.line()?.freeze(),
        FaultKind::Fill | FaultKind::Lose => {}
    }
    Ok(Vec::new())
}

/// The model server of that name; none where the target is none.
fn model_server<'a>(cluster: &'a mut Cluster, target: &str) -> Option<Result<&'a mut Rehearsal>> {
    let number = target.strip_prefix(MODEL_SERVER)?.parse::<usize>().ok();
    let server = number.and_then(|number| cluster.rehearsals.get_mut(number.checked_sub(1)?));
    Some(server.with_context(|| format!("there is no {target}")))
}

/// Sets up the streams that were lost, unless a process of the cluster has.
fn provision(cluster: &Cluster) -> Result<()> {
    let output = cluster.agon(&["provision", "--config", "gateway-1.toml", "--nats", &cluster.nats.url()]).output()?;
    ensure!(output.status.success(), "the streams are not set up: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// A killed process is started and not waited for: it may be that nats-server is away just now.
fn undo(cluster: &mut Cluster, logs: &Logs, fault: &PlannedFault) -> Result<()> {
    if fault.target == NATS {
        return match fault.kind {
            FaultKind::Kill => cluster.nats.restart(),
            FaultKind::Stop | FaultKind::Cut | FaultKind::Freeze => cluster.nats.signal(Signal::SIGCONT),
            FaultKind::Fill => logs.make_room(usize::MAX),
            FaultKind::Lose => provision(cluster),
        };
    }
    if let Some(server) = model_server(cluster, &fault.target) {
        return server?.restart();
    }
    match fault.kind {
        FaultKind::Kill => cluster.spawn_again(&fault.target),
        FaultKind::Stop => cluster.member(&fault.target)?.process()?.go_on(),
        FaultKind::Cut | FaultKind::Freeze => {
            cluster.member(&fault.target)?.line()?.heal();
            Ok(())
        }
        FaultKind::Fill | FaultKind::Lose => Ok(()),
    }
}

/// Starts again whatever has ended by itself, for instance because nats-server was away for too long when it started; gives how many.
pub fn revive(cluster: &mut Cluster) -> Result<Vec<String>> {
    let gone: Vec<String> =
        cluster.members().iter_mut().filter_map(|member| (!member.runs()).then(|| member.name.clone())).collect();
    for name in &gone {
        cluster.spawn_again(name)?;
    }
    Ok(gone)
}
