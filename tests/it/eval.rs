//! `agon eval`, as users run it, against speakers who know answers.
mod kills;
mod planted;

use crate::support::{RunningProgram, World};
use serde_json::Value;

const PANEL: &str = "\
topic: Any question
mode: deliberative
max_rounds: 1
ballots: both
consensus_strategy: vote
model: m
personas: [{name: Ada}, {name: Ben}, {name: Cleo}]
";

/// The options of every eval here: ten fresh questions, a panel of three.
fn args<'a>(command: &[&'a str], panel: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["--builtin", "arithmetic", "--questions", "10", "--debate", panel, "--yes"];
    [&["eval"], command, &fixed, more].concat()
}

fn panel(world: &World) -> String {
    world.file("panel.yaml", PANEL)
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
