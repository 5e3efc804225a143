//! Drivers of evals, over debates that are made up.
use agon_core::testing::{admission, spec};
use agon_core::{Debate, DebateId, DebateSpec, Position, Record, Timestamp};
use agon_eval::*;
use agon_runtime::{
    CellHolder, DriverConfig, DriverState, EvalDriver, HeldCell, HoldError, TokioClock, admit_eval, read_eval,
};
use agon_store::{EvalLogs, MemoryStore};
use agon_telemetry::{EvalCellEnd, Observer};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const START: Timestamp = Timestamp(1_800_000_000_000);

/// Holds debates by waiting; what has ended is found again.
#[derive(Default)]
struct Holder {
    /// Debates that ended, with the labels they were held under.
    ended: Mutex<BTreeMap<String, Vec<Record>>>,
    /// How often each debate was held to its end.
    held: Mutex<BTreeMap<String, u32>>,
    at_once: Mutex<(usize, usize)>,
    /// So many debates end before one is halted.
    halts_after: Mutex<Option<usize>>,
    /// So many debates end before no other one does.
    hangs_after: Mutex<Option<usize>>,
    cancelled: Mutex<Vec<String>>,
}

#[async_trait]
impl CellHolder for Holder {
    async fn hold(&self, order: &CellOrder) -> Result<HeldCell, HoldError> {
        let id = order.debate.id.clone();
        let found = self.ended.lock().unwrap().get(&id).cloned();
        if let Some(records) = found {
            return Ok(HeldCell { records, head: "head".to_owned() });
        }
        {
            let mut at_once = self.at_once.lock().unwrap();
            at_once.0 += 1;
            at_once.1 = at_once.1.max(at_once.0);
        }
        tokio::time::sleep(Duration::from_millis(100 + order.debate.seed % 400)).await;
        self.at_once.lock().unwrap().0 -= 1;
        if let Some(left) = self.halts_after.lock().unwrap().as_mut() {
            if *left == 0 {
                return Err(HoldError::Halted { debate: id, why: "no server".to_owned() });
            }
            *left -= 1;
        }
        let hangs = self.hangs_after.lock().unwrap().as_mut().is_some_and(|left| {
            let none = *left == 0;
            *left = left.saturating_sub(1);
            none
        });
        if hangs {
            std::future::pending::<()>().await;
        }
        let admission = agon_core::Admission {
            labels: order.labels.clone(),
            spec: order.spec.clone(),
            ..admission(&id, order.spec.clone())
        };
        let events = vec![Debate::admit(admission)];
        let records = vec![Record { first: Position(1), at: START, epoch: 0, nonce: 1, events }];
        *self.held.lock().unwrap().entry(id.clone()).or_default() += 1;
        self.ended.lock().unwrap().insert(id, records.clone());
        Ok(HeldCell { records, head: "head".to_owned() })
    }

    async fn cancel(&self, debate: &str, _: &str) {
        self.cancelled.lock().unwrap().push(debate.to_owned());
    }
}

/// Debates whose topic says which cell they are.
struct Specs;

impl CellSpecs for Specs {
    fn spec(&self, cell: &Cell) -> Result<DebateSpec, String> {
        let work = cell_arm(&cell.work);
        Ok(DebateSpec { topic: format!("question {} {work} {}", cell.question, first_sample(&cell.work)), ..spec() })
    }
}

/// What the debate of a cell comes to, by its topic.
fn facts(records: &[Record]) -> Facts {
    let debate = Debate::fold(records).unwrap();
    let cost = |prompt| CellCost { calls: 1, prompt, generated: 10, ..CellCost::default() };
    let sample =
        |number| SampleFact { number, model: None, answer: Some("1".to_owned()), confidence: None, cost: cost(90) };
    let is_poll = debate.admission().spec.topic.contains("samples");
    let samples: Vec<SampleFact> = if is_poll { (0..4).map(sample).collect() } else { Vec::new() };
    let cost = if is_poll { cost(390) } else { cost(790) };
    Facts { ending: CellEnding::Answered, samples, cost, ..Facts::default() }
}

fn eval(id: &str, questions: u32) -> EvalAdmission {
    let question = |n: u32| Question {
        id: format!("q{n}"),
        text: format!("What is {n}?"),
        options: Vec::new(),
        context: None,
        gold: Gold::Number { answers: vec![f64::from(n)], tolerance: Tolerance::Exact },
        category: None,
        group: None,
    };
    let arm = ArmName("panel".to_owned());
    let template = DebateTemplate {
        file: "panel.yaml".to_owned(),
        text: String::new(),
        syntax: "yaml".to_owned(),
        set: BTreeMap::new(),
    };
    let debate = DebateArm { name: arm.clone(), template, isolated: false };
    let questions = (0..questions).map(question).collect();
    let spec = EvalSpec { max_samples: 16, seed: 7, ..EvalSpec::usual(questions, vec![debate]) };
    let models: Vec<String> = agon_core::testing::spec().voices().map(|voice| voice.model.to_string()).collect();
    EvalAdmission {
        id: id.to_owned(),
        format: 1,
        agon_version: "0".to_owned(),
        spec,
        pools: vec![Pool {
            of: PoolOf::Debaters,
            arms: vec![arm],
            models: models.clone(),
            first: agon_eval::FIRST_SAMPLES,
        }],
        judge_calls: BTreeMap::new(),
        prices: BTreeMap::new(),
        models: RoleModels::default(),
        rehearsal: true,
        digests: models.into_iter().map(|model| (model, "digest".to_owned())).collect(),
        fresh: false,
    }
}

