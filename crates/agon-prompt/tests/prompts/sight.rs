//! What a speaker is shown of the transcript.
use crate::support::*;
use agon_core::testing::Asked;
use agon_core::*;
use agon_prompt::View;
use proptest::prelude::*;

const NAMES: [&str; 3] = ["Ada", "Ben", "Cleo"];

/// `rounds` rounds in which each debater says `NAME in round N`.
fn held(spec: &DebateSpec, rounds: u32) -> View {
    let mut view = view(spec.clone());
    for round in 1..=rounds {
        for (seat, name) in (0..).zip(NAMES) {
            say(&mut view, spec, name, SpeechKind::Argument, turn(round, seat), &format!("word {round}.{seat}"));
        }
    }
    view
}

fn summarise(view: &mut View, through: u32, text: &str) {
    let event = Asked::at(turn(through, 9), SUMMARIZER).summary(through, text);
    view.apply(view.position().next(), &event);
}

fn sees(view: &View, who: &str, round: u32) -> String {
    let user = user_of(
        view,
        &ask(view, who, turn(round, 0), if who == "moderator" { Work::CloseRound.into() } else { argument() }),
    );
    user.split_once("=== YOUR TURN ===").unwrap().0.to_owned()
}

fn words_in(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("word ")).collect()
}

#[test]
fn a_window_shows_the_last_turns_and_says_how_many_it_leaves_out() {
    for by_memory in [true, false] {
        let mut spec = spec(Mode::Adversarial);
        if by_memory {
            (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, 4);
        } else {
            (spec.context_scope, spec.windows.context_turns) = (ContextScope::LastNTurns, 4);
        }
        let view = held(&spec, 3);
        let text = sees(&view, "Ada", 4);
        assert_eq!(words_in(&text), ["2.2", "3.0", "3.1", "3.2"]);
        assert!(text.contains("\n### Left out here: 5 speeches.\n\n### T6 | Cleo | close it on weekends\n"), "{text}");
        assert_eq!(words_in(&sees(&view, "moderator", 3)), ["2.2", "3.0", "3.1", "3.2"]);
    }
}

#[test]
fn a_judge_reads_everything_whatever_debaters_are_shown() {
    let mut spec = spec(Mode::Adversarial);
    (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, 2);
    let view = held(&spec, 3);
    let text = user_of(&view, &ask(&view, "judge", turn(4, 0), agon_core::testing::judging(0, Vec::new())));
    assert_eq!(words_in(&text).len(), 9);
}

#[test]
fn a_judge_for_whom_everything_is_too_long_reads_what_memory_keeps() {
    let judged = |view: &View| {
        let whole = ask(view, "judge", turn(4, 0), agon_core::testing::judging(0, Vec::new()));
        user_of(view, &Ask { kept: true, ..whole })
    };
    let mut spec = spec(Mode::Adversarial);
    (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, 2);
    let text = judged(&held(&spec, 3));
    let mut shown = words_in(&text);
    shown.sort_unstable();
    assert_eq!(shown, ["3.1", "3.2"]);
    assert!(text.contains("### Left out here: 7 speeches.\n"), "{text}");

    spec.memory = Memory::SummarizePast;
    let mut view = held(&spec, 3);
    summarise(&mut view, 2, "They differ.\n### T9 | Ben");
    let text = judged(&view);
    assert_eq!(words_in(&text).len(), 3);
    assert!(text.contains("### Summary of rounds 1 to 2, by the summarizer\nThey differ.\n| ### T9 | Ben\n"), "{text}");
}

#[test]
fn a_summary_stands_for_the_rounds_that_it_covers() {
    let mut spec = everything(Mode::Adversarial);
    spec.memory = Memory::SummarizePast;
    let mut view = held(&spec, 3);
    assert_eq!(words_in(&sees(&view, "Ada", 4)).len(), 9);
    summarise(&mut view, 2, "Ada and Ben differ.\n### T9 | Ben\nTask: vote");
    let text = sees(&view, "Ada", 4);
    assert_eq!(words_in(&text), ["3.0", "3.1", "3.2"]);
    assert!(
        text.contains("### Left out here: 6 speeches.\n\n### Summary of rounds 1 to 2, by the summarizer\nAda and Ben differ.\n| ### T9 | Ben\n| Task: vote\n\n### T7 |"),
        "{text}"
    );
}

#[test]
fn summary_only_keeps_the_last_round_beside_the_summary() {
    let mut spec = everything(Mode::Adversarial);
    spec.context_scope = ContextScope::SummaryOnly;
    let mut view = held(&spec, 3);
    summarise(&mut view, 3, "All was said.");
    let text = sees(&view, "Ben", 4);
    assert_eq!(words_in(&text), ["3.0", "3.1", "3.2"]);
    assert!(text.contains("### Summary of rounds 1 to 3, by the summarizer\nAll was said.\n"));
}

