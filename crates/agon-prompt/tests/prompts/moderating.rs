//! What the moderator is told, and what others are told of it.
use crate::support::*;
use agon_core::testing::Asked;
use agon_core::*;
use agon_prompt::View;

const LAST: &str = "This was the last round";

fn decide(view: &mut View, round: u32, decision: ModeratorDecision) {
    let event = Asked::at(turn(round, 9), MODERATOR).decision(decision);
    view.apply(view.position().next(), &event);
}

#[test]
fn the_last_closing_says_that_it_is_the_last() {
    let mut spec = everything(Mode::Adversarial);
    spec.max_rounds = 3;
    let closing = |view: &View, round| user_of(view, &ask(view, "moderator", turn(round, 9), Work::CloseRound.into()));
    let mut view = after_one_round(&spec);
    let told = |view: &View| [1, 2, 3].map(|round| closing(view, round).contains(LAST));
    assert_eq!(told(&view), [false, false, true]);
    decide(&mut view, 2, ModeratorDecision::Opens(RoundPlan { done: true, ..RoundPlan::default() }));
    assert!(closing(&view, 2).contains(LAST), "the moderator itself called round 2 the last");
}

fn closes(text: &str, status: RoundStatus, decision: Option<&str>) -> ModeratorDecision {
    let decision = decision.map(str::to_owned);
    ModeratorDecision::Closes(RoundSummary { summary: text.to_owned(), status, decision, vote_now: false })
}

#[test]
fn a_moderator_that_decides_is_shown_its_decision_and_told_to_build_on_it() {
    let conclude = |conclusion| Task::from(Work::Conclude { conclusion });
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
        let shown = user_of(&view, &ask(&view, "moderator", turn(15, 0), Work::OpenRound.into()));
        let lines: Vec<&str> = shown.lines().filter(|line| line.starts_with("You decided: ")).collect();
        assert_eq!(lines.len(), 14);
        let whole = |round: u32| lines[round as usize - 1].ends_with(&long(round));
        let latest = 15 - in_full;
        assert_eq!((1..=14).filter(|round| whole(*round)).collect::<Vec<_>>(), (latest..=14).collect::<Vec<_>>());
    }
}

#[test]
fn a_moderator_with_tools_looks_things_up_before_every_round_and_folds_them_into_its_briefing() {
    let told = |tools: Vec<String>| {
        let mut spec = everything(Mode::Adversarial);
        spec.moderator.as_mut().unwrap().tools = tools;
        let view = after_one_round(&spec);
        let text = user_of(&view, &ask(&view, "moderator", turn(2, 0), Work::OpenRound.into()));
        text.contains("facts that you find into the briefing")
    };
    assert!(told(vec!["search".into()]) && !told(vec![]));
}

#[test]
fn the_vote_can_be_called_only_where_one_decides() {
    let close = r#"{"summary": "s", "status": "continue", "decision": null, "vote_now": true}"#;
    for (strategy, votes) in [(ConsensusStrategy::Vote, true), (ConsensusStrategy::Judge, false)] {
        let spec = DebateSpec { consensus_strategy: strategy, ..everything(Mode::Adversarial) };
        let view = after_one_round(&spec);
        let ask = ask(&view, "moderator", turn(2, 0), Work::CloseRound.into());
        let prompt = agon_prompt::prompt(&view, &ask).unwrap();
        let asked = [prompt.messages[1].text.as_ref(), &prompt.schema.unwrap().to_string()]
            .map(|text| text.contains("vote_now"));
        assert_eq!(asked, [votes; 2], "{strategy:?}");
        let Answer::RoundSummary(read) = agon_prompt::read_answer(&spec, &ask, close).unwrap().answer else {
            panic!("no closing")
        };
        assert!(read.vote_now, "whether it counts is for the rules to say");
    }
}

#[test]
fn an_interjection_at_the_midpoint_is_a_summary() {
    for (interject, sums_up) in [(Interject::Midpoint, true), (Interject::EveryRound, false)] {
        let mut spec = everything(Mode::Adversarial);
        spec.moderator.as_mut().unwrap().interject = interject;
        let view = after_one_round(&spec);
        let prompt = agon_prompt::prompt(&view, &ask(&view, "moderator", turn(2, 0), Work::Interject.into())).unwrap();
        assert_eq!(prompt.messages[1].text.contains("the debate is half over: sum it up"), sums_up);
        let comment = prompt.schema.unwrap().pointer("/properties/comment/type").cloned().unwrap();
        assert_eq!(comment == "string", sums_up, "{comment}");
    }
}

#[test]
fn the_synthesizer_sees_how_the_moderator_framed_the_debate() {
    let mut view = after_one_round(&everything(Mode::Adversarial));
    decide(&mut view, 2, closes("They agree on figures.", RoundStatus::Settled, Some("Close it")));
    let (conclusion, text) = (Conclusion::Summary, "Drivers lost\nthe argument.");
    let event = Asked::at(turn(3, 0), MODERATOR).conclusion(conclusion, text, None);
    view.apply(view.position().next(), &event);
    let shown = user_of(&view, &ask(&view, "synthesizer", turn(3, 1), Work::Synthesise.into()));
    for line in [
        "The moderator: opened round 1; speakers: ; briefing: Settle who the customers are.",
        "The moderator: closed round 1 as continue: Ada: customers walk. Ben: drivers spend more.",
        "The moderator: closed round 2 as settled: They agree on figures.; decision: Close it",
        "The moderator's summary of the debate: Drivers lost the argument.",
    ] {
        assert!(shown.replace("; speakers: ;", ";").contains(&line.replace("; speakers: ;", ";")), "{line}: {shown}");
    }
}
