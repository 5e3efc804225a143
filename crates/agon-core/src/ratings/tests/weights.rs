//! Which ratings weigh votes.
use super::super::ratings_for;
use super::*;
use crate::spec::DebateSpec;
use serde_json::{Value, json};

fn spec(voting: Option<Value>) -> DebateSpec {
    let persona = |name: &str, own: Value| {
        let mut persona = json!({"name": name, "stance": name, "model": "m", "max_tokens": 9});
        persona.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        persona
    };
    let strategy = if voting.is_some() { "vote" } else { "no_consensus" };
    let personas = vec![
        persona("Ada", json!({})),
        persona("Bo", json!({"model": "n"})),
        persona("Cy", json!({"elo": 1_700.0})),
        persona("Di", json!({"weight": 2.0})),
        persona("Eve", json!({"calibration": 0.7})),
        persona("Flo", json!({})),
    ];
    let mut spec = json!({
        "topic": "t", "mode": "adversarial", "debate_format": "round_robin", "max_rounds": 2, "personas": personas,
        "turn_mode": "round_robin", "visibility": "sequential", "context_scope": "full_log", "memory": "append_all",
        "phases": {"opening_statements": false, "final_statements": false}, "consensus_strategy": strategy,
        "ballots": "none", "end_condition": [], "timeout_per_turn_ms": 1, "on_turn_failure": "skip",
        "quorum": "majority", "outputs": []
    });
    if let Some(voting) = voting {
        spec["voting"] = voting;
    }
    serde_json::from_value(spec).unwrap()
}

/// Flo was in an undecided debate only.
fn ledger() -> Ledger {
    let all = ["Ada", "Bo", "Cy", "Di", "Eve"].map(|name| for_stance(name, name)).into();
    on_tea(vec![decided("Ada", all), without_winner(Outcome::Inconclusive, vec![for_stance("Flo", "tea")])])
}

#[test]
fn who_has_neither_weight_nor_rating_of_its_own_gets_the_one_that_it_has_earned() {
    let weighted = json!({"rule": "weighted", "self_votes": "allow", "voters": "debaters"});
    let ratings = ratings_for(&spec(Some(weighted)), &ledger());
    let ratings: Vec<(&str, f64)> = ratings.iter().map(|(name, rating)| (name.as_str(), *rating)).collect();
    assert_eq!(ratings, [("Ada", 1_516.0), ("Eve", 1_484.0)]);
}

#[test]
fn other_rules_and_other_voters_have_no_use_for_ratings() {
    let of = |rule, voters| json!({"rule": rule, "self_votes": "allow", "voters": voters});
    for voting in [None, Some(of("majority", "debaters")), Some(of("weighted", "judges"))] {
        assert!(ratings_for(&spec(voting.clone()), &ledger()).is_empty(), "{voting:?}");
    }
}
