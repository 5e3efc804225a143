//! The nodes of a run: started, hurt, and started again.
use crate::bus::NodeBus;
use crate::faults::{LastingFault, SimulatedFault};
use crate::model::{MODEL, SimulatedModel};
use crate::ports::NodePorts;
use crate::run_state::{RunState, START};
use agon_core::{HostId, Timestamp};
use agon_llm::{Endpoint, EndpointKind};
use agon_runtime::{HostConfig, Node, NodeConfig, Ports, RandomSource, Served, Silent, TokioClock};
use anyhow::{Context, Result};
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// All nodes of a run.
pub(crate) struct SimulatedCluster {
    world: Arc<RunState>,
    members: Vec<SimulatedNode>,
}

/// A node through all its lives.
struct SimulatedNode {
    name: String,
    coordinates: bool,
    plays: bool,
    /// The time of its wall clock when the run begins.
    clock: Timestamp,
    life: Mutex<Option<NodeLife>>,
    lives: Mutex<u64>,
}

/// What runs of a node at present.
#[derive(Clone)]
pub(crate) struct NodeLife {
    pub(crate) node: Arc<Node>,
    pub(crate) ports: Arc<NodePorts>,
}

/// A crash that does not find enough calls happens after this time.
const CRASH_PATIENCE: Duration = Duration::from_secs(5);
/// How often the catalogue is compared with the logs: well within the patience for a debate.
const REBUILD: Duration = Duration::from_secs(60);

impl SimulatedCluster {
    /// SeededDraws how many nodes there are and what each does, and starts them.
    pub(crate) async fn start(world: &Arc<RunState>) -> Result<Self> {
        let draws = &world.draws;
        let coordinators = draws.within(1..3);
        let (hosts, both, gateways) = (draws.within(1..3), draws.within(0..2), draws.within(0..2));
        let mut members = Vec::new();
        for (kind, count, coordinates, plays) in [
            ("c", coordinators, true, false),
            ("h", hosts, false, true),
            ("b", both, true, true),
            ("g", gateways, false, false),
        ] {
            for number in 1..=count {
                let off = if world.plan.wrong_clocks { draws.within(0..7_200_000) } else { 3_600_000 };
                let clock = Timestamp(START.0.saturating_sub(3_600_000).saturating_add(off));
                let (life, lives) = (Mutex::default(), Mutex::default());
                members.push(SimulatedNode { name: format!("{kind}{number}"), coordinates, plays, clock, life, lives });
            }
        }
        if world.plan.wrong_clocks {
            world.count(SimulatedFault::WrongClock);
        }
        let cluster = Self { world: world.clone(), members };
        for member in &cluster.members {
            cluster.begin(member).await?;
        }
        Ok(cluster)
    }

    async fn begin(&self, member: &SimulatedNode) -> Result<()> {
        let number = {
            let mut lives = member.lives();
            *lives += 1;
            *lives
        };
        let name = format!("{}-{number}", member.name);
        self.world.note(format_args!("{name}: starts"));
        let ports = Arc::new(NodePorts::new(self.world.clone(), name.clone()));
        let mut config = NodeConfig {
            max_debates: if member.coordinates { 8 } else { 0 },
            random: RandomSource::seeded(self.world.draws.number()),
            ..NodeConfig::clustered(name.as_str().into())
        };
        config.times.rebuild = REBUILD;
        let node = Node::start(config, self.ports(member, &ports)?).await.context("a node does not start")?;
        *member.life() = Some(NodeLife { node: Arc::new(node), ports });
        Ok(())
    }

    fn ports(&self, member: &SimulatedNode, ports: &Arc<NodePorts>) -> Result<Ports> {
        let elapsed = u64::try_from(self.world.lasted().as_millis())?;
        Ok(Ports {
            bus: Arc::new(NodeBus(ports.clone())),
            journal: ports.clone(),
            registers: ports.clone(),
            jobs: ports.clone(),
            commands: ports.clone(),
            catalogue: ports.clone(),
            upkeep: Some(ports.clone()),
            hosts: if member.plays { vec![host(member, ports)?] } else { Vec::new() },
            clock: Arc::new(TokioClock::starting_at(member.clock.plus(elapsed))),
            observer: Arc::new(Silent),
        })
    }

