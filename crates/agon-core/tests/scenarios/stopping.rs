//! Which rule ends the rounds, and when.
use crate::hold::{admission, choice, hold, plain, speech, stopped, votes};
use agon_core::testing::{moderator, voting};
use agon_core::*;

fn failed(events: &[Event]) -> Option<ReasonCode> {
    match events.last() {
        Some(Event::DebateEnded { state: DebateState::Failed, reason, .. }) => reason.as_ref().map(|one| one.code),
        _ => None,
    }
}

/// A debate of four rounds that votes in each; a persona is lost where it has no choice.
fn voted(chosen: impl Fn(u32, &str) -> Option<&'static str>) -> Vec<Event> {
    let asked = admission(3, |spec| {
        votes(spec, Voting { every_round: true, ..voting(VoteRule::Unanimous) });
        spec.max_rounds = 4;
    });
    hold(asked, |ask| match &ask.task.work {
        Work::Vote => chosen(ask.turn.round, ask.participant.as_str()).map(choice),
        _ => Some(speech("so")),
    })
}

#[test]
fn a_unanimous_vote_of_every_round_stops_at_the_first_dissent() {
    let dissents = |round, who: &str| Some(if round == 2 && who == "P2" { "s1" } else { "s0" });
    let is_lost = |round, who: &str| (round != 2 || who != "P2").then_some("s0");
    for events in [voted(dissents), voted(is_lost)] {
        assert_eq!(stopped(&events), Some((StopRule::MathematicallyDecided, 2, None)));
        let undecided = |event: &Event| matches!(event, Event::VerdictReached { winner: None, .. });
        assert!(events.iter().any(undecided));
    }
    let of_one_mind = voted(|_, _| Some("s0"));
    assert_eq!(stopped(&of_one_mind), Some((StopRule::MaxRounds, 4, None)));
}

/// A debate of two rounds with a predicate, whose moderator calls the round that it opens the last where `done` says so.
fn predicated(expression: &str, done: impl Fn(u32) -> bool, change: impl FnOnce(&mut DebateSpec)) -> Vec<Event> {
    let asked = admission(2, |spec| {
        (spec.max_rounds, spec.terminate_when) = (2, Some(expression.to_owned()));
        spec.moderator = Some(Moderator { closes: false, ..moderator() });
        change(spec);
    });
    hold(asked, |ask| match &ask.task.work {
        Work::OpenRound => Some(Answer::RoundPlan(RoundPlan { done: done(ask.turn.round), ..RoundPlan::default() })),
        _ => Some(speech("so")),
    })
}

#[test]
fn the_rounds_and_the_moderator_end_a_debate_before_its_predicate_does() {
    let never = |_| false;
    let rule = |events: Vec<Event>| stopped(&events).map(|(rule, round, _)| (rule, round));
    assert_eq!(rule(predicated("turns >= 1", never, plain)), Some((StopRule::TerminateWhen, 1)));
    assert_eq!(rule(predicated("turns >= 3", never, plain)), Some((StopRule::MaxRounds, 2)));
    assert_eq!(rule(predicated("turns >= 1", |_| true, plain)), Some((StopRule::ModeratorDone, 1)));
    assert_eq!(rule(predicated("turns >= 3", |round| round == 2, plain)), Some((StopRule::MaxRounds, 2)));
}

#[test]
fn what_the_moderator_says_at_the_close_of_a_round_goes_before_what_it_said_at_its_opening() {
    let asked = admission(2, |spec| {
        (spec.max_rounds, spec.moderator) = (2, Some(moderator()));
        votes(spec, voting(VoteRule::Majority));
    });
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Vote => Some(choice("s0")),
        Work::OpenRound => Some(Answer::RoundPlan(RoundPlan { done: true, ..RoundPlan::default() })),
        Work::CloseRound => {
            let summary = RoundSummary { summary: "s".to_owned(), vote_now: true, ..RoundSummary::default() };
            Some(Answer::RoundSummary(summary))
        }
        _ => Some(speech("so")),
    });
    assert_eq!(stopped(&events), Some((StopRule::ModeratorVote, 1, None)));
}

