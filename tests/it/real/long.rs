//! What takes minutes.
use super::{MODEL, ModelHost, TOPIC, debaters, short_debate};
use crate::support::World;
use serde_json::Value;

const SIDES: [&str; 3] = ["stance: Buy one.", "stance: Buy none.", "stance: Rent one."];
const PEOPLE: [&str; 4] = ["role: An accountant.", "role: A barista.", "role: A doctor.", "role: A driver."];
const JUDGE: &str = "max_rounds: 1\njudge: {max_tokens: 600, orders: 1}\nballots: none\n";
const VOTE: &str = "consensus_strategy: vote\nvoting: {rule: plurality}\nballots: none\n";

/// Every format, as short as it can be.
fn formats() -> [(&'static str, String); 8] {
    let judged = format!("{JUDGE}{}", debaters(&SIDES[..2], 60));
    [
        ("round_robin", judged.clone()),
        ("socratic", judged.clone()),
        ("open_fight", judged),
        ("bp_style", format!("judge: {{max_tokens: 600, orders: 1}}\nballots: none\n{}", debaters(&PEOPLE, 60))),
        ("fishbowl", format!("max_rounds: 2\ninner_circle: 2\n{VOTE}{}", debaters(&SIDES, 60))),
        (
            "chain_of_thought",
            format!("{}mode: deliberative\n{}", JUDGE.replace("none", "final_only"), debaters(&PEOPLE[..2], 120)),
        ),
        ("critique_revision", format!("max_rounds: 1\nmode: deliberative\n{VOTE}{}", debaters(&PEOPLE[..2], 200))),
        ("poll", format!("samples: 5\nanswer: {{options: [Buy, Rent]}}\n{}", debaters(&PEOPLE[..2], 120))),
    ]
}

#[test]
fn every_format_has_an_outcome() {
    let world = World::new();
    let server = ModelHost::start(&world, 1, 8192);
    let mut failed = Vec::new();
    for (format, text) in formats() {
        let id = format.replace('_', "-");
        match server.holds(&world, &id, &format!("{TOPIC}debate_format: {format}\n{text}"), &[]) {
            Ok(result) => println!("{format}: {}", result["outcome"]),
            Err(said) => failed.push(said),
        }
    }
    assert!(failed.is_empty(), "{} formats failed\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn structured_answers_without_a_grammar_are_read_or_their_mistakes_are_named() {
    let world = World::new();
    let server = ModelHost::start(&world, 1, 4096);
    let omit = format!(
        "[[hosts]]\nname = \"plain\"\nkind = \"openai\"\nurl = \"{}\"\nomit = [\"response_format\"]\n",
        server.url()
    );
    let settings = world.file("plain.toml", &omit);
    let file = world.file("plain.yaml", &short_debate());
    let args = ["run", &file, "--config", &settings, "--model", MODEL, "--id", "plain", "--no-reports"];
    let said = world.agon(&args);
    crate::live::check(&world, "plain");
    let result = world.json(&["get", "plain", "--json"]);
    let failures = result["failures"].as_array().unwrap();
    let told = |failure: &Value| ["malformed", "truncated"].iter().any(|cause| failure["cause"] == *cause);
    assert!(result["state"] == "succeeded" || failures.iter().all(told), "{said:?}");
}

#[test]
fn a_context_that_fills_up_ends_the_rounds_and_not_the_debate() {
    let world = World::new();
    let server = ModelHost::start(&world, 1, 1280);
    let text = short_debate().replace("max_rounds: 1", "max_rounds: 9").replace("max_tokens: 600", "max_tokens: 200");

    let result = server.holds(&world, "filled", &text, &[]).unwrap_or_else(|said| panic!("{said}"));

    assert!(result["rounds"].as_u64() < Some(9) && result["stopped_by"].to_string().contains("context"), "{result}");
}

#[test]
fn eight_debates_at_once_have_outcomes() {
    let world = World::new();
    let server = ModelHost::start(&world, 4, 16_384);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (world, server) = (&world, &server);
            scope.spawn(move || {
                let held = server.holds(world, &format!("at-once-{n}"), &short_debate(), &[]);
                held.unwrap_or_else(|said| panic!("{said}"));
            });
        }
    });
}

#[test]
fn an_eval_of_twenty_questions_comes_to_its_end() {
    let world = World::new();
    let server = ModelHost::start(&world, 4, 16_384);
    server.live().holds_an_eval((20, 100));
}