    /// A node that a client reaches now.
    pub(crate) fn any_well(&self) -> Option<NodeLife> {
        let lives: Vec<NodeLife> = self.members.iter().filter_map(|member| member.life().clone()).collect();
        let well: Vec<NodeLife> = lives.into_iter().filter(|life| life.ports.is_well()).collect();
        self.world.draws.one_of(&well).cloned()
    }

    /// One fault from its beginning to its end.
    pub(crate) async fn strike(&self, fault: &LastingFault) -> Result<()> {
        tokio::time::sleep(Duration::from_millis(fault.at_ms)).await;
        let lasts = Duration::from_millis(fault.lasts_ms);
        let count = u64::try_from(self.members.len())?.max(1);
        let member = usize::try_from(fault.node % count).ok().and_then(|at| self.members.get(at));
        let member = member.context("there is no node to strike")?;
        match fault.kind {
            SimulatedFault::Outage | SimulatedFault::Restart => {
                self.outage(lasts, |seen, until| seen.store_away = Some(until));
            }
            SimulatedFault::FullStore => self.outage(lasts, |seen, until| seen.store_full = Some(until)),
            kind => return self.strike_node(member, kind, lasts, fault.after_calls).await,
        }
        self.begun(fault.kind, "store", lasts);
        tokio::time::sleep(lasts).await;
        if fault.kind == SimulatedFault::Restart {
            self.world.store.restart();
        }
        Ok(())
    }

    fn begun(&self, kind: SimulatedFault, whom: &str, lasts: Duration) {
        self.world.count(kind);
        self.world.note(format_args!("{whom}: {kind} for {} ms", lasts.as_millis()));
    }

    fn outage(&self, lasts: Duration, set: impl FnOnce(&mut crate::run_state::Seen, Instant)) {
        self.world.troubled(None, lasts);
        set(&mut self.world.seen(), Instant::now() + lasts);
    }

    async fn strike_node(
        &self,
        member: &SimulatedNode,
        kind: SimulatedFault,
        lasts: Duration,
        calls: u64,
    ) -> Result<()> {
        let life = member.life().clone();
        // another fault has taken it away
        let Some(NodeLife { node, ports }) = life.filter(|life| life.ports.is_well()) else { return Ok(()) };
        self.begun(kind, &ports.name, lasts);
        match kind {
            SimulatedFault::Stop => {
                self.world.troubled(Some(&ports.name), lasts);
                ports.stop();
                tokio::time::sleep(lasts).await;
                ports.go_on();
                self.world.note(format_args!("{}: goes on", ports.name));
            }
            SimulatedFault::Cut => {
                self.world.troubled(Some(&ports.name), lasts);
                ports.cut_off(lasts);
                tokio::time::sleep(lasts).await;
            }
            SimulatedFault::Drain => {
                ports.drains().store(true, Ordering::Relaxed);
                // what becomes of it is seen in the logs
                node.drain().await;
                ports.die();
                self.again(member, lasts).await?;
            }
            _ => {
                ports.doom(calls + 1);
                if tokio::time::timeout(CRASH_PATIENCE, ports.death()).await.is_err() {
                    ports.die();
                }
                self.world.later(Duration::ZERO, (ports.name.clone(), Vec::new()), async move {
                    node.stop().await;
                });
                self.again(member, lasts).await?;
            }
        }
        Ok(())
    }

    async fn again(&self, member: &SimulatedNode, after: Duration) -> Result<()> {
        *member.life() = None;
        tokio::time::sleep(after).await;
        self.begin(member).await
    }
}

impl SimulatedNode {
    fn life(&self) -> MutexGuard<'_, Option<NodeLife>> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn lives(&self) -> MutexGuard<'_, u64> {
        self.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn host(member: &SimulatedNode, ports: &Arc<NodePorts>) -> Result<HostConfig> {
    let endpoint = Endpoint::parse(EndpointKind::Ollama, "http://simulated:11434")?;
    Ok(HostConfig {
        scheduling: agon_runtime::Scheduling::default(),
        read_ahead: false,
        id: HostId::from(format!("gpu-{}", member.name).as_str()),
        client: Arc::new(SimulatedModel { ports: ports.clone(), endpoint }),
        models: Served::List(vec![MODEL.into()]),
        permits: NonZeroUsize::MIN.saturating_add(1),
        runner: Default::default(),
        timeouts: Default::default(),
        rehearsal: true,
    })
}