#[test]
fn an_error_in_the_predicate_is_a_warning_once_no_round_follows() {
    let (bad, later) = ("labels.nowhere == 'x'", "round == 2 && labels.nowhere == 'x'");
    assert_eq!(failed(&predicated(bad, |_| false, plain)), Some(ReasonCode::TerminateWhen));
    let held = [
        (predicated(later, |_| false, plain), StopRule::MaxRounds, 2),
        (predicated(bad, |_| true, plain), StopRule::ModeratorDone, 1),
        (predicated(bad, |_| false, |spec| spec.max_rounds = 1), StopRule::MaxRounds, 1),
    ];
    for (events, rule, round) in held {
        let (by, after, warning) = stopped(&events).unwrap();
        assert_eq!((by, after, failed(&events)), (rule, round, None));
        assert!(warning.unwrap().contains("labels.nowhere"), "{rule:?}");
    }
}

#[test]
fn a_predicate_that_would_take_too_long_fails_the_debate_each_time_it_is_resumed() {
    let opened: String = ('a'..='h').map(|name| format!("labels.all({name}, ")).collect();
    let bomb = format!("{opened}true{}", ")".repeat(8));
    let labels = (0..32).map(|n| (format!("l{n}"), "x".to_owned())).collect();
    let events = predicated(&bomb, |_| false, |spec| spec.labels = labels);
    assert_eq!(failed(&events), Some(ReasonCode::TerminateWhen));
    let Some(Event::DebateEnded { reason: Some(reason), .. }) = events.last() else { panic!("no end") };
    assert!(reason.detail.as_ref().unwrap().contains("steps"), "{reason:?}");
}

/// A debate of three rounds with final statements whose moderator calls the vote when it closes round 2.
fn called(decides: impl FnOnce(&mut DebateSpec)) -> Vec<Event> {
    let asked = admission(2, |spec| {
        (spec.max_rounds, spec.moderator) = (3, Some(Moderator { opens: false, ..moderator() }));
        (spec.phases.final_statements, spec.phases.rebuttals) = (true, true);
        decides(spec);
    });
    hold(asked, |ask| match &ask.task.work {
        Work::CloseRound => {
            let (summary, vote_now) = ("s".to_owned(), ask.turn.round == 2);
            Some(Answer::RoundSummary(RoundSummary { summary, vote_now, ..RoundSummary::default() }))
        }
        Work::Vote => Some(choice("s0")),
        _ => Some(speech("so")),
    })
}

#[test]
fn a_moderator_that_calls_the_vote_has_it_taken_at_once() {
    let events = called(|spec| votes(spec, voting(VoteRule::Majority)));
    assert_eq!(stopped(&events), Some((StopRule::ModeratorVote, 2, None)));
    let entered = |event: &Event| match event {
        Event::PhaseEntered { phase } => Some(*phase),
        _ => None,
    };
    let phases: Vec<PhaseName> = events.iter().filter_map(entered).collect();
    assert_eq!(phases, [PhaseName::Rounds, PhaseName::Decision]);
    assert!(events.iter().any(|event| matches!(event, Event::VoteTallied { winner: Some(name), .. } if name == "s0")));
}

#[test]
fn where_nobody_votes_a_call_for_the_vote_is_not_heard() {
    let events = called(plain);
    assert_eq!(stopped(&events), Some((StopRule::MaxRounds, 3, None)));
    let calls = |event: &Event| match event {
        Event::Answered(Answered {
            given: Given::Decision { decision: ModeratorDecision::Closes(closing), .. },
            ..
        })
        | Event::FallbackDecided { decision: ModeratorDecision::Closes(closing), .. } => closing.vote_now,
        _ => false,
    };
    assert!(!events.iter().any(calls));
}

#[test]
fn an_interjection_at_the_midpoint_without_a_summary_is_asked_for_again() {
    let interject = Interject::Midpoint;
    let moderator = Moderator { opens: false, closes: false, interjects: true, interject, ..moderator() };
    let mut asked_for = 0;
    let asked = admission(2, |spec| (spec.max_rounds, spec.moderator) = (3, Some(moderator)));
    let events = hold(asked, |ask| match &ask.task.work {
        Work::Interject => {
            asked_for += 1;
            let comment = (asked_for > 1).then(|| "Half over: nobody has a figure.".to_owned());
            Some(Answer::Interjection(Interjection { comment, ..Interjection::default() }))
        }
        _ => Some(speech("so")),
    });
    let said = events.iter().find_map(|event| match event {
        Event::Answered(Answered { turn, given: Given::Interjection(interjection), .. }) => {
            Some((turn.round, interjection.comment.clone()))
        }
        _ => None,
    });
    assert_eq!((asked_for, said), (2, Some((2, Some("Half over: nobody has a figure.".to_owned())))));
}
