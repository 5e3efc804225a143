//! What a debate costs while it waits for a model, and that nothing is missed because so little is asked meanwhile.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use crate::wired::{Mutation, PortUse, Valve, wire};
use agon_bus::{BusError, Payload, Request, Server};
use agon_core::*;
use agon_proto::{OfferReply, Wire};
use agon_runtime::{Node, NodeConfig};
use agon_store::StoreError;
use async_trait::async_trait;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const ID: &str = "a-debate";
/// What a debate that waits may cost: messages a second.
const GOAL: f64 = 0.03;

/// Counts what would be messages to and from a server, and loses hints.
#[derive(Default)]
struct CountedLine {
    messages: AtomicU64,
    loses_hints: AtomicBool,
    /// Its hosts do not know how to say which turns they have.
    old_hosts: bool,
}

impl CountedLine {
    fn count(&self, what: PortUse) {
        let messages = match what {
            // to the server, to whoever serves, and the same way back
            PortUse::Effect("offer") => 4,
            // to the server, and to its listener; or a request to the server and its answer
            PortUse::Effect(_) | PortUse::Read | PortUse::ReadLog | PortUse::Look => 2,
        };
        self.messages.fetch_add(messages, Ordering::Relaxed);
    }
    fn counted(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }
}

impl Valve for CountedLine {
    async fn store<T: Send, E: From<StoreError> + Send>(
        &self,
        what: PortUse,
        run: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        self.count(what);
        run.await
    }
    async fn bus<T: Send>(
        &self,
        what: PortUse,
        run: impl Future<Output = Result<T, BusError>> + Send,
    ) -> Result<T, BusError> {
        self.count(what);
        if what == PortUse::Effect("hint") && self.loses_hints.load(Ordering::Relaxed) {
            return Err(BusError::Failed("lost".to_owned()));
        }
        run.await
    }
    fn server(self: &Arc<Self>, server: Box<dyn Server>) -> Box<dyn Server> {
        if self.old_hosts { Box::new(OldHost(server)) } else { server }
    }
}

/// Answers a question that it does not know.
struct OldHost(Box<dyn Server>);
#[async_trait]
impl Server for OldHost {
    async fn next(&mut self) -> Option<Request> {
        loop {
            let Request { message, reply } = self.0.next().await?;
            if !message.subject.ends_with(".check") {
                return Some(Request { message, reply });
            }
            let refusal = OfferReply { accepted: false, host: "gpu1".into(), reason: Some("not asked".to_owned()) };
            reply(Payload::from(refusal.to_bytes()));
        }
    }
}

/// The parts of a stage that cost messages, behind a line. The catalogue is in each process's memory.
fn over(stage: &TestBench, line: &Arc<CountedLine>) -> TestBench {
    let TestBench { bus, registers, jobs, journal, .. } = wire(stage, line, Mutation::None);
    TestBench { bus, registers, jobs, journal, ..stage.clone() }
}

/// A node that coordinates, and one whose host plays the turns.
async fn pair(stage: &TestBench, cast: &Cast, permits: usize) -> (Node, Node) {
    let hosting = NodeConfig { max_debates: 0, ..NodeConfig::clustered("h1".into()) };
    let player = stage.node_with(hosting, vec![cast.host("gpu1", permits)]).await;
    let owner = stage.peer("n1", vec![]).await;
    tokio::time::sleep(10 * SECOND).await;
    (owner, player)
}

/// Turns that may take a day, or so many seconds.
fn patient(id: &str, seconds: Option<u64>) -> Admission {
    let budget = Budget { seconds, ..Budget::default() };
    let mut admission = admission(id, DebateSpec { timeout_per_turn_ms: 86_400_000, budget, ..spec() });
    admission.retry.wait_limit_ms = 86_400_000;
    admission
}

