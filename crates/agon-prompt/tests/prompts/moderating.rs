//! What the moderator is told, and what others are told of it.
use crate::support::*;
use agon_core::*;
use agon_prompt::View;

const LAST: &str = "This was the last round";

fn decide(view: &mut View, round: u32, decision: ModeratorDecision) {
    let event = Event::ModeratorDecided { turn: turn(round, 9), decision, fallback: false, call: None };
    view.apply(view.position().next(), &event);
}

#[test]
fn the_last_closing_says_that_it_is_the_last() {
    let mut spec = everything(Mode::Adversarial);
    spec.max_rounds = 3;
    let closing = |view: &View, round| user_of(view, &ask(view, "moderator", turn(round, 9), Task::CloseRound));
    let mut view = after_one_round(&spec);
    let told = |view: &View| [1, 2, 3].map(|round| closing(view, round).contains(LAST));
    assert_eq!(told(&view), [false, false, true]);
    decide(&mut view, 2, ModeratorDecision::Opens(RoundPlan { done: true, ..RoundPlan::default() }));
    assert!(closing(&view, 2).contains(LAST), "the moderator itself called round 2 the last");
}
