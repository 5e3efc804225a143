//! What judges' readings come to: the table of the guide.
use crate::hold::{admission, hold, speech};
use crate::page::rows;
use agon_core::*;
use serde_json::json;

/// What the debate comes to where judges read so: a winner, or the reason why there is none; and whether that makes the
/// consensus of two debaters contested who do not agree.
fn result(orders: u32, judges: &[&str]) -> (String, bool) {
    let panel = judges.len();
    let judge = json!({
        "orders": orders, "panel": panel, "anonymize_transcript": true, "shuffle_for_judge": true, "model": "j", "max_tokens": 9
    });
    let asked = admission(2, json!({"consensus_strategy": "judge", "judge": judge, "ballots": "final_only"}));
    let events = hold(asked, |ask| match &ask.task {
        Task::Judge { order, .. } => {
            let read = judges[judge_index(&ask.participant).unwrap() as usize];
            let named = read.split(' ').nth(*order as usize)?;
            let winner = Some(if named == "A" { "s0".into() } else { "s1".into() });
            let (verdict, reasoning) = ("v".into(), "r".into());
            let (citations, open_objections) = (vec![], vec![]);
            Some(Answer::Judgement(Judgement { verdict, winner, reasoning, citations, open_objections }))
        }
        Task::Ballot { .. } => {
            let choice = ask.participant.as_str().replace('P', "s");
            Some(Answer::Choice { choice, reasons: vec![], confidence: None })
        }
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
        let mut asked = admission(
            3,
            json!({
                "debate_format": "critique_revision", "consensus_strategy": "vote",
                "phases": {"opening_statements": true, "final_statements": false},
                "voting": {"rule": "plurality", "self_votes": "allow"}
            }),
        );
        asked.spec.personas[at].name = "Speaker A".into();
        let events = hold(asked, |ask| match &ask.task {
            Task::Vote { .. } => Some(Answer::Choice { choice: "Speaker A".into(), reasons: vec![], confidence: None }),
            Task::Critique { .. } => {
                Some(Answer::Critique(Critique { severity: 0, issues: vec![], suggestions: vec![] }))
            }
            Task::Revise { .. } => {
                Some(Answer::Revision(Revision { text: "so".into(), accepted: vec![], declined: vec![] }))
            }
            _ => Some(speech("so")),
        });
        let won =
            |event: &Event| matches!(event, Event::VerdictReached { winner: Some(name), .. } if name == "Speaker A");
        assert!(events.iter().any(won));
    }
}
