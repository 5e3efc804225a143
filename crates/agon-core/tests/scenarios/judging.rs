//! What judges' readings come to: the table of the guide.
use crate::hold::{admission, choice, hold, judged, judgement, revises, speech, votes};
use crate::page::rows;
use agon_core::testing::voting;
use agon_core::*;

/// What the debate comes to where judges read so: a winner, or the reason why there is none; and whether that makes the
/// consensus of two debaters contested who do not agree.
fn result(orders: u32, judges: &[&str]) -> (String, bool) {
    let asked = admission(2, |spec| {
        judged(spec, Judge { orders, panel: judges.len() as u32, ..testing::judge() });
        spec.ballots = Ballots::FinalOnly;
    });
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Judge { order } => {
            let read = judges[judge_index(&ask.participant).unwrap() as usize];
            let named = read.split(' ').nth(*order as usize)?;
            Some(judgement(Some(if named == "A" { "s0".into() } else { "s1".into() }), vec![]))
        }
        Work::Ballot { .. } => Some(choice(ask.participant.as_str().replace('P', "s"))),
        _ => Some(speech("so")),
    });
    let verdict = events.iter().find_map(|event| match event {
        Event::VerdictReached { winner, reason, consensus, .. } => {
            Some((winner.clone(), reason.clone(), consensus.as_ref().unwrap().contested))
        }
        _ => None,
    });
    let (winner, reason, contested) = verdict.unwrap();
    let result = match (winner.as_deref(), reason) {
        (Some("s0"), None) => "A".into(),
        (Some("s1"), None) => "B".into(),
        (_, reason) => serde_json::to_value(reason.unwrap().code).unwrap().as_str().unwrap().to_owned(),
    };
    (result, contested)
}

#[test]
fn judges_come_to_what_the_page_says() {
    for row in rows("| orders | judge 1 | judge 2 | judge 3 | result | contested |") {
        let judges: Vec<&str> = row[1..4].iter().copied().filter(|read| *read != "-").collect();
        let (result, contested) = result(row[0].parse().unwrap(), &judges);
        assert_eq!((result.as_str(), contested), (row[4], row[5] == "yes"), "{row:?}");
    }
}

#[test]
fn a_debater_who_is_called_like_a_label_keeps_its_votes() {
    // Some label belongs to another one: rename every persona after a label, in turn.
    for at in 0..3 {
        let mut asked = admission(3, |spec| {
            revises(spec);
            votes(spec, voting(VoteRule::Plurality));
        });
        asked.spec.personas[at].name = "Speaker A".into();
        let events = hold(asked, |ask| match &ask.task.work {
            Work::Vote => Some(choice("Speaker A")),
            Work::Critique { .. } => {
                Some(Answer::Critique(Critique { severity: 0, issues: vec![], suggestions: vec![] }))
            }
            Work::Revise => Some(Answer::Revision(Revision { text: "so".into(), accepted: vec![], declined: vec![] })),
            _ => Some(speech("so")),
        });
        let won =
            |event: &Event| matches!(event, Event::VerdictReached { winner: Some(name), .. } if name == "Speaker A");
        assert!(events.iter().any(won));
    }
}
