//! `agon eval`, as users run it, against speakers who know answers.
mod planted;

use crate::support::{RunningProgram, World};
use agon_testkit::Rehearsal;
use serde_json::Value;
use std::collections::BTreeMap;

const PANEL: &str = "\
topic: Any question
mode: deliberative
max_rounds: 1
ballots: both
consensus_strategy: vote
model: m
personas: [{name: Ada}, {name: Ben}, {name: Cleo}]
";

/// How many cells are closed between one kill and the next.
const CLOSED_BEFORE_KILLS: [usize; 9] = [1, 2, 3, 5, 1, 1, 2, 2, 1];
const KILLS: u32 = 10;
/// So many calls may be under way when a driver is killed: each debate of the panel asks its three debaters at once.
const CELLS_AT_ONCE: u32 = 8 * 4;

/// The options of every eval here: ten fresh questions, a panel of three.
fn args<'a>(command: &[&'a str], panel: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["--builtin", "arithmetic", "--questions", "10", "--debate", panel, "--yes"];
    [&["eval"], command, &fixed, more].concat()
}

fn panel(world: &World) -> String {
    world.file("panel.yaml", PANEL)
}

/// How often each call was answered to its end.
fn finished(server: &Rehearsal) -> BTreeMap<String, u32> {
    let mut finished = BTreeMap::new();
    for call in server.calls().unwrap().into_iter().filter(|call| call.finished) {
        *finished.entry(call.body).or_default() += 1;
    }
    finished
}

