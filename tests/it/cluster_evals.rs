//! An eval that a cluster holds comes to the same, whoever of it is killed.
use crate::cluster_bench::{ClusterBench, PATIENCE, quick};
use agon_bus::nats::NatsConfig;
use agon_chaos::Logs;
use agon_core::{DebateId, Timestamp};
use agon_eval::{
    ArmName, DebateArm, DebateTemplate, EvalAdmission, EvalCard, EvalSpec, Gold, Question, RoleModels, TemplateSpecs,
    result_of,
};
use agon_runtime::{OpenEval, admit_eval, read_eval};
use agon_store::{EvalLogs as _, NatsLimits, NatsStoreConfig};
use agon_testkit::cluster::NodeRole;
use agon_testkit::{SplitMix, until};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

const EVAL: &str = "eval-in-a-cluster";
/// Questions for each time that processes are killed, and for the eval's end.
const QUESTIONS_PER_KILL: u32 = 10;
/// At most so many cells end between a kill and the next.
const CELLS_BETWEEN_KILLS: usize = 20;
const PANEL: &str = "topic: anything\nmode: deliberative\npersona_count: 3\nmax_rounds: 1\nconsensus_strategy: vote\n";

fn wanted(questions: u32) -> EvalAdmission {
    let question = |n: u32| Question {
        id: format!("q{n}"),
        text: format!("Which city is number {n}?"),
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
    let spec = EvalSpec { max_samples: 8, seed: 7, ..usual };
    let models = RoleModels { model: Some("scripted".to_owned()), ..RoleModels::default() };
    let specs = TemplateSpecs::new(&spec, &models).unwrap();
    EvalAdmission {
        id: EVAL.to_owned(),
        format: 1,
        agon_version: env!("CARGO_PKG_VERSION").to_owned(),
        pools: specs.pools(&spec).unwrap(),
        judge_calls: specs.judge_calls().unwrap(),
        prices: BTreeMap::new(),
        models,
        rehearsal: true,
        digests: BTreeMap::from([("scripted".to_owned(), "digest".to_owned())]),
        fresh: false,
        spec,
    }
}

impl ClusterBench {
    fn admit_eval(&self, questions: u32) {
        let (store, runtime) = self.logs.store();
        let id = DebateId::parse(EVAL).unwrap();
        runtime.block_on(admit_eval(store, &id, wanted(questions), Timestamp(1_800_000_000_000))).unwrap();
    }
    fn eval(&self) -> OpenEval {
        let (store, runtime) = self.logs.store();
        runtime.block_on(read_eval(store, &DebateId::parse(EVAL).unwrap())).unwrap()
    }
    /// Waits until what lists show of the eval is so.
    fn eval_card(&self, what: &str, is: impl Fn(&EvalCard) -> bool) -> EvalCard {
        let (store, runtime) = self.logs.store();
        let id = DebateId::parse(EVAL).unwrap();
        let found = until(what, 3 * PATIENCE, || {
            let Ok(Some(head)) = runtime.block_on(store.eval_head(&id)) else { return Ok(None) };
            Ok(Some(serde_json::from_slice(&head.card)?).filter(&is))
        });
        found.unwrap()
    }
    /// The process that drives the eval, once so many cells are over. A driver that was killed is named until another follows it.
    fn eval_driver(&mut self, cells: u32) -> String {
        loop {
            let driven = self.eval_card("the eval goes on", |card| card.cells_over >= cells && card.driver.is_some());
            let driver = driven.driver.unwrap();
            if let Some(name) = self.cluster.member_of(&driver) {
                return name;
            }
            self.eval_card("another drives the eval", |card| card.driver.as_ref() != Some(&driver));
        }
    }
    /// The result of the eval but for times; each cell has one debate, and its log is whole.
    fn eval_result(&self) -> Value {
        self.eval_card("the eval ends", |card| card.state.is_some());
        let eval = self.eval();
        assert_eq!((eval.machine.ended(), eval.machine.progress().failed), (Some("complete"), 0));
        let debates: BTreeSet<&str> = eval.machine.closed().map(|closed| closed.debate.as_str()).collect();
        assert_eq!(debates.len(), eval.machine.closed().count());
        for debate in debates {
            let findings = self.logs.check(debate).unwrap();
            assert!(findings.is_empty(), "{debate}: {findings:?}");
        }
        let mut result = serde_json::to_value(result_of(&eval.machine)).unwrap();
        without_times(&mut result);
        result
    }
}

/// Removes what hangs on time: durations, which caches were warm, and who was last of those who speak at once.
fn without_times(value: &mut Value) {
    let timed = |name: &str| name.contains("seconds") || name.contains("wall") || name.ends_with("_ms");
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !timed(name) && !matches!(name.as_str(), "cached" | "new" | "order"));
            members.values_mut().for_each(without_times);
        }
        Value::Array(values) => {
            values.retain(|value| !matches!(value["count"].as_str(), Some("new" | "seconds")));
            values.iter_mut().for_each(without_times);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Kills the coordinator that drives an eval and a host, and starts both again, so often as `AGON_EVAL_KILLS` says, else twice.
#[test]
fn an_eval_comes_to_the_same_whichever_coordinators_and_hosts_are_killed() {
    let kills = std::env::var("AGON_EVAL_KILLS").map_or(2, |kills| kills.parse().unwrap());
    let questions = (kills + 1) * QUESTIONS_PER_KILL;
    let undisturbed = ClusterBench::start(quick(1, 1));
    undisturbed.admit_eval(questions);
    let wanted = undisturbed.eval_result();
    drop(undisturbed);

    let mut dice = SplitMix::new(7, "kills in a cluster", 0);
    let mut stage = ClusterBench::start(quick(2, 2));
    stage.admit_eval(questions);
    let mut cells = 0;
    for _ in 0..kills {
        cells += dice.within(1, CELLS_BETWEEN_KILLS) as u32;
        let driver = stage.eval_driver(cells);
        stage.cluster.member(&driver).unwrap().kill();
        let host = stage.cluster.names(NodeRole::Host).remove(dice.within(0, 1));
        stage.cluster.member(&host).unwrap().kill();
        for name in [host, driver] {
            stage.cluster.restart(&name).unwrap();
        }
    }
    assert_eq!(stage.eval_result(), wanted);
    let epoch = stage.eval().machine.epoch();
    assert!(epoch > u64::from(kills), "each killed driver was followed by another: {epoch}");
}

impl ClusterBench {
    /// A cluster whose stream of evals has room for a mebibyte, a fifth of which is for ends.
    fn with_little_room_for_evals() -> Self {
        let limits = "[nats.limits]\nevals_mib = 1\nreserve_percent = 20\n";
        let cluster = quick(1, 1).settings(limits).start().unwrap();
        let of_cluster = NatsLimits { eval_bytes: NonZeroU64::new(1 << 20).unwrap(), ..NatsLimits::default() };
        let who = NatsConfig::new([cluster.nats.url()], "checker", "checker");
        let logs = Logs::open_as(who, NatsStoreConfig { limits: of_cluster, ..NatsStoreConfig::default() }).unwrap();
        Self { cluster, logs }
    }

    /// Admits an eval of long questions, which leave room for some records beside the reserve.
    fn admit_large_eval(&self) {
        let mut admission = EvalAdmission { id: "large".to_owned(), ..wanted(200) };
        admission.spec.questions.iter_mut().for_each(|question| question.text.push_str(&" tree".repeat(770)));
        let (store, runtime) = self.logs.store();
        let id = DebateId::parse("large").unwrap();
        runtime.block_on(admit_eval(store, &id, admission, Timestamp(1_800_000_000_000))).unwrap();
    }

    /// Hands in an eval of these questions.
    fn submit_eval(&self, id: &str, questions: &str) -> crate::support::ProgramOutput {
        let [data, panel] = [(format!("{id}.csv"), questions), ("panel.yaml".to_owned(), PANEL)].map(|(name, text)| {
            let path = self.cluster.folder().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        });
        let eval = ["eval", "submit", &data, "--debate", &panel, "--id", id, "--rehearsal", "--model", "scripted"];
        self.agon(&eval)
    }

    /// Waits until the program says this of an eval.
    fn eval_says(&self, id: &str, member: &str, wanted: &str) -> Value {
        let found = until(&format!("{member} of {id} is {wanted}"), 3 * PATIENCE, || {
            let said: Value = serde_json::from_str(&self.agon(&["eval", "get", id, "--json"]).ok().stdout)?;
            Ok(said[member].as_str().is_some_and(|text| text.contains(wanted)).then_some(said))
        });
        found.unwrap()
    }
}

#[test]
fn in_a_full_stream_evals_wait_and_say_so_are_ended_and_deleted_and_the_others_go_on() {
    let bench = ClusterBench::with_little_room_for_evals();
    let questions: String = (0..16).map(|n| format!("What is {n} + 1?,{}\n", n + 1)).collect();
    bench.submit_eval("waits", &format!("question,answer\n{questions}")).ok();
    bench.admit_large_eval();
    let full = bench.eval_says("waits", "waits_for", "stream AGON_EVL is full");
    assert_eq!(full["state"], "running", "{full}");
    assert!(full["waits_for"].as_str().unwrap().contains("agon eval delete"), "{full}");
    let shown = bench.agon(&["eval", "get", "waits"]).ok().stdout;
    assert!(shown.contains("stream AGON_EVL is full"), "{shown}");

    let refused = bench.submit_eval("late", "question,answer\n1 + 1?,2\n").code(69);
    assert!(refused.stderr.contains("STORE_FULL") && refused.stderr.contains("agon eval delete"), "{refused:?}");
    bench.submit("debate", 1);
    bench.finishes("debate");

    bench.agon(&["eval", "cancel", "large"]).ok();
    assert_eq!(bench.eval_says("large", "state", "cancelled")["state"], "cancelled");
    bench.agon(&["eval", "delete", "large"]).ok();
    let done = bench.eval_says("waits", "state", "complete");
    assert_eq!((&done["waits_for"], &done["progress"]["failed"]), (&Value::Null, &0.into()), "{done}");
    bench.submit_eval("late", "question,answer\n1 + 1?,2\n").ok();
}
