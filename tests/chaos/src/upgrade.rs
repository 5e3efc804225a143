//! A rolling upgrade: every process of a cluster is replaced by another version while debates run, and some go back.
use crate::counts::{LogCounts, calls};
use crate::crowd::Crowd;
use crate::paid::paid_again;
use crate::variety::{file, settings};
use agon_chaos::{Logs, owner};
use agon_core::Event;
use agon_testkit::cluster::{Cluster, NodeRole, Scenario};
use agon_testkit::{NatsOptions, until};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The options of `upgrade`, as `cargo xtask upgrade` describes them and passes them on.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The program that the cluster begins with
    #[arg(long)]
    old: PathBuf,
    #[arg(long)]
    debates: u32,
    #[arg(long)]
    keep: bool,
}

/// Clients go on at the second gateway where the first is gone.
const GATEWAYS: usize = 2;

/// How long one debate may take, and how long a process may take to have work.
const PATIENCE: Duration = Duration::from_secs(300);

struct UpgradeRig {
    cluster: Cluster,
    logs: Logs,
    crowd: Crowd,
    /// Debates that were over when they were last looked at.
    over: BTreeSet<String>,
    steps: Vec<UpgradeStep>,
}

/// A process that was replaced.
struct UpgradeStep {
    name: String,
    /// Debates that were under way.
    in_flight: usize,
    /// From SIGTERM to its end.
    ended_in: Duration,
    /// Its exit code, where it ended in order.
    well: bool,
}

/// Runs it all and prints what came of it.
pub fn run(new: &Path, nats: Option<PathBuf>, args: &Args) -> Result<ExitCode> {
    let scenario = Scenario::new(&args.old).gateways(GATEWAYS).coordinators(2).hosts(3);
    let scenario = scenario.own_rehearsals().settings(&settings());
    let scenario = scenario.nats(NatsOptions { program: nats, ..Default::default() });
    let mut cluster = scenario.rehearsal(&["--latency", "300ms", "--token-interval", "2ms"]).start()?;
    if args.keep {
        println!("the logs of all processes are in {}", cluster.keep_folder().display());
    }
    let gateways = (0..GATEWAYS).map(|n| cluster.grpc(n)).collect::<Result<Vec<_>>>()?;
    let logs = Logs::open(&cluster.nats.url())?;
    let crowd = Crowd::keep_up(&gateways, args.debates, PATIENCE, file)?;
    let mut rig = UpgradeRig { cluster, logs, crowd, over: BTreeSet::new(), steps: Vec::new() };
    rig.replace_all(&args.old, new)?;
    rig.finish()
}

impl UpgradeRig {
    /// Forward role by role, back with one of each, and forward again.
    fn replace_all(&mut self, old: &Path, new: &Path) -> Result<()> {
        self.turn_over("under the older version")?;
        for role in [NodeRole::Host, NodeRole::Coordinator, NodeRole::Gateway] {
            for name in self.cluster.names(role) {
                self.replace(&name, new)?;
            }
            self.turn_over(&format!("with every {} replaced", role.name()))?;
        }
        let first = [NodeRole::Host, NodeRole::Coordinator, NodeRole::Gateway].map(|role| format!("{}-1", role.name()));
        for (program, when) in [(old, "with one of each gone back"), (new, "with all of them replaced again")] {
            for name in &first {
                self.replace(name, program)?;
            }
            self.turn_over(when)?;
        }
        Ok(())
    }

    /// Waits until debates that were begun in this phase are over too.
    fn turn_over(&mut self, when: &str) -> Result<()> {
        let begun = self.crowd.ids().len();
        let reached = until(&format!("debates begin and end {when}"), PATIENCE, || {
            let ids = self.crowd.ids();
            let fresh = ids.get(begun..).unwrap_or_default();
            self.look(fresh)?;
            Ok(fresh.iter().any(|id| self.over.contains(id)).then_some(ids.len()))
        })?;
        println!("{reached:>4} debates were begun {when}");
        Ok(())
    }

    /// Notes which of these are over.
    fn look(&mut self, ids: &[String]) -> Result<()> {
        for id in ids {
            if !self.over.contains(id) && self.is_over(id)? {
                self.over.insert(id.clone());
            }
        }
        Ok(())
    }

    fn is_over(&self, id: &str) -> Result<bool> {
        let records = self.logs.records(id)?;
        let last = records.last().and_then(|record| record.events.last());
        Ok(matches!(last, Some(Event::DebateEnded { .. })))
    }

    /// Tells a process to end while it has work, and starts another version in its place.
    fn replace(&mut self, name: &str, program: &Path) -> Result<()> {
        until(&format!("{name} has work"), PATIENCE, || Ok(self.has_work(name)?.then_some(())))?;
        let ids = self.crowd.ids();
        self.look(&ids)?;
        let in_flight = ids.iter().filter(|id| !self.over.contains(*id)).count();
        let began = Instant::now();
        let status = self.cluster.member(name)?.process()?.terminate()?;
        let step = UpgradeStep { name: name.to_owned(), in_flight, ended_in: began.elapsed(), well: status.success() };
        self.steps.push(step);
        self.cluster.restart_as(name, program)
    }

    /// Whether a host plays a turn, or a coordinator owns a debate that is not over. Gateways are being watched at any time.
    fn has_work(&mut self, name: &str) -> Result<bool> {
        let role = self.cluster.member(name)?.role;
        match role {
            NodeRole::Gateway => Ok(true),
            NodeRole::Host => {
                let hosts = self.cluster.names(NodeRole::Host);
                let at = hosts.iter().position(|host| host == name).context("no such host")?;
                Ok(self.cluster.rehearsals.get(at).context("it has no model server")?.count("in_flight")? > 0)
            }
            NodeRole::Coordinator => {
                let open = self.crowd.ids().into_iter().filter(|id| !self.over.contains(id));
                for id in open.collect::<Vec<_>>() {
                    let owner = owner(&self.logs.records(&id)?);
                    if owner.is_some_and(|node| self.cluster.member_of(&node).as_deref() == Some(name))
                        && !self.is_over(&id)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Waits for the debates that are under way, checks all logs, and prints what was found.
    fn finish(mut self) -> Result<ExitCode> {
        self.crowd.enough();
        let followed = self.crowd.join()?;
        let counts = LogCounts::of(&self.logs, &followed)?;
        let paid = paid_again(&calls(&self.cluster)?, &[]).for_nothing;
        report(&self.steps, &counts, &paid);
        let unwell = self.steps.iter().filter(|step| !step.well).count();
        let bad = counts.bad() + counts.turns_failed() + (paid.len() + unwell) as u64;
        if bad > 0 {
            println!("\nthe logs of all processes are in {}", self.cluster.keep_folder().display());
        }
        Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn report(steps: &[UpgradeStep], counts: &LogCounts, paid: &[String]) {
    println!("\n| replaced | debates under way | ended in | in order |\n| --- | --- | --- | --- |");
    for step in steps {
        let well = if step.well { "yes" } else { "no" };
        println!("| {} | {} | {:.2} s | {well} |", step.name, step.in_flight, step.ended_in.as_secs_f64());
    }
    let (middle, longest) = counts.pauses();
    println!("\nprocesses replaced                           {}", steps.len());
    counts.print_debates();
    println!("longest pause, median of the debates         {:.2} s", middle as f64 / 1e3);
    println!("longest pause of any debate                  {:.2} s", longest as f64 / 1e3);
    println!("turns failed                                 {}", counts.turns_failed());
    println!("finished turns asked again                   {}", paid.len());
    paid.iter().for_each(|one| println!("  {one}"));
    counts.print_findings();
}
