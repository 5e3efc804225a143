//! What the tests stand on: debates to hold, nodes to hold them, logs to compare.
use crate::cast::Cast;
use crate::permitted::OfHosts;
use crate::wired::{Mutation, wire};
use agon_bus::{Bus, MemoryBus};
pub use agon_core::testing::spec;
use agon_core::testing::{full_spec, no_statements, voting};
use agon_core::*;
use agon_runtime::{Clock, Node, NodeConfig, Observer, Ports, Silent, TokioClock};
use agon_store::{Catalogue, Commands, Jobs, Journal, MemoryStore, Registers, Upkeep};
use std::sync::Arc;
use std::time::Duration;

pub const START: Timestamp = Timestamp(1_800_000_000_000);

/// A long debate: ballots, openings, a moderator, three rounds, closings, two orders of judging.
pub fn rich_spec() -> DebateSpec {
    DebateSpec { turn_mode: TurnMode::Random, ..full_spec() }
}

/// A long debate in which one turn follows the other. What is asked at once stands in the log in the order of its
/// arrival, which deaths and faults change.
pub fn sequential_spec() -> DebateSpec {
    DebateSpec { phases: no_statements(), ballots: Ballots::None, judge: spec().judge, ..rich_spec() }
}

/// A debate in which all speak at once, and vote.
pub fn simultaneous_spec() -> DebateSpec {
    DebateSpec {
        max_rounds: 2,
        visibility: Visibility::Simultaneous,
        consensus_strategy: ConsensusStrategy::Vote,
        judge: None,
        voting: Some(voting(VoteRule::Plurality)),
        ..spec()
    }
}

pub fn admission(id: &str, spec: DebateSpec) -> Admission {
    Admission { rehearsal: true, ..agon_core::testing::admission(id, spec) }
}

pub fn debate(id: &str) -> DebateId {
    DebateId::parse(id).unwrap()
}

/// Ports that outlive a node.
#[derive(Clone)]
pub struct TestBench {
    pub bus: Arc<dyn Bus>,
    pub journal: Arc<dyn Journal>,
    pub registers: Arc<dyn Registers>,
    pub jobs: Arc<dyn Jobs>,
    pub commands: Arc<dyn Commands>,
    pub catalogue: Arc<dyn Catalogue>,
    pub upkeep: Option<Arc<dyn Upkeep>>,
    pub clock: Arc<dyn Clock>,
}

impl TestBench {
    pub fn new() -> Self {
        let clock = Arc::new(TokioClock::starting_at(START));
        Self::on(Arc::new(MemoryStore::new()), clock)
    }
    /// Everything in one store, and a bus of its own.
    pub fn on<S>(store: Arc<S>, clock: Arc<dyn Clock>) -> Self
    where
        S: Journal + Registers + Jobs + Commands + Catalogue + Upkeep + 'static,
    {
        Self {
            bus: Arc::new(MemoryBus::new()),
            journal: store.clone(),
            registers: store.clone(),
            jobs: store.clone(),
            commands: store.clone(),
            catalogue: store.clone(),
            upkeep: Some(store),
            clock,
        }
    }
    /// Starts a node whose hosts are these.
    pub async fn node(&self, id: &str, hosts: Vec<agon_runtime::HostConfig>) -> Node {
        self.node_with(NodeConfig::embedded(id.into()), hosts).await
    }
    /// Starts a node among others.
    pub async fn peer(&self, id: &str, hosts: Vec<agon_runtime::HostConfig>) -> Node {
        self.node_with(NodeConfig::clustered(id.into()), hosts).await
    }
    /// Starts a node that only plays turns.
    pub async fn player(&self, id: &str, hosts: Vec<agon_runtime::HostConfig>) -> Node {
        let TestBench { bus, .. } = wire(self, &Arc::new(OfHosts), Mutation::None);
        let config = NodeConfig { max_debates: 0, ..NodeConfig::clustered(id.into()) };
        Self { bus, ..self.clone() }.node_with(config, hosts).await
    }
    pub async fn node_with(&self, config: NodeConfig, hosts: Vec<agon_runtime::HostConfig>) -> Node {
        self.watched_node(config, hosts, Arc::new(Silent)).await
    }
    pub async fn watched_node(
        &self,
        config: NodeConfig,
        hosts: Vec<agon_runtime::HostConfig>,
        observer: Arc<dyn Observer>,
    ) -> Node {
        let Self { bus, journal, registers, jobs, commands, catalogue, upkeep, clock } = self.clone();
        let ports = Ports { bus, journal, registers, jobs, commands, catalogue, upkeep, hosts, clock, observer };
        Node::start(config, ports).await.unwrap()
    }
    pub async fn log(&self, id: &str) -> Vec<Arc<Record>> {
        self.journal.read(&debate(id), Position(0)).await.unwrap()
    }
    /// What the log says, without who wrote it and when.
    pub async fn story(&self, id: &str) -> Vec<String> {
        story(&self.log(id).await)
    }
}

