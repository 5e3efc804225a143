//! Debates that an older version let in: a server that finds them in its store starts, answers, and ends them.
use crate::stop::served::ServeServer;
use crate::support::{PATIENCE, World};
use agon_core::{DebateId, DebateSpec, Event, Position, Record};
use agon_store::{Journal as _, SqliteOptions, SqliteStore};
use agon_testkit::until;
use nix::sys::signal::Signal;
use serde_json::json;
use std::sync::Arc;
use tokio::runtime::Builder;

const FILE: &str =
    "topic: Tea?\nmodel: m\nmax_rounds: 2\nballots: none\nterminate_when: turns > 1000\nlabels: {team: x}\n";

/// A server's debate, whose process was killed in its midst; then its spec becomes another one.
fn left_with(world: &World, file: &str, change: impl FnOnce(&mut DebateSpec)) {
    let mut served = ServeServer::start_with(world, "first", &["--rehearsal", "--token-interval", "20ms"], &[]);
    let file = world.file("tea.yaml", file);
    world.agon(&["submit", &file, "--rehearsal", "--server", &served.address, "--id", "bomb"]).ok();
    let begun = || Ok(world.events("bomb").iter().any(|event| event["type"] == "turn_asked").then_some(()));
    until("the debate is played", PATIENCE, begun).unwrap();
    served.process.signal(Signal::SIGKILL).unwrap();
    served.process.wait().unwrap();
    rewrite(world, change);
}

/// Writes the log anew, with the hashes that belong to it.
fn rewrite(world: &World, change: impl FnOnce(&mut DebateSpec)) {
    let id = DebateId::parse("bomb").unwrap();
    let open = || SqliteStore::open(&world.database(), SqliteOptions::default()).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let log = runtime.block_on(open().read(&id, Position(0))).unwrap();
    let mut records: Vec<Record> = log.into_iter().map(Arc::unwrap_or_clone).collect();
    let Some(Event::DebateAdmitted(admission)) = records[0].events.first_mut() else { panic!("{records:?}") };
    change(&mut admission.spec);
    world.sqlite("DELETE FROM records RETURNING 1");
    world.sqlite("DELETE FROM debates RETURNING 1");
    let store = open();
    for record in records {
        runtime.block_on(store.append(&id, record)).unwrap();
    }
}

#[test]
fn a_stored_debate_whose_expression_would_never_end_fails_with_that_cause() {
    let world = World::new();
    left_with(&world, FILE, |spec| {
        spec.labels = (0..32).map(|n| (format!("l{n}"), "x".to_owned())).collect();
        let opened: String = ('a'..='h').map(|name| format!("labels.all({name}, ")).collect();
        spec.terminate_when = Some(format!("{opened}a != ''{}", ")".repeat(8)));
    });

    let mut served = ServeServer::start_with(&world, "second", &["--rehearsal"], &[]);

    world.agon(&["list", "--server", &served.address]).ok();
    let said = world.agon(&["watch", "bomb", "--server", &served.address, "--quiet"]);
    assert_eq!(said.code, Some(3), "{said:?}");
    let result = world.json(&["get", "bomb", "--json", "--server", &served.address]);
    assert_eq!((&result["state"], &result["reason"]["code"]), (&json!("failed"), &json!("terminate_when")));
    assert!(result["reason"]["detail"].as_str().unwrap().contains("steps; at most"), "{result}");
    assert!(served.process.runs());
}

#[test]
fn a_stored_debate_whose_schema_unfolds_to_billions_ends_and_says_so() {
    let world = World::new();
    let file = format!("{FILE}synthesizer: {{output_schema: {{type: object}}}}\n");
    left_with(&world, &file, |spec| {
        let level = |n: usize| {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            (format!("d{n}"), json!({"allOf": [next, next]}))
        };
        let mut levels: serde_json::Map<_, _> = (0..31).map(level).collect();
        levels.insert("d31".to_owned(), json!({"type": "string"}));
        let schema = json!({"$ref": "#/$defs/d0", "$defs": levels});
        spec.synthesizer.as_mut().unwrap().output_schema = Some(schema);
    });

    let mut served = ServeServer::start_with(&world, "second", &["--rehearsal"], &[]);

    world.agon(&["list", "--server", &served.address]).ok();
    let said = world.agon(&["watch", "bomb", "--server", &served.address, "--quiet"]);
    let result = world.json(&["get", "bomb", "--json", "--server", &served.address]);
    assert!(said.code == Some(0) && result.to_string().contains("nested deeper"), "{said:?} {result}");
    assert!(served.process.runs());
}

#[test]
fn a_debate_goes_on_where_the_limits_are_lower_than_where_it_was_admitted() {
    let world = World::new();
    left_with(&world, FILE, |_| {});
    let lower = [("AGON__LIMITS__EXPRESSION_STEPS", "1")];

    let served = ServeServer::start_with(&world, "second", &["--rehearsal"], &lower);

    world.agon(&["watch", "bomb", "--server", &served.address, "--quiet"]).ok();
    let file = world.file("tea.yaml", FILE);
    world.agon(&["submit", &file, "--rehearsal", "--server", &served.address]).code(64);
}
