//! Combinations of options that are refused, each with the key to change first.
use crate::hold::admission;
use agon_core::*;
use serde_json::{Value, json};

/// The keys of the problems that a plain debate has with these changes.
fn refused(personas: usize, changes: Value) -> Vec<String> {
    let mut spec = serde_json::to_value(admission(personas, json!({})).spec).unwrap();
    for (path, value) in changes.as_object().unwrap() {
        *spec.pointer_mut("").unwrap() = set(spec.clone(), path, value.clone());
    }
    let problems = combination_problems(&serde_json::from_value(spec).unwrap());
    assert!(problems.iter().all(|problem| problem.message.len() > 20 && !problem.keys.is_empty()));
    problems.into_iter().map(|problem| problem.keys[0].clone()).collect()
}

/// Sets `a.0.b`, making what is not there.
fn set(mut whole: Value, path: &str, value: Value) -> Value {
    let mut at = &mut whole;
    for part in path.split('.') {
        at = match part.parse::<usize>() {
            Ok(index) => &mut at[index],
            Err(_) => &mut at[part],
        };
    }
    *at = value;
    whole
}

/// Who is hidden from a persona, and a summary that names everybody.
fn masked_and_summed_up() -> Value {
    json!({
        "memory": "persona_masking", "personas.0.hidden_from": ["P1"], "context_scope": "summary_only", "max_rounds": 2,
        "summarizer": {"model": "m", "max_tokens": 9}
    })
}

#[test]
fn options_that_do_nothing_where_they_stand_are_refused() {
    let moderator = json!({"opens": false, "closes": false, "concludes": false, "model": "m", "max_tokens": 9});
    let with = |key: &str, value: Value| {
        let mut moderator = moderator.clone();
        moderator[key] = value;
        json!({"moderator": moderator})
    };
    let cases = [
        (json!({"inner_circle": 3}), "inner_circle"),
        (json!({"confidence": true, "ballots": "none"}), "confidence"),
        (json!({"weigh_by_confidence": true, "confidence": true, "ballots": "both"}), "weigh_by_confidence"),
        (json!({"interruptions": "turn_boundary"}), "interruptions"),
        (json!({"interruption_threshold": 3}), "interruption_threshold"),
        (json!({"points_of_information": false}), "points_of_information"),
        (json!({"topology": "ring"}), "topology"),
        (json!({"hub": "P0"}), "hub"),
        (json!({"direction": "critique_hub"}), "direction"),
        (json!({"density": 0.7}), "density"),
        (json!({"context_turns": 5}), "context_turns"),
        (json!({"memory_window": 5}), "memory_window"),
        (json!({"window_step": 2}), "window_step"),
        (json!({"memory": "rolling_window", "memory_window": 3, "window_step": 4}), "window_step"),
        (json!({"summarize_every": 5}), "summarize_every"),
        (json!({"similarity_threshold": 0.5}), "similarity_threshold"),
        (json!({"memory": "persona_masking"}), "memory"),
        (masked_and_summed_up(), "context_scope"),
        (json!({"personas.0.sees": ["P1"]}), "personas[0].sees"),
        (json!({"personas.1.hidden_from": ["P1"]}), "personas[1].hidden_from"),
        (json!({"personas.0.reflection": true}), "personas[0].reflection"),
        (json!({"personas.0.elo": 1600.0}), "personas[0].elo"),
        (json!({"phases.rebuttals": true}), "phases.rebuttals"),
        (json!({"turn_mode": "moderator"}), "turn_mode"),
        (json!({"turn_mode": "reaction_triggered", "visibility": "simultaneous"}), "visibility"),
        (json!({"consensus_strategy": "mediator_summary"}), "consensus_strategy"),
        (json!({"consensus_strategy": "agent_closing"}), "consensus_strategy"),
        (json!({"consensus_strategy": "vote"}), "voting"),
        (json!({"consensus_strategy": "judge"}), "judge"),
        (with("interject", json!("midpoint")), "moderator.interject"),
        (with("summary_style", json!("critical")), "moderator.summary_style"),
    ];
    for (changes, key) in cases {
        assert_eq!(refused(2, changes.clone()), [key], "{changes}");
    }
    assert_eq!(refused(2, json!({})), [""; 0]);
}

#[test]
fn formats_refuse_what_their_shape_does_not_allow() {
    let cases: [(usize, Value, &[&str]); 9] = [
        (2, json!({"debate_format": "fishbowl"}), &["personas"]),
        (4, json!({"debate_format": "fishbowl", "inner_circle": 4}), &["inner_circle"]),
        (4, json!({"debate_format": "fishbowl", "turn_mode": "moderator"}), &["turn_mode", "turn_mode"]),
        (2, json!({"debate_format": "socratic", "visibility": "simultaneous"}), &["visibility"]),
        (2, json!({"debate_format": "open_fight", "turn_mode": "random"}), &["turn_mode"]),
        (2, json!({"debate_format": "critique_revision"}), &["phases.opening_statements"]),
        (
            2,
            json!({"debate_format": "critique_revision", "phases.opening_statements": true, "topology": "star", "hub": "Px"}),
            &["hub"],
        ),
        (3, json!({"debate_format": "bp_style"}), &["personas"]),
        (
            4,
            json!({"debate_format": "bp_style", "max_rounds": 2, "phases.opening_statements": true}),
            &[
                "max_rounds",
                "phases.opening_statements",
                "personas[0].stance",
                "personas[1].stance",
                "personas[2].stance",
                "personas[3].stance",
            ],
        ),
    ];
    for (personas, changes, keys) in cases {
        assert_eq!(refused(personas, changes.clone()), keys, "{changes}");
    }
}

#[test]
fn votes_refuse_what_they_cannot_count() {
    let vote = |voting: Value, more: Value| {
        let mut changes = json!({"consensus_strategy": "vote", "voting": voting});
        for (key, value) in more.as_object().unwrap() {
            changes[key] = value.clone();
        }
        refused(2, changes)
    };
    let judge =
        json!({"orders": 2, "anonymize_transcript": true, "shuffle_for_judge": true, "model": "j", "max_tokens": 9});
    let judges = |rule: &str, every: bool| {
        vote(
            json!({"rule": rule, "self_votes": "allow", "voters": "judges", "every_round": every}),
            json!({"judge": judge}),
        )
    };
    assert_eq!(judges("majority", false), [""; 0]);
    assert_eq!(judges("majority", true), ["voting.every_round"]);
    assert_eq!(judges("weighted", false), ["voting.rule"]);
    assert_eq!(judges("anonymous_scoring", false), ["voting.voters"]);
    assert_eq!(vote(json!({"rule": "majority", "self_votes": "exclude"}), json!({})), ["voting.self_votes"]);
    assert_eq!(vote(json!({"rule": "anonymous_scoring", "self_votes": "allow"}), json!({})), ["voting.self_votes"]);
    let own = json!({"mode": "deliberative"});
    assert_eq!(vote(json!({"rule": "majority", "self_votes": "allow"}), own), ["ballots"]);
    let late = json!({"mode": "deliberative", "ballots": "final_only"});
    assert_eq!(vote(json!({"rule": "majority", "self_votes": "allow", "every_round": true}), late), ["ballots"]);
}
