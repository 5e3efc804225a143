//! `agon eval`, as users run it, against speakers who know answers.
mod failures;
mod gold;
mod kills;
mod limits;
mod plan;
mod planted;
mod programs;
mod server;

use crate::support::{RunningProgram, World};
use serde_json::Value;

const PANEL: &str = "\
topic: Any question
mode: deliberative
max_rounds: 1
phases: {opening_statements: false, final_statements: false}
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
    let plan = world.json(&args(&["run"], &panel, &["--rehearsal", "--plan", "--json"]));
    assert_eq!(
        (&plan["calls"], &plan["calls_most"], &plan["tokens_likely"]),
        (&0.into(), &0.into(), &0.into()),
        "{plan}"
    );
    assert_eq!((&plan["reused"], &plan["cells"]), (&again["progress"]["reused"], &plan["cells_most"]), "{plan}");
    assert_eq!(world.json(&["eval", "list", "--json"]).as_array().unwrap().len(), 2);
}

#[test]
fn ctrl_c_keeps_an_eval_and_cancel_ends_it() {
    let world = World::new();
    let panel = panel(&world);
    let started = args(&["run"], &panel, &["--rehearsal", "--latency", "20ms", "--id", "stopped", "--jsonl"]);
    let running = RunningProgram::start(world.command(&started));
    running.read_until("cell_closed", 2);
    assert_eq!(world.json(&["eval", "get", "stopped", "--json"])["state"], "running");
    let taken = world.agon(&["eval", "resume", "stopped", "-q"]).code(64);
    assert!(taken.stderr.contains("eval stopped is run by process"), "{taken:?}");
    running.signal(nix::sys::signal::Signal::SIGINT);
    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    assert!(told.contains("eval resume stopped"), "{told}");
    assert_eq!(world.json(&["eval", "get", "stopped", "--json"])["state"], "paused");
    let listed = |options: &[&str]| world.json(&[&["list", "--json"], options].concat()).as_array().unwrap().len();
    assert_eq!(listed(&[]), 0);
    assert!(listed(&["--label", "eval=stopped"]) >= 2);

    world.agon(&["eval", "cancel", "stopped"]).ok();
    assert_eq!(listed(&["--label", "eval", "--state", "interrupted,paused"]), 0);
    world.agon(&["eval", "cancel", "stopped"]).code(64);
    world.agon(&["eval", "resume", "stopped", "-q"]).code(4);
    world.agon(&["eval", "delete", "stopped", "--debates"]).ok();
    assert_eq!(listed(&["--label", "eval"]), 0);
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

    let page = world.path("whole.html");
    let reported = world.agon(&["eval", "report", "whole", "--debates", "-o", page.to_str().unwrap()]).ok();
    assert!(reported.stderr.contains("1 of ") && reported.stderr.contains("deleted"), "{reported:?}");
    let page = std::fs::read_to_string(page).unwrap();
    let links: Vec<&str> = page.split("href=\"debates/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() > 10 && page.contains(" (deleted)"), "{}", links.len());
    assert!(links.iter().all(|link| world.path("debates").join(link).is_file()), "{links:?}");
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

/// Questions whose answers are graded, each with a reference.
fn graded(kind: &str, rubric: &str) -> String {
    let line = |at: usize| {
        format!(
            "{{\"id\": \"q{at}\", \"question\": \"Name thing {at} of the cupboard.\", \"answer\": \"thing {at}\", \"kind\": \"{kind}\"{rubric}}}\n"
        )
    };
    (0..24).map(line).collect()
}

const RUBRIC: &str = ", \"rubric\": [\"Names the right thing.\"]";

#[test]
fn pairs_of_answers_get_a_verdict_in_a_rehearsal_and_a_biased_grader_is_not_trusted() {
    let world = World::new();
    let panel = panel(&world);
    let questions = world.file("pairs.jsonl", &graded("pairwise", ""));
    let run = |more: &[&str]| {
        let fixed = ["eval", "run", &questions, "--debate", &panel, "--rehearsal", "--yes", "-q", "--json"];
        let ran = world.agon(&[&fixed[..], more].concat());
        assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    let fair = run(&["--id", "fair"]);
    let row = &fair["comparisons"][0]["counts"][0];
    assert!(row["verdict"].is_string() && row["pairs"]["win"].is_number() && row["arm_right"].is_null(), "{row}");
    let trust = &fair["trust"];
    assert_eq!((&trust["gold_accepted"]["value"], &trust["order_consistency"]["value"]), (&1.0.into(), &1.0.into()));
    assert!(trust["distrusted"].is_null() && trust["tokens"].as_u64().unwrap() > 0, "{trust}");

    let minds = world.file("minds.toml", "[grader]\norder_bias = 0.8\n");
    let biased = run(&["--id", "biased", "--minds", &minds]);
    assert!(biased["trust"]["order_consistency"]["value"].as_f64().unwrap() < 0.6, "{}", biased["trust"]);
    assert_eq!(biased["comparisons"][0]["counts"][0]["verdict"], "cannot_tell");
    world.agon(&["eval", "verify", "biased"]).ok();
}

#[test]
fn a_grader_that_passes_every_answer_is_not_trusted() {
    let world = World::new();
    let panel = panel(&world);
    let questions = world.file("rubric.jsonl", &graded("rubric", RUBRIC));
    let minds = world.file("minds.toml", "[grader]\nleniency = 1.0\n");
    let run =
        ["eval", "run", &questions, "--debate", &panel, "--rehearsal", "--minds", &minds, "--yes", "-q", "--json"];
    let ran = world.agon(&run).code(2);
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    let trust = &result["trust"];
    assert_eq!(trust["gold_accepted"]["value"], 1.0, "{trust}");
    let why = "The grader accepts 20 of 20 answers to other questions; 10 % may be missed.";
    assert_eq!(trust["distrusted"], serde_json::json!([why]), "{trust}");
    assert_eq!(result["comparisons"][0]["counts"][0]["verdict"], "cannot_tell");
}

#[test]
fn people_label_graded_answers_and_other_graders_grade_again() {
    let world = World::new();
    let panel = panel(&world);
    let questions = world.file("rubric.jsonl", &graded("rubric", RUBRIC));
    let run = ["eval", "run", &questions, "--debate", &panel, "--rehearsal", "--yes", "-q", "--id", "rubric"];
    let ran = world.agon(&run);
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");

    let sheet = world.file("sheet.csv", "");
    world.agon(&["eval", "label", "rubric", "--csv", &sheet, "--count", "40"]).ok();
    let text = std::fs::read_to_string(&sheet).unwrap();
    assert!(text.starts_with("id,question,context,reference,criteria,answer,rehearsal,right\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with(',')).count(), 40, "{text}");
    assert!(!text.contains("panel") && !text.contains("self_consistency"), "{text}");
    // half of the answers are said to be right, whatever they say
    let mut rows = text.lines();
    let mut labelled = format!("{}\n", rows.next().unwrap());
    rows.enumerate().for_each(|(at, row)| labelled.push_str(&format!("{row}{}\n", ["y", "n"][at % 2])));
    let sheet = world.file("sheet.csv", &labelled);
    let given = world.json(&["eval", "label", "rubric", "--from", &sheet, "--json"]);
    assert_eq!(given["labels"], 40, "{given}");
    let result = |id: &str| {
        let report = world.agon(&["eval", "report", id, "--format", "json"]);
        serde_json::from_str::<Value>(&report.ok().stdout).unwrap()
    };
    let corrected = result("rubric");
    assert!(!corrected["trust"]["corrected"].as_array().unwrap().is_empty(), "{}", corrected["trust"]);

    let wrong = world.file("wrong.csv", "id,right\r\n\r\nx,perhaps\r\n");
    let refused = world.agon(&["eval", "label", "rubric", "--from", &wrong]).code(64);
    assert!(refused.stderr.contains("line 3") && refused.stderr.contains("write y or n"), "{refused:?}");
    let first = labelled.lines().nth(1).and_then(|row| row.split(',').next()).unwrap();
    let twice = world.file("twice.csv", &format!("id,right\n{first},y\n{first},n\n"));
    let refused = world.agon(&["eval", "label", "rubric", "--from", &twice]).code(64);
    assert!(refused.stderr.contains("line 3") && refused.stderr.contains("opposite"), "{refused:?}");
    let kept = world.agon(&["eval", "label", "rubric", "--csv", &sheet]).code(64);
    assert!(kept.stderr.contains("has 40 labels already"), "{kept:?}");
    // graders that are away take nothing from the result
    let nobody = ["--grader", "nobody:1b", "--ollama", "http://127.0.0.1:9"];
    world.agon(&[&["eval", "rescore", "rubric", "-q"], &nobody[..]].concat()).code(69);
    assert_eq!(result("rubric"), corrected);

    let cells = world.json(&["eval", "get", "rubric", "--json"])["progress"]["cells_over"].as_u64().unwrap();
    world.agon(&["eval", "rescore", "rubric", "--peek"]).code(64);
    let again = world.agon(&["eval", "rescore", "rubric", "--grader", "other-grader", "-q"]);
    assert!(matches!(again.code, Some(0 | 2)), "{again:?}");
    let after = world.json(&["eval", "get", "rubric", "--json"]);
    assert_eq!(result("rubric")["trust"]["graders"], serde_json::json!(["other-grader"]));
    assert!(after["progress"]["cells_over"].as_u64().unwrap() > cells, "both scorings are kept: {after}");
}

#[test]
fn graders_are_checked_before_anything_is_paid() {
    let world = World::new();
    let panel = panel(&world);
    let pairs = world.file("pairs.jsonl", &graded("pairwise", ""));
    let refused = |more: &[&str], why: &str| {
        let fixed = ["eval", "run", "--debate", &panel, "--plan"];
        let ran = world.agon(&[&fixed[..], more].concat()).code(64);
        assert!(ran.stderr.contains(why), "{ran:?}");
    };
    refused(&[&pairs], "--grader MODEL");
    refused(&[&pairs, "--grader", "m:7b", "--model", "m"], "same_family");
    refused(&[&pairs, "--grader", "gemma3", "--grader", "phi4"], "3 or 5");
    refused(&["--builtin", "arithmetic", "--grader", "gemma3"], "nothing is graded");
    let mixed =
        world.file("mixed.jsonl", &format!("{}{{\"question\": \"2 + 2?\", \"answer\": 4}}\n", graded("pairwise", "")));
    refused(&[&mixed, "--grader", "gemma3"], "one eval has either");
    let plan = world.agon(&["eval", "run", &pairs, "--debate", &panel, "--plan", "--rehearsal"]).ok();
    assert!(plan.stdout.contains("gradings: about"), "{plan:?}");
}