/// Messages a second of a debate that waits for a turn, one of many, beyond what the cluster sends without debates.
async fn cost_of_waiting(seconds: Option<u64>) -> f64 {
    const DEBATES: usize = 200;
    const WATCHED: u64 = 600;
    let line = Arc::new(CountedLine::default());
    let stage = over(&TestBench::new(), &line);
    let cast = Cast::new(SECOND / 10);
    cast.cue(std::iter::repeat_n(Cue::Hang, 1_000));
    let (owner, _player) = pair(&stage, &cast, 4).await;
    let before = line.counted();
    tokio::time::sleep(Duration::from_secs(WATCHED)).await;
    let idle = line.counted() - before;
    for n in 0..DEBATES {
        owner.submit(patient(&format!("debate-{n}"), seconds)).await.unwrap();
    }
    tokio::time::sleep(120 * SECOND).await;
    let queued = stage.bus.queued_subjects().await.unwrap().len();
    assert!(if seconds.is_some() { queued == 0 } else { queued > DEBATES * 9 / 10 }, "{queued} are queued");

    let before = line.counted();
    tokio::time::sleep(Duration::from_secs(WATCHED)).await;

    assert_eq!((owner.stats().active_debates, cast.calls()), (DEBATES, 4), "they wait");
    (line.counted() - before).saturating_sub(idle) as f64 / WATCHED as f64 / DEBATES as f64
}

#[tokio::test(start_paused = true)]
async fn debates_whose_first_turns_wait_in_a_queue_cost_next_to_no_messages() {
    let cost = cost_of_waiting(None).await;
    assert!(cost > 0.0 && cost <= GOAL, "{cost} messages a second and debate");
}

#[tokio::test(start_paused = true)]
async fn debates_whose_turns_wait_at_a_host_cost_next_to_no_messages() {
    let cost = cost_of_waiting(Some(3_000)).await;
    assert!(cost > 0.0 && cost <= GOAL, "{cost} messages a second and debate");
}