fn id(text: &str) -> DebateId {
    DebateId::parse(text).unwrap()
}

struct EvalBench {
    store: Arc<MemoryStore>,
    holder: Arc<Holder>,
    clock: TokioClock,
    watcher: Arc<EvalWatcher>,
}

/// What a driver told.
#[derive(Default)]
struct EvalWatcher {
    cells: Mutex<Vec<EvalCellEnd>>,
    ends: Mutex<Vec<String>>,
}

impl Observer for EvalWatcher {
    fn eval_cell_closed(&self, end: EvalCellEnd) {
        self.cells.lock().unwrap().push(end);
    }
    fn eval_ended(&self, state: &str) {
        self.ends.lock().unwrap().push(state.to_owned());
    }
}

impl EvalBench {
    fn new() -> Self {
        let clock = TokioClock::starting_at(START);
        Self { store: Arc::default(), holder: Arc::default(), clock, watcher: Arc::default() }
    }
    fn config(&self) -> DriverConfig {
        DriverConfig {
            writer: "test".to_owned(),
            concurrency: NonZeroUsize::new(5).unwrap(),
            peek: false,
            logs: self.store.clone(),
            holder: self.holder.clone(),
            specs: Arc::new(Specs),
            facts,
            decided: |_| false,
            clock: Arc::new(self.clock),
            observer: self.watcher.clone(),
        }
    }
    async fn admit(&self, name: &str, questions: u32) {
        admit_eval(&*self.store, &id(name), eval(name, questions), START).await.unwrap();
    }
    async fn drive(&self, name: &str) -> EvalDriver {
        let eval = read_eval(&*self.store, &id(name)).await.unwrap();
        EvalDriver::start(self.config(), eval).await.unwrap()
    }
    fn held(&self) -> Vec<u32> {
        self.holder.held.lock().unwrap().values().copied().collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_driver_holds_every_cell_once_and_no_more_at_once_than_it_may() {
    let bench = EvalBench::new();
    bench.admit("eval-1", 23).await;
    let driver = bench.drive("eval-1").await;
    let last = driver.done().await;
    assert_eq!(last.state, DriverState::Ended);
    assert!(driver.stop().await);
    // per question a debate, the first samples, and those that its 800 tokens are worth
    assert_eq!(bench.held(), vec![1; 69]);
    assert_eq!(last.progress.cells_over, 69);
    assert_eq!(bench.holder.at_once.lock().unwrap().1, 5);
    let kept = read_eval(&*bench.store, &id("eval-1")).await.unwrap();
    assert_eq!(kept.machine.ended(), Some("complete"));
    assert_eq!(kept.machine.progress(), last.progress);
    let head = bench.store.eval_head(&id("eval-1")).await.unwrap().unwrap();
    let card: EvalCard = serde_json::from_slice(&head.card).unwrap();
    assert!(head.ended && card.questions_over == 23 && card.state.as_deref() == Some("complete"));
    let answered = EvalCellEnd { grades: false, state: "answered", reused: false };
    assert_eq!(*bench.watcher.cells.lock().unwrap(), vec![answered; 69]);
    assert_eq!(*bench.watcher.ends.lock().unwrap(), ["complete"]);
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_is_stopped_at_any_time_leaves_nothing_to_be_held_twice() {
    let bench = EvalBench::new();
    bench.admit("eval-1", 23).await;
    let mut drivers = 0;
    loop {
        let driver = bench.drive("eval-1").await;
        drivers += 1;
        tokio::select! {
            _ = driver.done() => break,
            () = tokio::time::sleep(Duration::from_millis(300 + 90 * drivers)) => {}
        }
        assert!(driver.stop().await);
    }
    assert!(drivers > 5, "{drivers}");
    assert_eq!(bench.held(), vec![1; 69]);
    let kept = read_eval(&*bench.store, &id("eval-1")).await.unwrap();
    assert_eq!((kept.machine.progress().cells_over, kept.machine.epoch()), (69, drivers));
}

#[tokio::test(start_paused = true)]
async fn the_same_cells_of_another_eval_are_found_and_cost_nothing() {
    let bench = EvalBench::new();
    for name in ["eval-1", "eval-2"] {
        bench.admit(name, 12).await;
        bench.drive(name).await.done().await;
    }
    assert_eq!(bench.held(), vec![1; 36]);
    let [first, second] = ["eval-1", "eval-2"].map(id);
    let first = read_eval(&*bench.store, &first).await.unwrap().machine.progress();
    let second = read_eval(&*bench.store, &second).await.unwrap().machine.progress();
    assert_eq!((first.reused, first.tokens > 0), (0, true));
    assert_eq!((second.reused, second.tokens), (36, 0));
}

#[tokio::test(start_paused = true)]
async fn cells_are_held_again_where_a_digest_is_unknown_or_all_is_wanted_afresh() {
    let bench = EvalBench::new();
    for (name, fresh) in [("eval-1", true), ("eval-2", false)] {
        let admission = EvalAdmission { fresh, digests: BTreeMap::new(), ..eval(name, 3) };
        admit_eval(&*bench.store, &id(name), admission, START).await.unwrap();
        bench.drive(name).await.done().await;
    }
    assert_eq!(bench.held(), vec![1; 18]);
}

#[tokio::test(start_paused = true)]
async fn a_second_driver_deposes_the_first() {
    let bench = EvalBench::new();
    bench.admit("eval-1", 12).await;
    let first = bench.drive("eval-1").await;
    first.updates().wait_for(|update| update.progress.cells_over >= 3).await.unwrap();
    let second = bench.drive("eval-1").await;
    let told = first.done().await;
    assert!(matches!(&told.state, DriverState::Failed(why) if why.contains("another process")), "{told:?}");
    assert_eq!(second.done().await.state, DriverState::Ended);
}

#[tokio::test(start_paused = true)]
async fn a_halted_debate_stops_the_driver_and_the_eval_can_be_resumed() {
    let bench = EvalBench::new();
    bench.admit("eval-1", 12).await;
    *bench.holder.halts_after.lock().unwrap() = Some(10);
    let told = bench.drive("eval-1").await.done().await;
    assert!(matches!(&told.state, DriverState::Failed(why) if why.contains("no server")), "{told:?}");
    *bench.holder.halts_after.lock().unwrap() = None;
    assert_eq!(bench.drive("eval-1").await.done().await.state, DriverState::Ended);
    assert_eq!(bench.held(), vec![1; 36]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_eval_withdraws_what_is_open() {
    let bench = EvalBench::new();
    bench.admit("eval-1", 12).await;
    let driver = bench.drive("eval-1").await;
    driver.updates().wait_for(|update| update.progress.cells_over >= 7).await.unwrap();
    driver.cancel(Some("enough".to_owned()));
    assert_eq!(driver.done().await.state, DriverState::Ended);
    assert!(driver.stop().await);
    assert!(!bench.holder.cancelled.lock().unwrap().is_empty());
    let kept = read_eval(&*bench.store, &id("eval-1")).await.unwrap();
    assert_eq!((kept.machine.stopped(), kept.machine.ended()), (Some("cancelled"), Some("cancelled")));
}

#[tokio::test(start_paused = true)]
async fn an_eval_whose_debates_never_end_is_over_when_its_time_is_and_withdraws_them() {
    let bench = EvalBench::new();
    let eval = eval("eval-1", 30);
    let spec = EvalSpec { limits: EvalLimits { seconds: Some(20.0), ..EvalLimits::default() }, ..eval.spec.clone() };
    let admission = EvalAdmission { spec, ..eval };
    admit_eval(&*bench.store, &id("eval-1"), admission, START).await.unwrap();
    *bench.holder.hangs_after.lock().unwrap() = Some(50);
    let driver = bench.drive("eval-1").await;
    let last = tokio::time::timeout(Duration::from_secs(21), driver.done()).await.unwrap();
    assert_eq!(last.state, DriverState::Ended);
    assert!(driver.stop().await);
    assert_eq!(bench.holder.cancelled.lock().unwrap().len(), 5);
    let kept = read_eval(&*bench.store, &id("eval-1")).await.unwrap();
    assert_eq!((kept.machine.stopped(), kept.machine.ended()), (Some("limit_seconds"), Some("stopped")));
    // of the blocks, the first one is over
    assert_eq!(result_of(&kept.machine).setup.covered, 10);
}

#[tokio::test(start_paused = true)]
async fn a_peek_is_written_down() {
    let bench = EvalBench::new();
    bench.admit("eval-1", 12).await;
    let eval = read_eval(&*bench.store, &id("eval-1")).await.unwrap();
    let driver = EvalDriver::start(DriverConfig { peek: true, ..bench.config() }, eval).await.unwrap();
    driver.done().await;
    let kept = read_eval(&*bench.store, &id("eval-1")).await.unwrap();
    assert!(kept.machine.peeked());
}
