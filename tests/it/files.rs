//! Debate files: good ones, bad ones, templates.
use crate::support::{World, example};

#[test]
fn check_prints_every_problem_with_its_position_at_once() {
    let world = World::new();
    let text = "topic: Tea?\nmax_rounds: 0\nmoode: adversarial\npersonas:\n  - name: a\n    stance: yes it is\n  - name: a\n    stance: no\n";
    let file = world.file("bad.yaml", text);
    let said = world.agon(&["check", &file]).code(64);
    for wanted in ["bad.yaml:2:", "bad.yaml:3:1:", "did you mean `mode`?", "bad.yaml:7:"] {
        assert!(said.stdout.contains(wanted), "{wanted}: {}", said.stdout);
    }
    let found = world.agon(&["check", "--json", &file]).code(64);
    let found: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    assert!(found.as_array().unwrap().len() >= 3, "{found}");
}

#[test]
fn a_bad_file_is_not_run() {
    let world = World::new();
    let file = world.file("bad.yaml", "topic: Tea?\nmax_rounds: many\n");
    let said = world.agon(&["run", &file, "--rehearsal"]).code(64);
    assert!(said.stderr.contains("bad.yaml:2:"), "{said:?}");
    assert!(said.stdout.is_empty());
}

#[test]
fn a_file_that_is_not_there_is_no_topic() {
    let world = World::new();
    for command in [&["run", "gone.md", "--rehearsal"][..], &["check", "gone.md"]] {
        let said = world.agon(command).code(64);
        assert!(said.stderr.contains("gone.md"), "{said:?}");
    }
}

#[test]
fn a_normalized_file_normalizes_to_itself() {
    let world = World::new();
    let once = world.agon(&["check", "--normalized", &example("monolith-or-services.md")]).ok().stdout;
    let file = world.file("once.yaml", &once);
    assert_eq!(world.agon(&["check", "--normalized", &file]).ok().stdout, once);
}

#[test]
fn every_template_can_be_checked_and_run() {
    let world = World::new();
    for template in ["pro-con", "panel", "decision"] {
        let file = format!("{template}.md");
        world.agon(&["new", "--template", template, "--topic", "Buy or build?", "-o", &file]).ok();
        let checked = world.agon(&["check", &file]).ok();
        assert!(!checked.stdout.contains("warning"), "{template}: {checked:?}");
        let said = world.agon(&["run", &file, "--rehearsal", "--quiet", "--no-reports"]);
        assert!(matches!(said.code, Some(0 | 2)), "{template}: {said:?}");
    }
}

#[test]
fn the_schema_is_json() {
    let world = World::new();
    assert_eq!(world.json(&["schema"])["type"], "object");
}
