//! Debates that nobody plays for a while.
use crate::hold::{DebateLog, admission, plain, speech};
use agon_core::*;

fn poison() -> Input {
    Input::Interrupt { reason: Reason::of(ReasonCode::Poison) }
}

fn resume() -> Input {
    Input::Resume { by: Some("ada".to_owned()) }
}

#[test]
fn an_interrupted_debate_is_owed_nothing_and_goes_on_where_it_was_once_it_is_resumed() {
    let mut log = DebateLog::begin(admission(2, plain));
    let first = log.asked().remove(0);
    log.step(poison());
    assert!(log.debate.interrupted() && log.debate.ended().is_none());
    assert!(log.debate.outstanding().is_empty());
    let late = Input::TurnDecided { turn: first.turn, result: TurnResult::Withdrawn };
    assert_eq!(log.debate.decide(log.now, late), Err(Rejection::Interrupted));
    assert_eq!(log.debate.decide(log.now, poison()), Err(Rejection::Interrupted));

    log.step(resume());
    log.step(Input::Claim { writer: "other".into() });
    assert!(!log.debate.interrupted());
    assert_eq!(log.asked(), std::slice::from_ref(&first));
    log.answer(&first, speech("so"));
}

#[test]
fn a_claim_alone_does_not_continue_an_interrupted_debate_and_a_cancellation_ends_it() {
    let mut log = DebateLog::begin(admission(2, plain));
    log.step(poison());
    log.step(Input::Claim { writer: "other".into() });
    assert!(log.debate.interrupted() && log.debate.outstanding().is_empty());
    log.step(Input::Cancel { reason: "enough".to_owned() });
    assert_eq!(log.debate.ended(), Some((DebateState::Cancelled, None)));
    assert!(!log.debate.interrupted());
    assert_eq!(log.debate.decide(log.now, resume()), Err(Rejection::Ended));
}

#[test]
fn the_time_before_a_takeover_counts_against_no_budget_whatever_the_next_owners_clock_says() {
    let mut log = DebateLog::begin(admission(2, |spec| (spec.budget.seconds, spec.max_rounds) = (Some(60), 9)));
    log.now = log.now.plus(10_000);
    let first = log.asked().remove(0);
    log.answer(&first, speech("so"));
    log.now = log.now.plus(3_600_000);
    log.step(Input::Claim { writer: "other".into() });
    assert_eq!(log.debate.left_out_ms(), 3_600_000);

    let next = log.asked().remove(0);
    log.answer(&next, speech("well"));
    assert_eq!(log.asked().len(), 1, "there is time for another");
    log.now = log.now.plus(60_000);
    let last = log.asked().remove(0);
    log.answer(&last, speech("well"));
    assert_eq!(log.debate.left_out_ms(), 3_600_000, "its own clock counts");
    let stopped = |event: &Event| matches!(event, Event::LoopEnded { rule: StopRule::TimeBudget, .. });
    assert!(log.events.iter().any(stopped));
}

#[test]
fn the_time_in_which_nobody_played_counts_against_no_deadline_and_no_budget() {
    let mut log = DebateLog::begin(admission(2, |spec| (spec.budget.seconds, spec.max_rounds) = (Some(60), 9)));
    let first = log.asked().remove(0);
    log.step(poison());
    log.now = log.now.plus(3_600_000);
    log.step(resume());
    log.step(Input::Claim { writer: "other".into() });
    assert_eq!(log.debate.left_out_ms(), 3_600_000);
    let again = log.asked().remove(0);
    assert_eq!(again.deadline, first.deadline.plus(3_600_000));

    log.answer(&again, speech("so"));
    assert_eq!(log.asked().len(), 1, "there is time for another");
    log.now = log.now.plus(60_000);
    let next = log.asked().remove(0);
    log.answer(&next, speech("well"));
    let stopped = |event: &Event| matches!(event, Event::LoopEnded { rule: StopRule::TimeBudget, .. });
    assert!(log.events.iter().any(stopped), "time that was played counts");
}
