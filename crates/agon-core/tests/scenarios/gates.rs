//! Debates that are held only if their first ballots are contested.
use crate::hold::{DebateLog, admission, choice, hold, judged, judgement, lost, open_judge, speech, stopped, votes};
use agon_core::gate::{GateFeature, GateMethod, GateReason, GateRule, GateSide};
use agon_core::seed::{Dice, Purpose};
use agon_core::testing::voting;
use agon_core::*;

/// A deliberative debate of so many, with a judge, that is held if its first ballots are contested.
fn gated(personas: usize, change: impl FnOnce(&mut DebateSpec)) -> Admission {
    admission(personas, |spec| {
        (spec.mode, spec.ballots, spec.debate) = (Mode::Deliberative, Ballots::Both, DebateWhen::IfContested);
        judged(spec, open_judge());
        change(spec);
    })
}

/// What the gate decided: whether it skips, why, and how many ballots it knew.
fn decided(events: &[Event]) -> Option<(bool, GateReason, u32)> {
    events.iter().find_map(|event| match event {
        Event::GateDecided { skip, reason, cast, .. } => Some((*skip, *reason, *cast)),
        _ => None,
    })
}

fn reached(events: &[Event]) -> (Outcome, Option<String>, Option<Consensus>) {
    let verdict = events.iter().find_map(|event| match event {
        Event::VerdictReached { outcome, winner, consensus, .. } => Some((*outcome, winner.clone(), consensus.clone())),
        _ => None,
    });
    verdict.unwrap()
}

fn asked(events: &[Event]) -> Vec<&'static str> {
    let asks = events.iter().filter_map(|event| if let Event::TurnAsked(ask) = event { Some(ask) } else { None });
    asks.map(|ask| ask.task.work.traits().name).collect()
}

/// First ballots as given, everything else as a debate goes; an empty ballot is one that fails.
fn balloting(first: &'static [&'static str]) -> impl FnMut(&Ask) -> Option<Answer> {
    move |ask| {
        let at: usize = ask.participant.as_str().get(1..).and_then(|at| at.parse().ok()).unwrap_or_default();
        match &ask.task.work {
            Work::Ballot { stage: BallotStage::Initial } => {
                Some(first[at]).filter(|ballot| !ballot.is_empty()).map(choice)
            }
            Work::Ballot { .. } => Some(choice("Water")),
            Work::Judge { .. } => Some(judgement(Some("Water".into()), vec![])),
            Work::Vote => Some(choice("Water")),
            _ => Some(speech("so\nMy answer: Water")),
        }
    }
}

#[test]
fn where_all_first_ballots_agree_no_round_is_held_and_no_judge_is_asked() {
    let events = hold(gated(3, |_| {}), balloting(&["Tea", "tea.", "TEA"]));
    assert_eq!(asked(&events), ["ballot"; 3]);
    assert_eq!(decided(&events), Some((true, GateReason::Rule, 3)));
    assert_eq!(stopped(&events), Some((StopRule::NotContested, 0, None)));
    let (outcome, winner, consensus) = reached(&events);
    assert_eq!((outcome, winner.as_deref()), (Outcome::Decided, Some("Tea")));
    let consensus = consensus.unwrap();
    assert_eq!((consensus.top, consensus.eligible, consensus.source), (3, 3, ConsensusSource::FirstBallots));
    assert!(matches!(events.last(), Some(Event::DebateEnded { state: DebateState::Succeeded, .. })));
}

#[test]
fn contested_ballots_and_failed_ones_lead_to_a_debate() {
    let events = hold(gated(3, |_| {}), balloting(&["Tea", "Water", "Tea"]));
    assert_eq!(decided(&events), Some((false, GateReason::Rule, 3)));
    assert!(asked(&events).contains(&"judge") && stopped(&events).unwrap().0 == StopRule::MaxRounds);
    let events = hold(gated(4, |_| {}), balloting(&["Tea", "Tea", "", "Tea"]));
    assert_eq!(decided(&events), Some((false, GateReason::BallotFailed, 3)));
    assert!(asked(&events).contains(&"judge"));
}

#[test]
fn a_debate_that_is_always_held_has_no_gate() {
    let events = hold(gated(3, |spec| spec.debate = DebateWhen::Always), balloting(&["Tea", "Tea", "Tea"]));
    assert_eq!(decided(&events), None);
    assert!(asked(&events).contains(&"judge"));
}

#[test]
fn a_learned_rule_decides_and_a_shared_top_is_a_tie() {
    let rule = GateRule::plain(GateMethod::Threshold {
        feature: GateFeature::TopShare,
        debate_when: GateSide::Below,
        threshold: 0.5,
    });
    let with = |first| {
        let rule = rule.clone();
        hold(gated(4, |spec| spec.gate.rule = Some(rule)), balloting(first))
    };
    assert_eq!(decided(&with(&["Tea", "Tea", "Water", "Milk"])), Some((true, GateReason::Rule, 4)));
    assert_eq!(decided(&with(&["Tea", "Juice", "Water", "Milk"])), Some((false, GateReason::Rule, 4)));
    let tied = with(&["Tea", "Tea", "Water", "Water"]);
    assert_eq!((reached(&tied).0, reached(&tied).1), (Outcome::Tie, None));
}

