//! Evals that coordinators drive: whoever dies, drains or is full, each is driven by one, and cancelled ones end.
use crate::cast::Cast;
use crate::test_bench::*;
use agon_core::{DebateId, DebateState, Event, TenantId, Timestamp};
use agon_eval::*;
use agon_runtime::{EvalKeeper, EvalKeeperConfig, Node, OpenEval, RoomLimits, admit_eval, read_eval};
use agon_store::{Catalogue as _, EvalHead, EvalLogs as _, MemoryStore};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const ACQUAINTED: Duration = Duration::from_secs(10);
const PANEL: &str = "topic: anything\nmode: deliberative\npersona_count: 2\nmax_rounds: 1\n";

fn eval_id(name: &str) -> DebateId {
    DebateId::parse(name).unwrap()
}

fn wanted(id: &DebateId, questions: u32) -> EvalAdmission {
    let question = |n: u32| Question {
        id: format!("q{n}"),
        text: format!("Which is number {n}?"),
        options: ["Rome", "Paris", "Bonn"].map(str::to_owned).into(),
        context: None,
        gold: Gold::Choice { right: vec![1] },
        category: None,
        group: None,
    };
    let template = DebateTemplate {
        file: "panel.yaml".to_owned(),
        text: PANEL.to_owned(),
        syntax: "yaml".to_owned(),
        set: BTreeMap::new(),
    };
    let debate = DebateArm { name: ArmName("panel".to_owned()), template, isolated: false };
    let usual = EvalSpec::usual((0..questions).map(question).collect(), vec![debate]);
    let spec = EvalSpec { max_samples: 4, seed: 7, ..usual };
    let models = RoleModels { model: Some("m".to_owned()), ..RoleModels::default() };
    let specs = TemplateSpecs::new(&spec, &models).unwrap();
    EvalAdmission {
        id: id.to_string(),
        format: 1,
        agon_version: "0".to_owned(),
        pools: specs.pools(&spec).unwrap(),
        judge_calls: specs.judge_calls().unwrap(),
        prices: BTreeMap::new(),
        models,
        rehearsal: true,
        digests: BTreeMap::from([("m".to_owned(), "digest".to_owned())]),
        fresh: false,
        spec,
    }
}

/// What a cell came to.
type ToldEval = (Cell, String, CellEnding, Option<String>, u32);

struct KeptBench {
    stage: TestBench,
    store: Arc<MemoryStore>,
    cast: Cast,
}

