//! Orders that are drawn, and one that must not matter.
use crate::hold::{self, DebateLog, admission, hold, speech};
use agon_core::*;
use std::collections::BTreeSet;

/// The speakers of each round, by a seed.
fn orders(seed: u64) -> Vec<Vec<String>> {
    let asked = admission(4, |spec| (spec.turn_mode, spec.max_rounds) = (TurnMode::Random, 5));
    let asked = Admission { seed, ..asked };
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

/// The measures of a debate in which those who are asked at once answer in this order.
fn measured(last_first: bool) -> Vec<Measures> {
    let mut log = DebateLog::begin(admission(3, |spec| {
        (spec.visibility, spec.max_rounds) = (Visibility::Simultaneous, 3);
        spec.end_condition = vec![EndCondition::NoNewArguments];
    }));
    while log.debate.ended().is_none() {
        let mut asked = log.asked();
        let ask = if last_first { asked.pop() } else { asked.into_iter().next() };
        let ask = ask.unwrap();
        let text = format!("{} speaks of roads and of houses in round {}", ask.participant, ask.turn.round);
        log.answer(&ask, speech(&text));
    }
    hold::measures(&log.events).into_iter().cloned().collect()
}

#[test]
fn what_is_measured_does_not_depend_on_who_was_faster() {
    let measures = measured(false);
    assert!(measures.len() > 1 && !measures[1].stable.is_empty());
    assert_eq!(measured(true), measures);
}
