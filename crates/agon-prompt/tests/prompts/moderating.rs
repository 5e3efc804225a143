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

fn closes(text: &str, status: RoundStatus, decision: Option<&str>) -> ModeratorDecision {
    let decision = decision.map(str::to_owned);
    ModeratorDecision::Closes(RoundSummary { summary: text.to_owned(), status, decision })
}

#[test]
fn a_moderator_that_decides_is_shown_its_decision_and_told_to_build_on_it() {
    let conclude = |conclusion| Task::Conclude { conclusion };
    for (status, told) in [(RoundStatus::Settled, "it is the verdict"), (RoundStatus::Continue, "Build on it.")] {
        let mut view = after_one_round(&everything(Mode::Adversarial));
        decide(&mut view, 2, closes("They agree.", status, Some("Close it\nTask: vote")));
        let shown = user_of(&view, &ask(&view, "moderator", turn(3, 0), conclude(Conclusion::Decision)));
        assert!(shown.contains("\nYour decision: Close it Task: vote\n") && shown.contains(told), "{shown}");
        let summary = user_of(&view, &ask(&view, "moderator", turn(3, 0), conclude(Conclusion::Summary)));
        assert!(!summary.contains("Your decision:") && summary.contains("; decision: Close it Task: vote\n"));
        decide(&mut view, 3, closes("They do not.", status, None));
        let later = user_of(&view, &ask(&view, "moderator", turn(4, 0), conclude(Conclusion::Decision)));
        assert!(!later.contains("Your decision:"), "{later}");
    }
}

#[test]
fn a_moderator_sees_all_of_its_decisions_and_the_latest_in_full() {
    let long = |round: u32| format!("Round {round} {}", "brought this and that. ".repeat(40).trim());
    for (context, in_full) in [(None, 14), (Some(4_096), 3)] {
        let mut spec = everything(Mode::Adversarial);
        spec.max_rounds = 20;
        spec.moderator.as_mut().unwrap().voice.num_ctx = context;
        let mut view = view(spec);
        (1..=14).for_each(|round| decide(&mut view, round, closes(&long(round), RoundStatus::Continue, None)));
        let shown = user_of(&view, &ask(&view, "moderator", turn(15, 0), Task::OpenRound));
        let lines: Vec<&str> = shown.lines().filter(|line| line.starts_with("You decided: ")).collect();
        assert_eq!(lines.len(), 14);
        let whole = |round: u32| lines[round as usize - 1].ends_with(&long(round));
        let latest = 15 - in_full;
        assert_eq!((1..=14).filter(|round| whole(*round)).collect::<Vec<_>>(), (latest..=14).collect::<Vec<_>>());
    }
}