impl KeptBench {
    fn new(delay: Duration) -> Self {
        let store = Arc::new(MemoryStore::new());
        let clock = Arc::new(agon_runtime::TokioClock::starting_at(Timestamp(1_800_000_000_000)));
        Self { stage: TestBench::on(store.clone(), clock), store, cast: Cast::new(delay) }
    }
    fn config(&self) -> EvalKeeperConfig {
        EvalKeeperConfig {
            logs: self.store.clone(),
            upkeep: self.store.clone(),
            evals: NonZeroUsize::new(4).unwrap(),
            concurrency: NonZeroUsize::new(6).unwrap(),
            limits: RoomLimits { queued: 1_000, tenant_unfinished: None, age: SECOND },
            retry: Default::default(),
        }
    }
    async fn alone(&self, config: EvalKeeperConfig) -> (Arc<Node>, EvalKeeper) {
        let node = Arc::new(self.stage.node("n1", vec![self.cast.host("gpu1", 64)]).await);
        (node.clone(), EvalKeeper::start(node, config))
    }
    async fn peer(&self, name: &str) -> (Arc<Node>, EvalKeeper) {
        let node = Arc::new(self.stage.peer(name, vec![]).await);
        (node.clone(), EvalKeeper::start(node, self.config()))
    }
    async fn admit(&self, id: &DebateId, questions: u32) {
        admit_eval(&*self.store, id, wanted(id, questions), self.stage.clock.now()).await.unwrap();
    }
    async fn head(&self, id: &DebateId) -> EvalHead {
        self.store.eval_head(id).await.unwrap().unwrap()
    }
    async fn card(&self, id: &DebateId) -> EvalCard {
        serde_json::from_slice(&self.head(id).await.card).unwrap()
    }
    async fn read(&self, id: &DebateId) -> OpenEval {
        read_eval(&*self.store, id).await.unwrap()
    }
    async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        let waited = tokio::time::timeout(3_600 * SECOND, async {
            while !holds().await {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
        assert!(waited.await.is_ok(), "{what}");
    }
    async fn ended(&self, id: &DebateId) -> OpenEval {
        self.until("the eval ends", async || self.head(id).await.ended).await;
        self.read(id).await
    }
    /// What stays the same whoever drives an eval: the answers of each cell and what they cost.
    async fn outcome(&self, id: &DebateId) -> Vec<ToldEval> {
        let eval = self.ended(id).await;
        let told = |closed: &CellClosed| {
            let facts = &closed.facts;
            (closed.cell.clone(), closed.debate.clone(), facts.ending.clone(), facts.answer.clone(), facts.cost.calls)
        };
        eval.machine.closed().map(told).collect()
    }
}

/// The same eval, held without any trouble, and how many calls that took.
async fn undisturbed(questions: u32) -> (Vec<ToldEval>, usize) {
    let bench = KeptBench::new(SECOND);
    let (_node, keeper) = bench.alone(bench.config()).await;
    let id = eval_id("eval-1");
    bench.admit(&id, questions).await;
    let outcome = bench.outcome(&id).await;
    assert!(!outcome.is_empty() && !outcome.iter().any(|told| matches!(told.2, CellEnding::Failed { .. })));
    assert!(keeper.stop().await);
    (outcome, bench.cast.calls())
}

#[tokio::test(start_paused = true)]
async fn an_eval_of_a_tenant_is_held_to_its_end_by_debates_of_the_tenant() {
    let bench = KeptBench::new(SECOND);
    let (node, keeper) = bench.alone(bench.config()).await;
    let id = DebateId::in_tenant(&TenantId::parse("acme").unwrap(), "eval-1").unwrap();
    bench.admit(&id, 12).await;
    node.eval_changed(&id).await;
    let eval = bench.ended(&id).await;
    assert_eq!((eval.machine.ended(), eval.machine.epoch()), (Some("complete"), 1));
    let closed: Vec<&CellClosed> = eval.machine.closed().collect();
    assert!(closed.len() >= 24 && closed.iter().all(|closed| !closed.reused), "{}", closed.len());
    for closed in closed {
        let log = bench.stage.log(&format!("acme/{}", closed.debate)).await;
        check(&log);
        let Some(Event::DebateAdmitted(admission)) = log[0].events.first() else { panic!("{log:?}") };
        assert_eq!(admission.labels["eval"], "acme/eval-1");
    }
    assert!(keeper.stop().await && node.stop().await);
}

#[tokio::test(start_paused = true)]
async fn another_node_goes_on_with_the_evals_of_a_dead_one_and_nothing_is_held_twice() {
    let (outcome, calls) = undisturbed(30).await;
    let bench = KeptBench::new(SECOND);
    let player = bench.stage.player("h1", vec![bench.cast.host("gpu1", 64)]).await;
    let mut peers = BTreeMap::from([("n1".to_owned(), bench.peer("n1").await)]);
    peers.insert("n2".to_owned(), bench.peer("n2").await);
    tokio::time::sleep(ACQUAINTED).await;
    let id = eval_id("eval-1");
    bench.admit(&id, 30).await;
    bench.until("it has begun", async || bench.card(&id).await.cells_over >= 10).await;

    let (node, keeper) = peers.remove(&bench.card(&id).await.driver.unwrap()).unwrap();
    // the other one hears no more of it, and nothing is written down
    node.stop().await;
    keeper.stop().await;
    let death = bench.stage.clock.now();
    let heir = peers.keys().next().unwrap().clone();
    bench.until("it is taken over", async || bench.card(&id).await.driver.as_ref() == Some(&heir)).await;
    assert!(bench.stage.clock.now().since(death) <= 10_000);

    assert_eq!(bench.outcome(&id).await, outcome);
    assert_eq!((bench.cast.calls(), bench.read(&id).await.machine.epoch()), (calls, 2));
    assert!(player.stop().await);
}

#[tokio::test(start_paused = true)]
async fn an_eval_stays_with_a_node_that_lives_and_leaves_one_that_drains() {
    let bench = KeptBench::new(4 * SECOND);
    let _player = bench.stage.player("h1", vec![bench.cast.host("gpu1", 64)]).await;
    let (first, keeper) = bench.peer("n1").await;
    tokio::time::sleep(ACQUAINTED).await;
    let id = eval_id("eval-1");
    bench.admit(&id, 60).await;
    bench.until("it has begun", async || bench.card(&id).await.cells_over > 0).await;
    let _second = bench.peer("n2").await;
    tokio::time::sleep(3 * ACQUAINTED).await;
    assert_eq!(bench.card(&id).await.driver.as_deref(), Some("n1"));

    let begin = bench.stage.clock.now();
    assert!(keeper.stop().await && first.drain().await);
    bench.until("it is taken over", async || bench.card(&id).await.driver.as_deref() == Some("n2")).await;
    assert!(bench.stage.clock.now().since(begin) <= 10_000);
    assert_eq!(bench.outcome(&id).await, undisturbed(60).await.0);
}

#[tokio::test(start_paused = true)]
async fn an_eval_that_somebody_cancels_or_deletes_is_left_and_its_debates_end() {
    for deletes in [false, true] {
        let bench = KeptBench::new(60 * SECOND);
        let (node, keeper) = bench.alone(bench.config()).await;
        let id = eval_id("eval-1");
        bench.admit(&id, 12).await;
        bench.until("debates run", async || bench.cast.running() > 0).await;
        let cells = bench.read(&id).await.machine.outstanding();
        if deletes {
            assert!(bench.store.delete_eval(&id).await.unwrap());
        } else {
            let mut eval = bench.read(&id).await;
            let cancel = EvalInput::Cancel { detail: None };
            eval.decide(&*bench.store, cancel, bench.stage.clock.now()).await.unwrap();
        }
        node.eval_changed(&id).await;
        assert!(!cells.is_empty());
        for effect in cells {
            let EvalEffect::Hold { debate, .. } = effect else { continue };
            // admitted, or never: nothing is held that nobody wants
            let Ok(ended) = node.finished(&eval_id(&debate)).await else { continue };
            assert_eq!(ended.0, DebateState::Cancelled, "{debate}");
        }
        tokio::time::sleep(10 * SECOND).await;
        assert_eq!(bench.store.unfinished().await.unwrap(), []);
        assert_eq!(bench.store.eval_head(&id).await.unwrap().map(|head| head.ended), (!deletes).then_some(true));
        assert!(keeper.stop().await && node.stop().await);
    }
}

#[tokio::test(start_paused = true)]
async fn cells_wait_where_a_tenant_has_no_room_for_further_debates() {
    let bench = KeptBench::new(SECOND);
    let limits = RoomLimits { queued: 1_000, tenant_unfinished: Some(2), age: Duration::ZERO };
    let (_node, keeper) = bench.alone(EvalKeeperConfig { limits, ..bench.config() }).await;
    let id = eval_id("eval-1");
    bench.admit(&id, 12).await;
    bench
        .until("the eval ends", async || {
            assert!(bench.store.unfinished().await.unwrap().len() <= 2);
            bench.head(&id).await.ended
        })
        .await;
    assert_eq!(bench.outcome(&id).await, undisturbed(12).await.0);
    assert!(keeper.stop().await);
}

#[tokio::test(start_paused = true)]
async fn a_node_drives_as_many_evals_as_it_may_and_then_the_next() {
    let bench = KeptBench::new(SECOND);
    let (_node, keeper) = bench.alone(EvalKeeperConfig { evals: NonZeroUsize::MIN, ..bench.config() }).await;
    let ids = ["eval-1", "eval-2"].map(eval_id);
    for id in &ids {
        bench.admit(id, 12).await;
    }
    bench
        .until("both end", async || {
            let (one, other) = (bench.card(&ids[0]).await, bench.card(&ids[1]).await);
            assert!(one.driver.is_none() || other.driver.is_none());
            one.state.is_some() && other.state.is_some()
        })
        .await;
    // the second eval's debates are the first one's
    let eval = bench.read(&ids[1]).await;
    let reused = eval.machine.closed().filter(|closed| closed.reused).count();
    assert_eq!(reused, eval.machine.closed().count());
    assert!(keeper.stop().await);
}
