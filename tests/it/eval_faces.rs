//! What surrounds `agon eval run`: checks, schemas, gates, exports.
use crate::support::{World, root};
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

#[test]
fn a_gate_is_learned_from_an_ended_eval_and_debates_use_it() {
    let world = World::new();
    let panel = world.file("panel.yaml", PANEL);
    let ran = ["eval", "run", "--builtin", "arithmetic", "--questions", "60", "--debate", &panel, "--rehearsal"];
    let ran = world.agon(&[&ran[..], &["--yes", "-q", "--id", "gated"]].concat());
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");

    let gate = world.path("gate.json").to_str().unwrap().to_owned();
    let learned = world.agon(&["eval", "gate", "gated", "-o", &gate]).ok();
    assert!(
        learned.stdout.starts_with("Rehearsal: scripted speakers") && learned.stdout.contains("this gate: "),
        "{learned:?}"
    );
    assert!(learned.stderr.contains("rehearsal"), "{learned:?}");
    let again = world.agon(&["eval", "gate", "gated"]).ok();
    let file = std::fs::read_to_string(&gate).unwrap();
    assert_eq!(again.stdout, file, "the same eval gives the same gate");
    let file: Value = serde_json::from_str(&file).unwrap();
    let result = world.json(&["eval", "export", "result", "gated"]);
    assert_eq!(result["gate"], file["figures"], "{result}");
    assert_eq!(result["gate"]["questions"], 60, "{result}");

    // the file is taken where a debate is to be held, and is of this very debate
    let run = ["run", &panel, "--gate", &gate, "--rehearsal", "--json", "--no-reports", "--seed", "1"];
    let held = world.agon(&run);
    assert!(matches!(held.code, Some(0 | 2)) && !held.stderr.contains("gate was learned"), "{held:?}");

    let none = world.agon(&["eval", "gate", "gated", "--debate", "other"]).code(64);
    assert!(none.stderr.contains("its debates are: panel"), "{none:?}");
    world.agon(&["eval", "gate", "gated", "--price=-1"]).code(64);
}

#[test]
fn check_shows_what_was_read_from_where_and_every_mistake_and_schema_fits_the_example() {
    let world = World::new();
    let example = |name: &str| root().join("examples/eval").join(name).to_str().unwrap().to_owned();
    let (questions, eval) = (example("questions.csv"), example("eval.yaml"));
    let good = world.agon(&["eval", "check", &questions, &eval]).ok();
    for line in
        ["good, 60 questions", "from `options`, in 24 questions", "1. A baker sells", "debate two_rounds: panel.md"]
    {
        assert!(good.stdout.contains(line), "{line}\n{}", good.stdout);
    }
    let json = world.json(&["eval", "check", &eval, "--json"]);
    assert_eq!((&json[0]["questions"], json[0]["first"].as_array().unwrap().len()), (&60.into(), 3), "{json}");

    let broken = world.file("broken.csv", "question,A,B,answer\nIs rain wet?,yes,no,C\nIs fire cold?,yes,,A\n");
    let told = world.agon(&["eval", "check", &broken]).code(64).stdout;
    assert!(told.contains("broken.csv:2:21: error") && told.contains("broken.csv:3:1: error"), "{told}");
    // a debate that no question fits is found, too
    let debate = world.file("debate.yaml", "topic: t\nmode: adversarial\npersonas: []\n");
    let eval = world.file("eval.yaml", "questions: {builtin: dates, count: 2}\ndebates: [{file: debate.yaml}]\n");
    let told = world.agon(&["eval", "check", &eval]).code(64).stdout;
    assert!(told.contains("debate.yaml:") && told.contains("personas"), "{debate}: {told}");

    let schema = world.json(&["schema", "eval"]);
    assert_eq!(schema["title"], "Agon eval file");
    assert_eq!(world.json(&["schema"]), world.json(&["schema", "debate"]));
}

#[test]
fn calibration_of_personas_is_measured_and_a_debate_file_takes_it() {
    let world = World::new();
    world.file("panel.yaml", PANEL);
    let minds = world.file("minds.toml", "confidence = \"calibrated\"\n");
    let asked = "questions: {builtin: arithmetic, count: 40}\ndebates: [{file: panel.yaml}]\nmax_samples: 4\n";
    let eval = world.file("eval.yaml", &format!("{asked}confidence: true\n"));
    let silent = world.file("silent.yaml", &asked.replace("40", "2"));
    for (file, id) in [(&eval, "stated"), (&silent, "silent")] {
        let ran = world.agon(&["eval", "run", file, "--rehearsal", "--minds", &minds, "--yes", "-q", "--id", id]);
        assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
    }
    let file = world.json(&["eval", "export", "calibration", "stated"]);
    let personas = file["debates"][0]["personas"].as_array().unwrap();
    assert_eq!((personas.len(), &file["models"][0]["model"]), (3, &"m".into()), "{file}");
    let calibration = personas[0]["calibration"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&calibration) && personas[0]["answers"] == 40, "{file}");
    let weighted =
        "topic: Tea or coffee?\nmodel: m\nmode: deliberative\nconsensus_strategy: vote\nvoting: {rule: weighted}\n";
    let pasted =
        format!("{weighted}personas: [{{name: Ada, calibration: {calibration}}}, {{name: Ben}}, {{name: Cleo}}]\n");
    world.agon(&["check", &world.file("weighted.yaml", &pasted)]).ok();

    let none = world.agon(&["eval", "export", "calibration", "silent"]).code(64);
    assert!(none.stderr.contains("confidence: true"), "{none:?}");
}