fn by_vote(spec: &mut DebateSpec) {
    spec.judge = None;
    votes(spec, voting(VoteRule::Majority));
}

#[test]
fn with_a_vote_the_ballots_replace_the_vote() {
    let events = hold(gated(3, by_vote), balloting(&["Tea"; 3]));
    assert_eq!((asked(&events), reached(&events).1.as_deref()), (vec!["ballot"; 3], Some("Tea")));
}

#[test]
fn a_share_of_the_skipped_debates_is_held_by_the_seed() {
    let held = (0..400).filter(|seed| {
        let asked = Admission { seed: *seed, ..gated(3, |spec| spec.gate.explore = 0.25) };
        let events = hold(asked, balloting(&["Tea"; 3]));
        let (skip, reason, _) = decided(&events).unwrap();
        assert_eq!(skip, reason != GateReason::Explored);
        !skip
    });
    let held = held.count();
    assert!((70..130).contains(&held), "{held} of 400 are held, 100 are expected");
    let all = hold(gated(3, |spec| spec.gate.explore = 1.0), balloting(&["Tea"; 3]));
    assert_eq!(decided(&all), Some((false, GateReason::Explored, 3)));
}

#[test]
fn in_critique_and_revision_stated_answers_decide_and_a_proposal_that_states_the_top_one_wins() {
    let asked_for = gated(3, |spec| {
        (spec.debate_format, spec.phases.opening_statements) = (DebateFormat::CritiqueRevision, true);
    });
    let events = hold(asked_for, |ask| match &ask.task.work {
        Work::Statement { speech: SpeechKind::Proposal, .. } => Some(speech("so\nMy answer: Tea")),
        other => panic!("{other:?} after a skip"),
    });
    assert_eq!(asked(&events), ["statement"; 3]);
    assert_eq!((decided(&events), reached(&events).1.as_deref()), (Some((true, GateReason::Rule, 3)), Some("P0")));
}

#[test]
fn in_a_poll_the_judge_is_asked_only_where_the_samples_differ() {
    let poll = |answers: &'static [&'static str]| {
        let asked_for = admission(1, |spec| {
            (spec.mode, spec.debate_format, spec.format.samples) = (Mode::Deliberative, DebateFormat::Poll, 3);
            (spec.visibility, spec.phases.opening_statements) = (Visibility::Simultaneous, true);
            spec.debate = DebateWhen::IfContested;
            judged(spec, open_judge());
        });
        let events = hold(asked_for, |ask| match &ask.task.work {
            Work::Judge { .. } => Some(judgement(Some("Water".into()), vec![])),
            _ => Some(answers[ask.turn.seat as usize])
                .filter(|text| !text.is_empty())
                .map(|text| speech(&format!("so\nMy answer: {text}"))),
        });
        (asked(&events).len(), reached(&events).1)
    };
    assert_eq!(poll(&["Tea", "Tea", "tea"]), (3, Some("Tea".to_owned())));
    assert_eq!(poll(&["Tea", "Water", "tea"]), (4, Some("Water".to_owned())));
    assert_eq!(poll(&["Water", "", "Water"]), (4, Some("Water".to_owned())));
}

#[test]
fn no_debate_with_a_failed_ballot_is_skipped_in_ten_thousand() {
    let (mut skipped, mut failed) = (0, 0);
    for seed in 0..10_000 {
        let mut dice = Dice::new(seed, Purpose::Order, 0);
        let personas = 3 + dice.below(4) as usize;
        let rule = [None, Some(GateMethod::Never), Some(GateMethod::Unanimous)][dice.below(3) as usize].clone();
        let asked_for = gated(personas, |spec| spec.gate.rule = rule.map(GateRule::plain));
        let mut log = DebateLog::begin(asked_for);
        let mut lost_any = false;
        while decided(&log.events).is_none() {
            let asks = log.asked();
            let ask = &asks[dice.below(asks.len() as u64) as usize];
            if dice.below(8) == 0 {
                lost_any = true;
                log.step(Input::TurnDecided { turn: ask.turn, result: lost() });
            } else {
                log.answer(ask, choice(["Tea", "Tea", "Tea", "Water"][dice.below(4) as usize]));
            }
        }
        let (skip, ..) = decided(&log.events).unwrap();
        assert!(!(skip && lost_any), "the debate with seed {seed} was skipped");
        (skipped, failed) = (skipped + u32::from(skip), failed + u32::from(lost_any));
    }
    assert!(skipped > 500 && failed > 2_000, "{skipped} skipped, {failed} with a failed ballot");
}

#[test]
fn a_debate_that_was_skipped_folds_to_the_same_state_from_its_log() {
    let mut log = DebateLog::begin(gated(3, |_| {}));
    while let Some(ask) = log.asked().first().cloned() {
        log.answer(&ask, choice("Tea"));
    }
    let first = Record { first: Position(1), at: Timestamp(1), epoch: 0, nonce: 0, events: log.events.clone() };
    let folded = Debate::fold([&first]).unwrap();
    assert_eq!((folded.ended(), folded.outstanding()), (log.debate.ended(), vec![Effect::Finish]));
}
