//! A debate that runs out of its budget is still decided.
use crate::hold::{DebateLog, admission, choice, judged, judgement, open_judge, speech, stopped, votes};
use agon_core::testing::{moderator, voting};
use agon_core::*;

/// A debate of three rounds with a judge that may take ten seconds, of which one time-out of a second is kept for the decision.
fn timed(change: impl FnOnce(&mut DebateSpec)) -> DebateLog {
    DebateLog::begin(admission(3, |spec| {
        judged(spec, open_judge());
        (spec.max_rounds, spec.budget.seconds, spec.quorum) = (3, Some(10), Quorum::Majority);
        change(spec);
    }))
}

/// Answers everything in the first round, nothing of debaters after it, and lets the time run out there.
fn until_time_is_up(log: &mut DebateLog) {
    while log.debate.ended().is_none() {
        let ask = log.asked().remove(0);
        let answer = match ask.task.work {
            Work::Judge { .. } => judgement(Some("s0".into()), vec![]),
            Work::OpenRound => Answer::RoundPlan(RoundPlan::default()),
            Work::CloseRound => Answer::RoundSummary(RoundSummary { summary: "s".into(), ..RoundSummary::default() }),
            _ if ask.turn.round < 2 => speech("so"),
            _ => {
                log.now = log.now.max(ask.deadline);
                log.step(Input::TurnDecided { turn: ask.turn, result: TurnResult::Withdrawn });
                continue;
            }
        };
        // A second before its time is up the second round begins.
        log.now = if ask.turn.round == 1 { Timestamp(8_000) } else { log.now };
        log.answer(&ask, answer);
    }
}

fn ended(log: &DebateLog) -> (DebateState, Option<Outcome>, Vec<&str>) {
    let Some(Event::DebateEnded { state, outcome, missing_seats, .. }) = log.events.last() else { panic!("no end") };
    (*state, *outcome, missing_seats.iter().map(|seat| seat.participant.as_str()).collect())
}

fn stopped_by(log: &DebateLog) -> Option<StopRule> {
    stopped(&log.events).map(|(rule, ..)| rule)
}

#[test]
fn a_round_that_the_time_budget_cuts_short_is_judged() {
    for visibility in Visibility::ALL {
        let mut log = timed(|spec| spec.visibility = visibility);
        until_time_is_up(&mut log);
        let (state, outcome, missing) = ended(&log);
        assert_eq!((state, outcome), (DebateState::Succeeded, Some(Outcome::Degraded)), "{visibility:?}");
        assert_eq!(missing.first(), Some(&"P0"), "{visibility:?}");
        assert_eq!(stopped_by(&log), Some(StopRule::TimeBudget), "{visibility:?}");
    }
}

#[test]
fn a_turn_that_the_time_budget_cuts_short_aborts_nothing() {
    let mut log = timed(|spec| spec.on_turn_failure = OnTurnFailure::Abort);
    until_time_is_up(&mut log);
    assert_eq!(ended(&log).0, DebateState::Succeeded);
}

#[test]
fn a_moderator_for_whom_the_budget_leaves_no_room_is_not_asked_and_not_missing() {
    let mut log = timed(|spec| (spec.moderator, spec.visibility) = (Some(moderator()), Visibility::Simultaneous));
    until_time_is_up(&mut log);
    let (_, _, missing) = ended(&log);
    assert_eq!(missing, ["P0", "P1", "P2"]);
    let own = |event: &&Event| matches!(event, Event::Answered(Answered { given: Given::Decision { .. }, .. }));
    let fallback = |event: &&Event| matches!(event, Event::FallbackDecided { .. });
    assert_eq!((log.events.iter().filter(own).count(), log.events.iter().filter(fallback).count()), (3, 1));
    let late = |event: &Event| matches!(event, Event::TurnAsked(ask) if ask.task.work == Work::CloseRound && ask.turn.round == 2);
    assert!(!log.events.iter().any(late));
}

#[test]
fn a_quorum_that_fails_within_the_budget_still_ends_the_debate() {
    let mut log = timed(|spec| spec.visibility = Visibility::Simultaneous);
    while log.debate.ended().is_none() {
        let ask = log.asked().remove(0);
        log.step(Input::TurnDecided { turn: ask.turn, result: crate::hold::lost() });
    }
    assert_eq!(ended(&log).0, DebateState::Failed);
}

#[test]
fn final_ballots_that_name_the_candidates_are_cast_whatever_the_budget_says() {
    let mut log = DebateLog::begin(admission(3, |spec| {
        (spec.mode, spec.ballots, spec.max_rounds) = (Mode::Deliberative, Ballots::FinalOnly, 3);
        votes(spec, voting(VoteRule::Majority));
        spec.budget.tokens = Some(5_000);
    }));
    while log.debate.ended().is_none() {
        let ask = log.asked().remove(0);
        let answer = match ask.task.work {
            Work::Ballot { .. } | Work::Vote => choice("yes"),
            _ => speech(&"so ".repeat(300)),
        };
        log.answer(&ask, answer);
    }
    assert_eq!((ended(&log).1, stopped_by(&log)), (Some(Outcome::Decided), Some(StopRule::TokenBudget)));
}

#[test]
fn the_token_budget_counts_what_is_told_of_earlier_debates() {
    let past = |n: usize| PastDebate {
        id: DebateId::parse(&format!("debate-{n}")).unwrap(),
        topic: "t".repeat(200),
        admitted: Timestamp(0),
        outcome: Outcome::Decided,
        verdict: Some("v".repeat(VERDICT_CHARS)),
        winner: None,
        failed: Vec::new(),
    };
    let stopped = |told: usize| {
        let mut admission = admission(3, |spec| (spec.max_rounds, spec.budget.tokens) = (3, Some(5_000)));
        admission.history = (0..told).map(past).collect();
        stopped_by(&DebateLog::begin(admission))
    };
    assert_eq!((stopped(0), stopped(20)), (None, Some(StopRule::TokenBudget)));
}

/// A budget of tokens in which the first speech fits, or for which one is missing.
fn barely(short_of: u64, change: impl Fn(&mut DebateSpec)) -> DebateLog {
    DebateLog::begin(admission(3, |spec| {
        judged(spec, open_judge());
        (spec.ballots, spec.max_rounds) = (Ballots::None, 3);
        (spec.phases.opening_statements, spec.phases.final_statements) = (false, false);
        change(spec);
        spec.budget.tokens = Some(least_token_budget(spec) - short_of);
    }))
}

#[test]
fn a_token_budget_has_room_for_a_speech_from_the_least_one_on() {
    let changes: [fn(&mut DebateSpec); 4] = [
        |_| {},
        |spec| (spec.context, spec.personas[2].voice.max_tokens) = (Some("so ".repeat(900)), 90),
        |spec| (spec.judge = None, votes(spec, voting(VoteRule::Majority))).1,
        |spec| spec.synthesizer = Some(Synthesizer::default()),
    ];
    for change in changes {
        assert!(!barely(0, change).asked().is_empty());
        let log = barely(1, change);
        assert_eq!(log.asked(), [], "nobody is asked");
        assert_eq!((ended(&log).0, stopped_by(&log)), (DebateState::Failed, Some(StopRule::TokenBudget)));
        assert!(!log.events.iter().any(|event| matches!(event, Event::TurnAsked(_))));
        let Some(Event::DebateEnded { reason: Some(reason), .. }) = log.events.last() else { panic!("no reason") };
        assert_eq!(reason.detail.as_deref(), Some("the token budget left no room for more"));
    }
}
