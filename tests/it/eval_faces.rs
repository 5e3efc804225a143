//! What surrounds `agon eval run`: checks, schemas, gates, exports.
use crate::support::{World, root};
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

#[test]
fn a_gate_is_learned_from_an_ended_eval_and_debates_use_it() {
    let world = World::new();
    let panel = world.file("panel.yaml", PANEL);
    let ran = ["eval", "run", "--builtin", "arithmetic", "--questions", "60", "--debate", &panel, "--rehearsal"];
    let ran = world.agon(&[&ran[..], &["--yes", "-q", "--id", "gated"]].concat());
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");

    let gate = world.path("gate.json").to_str().unwrap().to_owned();
    let learned = world.agon(&["eval", "gate", "gated", "-o", &gate]).ok();
    assert!(learned.stdout.contains("this gate: ") && learned.stderr.contains("rehearsal"), "{learned:?}");
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
    let silent = world.file("silent.yaml", asked);
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
    let run = ["eval", "run", "--builtin", "dates", "--questions", "30", "--debate", &panel, "--rehearsal", "--yes"];
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
