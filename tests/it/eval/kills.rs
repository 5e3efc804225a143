//! `kill -9` of an eval's driver at random moments: nothing is lost, doubled or paid twice.
use super::planted::PlantedQuestions;
use crate::support::{PATIENCE, RunningProgram};
use agon_core::seed::sampling_seed;
use agon_core::{Debate, DebateId, Event, Position};
use agon_eval::{EvalEvent, EvalResult};
use agon_runtime::read_eval;
use agon_store::{Journal as _, Registers as _, SqliteOptions, SqliteStore};
use agon_testkit::{Rehearsal, SplitMix, until};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tokio::runtime::Builder;

const EVAL: &str = "killed";
const QUESTIONS: usize = 12;
/// At most so many calls come between the start of a driver and its end.
const CALLS_BETWEEN_KILLS: usize = 12;

/// What the store of a driver that is gone says.
#[derive(Default)]
struct StoredEval {
    /// The eval's log; empty where it was killed before it was written down.
    events: Vec<EvalEvent>,
    /// The sampling seeds of the turns that are settled: by the log of their debate, or by their register.
    settled: BTreeSet<u64>,
}

impl StoredEval {
    fn read(planted: &PlantedQuestions) -> Self {
        let store = SqliteStore::open(&planted.world.database(), SqliteOptions::default()).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let Ok(eval) = runtime.block_on(read_eval(&store, &DebateId::parse(EVAL).unwrap())) else {
            return Self::default();
        };
        let events: Vec<EvalEvent> = eval.events.into_iter().map(|(_, event)| event).collect();
        let mut settled = BTreeSet::new();
        for event in &events {
            let EvalEvent::CellOpened { debate, .. } = event else { continue };
            let id = DebateId::parse(debate).unwrap();
            let log = runtime.block_on(store.read(&id, Position(0))).unwrap_or_default();
            let Some(seed) = Debate::fold(log.iter().map(AsRef::as_ref)).map(|debate| debate.admission().seed) else {
                continue;
            };
            for event in log.iter().flat_map(|record| &record.events) {
                let turn = match event {
                    Event::TurnAsked(ask) => runtime.block_on(store.get(&id, ask.turn)).unwrap().map(|_| ask.turn),
                    event => event.settled().map(|(turn, _)| turn),
                };
                settled.extend(turn.map(|turn| sampling_seed(seed, turn)));
            }
        }
        Self { events, settled }
    }

    /// How often each cell was opened and closed.
    fn cells(&self) -> BTreeMap<String, (u32, u32)> {
        let mut cells: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        for event in &self.events {
            match event {
                EvalEvent::CellOpened { cell, .. } => cells.entry(format!("{cell:?}")).or_default().0 += 1,
                EvalEvent::CellClosed(closed) | EvalEvent::CellGraded(closed) => {
                    cells.entry(format!("{:?}", closed.cell)).or_default().1 += 1
                }
                _ => {}
            }
        }
        cells
    }
}

/// An eval at a server that writes down what it is asked.
struct KilledEval {
    planted: PlantedQuestions,
    server: Rehearsal,
    records: PathBuf,
}

impl KilledEval {
    fn new() -> Self {
        let planted = PlantedQuestions::new(11, QUESTIONS, "");
        let records = planted.world.path("records");
        let recording = ["--record", records.to_str().unwrap(), "--latency", "5ms", "--minds", &planted.minds];
        // what is cached depends on what came before, and that on the kills
        let server = planted.world.rehearsal(&[&recording[..], &["--no-model-cache", "--models", "m"]].concat());
        Self { planted, server, records }
    }

    /// The command that begins the eval, or goes on with it.
    fn driver(&self, begun: bool) -> Vec<&str> {
        let PlantedQuestions { questions, panel, .. } = &self.planted;
        let begin = ["eval", "run", questions, "--debate", panel, "--yes", "--id"];
        let first: &[&str] = if begun { &["eval", "resume"] } else { &begin };
        [first, &[EVAL, "--ollama", self.server.url(), "-q"]].concat()
    }

    /// The sampling seeds of the calls that came, in their order.
    fn asked(&self) -> Vec<u64> {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&self.records).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let seed = |file: &PathBuf| {
            let body: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
            body["options"]["seed"].as_u64().unwrap()
        };
        files.iter().map(seed).collect()
    }

    /// Starts a driver and kills it once so many calls have come; false where the eval ended before.
    fn is_killed_after(&self, calls: u64, begun: bool) -> bool {
        self.server.reset().unwrap();
        let running = RunningProgram::start(self.planted.world.command(&self.driver(begun)));
        let ended = until("the driver asks, or ends", PATIENCE, || {
            let ended = running.has_ended();
            Ok((ended || self.server.count("chat_calls")? >= calls).then_some(ended))
        });
        running.crash();
        self.server.until_idle().unwrap();
        !ended.unwrap()
    }

    /// Kills drivers of the eval so often, and lets the last one end it.
    fn kill(&self, times: usize) {
        let mut dice = SplitMix::new(11, "kills of drivers", 0);
        let mut stored = StoredEval::default();
        for kill in 1..=times + 1 {
            let before = self.asked().len();
            let begun = !stored.events.is_empty();
            if kill <= times {
                let calls = dice.within(1, CALLS_BETWEEN_KILLS) as u64;
                assert!(self.is_killed_after(calls, begun), "the eval ended before kill {kill}");
            } else {
                let said = self.planted.world.agon(&self.driver(begun));
                assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
            }
            let again: Vec<u64> =
                self.asked().split_off(before).into_iter().filter(|seed| stored.settled.contains(seed)).collect();
            assert!(again.is_empty(), "before kill {kill}, {} settled turns were asked again", again.len());
            stored = StoredEval::read(&self.planted);
        }
        let cells = stored.cells();
        assert!(cells.values().all(|times| *times == (1, 1)), "{cells:?}");
        self.planted.world.agon(&["eval", "verify", EVAL]).ok();
    }

    /// The result, without what a clock says.
    fn result(&self) -> String {
        let said = self.planted.world.agon(&["eval", "export", "result", EVAL]).ok();
        let mut result: EvalResult = serde_json::from_str(&said.stdout).unwrap();
        for arm in &mut result.arms {
            (arm.wall_median_seconds, arm.wall_p95_seconds) = (None, None);
        }
        serde_json::to_string(&result).unwrap()
    }
}

/// After so many kills the result is that of an undisturbed eval, and the same file again costs no call.
fn the_result_is_undisturbed_by(kills: usize) {
    let killed = KilledEval::new();
    killed.kill(kills);
    let calm = KilledEval::new();
    calm.kill(0);
    assert!(killed.result() == calm.result(), "{}\n{}", killed.result(), calm.result());

    calm.server.reset().unwrap();
    let again = calm.planted.run("again", &["--ollama", calm.server.url()]);
    assert_eq!(calm.server.count("chat_calls").unwrap(), 0);
    assert_eq!(again.setup.spent.iter().map(|cost| cost.total).sum::<f64>(), 0.0);
}

#[test]
fn after_kills_no_cell_is_lost_doubled_or_scored_twice_and_no_settled_call_is_asked_again() {
    the_result_is_undisturbed_by(8);
}

mod slow {
    #[test]
    fn after_50_random_kills_the_result_is_that_of_an_undisturbed_eval_and_no_settled_call_is_asked_again() {
        super::the_result_is_undisturbed_by(50);
    }
}