#[test]
fn a_newcomer_has_a_result_without_a_model_and_a_second_run_costs_nothing() {
    let world = World::new();
    let panel = panel(&world);
    let first = world.agon(&args(&["run"], &panel, &["--rehearsal", "--id", "first"]));
    assert!(matches!(first.code, Some(0 | 2)), "{first:?}");
    assert!(first.stdout.to_lowercase().contains("rehearsal"), "{first:?}");
    let first = world.json(&["eval", "get", "first", "--json"]);
    assert_eq!((&first["state"], &first["progress"]["failed"]), (&"complete".into(), &0.into()), "{first}");
    assert!(first["progress"]["tokens"].as_u64().unwrap() > 0);

    let again = world.agon(&args(&["run"], &panel, &["--rehearsal", "--id", "again"]));
    assert!(matches!(again.code, Some(0 | 2)), "{again:?}");
    let again = world.json(&["eval", "get", "again", "--json"]);
    assert_eq!(again["progress"]["tokens"], 0, "{again}");
    assert_eq!(again["progress"]["reused"], again["progress"]["cells_over"]);
    assert_eq!(first["progress"]["cells_over"], again["progress"]["cells_over"]);
    world.agon(&["eval", "verify", "again"]).ok();
    assert_eq!(world.json(&["eval", "list", "--json"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_plan_holds_nothing_and_its_calls_and_tokens_are_never_exceeded() {
    let world = World::new();
    let panel = panel(&world);
    let server = world.rehearsal(&[]);
    let plan = world.json(&args(&["run"], &panel, &["--ollama", server.url(), "--plan", "--json"]));
    assert_eq!(server.count("chat_calls").unwrap(), 0);
    assert_eq!(plan["questions"], 10);

    let ran = world.agon(&args(&["run"], &panel, &["--ollama", server.url(), "--id", "planned", "-q"]));
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
    let calls = server.count("chat_calls").unwrap();
    assert!(calls >= plan["calls"].as_u64().unwrap(), "{calls} {plan}");
    assert!(calls <= plan["calls_most"].as_u64().unwrap(), "{calls} {plan}");
    let spent = world.json(&["eval", "get", "planned", "--json"])["progress"]["tokens"].as_u64().unwrap();
    assert!(spent <= plan["tokens_most"].as_u64().unwrap(), "{spent} {plan}");
}

#[test]
fn after_kills_no_cell_is_lost_or_doubled_and_only_calls_under_way_are_asked_again() {
    let world = World::new();
    let panel = panel(&world);
    let server = world.rehearsal(&["--latency", "5ms"]);
    let running = RunningProgram::start(world.command(&args(
        &["run"],
        &panel,
        &["--ollama", server.url(), "--id", "killed", "--jsonl"],
    )));
    running.read_until("cell_closed", 1);
    running.crash();
    for closed in CLOSED_BEFORE_KILLS {
        let args = ["eval", "resume", "killed", "--ollama", server.url(), "--jsonl"];
        let running = RunningProgram::start(world.command(&args));
        running.read_until("cell_closed", closed);
        running.crash();
        server.until_idle().unwrap();
    }
    let ended = world.agon(&["eval", "resume", "killed", "--ollama", server.url(), "-q"]);
    assert!(matches!(ended.code, Some(0 | 2)), "{ended:?}");
    world.agon(&["eval", "verify", "killed"]).ok();

    let killed = world.json(&["eval", "export", "result", "killed"]);
    // what a kill cut off between an answer and its place in the log is asked again, and nothing else
    let again: u32 = finished(&server).into_values().map(|times| times - 1).sum();
    assert!(again <= KILLS * CELLS_AT_ONCE, "{again}");
    let undisturbed = World::new();
    let panel = undisturbed.file("panel.yaml", PANEL);
    let ran = undisturbed.agon(&args(&["run"], &panel, &["--ollama", server.url(), "--id", "killed", "-q"]));
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
    let calm = undisturbed.json(&["eval", "export", "result", "killed"]);
    assert_eq!(outcomes(&killed), outcomes(&calm));
}

/// What was answered in each cell, without times and costs of calls that a kill cut off.
fn outcomes(result: &Value) -> Vec<Value> {
    let cells = result["cells"].as_array().unwrap();
    assert!(!cells.is_empty());
    let cell = |cell: &Value| serde_json::json!([cell["question"], cell["arm"], cell["outcome"], cell["score"]]);
    cells.iter().map(cell).collect()
}

#[test]
fn ctrl_c_keeps_an_eval_and_cancel_ends_it() {
    let world = World::new();
    let panel = panel(&world);
    let started = args(&["run"], &panel, &["--rehearsal", "--latency", "20ms", "--id", "stopped", "--jsonl"]);
    let running = RunningProgram::start(world.command(&started));
    running.read_until("cell_closed", 2);
    running.signal(nix::sys::signal::Signal::SIGINT);
    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    assert!(told.contains("eval resume stopped"), "{told}");
    assert_eq!(world.json(&["eval", "get", "stopped", "--json"])["state"], "open");

    world.agon(&["eval", "cancel", "stopped"]).ok();
    world.agon(&["eval", "cancel", "stopped"]).code(64);
    world.agon(&["eval", "resume", "stopped", "-q"]).code(4);
    world.agon(&["eval", "delete", "stopped"]).ok();
    world.agon(&["eval", "get", "stopped"]).code(64);
}

#[test]
fn models_do_not_go_on_with_a_rehearsed_eval_and_a_changed_log_is_found() {
    let world = World::new();
    let panel = panel(&world);
    let ran = world.agon(&args(&["run"], &panel, &["--rehearsal", "--id", "whole", "-q"]));
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
    world.agon(&["eval", "verify", "whole"]).ok();
    let debates = world.sqlite("SELECT count(*) FROM debates WHERE debate LIKE 'ev%'");
    assert!(debates >= 20, "{debates}");
    world.sqlite("DELETE FROM debates WHERE id = (SELECT min(id) FROM debates) RETURNING 1");
    let found = world.agon(&["eval", "verify", "whole"]).code(3);
    assert!(found.stdout.contains("was deleted"), "{found:?}");
}

#[test]
fn an_arm_that_fails_too_often_ends_the_eval() {
    let world = World::new();
    let panel = panel(&world);
    let script = world.file("faults.toml", "[[rules]]\nfault = \"not_found\"\n");
    let failing = ["--rehearsal", "--rehearsal-script", &script, "--id", "failing", "-q"];
    let all = [
        &["eval", "run", "--builtin", "arithmetic", "--questions", "30", "--debate", panel.as_str(), "--yes"][..],
        &failing,
    ]
    .concat();
    world.agon(&all).code(3);
    let got = world.json(&["eval", "get", "failing", "--json"]);
    assert_eq!((&got["state"], &got["stopped"]), (&"failed".into(), &"failures".into()), "{got}");
}
