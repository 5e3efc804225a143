//! How soon debates go on after their processes are stopped in order, or are given orders after a crash.
use super::{ACQUAINTED, FailoverRig, KillTarget, PATIENCE, file, is_over, print};
use crate::faults::now_ms;
use agon_core::{DebateId, Position, Record};
use agon_store::{Journal as _, SqliteOptions, SqliteStore};
use agon_testkit::cluster::NodeRole;
use agon_testkit::{Process, free_port, until};
use anyhow::{Context, Result, ensure};
use nix::sys::signal::Signal;
use std::path::Path;
use std::process::Command;

/// The goal at 99 %, in seconds.
const GOAL: u64 = 10;

/// A way in which processes are stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StopKind {
    /// Coordinators end in order, then nats-server, and all of them start again.
    Restart,
    /// The owner is killed; its heir's debates are paused and resumed, cancelled, or handed over in order.
    Orders,
    /// After a crash each coordinator is replaced by another in order.
    Upgrade,
    /// Everything on the machine but the gateway ends in order, and starts again.
    Drain,
}

/// Stops everything so often in each way, and prints the times to the next event. Gives how many were later than promised.
pub(super) fn run(rig: &mut FailoverRig, agon: &Path, stops: u32) -> Result<u64> {
    let mut late = 0;
    for (kind, title) in [
        (StopKind::Restart, "coordinators stop in order and nats-server restarts: from their start to the next event"),
        (StopKind::Orders, "orders after kill -9 and takeover: from the order to the next event"),
        (StopKind::Upgrade, "rolling upgrade after a crash: from each stop to the next event"),
        (
            StopKind::Drain,
            "coordinators, hosts and nats-server stop in order: from the coordinators' start to the next event",
        ),
    ] {
        let mut times = Vec::new();
        for round in 0..stops {
            times.extend(rig.stop(kind, round)?);
        }
        late += print((title, GOAL), stops, times);
    }
    let times = (0..stops).map(|round| one_process(agon, round)).collect::<Result<Vec<_>>>()?;
    Ok(late + print(("one process on SQLite is killed: from its start to the next event", GOAL), stops, times))
}

impl FailoverRig {
    fn stop(&mut self, kind: StopKind, round: u32) -> Result<Vec<u64>> {
        self.refill()?;
        match kind {
            StopKind::Restart => self.restart_all(&[NodeRole::Coordinator]),
            StopKind::Drain => self.restart_all(&[NodeRole::Coordinator, NodeRole::Host]),
            StopKind::Orders => self.order(round),
            StopKind::Upgrade => self.upgrade(),
        }
    }

    fn names(&self, roles: &[NodeRole]) -> Vec<String> {
        roles.iter().flat_map(|role| self.cluster.names(*role)).collect()
    }

    fn end_in_order(&mut self, name: &str) -> Result<()> {
        let status = self.cluster.member(name)?.process()?.terminate()?;
        ensure!(status.success(), "{name} ended with {status}");
        Ok(())
    }

    fn restart_all(&mut self, roles: &[NodeRole]) -> Result<Vec<u64>> {
        let names = self.names(roles);
        for name in &names {
            self.end_in_order(name)?;
        }
        let before = self.lasts(&self.live.clone())?;
        let nats = &mut self.cluster.nats;
        nats.signal(Signal::SIGTERM)?;
        nats.wait()?;
        nats.restart()?;
        // the coordinators last: they are what the time is taken from
        for name in self.names(roles).iter().filter(|name| !name.starts_with("coordinator")) {
            self.cluster.restart(name)?;
        }
        let at = now_ms();
        for name in names.iter().filter(|name| name.starts_with("coordinator")) {
            self.cluster.spawn_again(name)?;
        }
        let times = self.times(before, at);
        std::thread::sleep(ACQUAINTED);
        times
    }