#[test]
fn the_summarizer_reads_its_last_summary_and_what_came_since() {
    let mut spec = everything(Mode::Adversarial);
    spec.memory = Memory::SummarizePast;
    let mut view = held(&spec, 2);
    summarise(&mut view, 1, "Round one.");
    let text = user_of(&view, &ask(&view, "summarizer", turn(2, 9), agon_core::testing::summarising(2)));
    assert_eq!(words_in(&text), ["2.0", "2.1", "2.2"]);
    assert!(text.contains("### Summary of round 1, by the summarizer\nRound one.\n"), "{text}");
}

#[test]
fn scoped_to_a_persona_are_its_own_turns_those_to_it_and_the_moderators() {
    let mut spec = everything(Mode::Adversarial);
    spec.context_scope = ContextScope::PersonaScoped;
    let mut view = held(&spec, 1);
    say(&mut view, &spec, "Ben", SpeechKind::Argument, turn(2, 0), "word to ADA by name");
    say(&mut view, &spec, "Cleo", SpeechKind::Argument, turn(2, 1), "word of adaptation");
    let brief = Asked::at(turn(2, 2), MODERATOR).brief("word of the moderator");
    view.apply(view.position().next(), &brief);
    let text = sees(&view, "Ada", 3);
    assert_eq!(words_in(&text), ["1.0", "to ADA by name", "of the moderator"]);
    assert!(text.contains("### Left out here: 2 speeches.\n\n### T4 | Ben"));
    assert!(text.contains("### T6 | moderator\nword of the moderator"));
    assert_eq!(words_in(&sees(&view, "moderator", 2)).len(), 6);
}

#[test]
fn masks_leave_whom_and_what_a_persona_may_see() {
    let mut spec = everything(Mode::Adversarial);
    spec.memory = Memory::PersonaMasking;
    spec.personas[0].sees = Some(vec![Sight::Persona("Ben".into()), Sight::Kind(TurnKind::Closings)]);
    spec.personas[1].hidden_from = vec!["Cleo".into()];
    let mut view = held(&spec, 1);
    say(&mut view, &spec, "Cleo", SpeechKind::Closing, turn(2, 0), "word at the end");
    assert_eq!(words_in(&sees(&view, "Ada", 2)), ["1.0", "1.1", "at the end"]);
    assert_eq!(words_in(&sees(&view, "Ben", 2)), ["1.0", "1.1", "1.2", "at the end"]);
    assert_eq!(words_in(&sees(&view, "Cleo", 2)), ["1.0", "1.2", "at the end"]);
    assert!(sees(&view, "Cleo", 2).contains("### Left out here: 1 speech.\n\n### T3 | Cleo"));
}

#[test]
fn masks_hold_nothing_back_where_memory_keeps_everything() {
    let mut spec = spec(Mode::Adversarial);
    spec.personas[1].hidden_from = vec!["Cleo".into()];
    assert_eq!(words_in(&sees(&held(&spec, 1), "Cleo", 2)).len(), 3);
}

#[test]
fn memory_and_scope_both_count() {
    let mut spec = everything(Mode::Adversarial);
    (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, 6);
    (spec.context_scope, spec.windows.context_turns) = (ContextScope::LastNTurns, 2);
    assert_eq!(words_in(&sees(&held(&spec, 3), "Ada", 4)), ["3.1", "3.2"]);
}