#[test]
fn a_peek_is_shown_logged_and_makes_the_test_sequential() {
    let world = World::new();
    let panel = world.file("panel.yaml", PANEL);
    let run = ["eval", "run", "--builtin", "dates", "--questions", "20", "--debate", &panel, "--rehearsal", "--yes"];
    let ran = world.agon(&[&run[..], &["--peek", "--id", "peeked"]].concat());
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
    assert!(ran.stderr.contains("until now: "), "{}", ran.stderr);
    let result = world.json(&["eval", "export", "result", "peeked"]);
    assert_eq!(result["setup"]["peeked"], true, "{}", result["setup"]);
    assert!(result["sequential"]["looks"].as_u64().unwrap() >= 2, "{}", result["sequential"]);

    let blind = world.agon(&[&run[..], &["--id", "blind"]].concat());
    assert!(!blind.stderr.contains("until now: "), "{}", blind.stderr);
    let result = world.json(&["eval", "export", "result", "blind"]);
    assert_eq!((&result["setup"]["peeked"], &result["sequential"]), (&Value::Null, &Value::Null));
}

/// What an eval file says beside its debate `panel.yaml`.
const GRADED: &str = "questions: graded.jsonl\ndebates: [{file: panel.yaml}]\n";

#[test]
fn check_finds_what_a_run_would_refuse_before_its_first_call() {
    let world = World::new();
    world.file("panel.yaml", PANEL);
    world.file("graded.jsonl", "{\"question\": \"Why is rain wet?\", \"rubric\": [\"Names water.\"]}\n");
    world.file("plain.jsonl", "{\"question\": \"1 + 1?\", \"answer\": 2}\n");
    let plain = GRADED.replace("graded", "plain");
    for (text, place, why) in [
        (GRADED.to_owned(), "eval.yaml:1:1", "can only be scored by a grader, and none is named"),
        (format!("{GRADED}grader: m:7b\n"), "eval.yaml:3:1", "is of the family m, as is the tested model m"),
        (format!("{GRADED}grader: {{models: [gemma3, phi4]}}\n"), "eval.yaml:3:9", "a panel has 1, 3 or 5 graders"),
        (format!("{plain}grader: gemma3\n"), "eval.yaml:3:1", "nothing is graded"),
        (format!("{plain}count: money\n"), "eval.yaml:3:1", "no [eval.prices] of m"),
        (plain.replace("{file", "{name: single, file"), "eval.yaml:2:18", "'single' is the name of a method"),
        (
            format!("{plain}arms: [best_of_n]\nprimary: [{{arm: panel, rival: best_of_n}}]\n"),
            "eval.yaml:4:1",
            "there is no best_of_n for panel: a judge picks the best answer",
        ),
    ] {
        let eval = world.file("eval.yaml", &text);
        let ran = world.agon(&["eval", "run", &eval, "--plan"]).code(64);
        assert!(ran.stderr.contains(why), "{text}: {ran:?}");
        let told = world.agon(&["eval", "check", &eval]).code(64).stdout;
        assert!(told.contains(why) && told.contains(&format!("{place}: error")), "{text}: {told}");
    }
    world.agon(&["eval", "check", &world.file("eval.yaml", &format!("{GRADED}grader: gemma3\n"))]).ok();
    let settings = world.file("agon.toml", "[eval]\ngrader_model = \"gemma3\"\n");
    world.agon(&["eval", "check", &world.file("eval.yaml", GRADED), "--config", &settings]).ok();

    // the second question does not fit a template that hands options out
    world.file("stances.yaml", &PANEL.replace("{name: Ada}", "{name: Ada, stance: \"{{option}}\"}"));
    let lines =
        [r#"{"question": "Wet?", "options": ["yes", "no"], "answer": "yes"}"#, r#"{"question": "2?", "answer": 2}"#];
    world.file("plain.jsonl", &format!("{}\n{}\n", lines[0], lines[1]));
    let eval = world.file("eval.yaml", &plain.replace("panel", "stances"));
    let told = world.agon(&["eval", "check", &eval]).code(64).stdout;
    assert!(told.contains("question \"2\" has none") || told.contains("question '2' has none"), "{told}");

    let pairs = "{\"question\": \"Which park?\", \"kind\": \"pairwise\"}\n{\"question\": \"1 + 1?\", \"answer\": 2}\n";
    let told = world.agon(&["eval", "check", &world.file("mixed.jsonl", pairs)]).code(64).stdout;
    assert!(told.contains("one eval has either"), "{told}");
}

#[test]
fn a_template_of_an_eval_is_no_debate() {
    let world = World::new();
    let file = root().join("examples/eval/panel.md").to_str().unwrap().to_owned();
    let hint = "agon eval run QUESTIONS --debate FILE";
    let checked = world.agon(&["check", &file]).code(64);
    assert!(checked.stdout.contains("panel.md:2:") && checked.stdout.contains(hint), "{checked:?}");
    for command in [&["run", &file, "--rehearsal"][..], &["submit", &file, "--server", "127.0.0.1:9", "--rehearsal"]] {
        let refused = world.agon(command).code(64);
        assert!(refused.stderr.contains("a template of an eval") && refused.stderr.contains(hint), "{refused:?}");
    }
}

#[test]
fn every_output_of_a_rehearsed_eval_says_that_it_is_one() {
    let world = World::new();
    let panel = world.file("panel.yaml", PANEL);
    let questions: String = (0..10)
        .map(|at| format!("{{\"question\": \"Thing {at}?\", \"answer\": \"t{at}\", \"rubric\": [\"Names it.\"]}}\n"))
        .collect();
    let questions = world.file("q.jsonl", &questions);
    let run = ["eval", "run", &questions, "--debate", &panel, "--rehearsal", "--yes", "--id", "rehearsed"];
    let plan = world.agon(&[&run[..], &["--plan"]].concat()).ok();
    assert!(plan.stdout.starts_with("Rehearsal: scripted speakers"), "{plan:?}");
    assert_eq!(world.json(&[&run[..], &["--plan", "--json"]].concat())["rehearsal"], true);
    let ran = world.agon(&run);
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
    let sheet = world.path("sheet.csv").to_str().unwrap().to_owned();
    let labelled = world.agon(&["eval", "label", "--csv", &sheet]).ok();
    assert!(labelled.stderr.contains("a rehearsal"), "{labelled:?}");
    let sheet = std::fs::read_to_string(&sheet).unwrap();
    assert!(sheet.lines().next().unwrap().ends_with(",rehearsal,right"), "{sheet}");
    let cells = world.agon(&["eval", "export", "cells"]).ok().stdout;
    assert!(cells.lines().next().unwrap().ends_with(",rehearsal"), "{cells}");
    assert!(cells.lines().skip(1).all(|row| row.ends_with(",true")) && cells.lines().count() > 10, "{cells}");
    for output in [
        &["list"][..],
        &["list", "--json"],
        &["get"],
        &["get", "--json"],
        &["watch"],
        &["watch", "--json"],
        &["watch", "--jsonl"],
        &["report"],
        &["report", "--format", "markdown"],
        &["report", "--format", "html"],
        &["report", "--format", "json"],
        &["export", "result"],
    ] {
        let shown = world.agon(&[&["eval"], output].concat());
        assert!(shown.stdout.to_lowercase().contains("rehearsal"), "{output:?}: {shown:?}");
    }
}

#[test]
fn deleting_a_debate_of_an_eval_names_the_eval_and_verify_names_the_debate() {
    let world = World::new();
    let panel = world.file("panel.yaml", PANEL);
    let run =
        ["eval", "run", "--builtin", "dates", "--questions", "2", "--debate", &panel, "--rehearsal", "--yes", "-q"];
    for id in ["first", "again"] {
        let ran = world.agon(&[&run[..], &["--id", id]].concat());
        assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
    }
    let listed = world.json(&["list", "--label", "eval=first", "--json"]);
    let cell = listed[0]["id"].as_str().unwrap();
    let deleted = world.agon(&["delete", cell]).ok();
    for eval in ["first", "again"] {
        assert!(deleted.stderr.contains(&format!("was part of eval {eval}")), "{deleted:?}");
        let verified = world.agon(&["eval", "verify", eval]).code(3);
        assert!(verified.stdout.contains(&format!("debate {cell} was deleted")), "{verified:?}");
    }
    // a debate of no eval goes without a word
    world.agon(&["run", "Tea or coffee?", "--rehearsal", "--id", "tea-or-coffee", "--no-reports", "-q"]);
    let deleted = world.agon(&["delete", "tea-or-coffee"]).ok();
    assert!(!deleted.stderr.contains("eval"), "{deleted:?}");
}
