//! `docs/reference/turns.md` shows every turn of every format as it is sent.
use crate::support::*;
use agon_core::*;
use agon_prompt::{View, prompt};
use std::fmt::Write as _;

const PAGE: &str = "../../docs/reference/turns.md";

const INTRODUCTION: &str = "# Every turn in full\n\n\
    The last part of each prompt, under the line `=== YOUR TURN ===`, for every task of every format; where a turn quotes something, that part\n\
    stands first. [Prompts](prompts.md) shows what stands before it. Tests write this page: `AGON_WRITE_REFERENCE=1 cargo test -p agon-prompt`.\n";

/// What the turn quotes, and the part behind the delimiter.
fn turn_of(view: &View, who: &str, task: Task) -> String {
    let user = format!("\n{}", user_of(view, &ask(view, who, turn(2, 0), task)));
    let (before, tail) = user.rsplit_once("\n=== YOUR TURN ===\n").unwrap();
    assert!(!tail.contains("{{"), "an unfilled variable: {tail}");
    let quoted =
        before.rsplit_once("<<< quotations").map(|(_, quoted)| format!("<<< quotations{quoted}\n=== YOUR TURN ===\n"));
    format!("{}{tail}", quoted.unwrap_or_default())
}

fn section(page: &mut String, title: &str, view: &View, turns: &[(&str, &str, Task)]) {
    writeln!(page, "\n## {title}").unwrap();
    for (name, who, task) in turns {
        let shown = turn_of(view, who, task.clone());
        write!(page, "\n### {}\n\n````text\n{shown}````\n", name.replace('_', " ")).unwrap();
    }
}

/// Those of [`every_task`] with these names.
fn named(names: &[&str]) -> Vec<(&'static str, &'static str, Task)> {
    let all = every_task();
    let find = |name: &&str| all.iter().find(|(known, ..)| known == name).unwrap().clone();
    names.iter().map(find).collect()
}

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let of = |mode, format| DebateSpec { debate_format: format, ..everything(mode) };
    let played = |format| after_one_round(&of(Mode::Adversarial, format));
    let bench = |bench| Task::from(Work::Argument { to: None, bench: Some(bench) });
    let stances =
        || of(Mode::Adversarial, DebateFormat::RoundRobin).stances().into_iter().map(str::to_owned).collect::<Vec<_>>();
    let ballot = |stage| agon_core::testing::ballot(stage, stances());

    let robin = vec![
        ("argument", "Ada", argument()),
        ("argument_in_a_moderated_round", "Ada", guided(Some("Settle it."), None, None)),
    ];
    section(&mut page, "`round_robin`", &played(DebateFormat::RoundRobin), &robin);
    section(
        &mut page,
        "`chain_of_thought`",
        &played(DebateFormat::ChainOfThought),
        &[("argument_in_steps", "Ada", argument())],
    );
    let mut fight = named(&["bid"]);
    fight.push(("speech", "Ada", argument()));
    section(&mut page, "`open_fight`", &played(DebateFormat::OpenFight), &fight);
    let mut fishbowl = named(&["bid_for_the_circle"]);
    fishbowl.push(("speech", "Ada", argument()));
    section(&mut page, "`fishbowl`", &played(DebateFormat::Fishbowl), &fishbowl);
    section(&mut page, "`socratic`", &played(DebateFormat::Socratic), &named(&["question", "answer", "follow_up"]));
    let names =
        ["prime_minister", "leader_of_the_opposition", "deputy_prime_minister", "deputy_leader_of_the_opposition"];
    let more = ["member_for_the_government", "member_for_the_opposition", "government_whip", "opposition_whip"];
    let mut bp: Vec<_> =
        names.into_iter().chain(more).zip(Bench::ALL).map(|(name, at)| (name, "Ada", bench(at))).collect();
    bp.extend(named(&["point", "answer_points"]));
    section(&mut page, "`bp_style`", &played(DebateFormat::BpStyle), &bp);
    let mut critique = named(&["proposal", "critique", "revision"]);
    let names = || ["Ada", "Ben", "Cleo"].map(str::to_owned).to_vec();
    critique.push(("first_ballot", "Ada", agon_core::testing::ballot(BallotStage::Initial, names())));
    critique.push(("last_ballot", "Ada", agon_core::testing::ballot(BallotStage::Final, names())));
    section(&mut page, "`critique_revision`", &played(DebateFormat::CritiqueRevision), &critique);
    let poll = DebateSpec { moderator: None, judge: None, ..of(Mode::Deliberative, DebateFormat::Poll) };
    section(&mut page, "`poll`", &after_one_round(&poll), &[("sample", "Ada", Work::Opening.into())]);

    let mut any = vec![("opening", "Ada", Work::Opening.into()), ("closing", "Ada", Work::Closing.into())];
    any.push(("first_ballot", "Ada", ballot(BallotStage::Initial)));
    any.push(("last_ballot", "Ada", ballot(BallotStage::Final)));
    any.push(("vote", "Ada", vote(stances())));
    any.extend(named(&[
        "rebuttal",
        "interjection",
        "argument_to",
        "reaction",
        "interruption",
        "clarification",
        "revised_position",
    ]));
    any.extend(named(&["reflection", "reflection_and_evolution", "ranked_vote", "approval_vote", "score_debaters"]));
    section(&mut page, "Any format, stances assigned", &played(DebateFormat::RoundRobin), &any);
    let mut own = everything(Mode::Deliberative);
    own.personas[1].role = Some("shopkeeper in Long Street".into());
    own.agreement_intensity = Some(7);
    let own = after_one_round(&own);
    let free = [
        ("opening", "Ben", Work::Opening.into()),
        ("argument", "Ben", argument()),
        ("closing", "Ben", Work::Closing.into()),
    ];
    section(&mut page, "Any format, own answers", &own, &free);
    let mut chair = vec![
        ("open_the_round", "moderator", Work::OpenRound.into()),
        ("close_the_round", "moderator", Work::CloseRound.into()),
    ];
    chair.extend(named(&[
        "interject",
        "score_speeches",
        "research",
        "reconcile",
        "closing_summary",
        "mediator_decision",
    ]));
    section(&mut page, "The moderator", &played(DebateFormat::RoundRobin), &chair);
    let mut bench = vec![("judge", "judge", agon_core::testing::judging(0, stances()))];
    bench.extend(named(&["rank", "enough", "judges_vote"]));
    section(&mut page, "Judges", &played(DebateFormat::RoundRobin), &bench);
    section(
        &mut page,
        "Summarizer and synthesizer",
        &played(DebateFormat::RoundRobin),
        &named(&["summarise", "synthesise"]),
    );
    page
}

#[test]
fn the_page_of_all_turns_is_what_is_sent() {
    let page = page();
    if std::env::var_os("AGON_WRITE_REFERENCE").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let written = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert_eq!(written, page, "AGON_WRITE_REFERENCE=1 cargo test -p agon-prompt writes the page anew");
    for (name, ..) in every_task() {
        assert!(page.contains(&format!("\n### {}\n", name.replace('_', " "))), "{name} is missing");
    }
}

#[test]
fn every_task_has_its_schema() {
    let view = after_one_round(&everything(Mode::Adversarial));
    let mut all = String::new();
    for (name, who, task) in every_task() {
        let schema = prompt(&view, &ask(&view, who, turn(2, 0), task)).unwrap().schema;
        writeln!(all, "{name}: {}", schema.map_or_else(|| "none".to_owned(), |schema| schema.to_string())).unwrap();
    }
    insta::assert_snapshot!("schemas", all);
}