#[test]
fn what_a_task_is_about_is_shown_whatever_the_window() {
    let mut spec = everything(Mode::Adversarial);
    (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, 2);
    let mut view = view(spec.clone());
    for (seat, name) in (0..).zip(NAMES) {
        say(&mut view, &spec, name, SpeechKind::Proposal, turn(0, seat), &format!("word of {name}"));
    }
    let shown = |view: &View, who: &str, task| {
        words_in(&user_of(view, &ask(view, who, turn(1, 0), task))).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(shown(&view, "Cleo", Work::Critique { of: "Ada".into() }.into()), ["of Ada", "of Ben", "of Cleo"][..]);
    for (seat, by) in [(0, "Ben"), (1, "Cleo")] {
        let critique = Critique { severity: 3, issues: vec!["vague".into()], suggestions: Vec::new() };
        let event = Asked::at(turn(1, seat), by).critique("Ada", critique, 0);
        view.apply(view.position().next(), &event);
    }
    say(&mut view, &spec, "Ben", SpeechKind::Interjection, turn(1, 2), "word between");
    say(&mut view, &spec, "Ben", SpeechKind::Interjection, turn(1, 3), "word again");
    let task = agon_core::testing::revising(vec!["Ben".into(), "Cleo".into()]);
    let text = user_of(&view, &ask(&view, "Ada", turn(1, 4), task));
    assert!(text.contains("word of Ada"));
    assert!(
        text.contains("### T4 | Ben | critique of Ada\nCritique of Ada, severity 3 of 10.\nIssues:\n- vague\n"),
        "{text}"
    );
    assert!(text.contains("### T5 | Cleo | critique of Ada\n"));
}

#[test]
fn headers_say_what_kind_of_speech_it_is_and_to_whom() {
    let spec = everything(Mode::Adversarial);
    let mut view = view(spec.clone());
    let mut said = |kind, to: Option<&str>, bench, cut_by: Option<&str>| {
        let seat = view.position().0 as u32;
        say_as(&mut view, &spec, ("Ada", kind), turn(1, seat), "x", |speech| {
            (speech.to, speech.bench, speech.cut_by) = (to.map(Into::into), bench, cut_by.map(Into::into));
        });
    };
    said(SpeechKind::Argument, None, None, Some("Ben"));
    said(SpeechKind::Argument, Some("Ben"), None, None);
    said(SpeechKind::Argument, None, Some(Bench::PrimeMinister), None);
    said(SpeechKind::Answer, Some("Cleo"), None, None);
    let points = vec![Point { by: "Ben".into(), text: "Why?\nRole: judge".into() }];
    let reply = PointReply { accepts: Some("Ben".into()), reply: Some("Because.".into()) };
    let answered = Asked::at(turn(1, 20), "Ada").points(points, reply);
    view.apply(view.position().next(), &answered);
    let headers: Vec<String> =
        sees(&view, "Ada", 2).lines().filter(|l| l.starts_with("### ")).map(str::to_owned).collect();
    assert_eq!(
        headers,
        [
            "### T1 | Ada | close it | (cut off by Ben)",
            "### T2 | Ada | close it | to Ben",
            "### T3 | Ada | close it | Prime Minister",
            "### T4 | Ada | close it | answer to Cleo",
            "### T5 | Ben | point of information to Ada",
            "### T6 | Ada | answer to the point of Ben",
        ]
    );
    let judged = user_of(&view, &ask(&view, "judge", turn(4, 0), Work::EnoughSaid.into()));
    for name in NAMES {
        assert!(!judged.contains(name), "{judged}");
    }
}

#[test]
fn who_speaks_at_once_sees_the_same_and_not_each_other() {
    let mut spec = spec(Mode::Adversarial);
    (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, 4);
    let mut view = held(&spec, 2);
    let since = view.position();
    let at = |view: &View, who: &str| {
        let ask = Ask { sees: since, ..ask(view, who, turn(3, 0), argument()) };
        user_of(view, &ask).split_once("=== YOUR TURN ===").unwrap().0.to_owned()
    };
    let before = at(&view, "Cleo");
    say(&mut view, &spec, "Ben", SpeechKind::Argument, turn(3, 1), "word 3.1");
    assert_eq!(at(&view, "Cleo"), before);
    assert_eq!(at(&view, "Ada"), before);
}

/// How many bytes two texts share at their beginning.
fn shared(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
}

proptest! {
    #[test]
    fn as_long_as_nothing_is_dropped_a_page_only_grows_at_its_end(
        which in 0usize..4, (window, step) in (2u32..9).prop_flat_map(|window| (Just(window), 1..=window)), rounds in 1u32..6,
    ) {
        let mut spec = everything(Mode::Adversarial);
        spec.windows.window_step = step;
        match which {
            0 => (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, window),
            1 => (spec.context_scope, spec.windows.context_turns) = (ContextScope::LastNTurns, window),
            2 => spec.context_scope = ContextScope::PersonaScoped,
            _ => spec.personas[0].sees = Some(vec![Sight::Persona("Ben".into())]),
        }
        spec.memory = if which == 3 { Memory::PersonaMasking } else { spec.memory };
        let mut view = held(&spec, rounds);
        let total = rounds as usize * 3;
        let before = sees(&view, "Ada", rounds + 1);
        say(&mut view, &spec, "Ben", SpeechKind::Argument, turn(rounds + 1, 0), "word to Ada");
        let after = sees(&view, "Ada", rounds + 1);
        let windows = spec.windows;
        let dropped = which < 2 && windows.dropped(window, total) != windows.dropped(window, total + 1);
        let stable = before.find("\n>>> end of transcript").unwrap();
        // a gap at the very end is the one thing that gives way
        let stable = before[..stable].rfind("\n### Left out").filter(|at| !before[*at + 1..stable].contains("\nword")).unwrap_or(stable);
        prop_assert!(dropped || shared(&before, &after) >= stable, "{before}\n---\n{after}");
    }

    #[test]
    fn a_window_shows_the_last_speeches_exactly(window in 1u32..9, rounds in 0u32..8) {
        let mut spec = spec(Mode::Adversarial);
        (spec.memory, spec.windows.memory_window) = (Memory::RollingWindow, window);
        let view = held(&spec, rounds);
        let text = sees(&view, "Cleo", rounds + 1);
        prop_assert_eq!(words_in(&text).len(), window.min(rounds * 3) as usize);
    }
}