pub fn events(log: &[Arc<Record>]) -> impl Iterator<Item = &Event> {
    log.iter().flat_map(|record| &record.events)
}

pub fn failures(log: &[Arc<Record>]) -> Vec<Failure> {
    let failed = events(log).filter_map(|event| match event {
        Event::TurnFailed { failure, .. } => Some(failure.clone()),
        _ => None,
    });
    failed.collect()
}

pub fn causes(log: &[Arc<Record>]) -> Vec<FailureCause> {
    failures(log).iter().map(|failure| failure.cause).collect()
}

/// The events without claims, times, hosts and figures that depend on them.
pub fn story(records: &[Arc<Record>]) -> Vec<String> {
    let events = records.iter().flat_map(|record| record.events.clone());
    let told = events.filter(|event| !matches!(event, Event::Claimed { .. }));
    told.map(|event| format!("{:?}", without_times(event))).collect()
}

fn without_times(event: Event) -> Event {
    let mut event = event;
    match &mut event {
        Event::TurnAsked(ask) => {
            ask.deadline = Timestamp(0);
            // claims in between move the positions, not what is seen
            ask.sees = Position(0);
        }
        Event::TurnFailed { call, retry_at, .. } => {
            call.timing = Timing::default();
            *retry_at = None;
        }
        Event::Answered(answered) => answered.call.timing = Timing::default(),
        _ => {}
    }
    event
}

/// A node, and the server of its only host, which takes so long for an answer.
pub async fn scene(node: &str, delay: Duration, permits: usize) -> (TestBench, Cast, Node) {
    let (stage, cast) = (TestBench::new(), Cast::new(delay));
    let node = stage.node(node, vec![cast.host("gpu1", permits)]).await;
    (stage, cast, node)
}

/// The story of an undisturbed run.
pub async fn undisturbed(id: &str, spec: DebateSpec) -> Vec<String> {
    let (stage, cast, node) = scene("calm", Duration::from_millis(500), 2).await;
    node.submit(admission(id, spec)).await.unwrap();
    node.finished(&debate(id)).await.unwrap();
    let story = stage.story(id).await;
    assert_eq!(cast.aborted(), 0, "nothing is asked in vain");
    assert!(node.stop().await);
    story
}

/// Folds a log and checks what must hold of it.
pub fn check(records: &[Arc<Record>]) {
    let mut next = Position(1);
    let mut epoch = 0;
    for record in records {
        assert_eq!(record.first, next, "the log is dense");
        assert!(record.epoch >= epoch, "epochs never fall");
        (next, epoch) = (record.last().next(), record.epoch);
    }
    let debate = Debate::fold(records.iter().map(Arc::as_ref)).unwrap();
    debate.check().unwrap();
}

/// Asserts that two stories are the same, and shows the first event in which they differ.
pub fn assert_same(told: &[String], wanted: &[String], after: &str) {
    let differs = told.iter().zip(wanted).position(|(told, wanted)| told != wanted);
    let at = differs.unwrap_or(told.len().min(wanted.len()));
    assert!(told == wanted, "{after}: event {at} differs\n told {:#?}\n not  {:#?}", told.get(at), wanted.get(at));
}
