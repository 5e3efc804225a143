//! A proposal that was lost is neither criticised nor revised nor elected; a round in which nobody could be asked is void.
use super::hold::{admission, choice, critique, hold, revises, speech, votes};
use agon_core::testing::voting;
use agon_core::*;

/// Three debaters, of whom `P1` makes no proposal; everything else is answered.
fn without_the_second(format: FormatOptions) -> Vec<Event> {
    let asked = admission(3, |spec| {
        revises(spec);
        votes(spec, voting(VoteRule::Plurality));
        (spec.max_rounds, spec.ballots, spec.format) = (2, Ballots::Both, format);
    });
    hold(asked, |ask| match &ask.task.work {
        Work::Statement { speech: SpeechKind::Proposal, .. } if ask.participant.as_str() == "P1" => None,
        Work::Critique { .. } => Some(critique()),
        Work::Revise => Some(Answer::Revision(Revision {
            text: "Better.".into(),
            accepted: ask.task.material.critics().to_vec(),
            declined: Vec::new(),
        })),
        Work::Ballot { .. } => Some(choice(&ask.task.material.choices()[0])),
        Work::Vote => Some(choice(&ask.task.material.candidates()[0])),
        _ => Some(speech("My proposal.")),
    })
}

fn asks(events: &[Event]) -> impl Iterator<Item = &Ask> {
    events.iter().filter_map(|event| if let Event::TurnAsked(ask) = event { Some(ask) } else { None })
}

#[test]
fn a_lost_proposal_is_not_criticised_revised_or_elected() {
    for topology in [Topology::AllToAll, Topology::RoundRobin, Topology::Ring, Topology::Sparse] {
        let events = without_the_second(FormatOptions { topology, ..FormatOptions::default() });
        let mut criticised = 0;
        for ask in asks(&events) {
            match &ask.task.work {
                Work::Critique { of } => {
                    assert_ne!(of.as_str(), "P1", "{topology:?}");
                    criticised += 1;
                }
                Work::Revise => assert_ne!(ask.participant.as_str(), "P1", "{topology:?}"),
                Work::Ballot { .. } => assert_eq!(ask.task.material.choices(), ["P0", "P2"], "{topology:?}"),
                Work::Vote => assert!(!ask.task.material.candidates().contains(&"P1".to_owned()), "{topology:?}"),
                _ => {}
            }
        }
        assert!(criticised >= 4, "{topology:?}: {criticised} critiques in two rounds");
    }
}

#[test]
fn the_author_of_a_lost_proposal_still_criticises() {
    let events = without_the_second(FormatOptions::default());
    assert!(
        asks(&events).any(|ask| matches!(ask.task.work, Work::Critique { .. }) && ask.participant.as_str() == "P1")
    );
}

#[test]
fn another_proposal_stands_in_for_that_of_a_hub_which_was_lost() {
    let (topology, hub, direction) = (Topology::Star, Some("P1".into()), Direction::CritiqueHub);
    let events = without_the_second(FormatOptions { topology, hub, direction, ..FormatOptions::default() });
    let criticised: Vec<&str> = asks(&events)
        .filter_map(|ask| if let Work::Critique { of } = &ask.task.work { Some(of.as_str()) } else { None })
        .collect();
    assert_eq!(criticised, ["P0"; 4]);
}

#[test]
fn an_open_fight_is_void_where_every_bid_failed_and_not_where_nobody_wants_the_floor() {
    let asked =
        admission(3, |spec| (spec.debate_format, spec.phases.opening_statements) = (DebateFormat::OpenFight, true));
    let ended = |bid: Option<Bid>| {
        let events = hold(asked.clone(), |ask| match ask.task.work {
            Work::Bid { .. } => bid.clone().map(Answer::Bid),
            _ => Some(speech("so")),
        });
        let Some(Event::DebateEnded { state, reason, .. }) = events.last() else { panic!("no end") };
        (*state, reason.as_ref().map(|reason| reason.code))
    };
    assert_eq!(ended(None), (DebateState::Failed, Some(ReasonCode::Quorum)));
    assert_eq!(ended(Some(Bid::default())).0, DebateState::Succeeded);
}
