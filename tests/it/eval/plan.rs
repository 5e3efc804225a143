//! What a plan says before the first call, and a forecast after the first block, against what an eval takes.
use super::planted::PlantedQuestions;
use agon_core::DebateId;
use agon_eval::{EvalMachine, FIRST_SAMPLES};
use agon_runtime::{OpenEval, read_eval};
use agon_store::{SqliteOptions, SqliteStore};
use tokio::runtime::Builder;

const QUESTIONS: usize = 30;

fn stored(planted: &PlantedQuestions, id: &str) -> OpenEval {
    let store = SqliteStore::open(&planted.world.database(), SqliteOptions::default()).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(read_eval(&store, &DebateId::parse(id).unwrap())).unwrap()
}

#[test]
fn a_plan_asks_nobody_its_calls_are_exact_and_its_most_tokens_are_never_exceeded() {
    let planted = PlantedQuestions::new(31, QUESTIONS, "");
    let server = planted.world.rehearsal(&["--minds", &planted.minds]);
    let PlantedQuestions { world, questions, panel, .. } = &planted;
    let plan = ["eval", "run", questions, "--debate", panel, "--ollama", server.url(), "--plan", "--json"];
    let plan = world.json(&plan);
    assert_eq!(server.count("chat_calls").unwrap(), 0);
    assert_eq!(plan["questions"], QUESTIONS);

    let result = planted.run("planned", &["--ollama", server.url()]);
    let figure = |name: &str| plan[name].as_u64().unwrap();
    let debates = result.arms.iter().find(|arm| arm.id == "panel").unwrap().calls;
    let first = u64::from(FIRST_SAMPLES) * QUESTIONS as u64;
    assert_eq!(debates + first, figure("calls"), "the certain cells: debates, and the first samples");
    let calls = server.count("chat_calls").unwrap();
    assert!(calls <= figure("calls_most"), "{calls} {plan}");
    let spent = result.setup.spent[0].total as u64;
    assert!(spent <= figure("tokens_most"), "{spent} {plan}");
}

#[test]
fn the_forecast_after_the_first_block_is_within_a_quarter_of_what_is_spent() {
    let planted = PlantedQuestions::new(32, QUESTIONS, "");
    planted.run("forecast", &["--rehearsal", "--minds", &planted.minds]);
    let eval = stored(&planted, "forecast");
    let mut events = eval.events.iter().map(|(at, event)| (*at, event));
    let mut machine = EvalMachine::fold(events.by_ref().take(1)).unwrap();
    while machine.progress().blocks_over == 0 {
        let (at, event) = events.next().unwrap();
        machine.apply(at, event);
    }
    let (forecast, spent) = (machine.progress().tokens_likely.unwrap() as f64, eval.machine.progress().tokens as f64);
    assert!((forecast / spent - 1.0).abs() <= 0.25, "{forecast} {spent}");
}
