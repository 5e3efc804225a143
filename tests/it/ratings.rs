//! `agon ratings` over debates that were rehearsed.
use crate::support::World;
use serde_json::Value;

/// One round, a judge; both debaters are rated whoever wins.
const FILE: &str = "---
model: m:1
max_rounds: 1
phases: {opening_statements: false, final_statements: false}
personas:
  - {name: Ada, stance: Build it}
  - {name: Bo, stance: Leave it}
---
# Should the town build a bridge?
";

/// So many rehearsals of one file that count, and one that does not.
fn rehearsed(world: &World, ids: &[&str]) {
    let counts = world.file("bridge.md", FILE);
    let silent = FILE.replace("final_statements: false}", "final_statements: false, feedback: false}");
    let silent = world.file("silent.md", &silent);
    let all = ids.iter().map(|id| (*id, counts.as_str())).chain([("silent-1", silent.as_str())]);
    for (id, file) in all {
        let said = world.agon(&["run", file, "--rehearsal", "--seed", "7", "--id", id, "--quiet", "--no-reports"]);
        assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    }
}

fn sum(row: &Value, names: &[&str]) -> u64 {
    names.iter().map(|name| row[*name].as_u64().unwrap()).sum()
}

#[test]
fn rehearsals_are_rated_apart_and_only_those_that_their_files_let_count() {
    let world = World::new();
    rehearsed(&world, &["first-1", "second-1"]);
    let told = world.json(&["ratings", "--rehearsal", "--json"]);
    assert_eq!((&told["rehearsal"], &told["debates"], &told["truncated"]), (&true.into(), &2.into(), &false.into()));
    let rows = told["ratings"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{told}");
    for row in rows {
        assert_eq!(row["debates"], 2);
        assert_eq!(sum(row, &["won", "lost", "drawn", "undecided"]), 2, "{row}");
        assert_eq!(row["balloted"], 2, "{row}");
    }
    let total: f64 = rows.iter().map(|row| row["elo"].as_f64().unwrap()).sum();
    assert!((total - 3_000.0).abs() < 1e-6, "a duel takes from the one what it gives the other: {told}");
    assert_eq!(told["positions"].as_array().unwrap().len(), 4);
    assert_eq!(told["relationships"][0]["debates"], 2);
    let real = world.json(&["ratings", "--json"]);
    assert_eq!((&real["rehearsal"], &real["debates"]), (&false.into(), &0.into()));
    assert!(real["ratings"].as_array().unwrap().is_empty(), "{real}");
}

#[test]
fn the_table_says_that_it_is_a_rehearsal_and_a_persona_is_told_in_full() {
    let world = World::new();
    rehearsed(&world, &["first-1"]);
    let table = world.agon(&["ratings", "--rehearsal"]).ok().stdout;
    assert!(table.starts_with("Rehearsal: ") && table.contains("PERSONA") && table.contains("m:1"), "{table}");
    let models = world.agon(&["ratings", "--rehearsal", "--by", "model"]).ok().stdout;
    assert!(models.contains("MODEL") && !models.contains("Ada"), "{models}");
    let ada = world.agon(&["ratings", "--rehearsal", "--persona", "Ada"]).ok().stdout;
    for wanted in ["Positions", "Build it (assigned)", "first-1", "Relationships", "Bo (m:1)"] {
        assert!(ada.contains(wanted), "{wanted} is missing in\n{ada}");
    }
    let nobody = world.agon(&["ratings", "--rehearsal", "--persona", "Nobody"]).code(64);
    assert!(nobody.stderr.contains("agon ratings"), "{nobody:?}");
    let both = world.agon(&["ratings", "--persona", "Ada", "--by", "model"]).code(64);
    assert!(both.stderr.contains("--by"), "{both:?}");
}

#[test]
fn where_nothing_was_held_nothing_is_rated_and_nothing_is_left_behind() {
    let world = World::new();
    let said = world.agon(&["ratings"]).ok();
    assert!(said.stdout.is_empty() && said.stderr.contains("--rehearsal"), "{said:?}");
    assert!(!world.database().exists());
}