/// How long a debate of three turns of a second takes that loses all hints.
async fn without_hints(old_hosts: bool) -> u64 {
    let line = Arc::new(CountedLine { old_hosts, ..CountedLine::default() });
    let stage = over(&TestBench::new(), &line);
    let cast = Cast::new(SECOND);
    let (owner, _player) = pair(&stage, &cast, 4).await;
    let before = stage.clock.now();
    owner.submit(admission(ID, spec())).await.unwrap();
    // the host is known, and is not to be considered dead
    line.loses_hints.store(true, Ordering::Relaxed);

    let ended = tokio::time::timeout(60 * SECOND, owner.finished(&debate(ID))).await;

    assert_eq!(ended.unwrap().unwrap().0, DebateState::Succeeded);
    assert_eq!(cast.calls(), 3, "nothing is doubled");
    check(&stage.log(ID).await);
    stage.clock.now().since(before)
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_found_soon_although_its_hint_was_lost() {
    let took = without_hints(false).await;
    assert!(took <= 12_000, "{took} ms");
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_a_host_of_an_earlier_version_is_found_as_soon() {
    let took = without_hints(true).await;
    assert!(took <= 12_000, "{took} ms");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_its_host_has_lost_is_asked_again_and_one_that_it_has_is_not() {
    let stage = TestBench::new();
    let cast = Cast::new(60 * SECOND);
    let (owner, player) = pair(&stage, &cast, 4).await;
    owner.submit(patient(ID, None)).await.unwrap();
    tokio::time::sleep(30 * SECOND).await;
    assert_eq!(cast.calls(), 1);

    player.strike(agon_runtime::Victim::Host("gpu1".into()), agon_runtime::Death::Kill);
    tokio::time::sleep(15 * SECOND).await;

    assert_eq!(cast.calls(), 2, "its actor knows nothing of the turn any more");
    let ended = tokio::time::timeout(600 * SECOND, owner.finished(&debate(ID))).await;
    assert_eq!(ended.unwrap().unwrap().0, DebateState::Succeeded);
    assert_eq!(cast.calls(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_its_queue_has_lost_is_offered_again() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let owner = stage.peer("n1", vec![]).await;
    owner.submit(patient(ID, None)).await.unwrap();
    tokio::time::sleep(60 * SECOND).await;
    let queued: Vec<String> = stage.bus.queued_subjects().await.unwrap().into_iter().collect();
    assert_eq!(queued.len(), 1, "{queued:?}");
    stage.bus.try_pull(&queued[0], SECOND).await.unwrap().unwrap().ack().await.unwrap();
    assert_eq!(stage.bus.queued_subjects().await.unwrap().len(), 0);

    tokio::time::sleep(45 * SECOND).await;

    assert_eq!(stage.bus.queued_subjects().await.unwrap().len(), 1);
    let _player = stage.player("h1", vec![cast.host("gpu1", 1)]).await;
    let ended = tokio::time::timeout(60 * SECOND, owner.finished(&debate(ID))).await;
    assert_eq!(ended.unwrap().unwrap().0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn debates_of_a_dead_node_for_which_nobody_had_room_do_not_wait_for_the_leases_of_their_jobs() {
    let stage = TestBench::new();
    let cast = Cast::new(20 * SECOND);
    let (dying, player) = pair(&stage, &cast, 8).await;
    for n in 0..4 {
        player.submit(admission(&format!("debate-{n}"), spec())).await.unwrap();
    }
    // long enough for the long leases
    tokio::time::sleep(15 * SECOND).await;
    assert_eq!(dying.stats().active_debates, 4);
    let small = NodeConfig { max_debates: 2, ..NodeConfig::clustered("n2".into()) };
    let heir = stage.node_with(small, vec![]).await;
    tokio::time::sleep(10 * SECOND).await;

    dying.stop().await;
    let death = stage.clock.now();
    for n in 0..4 {
        let ended = tokio::time::timeout(600 * SECOND, heir.finished(&debate(&format!("debate-{n}")))).await;
        assert_eq!(ended.unwrap().unwrap().0, DebateState::Succeeded);
    }

    assert!(stage.clock.now().since(death) < 240_000, "{} ms", stage.clock.now().since(death));
}

/// The turns of a debate whose registers hold something.
async fn held(stage: &TestBench) -> Vec<TurnId> {
    let log = stage.log(ID).await;
    let asked = events(&log).filter_map(|event| if let Event::TurnAsked(ask) = event { Some(ask.turn) } else { None });
    let mut held = Vec::new();
    for turn in asked {
        held.extend(stage.registers.get(&debate(ID), turn).await.unwrap().map(|_| turn));
    }
    held
}

#[tokio::test(start_paused = true)]
async fn registers_go_a_minute_after_the_end_and_a_debate_that_is_found_to_be_over_stays_so() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let (owner, _player) = pair(&stage, &cast, 4).await;
    owner.submit(admission(ID, spec())).await.unwrap();
    owner.finished(&debate(ID)).await.unwrap();
    let log = stage.log(ID).await;
    tokio::time::sleep(50 * SECOND).await;
    assert_eq!(held(&stage).await.len(), 3, "hosts may still look there");

    tokio::time::sleep(40 * SECOND).await;
    assert_eq!(held(&stage).await, []);
    // its job comes once more
    stage.jobs.enqueue(&debate(ID), Priority::Normal).await.unwrap();
    tokio::time::sleep(10 * SECOND).await;

    assert_eq!(stage.jobs.take("anybody", SECOND).await.unwrap(), None);
    assert_eq!((owner.stats().active_debates, cast.calls()), (0, 3));
    assert_eq!(stage.log(ID).await, log);
}

#[tokio::test(start_paused = true)]
async fn registers_stay_while_a_turn_of_the_debate_lies_in_a_queue_and_nobody_plays_it() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let owner = stage.peer("n1", vec![]).await;
    owner.submit(patient(ID, None)).await.unwrap();
    tokio::time::sleep(5 * SECOND).await;
    owner.cancel(&debate(ID), "enough", None).await.unwrap();
    assert_eq!(owner.finished(&debate(ID)).await.unwrap().0, DebateState::Cancelled);
    tokio::time::sleep(600 * SECOND).await;
    assert_eq!((held(&stage).await.len(), stage.bus.queued_subjects().await.unwrap().len()), (1, 1));

    let _player = stage.player("h1", vec![cast.host("gpu1", 1)]).await;
    tokio::time::sleep(120 * SECOND).await;

    assert_eq!((held(&stage).await.len(), stage.bus.queued_subjects().await.unwrap().len()), (0, 0));
    assert_eq!(cast.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_may_not_removes_no_registers() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let _player = stage.player("h1", vec![cast.host("gpu1", 1)]).await;
    let config = NodeConfig { purges_registers: false, ..NodeConfig::clustered("n1".into()) };
    let owner = stage.node_with(config, vec![]).await;
    owner.submit(admission(ID, spec())).await.unwrap();
    owner.finished(&debate(ID)).await.unwrap();

    tokio::time::sleep(600 * SECOND).await;

    assert_eq!(held(&stage).await.len(), 3);
}
