//! A proposal that was lost is neither criticised nor revised nor elected; a round in which nobody could be asked is void.
use super::hold::{admission, critique, hold, speech};
use agon_core::*;
use serde_json::json;

/// Three debaters, of whom `P1` makes no proposal; everything else is answered.
fn without_the_second(changes: serde_json::Value) -> Vec<Event> {
    let mut spec = json!({"debate_format": "critique_revision", "max_rounds": 2, "consensus_strategy": "vote",
        "voting": {"rule": "plurality", "self_votes": "allow"}, "ballots": "both",
        "phases": {"opening_statements": true, "final_statements": false}});
    spec.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    hold(admission(3, spec), |ask| match &ask.task {
        Task::Statement { speech: SpeechKind::Proposal, .. } if ask.participant.as_str() == "P1" => None,
        Task::Critique { .. } => Some(critique()),
        Task::Revise { critics } => {
            Some(Answer::Revision(Revision { text: "Better.".into(), accepted: critics.clone(), declined: Vec::new() }))
        }
        Task::Ballot { choices, .. } => {
            Some(Answer::Choice { choice: choices[0].clone(), reasons: Vec::new(), confidence: None })
        }
        Task::Vote { candidates, .. } => {
            Some(Answer::Choice { choice: candidates[0].clone(), reasons: Vec::new(), confidence: None })
        }
        _ => Some(speech("My proposal.")),
    })
}

fn asks(events: &[Event]) -> impl Iterator<Item = &Ask> {
    events.iter().filter_map(|event| if let Event::TurnAsked(ask) = event { Some(ask) } else { None })
}

#[test]
fn a_lost_proposal_is_not_criticised_revised_or_elected() {
    for topology in ["all_to_all", "round_robin", "ring", "sparse"] {
        let events = without_the_second(json!({"topology": topology}));
        let mut criticised = 0;
        for ask in asks(&events) {
            match &ask.task {
                Task::Critique { of } => {
                    assert_ne!(of.as_str(), "P1", "{topology}");
                    criticised += 1;
                }
                Task::Revise { .. } => assert_ne!(ask.participant.as_str(), "P1", "{topology}"),
                Task::Ballot { choices, .. } => assert_eq!(*choices, ["P0", "P2"], "{topology}"),
                Task::Vote { candidates, .. } => assert!(!candidates.contains(&"P1".to_owned()), "{topology}"),
                _ => {}
            }
        }
        assert!(criticised >= 4, "{topology}: {criticised} critiques in two rounds");
    }
}

#[test]
fn the_author_of_a_lost_proposal_still_criticises() {
    let events = without_the_second(json!({"topology": "all_to_all"}));
    assert!(asks(&events).any(|ask| matches!(ask.task, Task::Critique { .. }) && ask.participant.as_str() == "P1"));
}

#[test]
fn another_proposal_stands_in_for_that_of_a_hub_which_was_lost() {
    let events = without_the_second(json!({"topology": "star", "hub": "P1", "direction": "critique_hub"}));
    let criticised: Vec<&str> = asks(&events)
        .filter_map(|ask| if let Task::Critique { of } = &ask.task { Some(of.as_str()) } else { None })
        .collect();
    assert_eq!(criticised, ["P0"; 4]);
}

#[test]
fn an_open_fight_in_which_every_bid_failed_is_void_and_not_decided() {
    let phases = json!({"opening_statements": true, "final_statements": false});
    let asked = admission(3, json!({"debate_format": "open_fight", "phases": phases}));
    let events = hold(asked, |ask| match ask.task {
        Task::Bid { .. } => None,
        _ => Some(speech("so")),
    });
    let Some(Event::DebateEnded { state, reason: Some(reason), .. }) = events.last() else {
        panic!("{:?}", events.last())
    };
    assert_eq!((*state, reason.code), (DebateState::Failed, ReasonCode::Quorum));
}

#[test]
fn an_open_fight_in_which_nobody_wants_the_floor_is_not_void() {
    let phases = json!({"opening_statements": true, "final_statements": false});
    let asked = admission(3, json!({"debate_format": "open_fight", "phases": phases}));
    let events = hold(asked, |ask| match ask.task {
        Task::Bid { .. } => Some(Answer::Bid(Bid::default())),
        _ => Some(speech("so")),
    });
    assert!(matches!(events.last(), Some(Event::DebateEnded { state: DebateState::Succeeded, .. })));
}
