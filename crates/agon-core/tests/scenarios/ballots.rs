//! What private ballots and votes on answers come to.
use crate::hold::{admission, hold, speech};
use crate::page::rows;
use agon_core::*;
use serde_json::json;

/// The stance of a candidate of the page: `A` is that of `P0`.
fn stance(letter: &str) -> Option<String> {
    let at = ["A", "B", "C"].iter().position(|known| *known == letter)?;
    Some(format!("s{at}"))
}

fn shift(events: &[Event]) -> MajorityShift {
    let reached = |event: &Event| match event {
        Event::VerdictReached { majority, .. } => Some(*majority),
        _ => None,
    };
    events.iter().find_map(reached).unwrap()
}

/// The ballot of a debater of whom the page says what it chose, if it could be heard.
fn ballot(ask: &Ask, first: &[&str]) -> Option<Answer> {
    let at: usize = ask.participant.as_str()[1..].parse().unwrap();
    let choice = stance(first[at])?;
    Some(Answer::Choice { choice, reasons: vec![] })
}

fn judged(strategy: &str, first: &[&str], winner: &str) -> MajorityShift {
    let judge =
        json!({"orders": 1, "anonymize_transcript": false, "shuffle_for_judge": false, "model": "j", "max_tokens": 9});
    let asked = admission(3, json!({"consensus_strategy": strategy, "judge": judge, "ballots": "both"}));
    let events = hold(asked, |ask| match &ask.task {
        Task::Ballot { .. } => ballot(ask, first),
        Task::Judge { .. } => {
            let (winner, verdict, reasoning) = (stance(winner), "v".into(), "r".into());
            let (citations, open_objections) = (vec![], vec![]);
            Some(Answer::Judgement(Judgement { verdict, winner, reasoning, citations, open_objections }))
        }
        Task::Rank { candidates, .. } => {
            let mut ranking: Vec<Ranked> =
                candidates.iter().map(|name| Ranked { candidate: name.clone(), reason: "r".into() }).collect();
            let first = stance(winner)?.replace('s', "P");
            ranking.sort_by_key(|ranked| ranked.candidate != first);
            Some(Answer::Ranking(ranking))
        }
        _ => Some(speech("so")),
    });
    shift(&events)
}

#[test]
fn the_first_majority_is_kept_or_overturned_as_the_page_says() {
    for row in rows("| first ballots | winner | majority |") {
        let first: Vec<&str> = row[0].split("; ").collect();
        let name = serde_json::to_value(judged("judge", &first, row[1])).unwrap();
        assert_eq!(name, row[2], "{row:?}");
        // A debater who wins stands for its stance.
        if row[1] != "-" {
            assert_eq!(serde_json::to_value(judged("ranked_reasons", &first, row[1])).unwrap(), row[2], "{row:?}");
        }
    }
}

/// A vote of three debaters who give these answers in their ballots, before and after, and vote for the first on their ballot
/// that is their own, else for the first.
fn on_answers(voting: serde_json::Value, before: [&str; 3], after: [&str; 3]) -> Vec<Event> {
    let asked = admission(
        3,
        json!({"mode": "deliberative", "ballots": "both", "consensus_strategy": "vote", "max_rounds": 2, "voting": voting}),
    );
    hold(asked, |ask| {
        let at: usize = ask.participant.as_str()[1..].parse().unwrap();
        let choice = |choice: &str| Some(Answer::Choice { choice: choice.to_owned(), reasons: vec![] });
        match &ask.task {
            Task::Ballot { stage: BallotStage::Initial, .. } => choice(before[at]),
            Task::Ballot { stage: BallotStage::Final, .. } => choice(after[at]),
            Task::Vote { candidates, .. } => {
                choice(candidates.iter().find(|candidate| *candidate == after[at]).unwrap_or(&candidates[0]))
            }
            _ => Some(speech("so")),
        }
    })
}

fn tally(events: &[Event]) -> (Vec<(String, u32)>, Option<String>) {
    let tallied = |event: &Event| match event {
        Event::VoteTallied { counts, winner, .. } => Some((counts.clone(), winner.clone())),
        _ => None,
    };
    events.iter().find_map(tallied).unwrap()
}

#[test]
fn an_answer_that_several_gave_stays_on_their_ballots() {
    let voting = json!({"rule": "majority", "self_votes": "exclude"});
    let (counts, winner) = tally(&on_answers(voting, ["yes", "yes", "no"], ["yes", "yes", "no"]));
    assert_eq!((counts, winner.as_deref()), (vec![("yes".into(), 3), ("no".into(), 0)], Some("yes")));
}

#[test]
fn an_answer_that_nobody_else_gave_is_not_on_its_own_ballot() {
    let voting = json!({"rule": "majority", "self_votes": "exclude"});
    let events = on_answers(voting, ["a", "b", "c"], ["a", "b", "c"]);
    for event in &events {
        let Event::TurnAsked(Ask { participant, task: Task::Vote { candidates, .. }, .. }) = event else { continue };
        let own = ["a", "b", "c"][participant.as_str()[1..].parse::<usize>().unwrap()];
        assert!(candidates.len() == 2 && !candidates.contains(&own.to_owned()), "{participant}: {candidates:?}");
    }
}

#[test]
fn votes_of_rounds_are_counted_over_the_answers_that_were_on_the_ballots() {
    let voting = json!({"rule": "plurality", "self_votes": "allow", "every_round": true});
    let (counts, winner) = tally(&on_answers(voting, ["yes", "no", "no"], ["later", "no", "no"]));
    assert_eq!((counts, winner.as_deref()), (vec![("no".into(), 4), ("yes".into(), 2)], Some("no")));
}
