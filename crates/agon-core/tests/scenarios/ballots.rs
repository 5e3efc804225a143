//! What private ballots and votes on answers come to.
use crate::hold::{admission, choice, hold, judgement, open_judge, speech, votes};
use crate::page::rows;
use agon_core::testing::voting;
use agon_core::*;

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
    stance(first[at]).map(choice)
}

fn judged(strategy: ConsensusStrategy, first: &[&str], winner: &str) -> MajorityShift {
    let asked = admission(3, |spec| {
        (spec.consensus_strategy, spec.judge, spec.ballots) = (strategy, Some(open_judge()), Ballots::Both);
    });
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Ballot { .. } => ballot(ask, first),
        Work::Judge { .. } => Some(judgement(stance(winner), vec![])),
        Work::Rank { .. } => {
            let mut ranking: Vec<Ranked> = ask
                .task
                .material
                .candidates()
                .iter()
                .map(|name| Ranked { candidate: name.clone(), reason: "r".into() })
                .collect();
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
        let name = serde_json::to_value(judged(ConsensusStrategy::Judge, &first, row[1])).unwrap();
        assert_eq!(name, row[2], "{row:?}");
        // A debater who wins stands for its stance.
        if row[1] != "-" {
            let ranked = judged(ConsensusStrategy::RankedReasons, &first, row[1]);
            assert_eq!(serde_json::to_value(ranked).unwrap(), row[2], "{row:?}");
        }
    }
}

/// A vote of three debaters who give these answers in their ballots, before and after, and vote for the first on their ballot
/// that is their own, else for the first.
fn on_answers(voting: Voting, before: [&str; 3], after: [&str; 3]) -> Vec<Event> {
    let asked = admission(3, |spec| {
        (spec.mode, spec.ballots, spec.max_rounds) = (Mode::Deliberative, Ballots::Both, 2);
        votes(spec, voting);
    });
    hold(asked, |ask| {
        let at: usize = ask.participant.as_str()[1..].parse().unwrap();
        Some(match &ask.task.work {
            Work::Ballot { stage: BallotStage::Initial } => choice(before[at]),
            Work::Ballot { stage: BallotStage::Final } => choice(after[at]),
            Work::Vote => {
                let candidates = ask.task.material.candidates();
                choice(candidates.iter().find(|candidate| *candidate == after[at]).unwrap_or(&candidates[0]))
            }
            _ => speech("so"),
        })
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
    let voting = Voting { self_votes: SelfVotes::Exclude, ..voting(VoteRule::Majority) };
    let (counts, winner) = tally(&on_answers(voting, ["yes", "yes", "no"], ["yes", "yes", "no"]));
    assert_eq!((counts, winner.as_deref()), (vec![("yes".into(), 3), ("no".into(), 0)], Some("yes")));
}

#[test]
fn an_answer_that_nobody_else_gave_is_not_on_its_own_ballot() {
    let voting = Voting { self_votes: SelfVotes::Exclude, ..voting(VoteRule::Majority) };
    let events = on_answers(voting, ["a", "b", "c"], ["a", "b", "c"]);
    for event in &events {
        let Event::TurnAsked(Ask { participant, task, .. }) = event else { continue };
        let candidates = task.material.candidates();
        if task.work != Work::Vote {
            continue;
        }
        let own = ["a", "b", "c"][participant.as_str()[1..].parse::<usize>().unwrap()];
        assert!(candidates.len() == 2 && !candidates.contains(&own.to_owned()), "{participant}: {candidates:?}");
    }
}

#[test]
fn votes_of_rounds_are_counted_over_the_answers_that_were_on_the_ballots() {
    let voting = Voting { every_round: true, ..voting(VoteRule::Plurality) };
    let (counts, winner) = tally(&on_answers(voting, ["yes", "no", "no"], ["later", "no", "no"]));
    assert_eq!((counts, winner.as_deref()), (vec![("no".into(), 4), ("yes".into(), 2)], Some("no")));
}

/// A weighted vote of three debaters for their own stances, each this sure; absent: it cannot be heard.
fn sure(confidence: bool, weigh_by_confidence: bool, sure: [Option<u8>; 3]) -> Vec<Event> {
    let asked = admission(3, |spec| {
        votes(spec, voting(VoteRule::Weighted));
        (spec.answers.confidence, spec.answers.weigh_by_confidence) = (confidence, weigh_by_confidence);
    });
    hold(asked, |ask| {
        let at: usize = ask.participant.as_str()[1..].parse().unwrap();
        match &ask.task.work {
            Work::Vote => {
                let (choice, confidence) = (ask.task.material.candidates()[at].clone(), Some(sure[at]?));
                Some(Answer::Choice { choice, reasons: vec![], confidence })
            }
            _ => Some(speech("so")),
        }
    })
}

fn confidences(events: &[Event]) -> Vec<Option<u8>> {
    let of = |event: &Event| {
        if let Event::Answered(Answered { given: Given::Vote { confidence, .. }, .. }) = event {
            Some(*confidence)
        } else {
            None
        }
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn confidence_is_kept_only_where_the_file_asks_and_weighs_only_where_it_says_so() {
    let given = [Some(90), Some(40), Some(40)];
    let off = sure(false, false, given);
    assert_eq!((confidences(&off), tally(&off).1), (vec![None; 3], None));
    let asked = sure(true, false, given);
    assert_eq!((confidences(&asked), tally(&asked).1), (given.to_vec(), None));
    let (counts, winner) = tally(&sure(true, true, given));
    assert_eq!(counts, [("s0".to_owned(), 900), ("s1".to_owned(), 400), ("s2".to_owned(), 400)]);
    assert_eq!(winner.as_deref(), Some("s0"));
}

#[test]
fn a_voter_that_cannot_be_heard_keeps_its_whole_weight_in_the_denominator() {
    let (counts, winner) = tally(&sure(true, true, [Some(90), Some(0), None]));
    assert_eq!((counts[0].1, winner), (900, None));
}

#[test]
fn a_confidence_beyond_a_hundred_is_malformed() {
    let events = sure(true, false, [Some(101), Some(1), Some(1)]);
    let failed = events
        .iter()
        .any(|event| matches!(event, Event::TurnFailed { failure, .. } if failure.detail.contains("0 to 100")));
    assert!(failed);
}
