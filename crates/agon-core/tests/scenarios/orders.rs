//! Orders that are drawn.
use crate::hold::{admission, hold, speech};
use agon_core::*;
use serde_json::json;
use std::collections::BTreeSet;

/// The speakers of each round, by a seed.
fn orders(seed: u64) -> Vec<Vec<String>> {
    let asked = Admission { seed, ..admission(4, json!({"turn_mode": "random", "max_rounds": 5})) };
    let names = |speakers: &[ParticipantId]| speakers.iter().map(ToString::to_string).collect();
    let events = hold(asked, |_| Some(speech("so")));
    let opened = |event: &Event| match event {
        Event::RoundOpened { speakers, .. } => Some(names(speakers)),
        _ => None,
    };
    events.iter().filter_map(opened).collect()
}

#[test]
fn a_random_order_is_drawn_afresh_each_round_and_follows_from_the_seed() {
    assert_eq!(orders(7), orders(7));
    let drawn: Vec<Vec<Vec<String>>> = (0..60).map(orders).collect();
    for round in 0..5 {
        let of_round: BTreeSet<_> = drawn.iter().map(|orders| &orders[round]).collect();
        assert!(of_round.len() > 15, "round {}: {} of 24 orders in 60 debates", round + 1, of_round.len());
    }
    let same = drawn.iter().filter(|orders| orders.iter().all(|order| *order == orders[0]));
    assert_eq!(same.count(), 0, "all rounds of a debate have one order");
    for order in drawn.iter().flatten() {
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 4, "{order:?}");
    }
}