    fn order(&mut self, round: u32) -> Result<Vec<u64>> {
        let (owner, debates) = self.depend_on(KillTarget::Owner)?;
        let before = self.lasts(&debates)?;
        let at = now_ms();
        self.cluster.member(&owner)?.kill();
        self.times(before, at)?;
        self.cluster.restart(&owner)?;
        std::thread::sleep(ACQUAINTED);
        if round.is_multiple_of(3) {
            // the heir hands over what it has inherited
            let (heir, debates) = self.depend_on(KillTarget::Owner)?;
            let (before, at) = (self.lasts(&debates)?, now_ms());
            self.end_in_order(&heir)?;
            let times = self.times(before, at);
            self.cluster.restart(&heir)?;
            std::thread::sleep(ACQUAINTED);
            return times;
        }
        let mut times = Vec::new();
        for id in debates {
            if is_over(&self.logs.records(&id)?) {
                continue;
            }
            let orders: &[&str] = if round % 3 == 1 { &["pause", "resume"] } else { &["pause", "cancel"] };
            for order in orders {
                let (last, at) = (self.last(&id)?, now_ms());
                self.order_one(order, &id)?;
                match *order {
                    "cancel" => times.extend(self.next_after(&id, last, at)?),
                    // that it is resumed is an event of its own; a claim has to follow
                    "resume" => times.extend(self.next_after(&id, self.last(&id)?, at)?),
                    _ => {}
                }
            }
        }
        Ok(times)
    }

    fn order_one(&self, order: &str, id: &str) -> Result<()> {
        let said = self.cluster.agon(&[order, id, "--server", &self.cluster.grpc(0)?]).output()?;
        ensure!(said.status.success(), "agon {order} {id}: {}", String::from_utf8_lossy(&said.stderr));
        Ok(())
    }

    fn upgrade(&mut self) -> Result<Vec<u64>> {
        let (owner, _) = self.depend_on(KillTarget::Owner)?;
        self.cluster.member(&owner)?.kill();
        self.cluster.restart(&owner)?;
        let mut times = Vec::new();
        for name in self.names(&[NodeRole::Coordinator]) {
            let (before, at) = (self.lasts(&self.live.clone())?, now_ms());
            self.end_in_order(&name)?;
            self.cluster.restart(&name)?;
            times.extend(self.times(before, at)?);
        }
        Ok(times)
    }

    fn lasts(&self, ids: &[String]) -> Result<Vec<(String, u64)>> {
        ids.iter().map(|id| Ok((id.clone(), self.last(id)?))).collect()
    }

    fn times(&self, before: Vec<(String, u64)>, at: u64) -> Result<Vec<u64>> {
        let next = before.into_iter().map(|(id, last)| self.next_after(&id, last, at)).collect::<Result<Vec<_>>>()?;
        Ok(next.into_iter().flatten().collect())
    }
}

/// Kills a server without NATS in the middle of a debate, starts it again, and waits for the next event.
fn one_process(agon: &Path, round: u32) -> Result<u64> {
    let folder = tempfile::tempdir()?;
    let (id, grpc) = (format!("one-{round}"), format!("127.0.0.1:{}", free_port()?));
    let program = || {
        let mut command = Command::new(agon);
        command.env_clear().env("HOME", folder.path()).current_dir(folder.path());
        command
    };
    let serve = |name: &str| -> Result<Process> {
        let mut command = program();
        command.args(["serve", "--rehearsal", "--latency", "500ms", "--store", "server.db", "--grpc", &grpc]);
        command.args(["--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
        Process::start(name, command, folder.path().join(format!("{name}.log")))
    };
    let mut first = serve("first")?;
    first.wait_for(" is up: ")?;
    std::fs::write(folder.path().join("debate.yaml"), file(&id))?;
    let said = program().args(["submit", "debate.yaml", "--id", &id, "--rehearsal", "--server", &grpc]).output()?;
    ensure!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = SqliteStore::open(&folder.path().join("server.db"), SqliteOptions::default())?;
    let debate = DebateId::parse(&id)?;
    let records = || -> Result<Vec<Record>> {
        let records = runtime.block_on(store.read(&debate, Position(0)))?;
        Ok(records.iter().map(|record| record.as_ref().clone()).collect())
    };
    // at another moment each time: just after it was submitted, and in the middle
    let enough = 1 + u64::from(round % 8) * 3;
    let reached = || Ok(records()?.last().is_some_and(|record| record.last().0 >= enough).then_some(()));
    until("the debate has gone so far", PATIENCE, reached)?;
    first.kill();
    let last = records()?.last().context("the log is empty")?.last().0;
    let at = now_ms();
    let mut second = serve("second")?;
    let next = || Ok(records()?.into_iter().find(|record| record.first.0 > last).map(|record| record.at.0));
    let next = until("the debate goes on", PATIENCE, next)?;
    second.kill();
    Ok(next.saturating_sub(at))
}
