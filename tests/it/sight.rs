//! What a speaker is shown, read from the prompts that were sent.
use crate::support::{Recorded, Recording};
use serde_json::Value;
use std::collections::BTreeSet;

/// Names that occur in no sentence.
const NAMES: [&str; 4] = ["Quillon", "Brandt", "Ferreira", "Ostrom"];
const TOPIC: &str = "# Should the canton build a second rail tunnel?\n\nThe first one carries 240 trains a day.\n";

/// A debate of four, with more keys for the debate and, by name, for its personas.
fn debate(keys: &str, personas: &[(&str, &str)]) -> Recording {
    let stances = ["Build it now.", "Never build it.", "Widen the old one.", "Wait for ten years."];
    let listed = NAMES.iter().zip(stances).map(|(name, stance)| {
        let more = personas.iter().find(|(of, _)| of == name).map_or(String::new(), |(_, more)| format!(", {more}"));
        format!("  - {{name: {name}, stance: \"{stance}\"{more}}}\n")
    });
    let text =
        format!("---\nmodel: m\nvisible: {{names: true}}\n{keys}personas:\n{}---\n{TOPIC}", listed.collect::<String>());
    Recording::text("seen.md", &text, &[])
}

/// Who speaks in what a participant was shown, over all its prompts with these tasks.
fn heard(recording: &Recording, name: &str, tasks: &[&str]) -> BTreeSet<String> {
    let calls = recording.by(name).filter(|call| tasks.contains(&call.task.as_str()));
    calls.flat_map(Recorded::speakers).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The numbers in the log of the entries that a test of its own lets through.
fn numbers(recording: &Recording, call: &Recorded, kept: impl Fn(&agon_core::Entry) -> bool) -> Vec<usize> {
    let transcript = recording.transcript(recording.ask(call));
    (1..).zip(transcript.entries()).filter(|(_, entry)| kept(entry)).map(|(number, _)| number).collect()
}

fn total(recording: &Recording, call: &Recorded) -> usize {
    numbers(recording, call, |_| true).len()
}

const SPEECHES: [&str; 2] = ["argument", "closing statement"];

#[test]
fn masks_hide_personas_and_kinds_of_turns_from_debaters_and_from_nobody_else() {
    let masks = [("Quillon", "sees: [Brandt]"), ("Ferreira", "hidden_from: [Brandt]"), ("Ostrom", "sees: [openings]")];
    let recording = debate("memory: persona_masking\nmax_rounds: 2\n", &masks);

    assert_eq!(heard(&recording, "Quillon", &SPEECHES), set(&["Quillon", "Brandt"]));
    assert_eq!(heard(&recording, "Brandt", &SPEECHES), set(&["Quillon", "Brandt", "Ostrom"]));
    assert_eq!(heard(&recording, "Ferreira", &SPEECHES), set(&NAMES));
    for call in recording.by("Ostrom").filter(|call| SPEECHES.contains(&call.task.as_str())) {
        let opened = |entry: &agon_core::Entry| entry.kind == agon_core::SpeechKind::Opening;
        let wanted = numbers(&recording, call, |entry| opened(entry) || entry.participant.as_str() == "Ostrom");
        assert_eq!(call.numbers(), wanted, "{}", call.asks());
    }
    for call in recording.for_task("judge") {
        assert_eq!(call.numbers().len(), total(&recording, call), "the judge reads all");
    }
}

#[test]
fn masked_words_reach_nobody_by_another_way() {
    let recording = debate("memory: persona_masking\nmax_rounds: 2\n", &[("Ferreira", "hidden_from: [Brandt]")]);
    let hidden: Vec<&str> = recording
        .of_type("speech_recorded")
        .filter(|speech| speech["participant"] == "Ferreira")
        .map(|speech| speech["text"].as_str().unwrap())
        .collect();
    assert!(hidden.len() >= 4, "{}", hidden.len());
    for call in recording.by("Brandt") {
        for speech in &hidden {
            let first = speech.lines().next().unwrap();
            assert!(!call.asks().contains(first), "{}: {first}", call.task);
        }
    }
}

#[test]
fn the_full_log_is_shown_from_its_first_entry_on() {
    let recording = debate("max_rounds: 2\n", &[]);
    let speeches =
        NAMES.iter().flat_map(|name| recording.by(name)).filter(|call| SPEECHES.contains(&call.task.as_str()));
    let mut most = 0;
    for call in speeches {
        assert_eq!(call.numbers(), numbers(&recording, call, |_| true), "{}", call.asks());
        most = most.max(call.numbers().len());
    }
    assert_eq!(most, 15, "four openings, two rounds of four, and three final statements");
}

/// Windows show the latest speeches, as many as their size says and there are.
fn shows_the_latest(recording: &Recording, size: usize) {
    let mut cut = 0;
    for call in recording.for_task("argument") {
        let (shown, all) = (call.numbers(), total(recording, call));
        let latest: Vec<usize> = (all + 1 - shown.len()..=all).collect();
        assert_eq!(shown, latest, "{}", call.asks());
        assert_eq!(shown.len(), size.min(all), "of {all}");
        if shown.len() < all {
            cut += 1;
            assert!(call.fenced().starts_with("### Left out here: "), "{}", call.fenced());
        }
    }
    assert!(cut > 6, "the window cut {cut} prompts only");
}

#[test]
fn the_last_turns_and_a_rolling_window_show_the_latest_speeches() {
    shows_the_latest(&debate("max_rounds: 3\ncontext_scope: last_n_turns\ncontext_turns: 4\n", &[]), 4);
    shows_the_latest(&debate("max_rounds: 3\nmemory: rolling_window\nmemory_window: 6\n", &[]), 6);
}

#[test]
fn a_window_drops_a_step_at_once_so_that_prompts_share_their_beginning() {
    let recording = debate("max_rounds: 3\nmemory: rolling_window\nmemory_window: 8\nwindow_step: 4\n", &[]);
    let arguments = recording.for_task("argument");
    let firsts: BTreeSet<usize> = arguments.iter().filter_map(|call| call.numbers().first().copied()).collect();
    assert_eq!(firsts.into_iter().collect::<Vec<_>>(), [1, 5, 9]);
}

#[test]
fn a_persona_scope_shows_ones_own_turns_those_that_address_one_and_the_moderators() {
    let recording = debate("max_rounds: 3\ncontext_scope: persona_scoped\nmoderator: {type: active}\n", &[]);
    let mut left_out = 0;
    for call in NAMES.iter().flat_map(|name| recording.by(name)).filter(|call| call.task == "argument") {
        let me = call.participant.as_str();
        let mine = |entry: &agon_core::Entry| {
            let names_me = entry.text.split(|c: char| !c.is_alphanumeric()).any(|word| word == me);
            let to_me = entry.to.as_ref().is_some_and(|to| to.as_str() == me);
            names_me || to_me || entry.participant.as_str() == me || entry.kind == agon_core::SpeechKind::Moderation
        };
        let shown = call.numbers();
        let wanted = numbers(&recording, call, mine);
        // Whoever is answered is shown with what it said last, addressed or not.
        let extra: Vec<&usize> = shown.iter().filter(|number| !wanted.contains(number)).collect();
        assert!(wanted.iter().all(|number| shown.contains(number)) && extra.len() <= 1, "{shown:?}, not {wanted:?}");
        left_out += total(&recording, call) - shown.len();
    }
    assert!(left_out > 5, "{left_out}");
}

#[test]
fn a_summary_stands_for_the_rounds_before_the_last_and_is_shown_word_for_word() {
    for (keys, kept) in [("context_scope: summary_only\n", 1), ("memory: summarize_past\nsummarize_every: 1\n", 0)] {
        let recording = debate(&format!("max_rounds: 3\n{keys}"), &[]);
        let summaries: Vec<&Value> = recording.of_type("summary_recorded").collect();
        assert!(summaries.len() >= 2, "{keys}: {}", summaries.len());
        let third: Vec<&Recorded> =
            recording.for_task("argument").into_iter().filter(|call| call.round() == Some(3)).collect();
        assert_eq!(third.len(), 4);
        for call in third {
            let summary = summaries.iter().find(|summary| summary["through"] == 2).unwrap();
            let line = summary["text"].as_str().unwrap().lines().next().unwrap();
            assert!(call.fenced().contains(line), "{keys}: {}", call.fenced());
            let wanted = numbers(&recording, call, |entry| entry.turn.round > 2 - kept);
            assert_eq!(call.numbers(), wanted, "{keys}: {}", call.fenced());
        }
    }
}

#[test]
fn the_summariser_reads_what_was_said_since_its_last_summary() {
    let recording = debate("max_rounds: 3\nmemory: summarize_past\nsummarize_every: 1\n", &[]);
    let calls = recording.for_task("summarise");
    assert!(calls.len() >= 2, "{}", calls.len());
    for (at, call) in (1..).zip(&calls) {
        let since = if at == 1 { 0 } else { at };
        let wanted = numbers(&recording, call, |entry| entry.turn.round >= since && entry.turn.round <= at);
        assert_eq!(call.numbers(), wanted, "{}", call.asks());
    }
}

#[test]
fn at_the_same_time_nobody_of_a_round_sees_another_and_in_sequence_everybody_those_before() {
    for (visibility, together) in [("simultaneous", true), ("sequential", false)] {
        let recording = debate(&format!("max_rounds: 2\nvisibility: {visibility}\n"), &[]);
        for round in 1..=2 {
            let calls = recording.for_task("argument").into_iter().filter(|call| call.round() == Some(round));
            let mut shown: Vec<usize> = calls.map(|call| call.numbers().len()).collect();
            shown.sort_unstable();
            let before = 4 * round as usize;
            let wanted = if together { [before; 4] } else { [before, before + 1, before + 2, before + 3] };
            assert_eq!(shown, wanted, "{visibility}, round {round}");
        }
    }
}

#[test]
fn a_briefing_is_told_from_its_round_on_where_that_round_begins() {
    let recording = debate("max_rounds: 3\nmoderator: {opens: true, closes: true}\n", &[]);
    let on_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let opened = recording.of_type("round_opened");
    let briefings: Vec<String> = opened.map(|opened| on_one_line(opened["briefing"].as_str().unwrap())).collect();
    assert!(briefings.len() == 3 && briefings.iter().collect::<BTreeSet<_>>().len() > 1, "{briefings:?}");
    for call in recording.for_task("argument") {
        let now = call.round().unwrap();
        for (round, briefing) in (1..).zip(&briefings) {
            let told = Some(briefing.as_str()).filter(|_| round <= now);
            assert_eq!(call.opening(round, "Briefing"), told, "{} in round {now}:\n{}", call.participant, call.asks());
        }
    }
    for call in recording.for_task("opening statement") {
        assert_eq!(call.opening(1, "Briefing"), None);
    }
}

#[test]
fn critics_and_those_who_revise_are_told_what_the_moderator_says_to_their_round() {
    let keys =
        "debate_format: critique_revision\ntopology: ring\nmax_rounds: 2\nmoderator: {opens: true, closes: true}\n";
    let recording = debate(keys, &[]);
    let on_one_line = |text: &Value| text.as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let opened: Vec<&Value> = recording.of_type("round_opened").collect();
    let closes = |event: &&Value| event["decision"]["duty"] == "closes";
    let closed: Vec<&Value> = recording.of_type("moderator_decided").filter(closes).collect();
    assert_eq!((opened.len(), closed.len()), (2, 2));
    for task in ["critique", "revision"] {
        let calls = recording.for_task(task);
        assert_eq!(calls.len(), 8, "{task}");
        for call in calls {
            let round = call.round().unwrap() as usize;
            let of = opened[round - 1];
            let before = round.checked_sub(2).map(|at| on_one_line(&closed[at]["decision"]["summary"]));
            let (briefing, angle) = (on_one_line(&of["briefing"]), on_one_line(&of["new_angle"]));
            let told = ["Briefing", "New angle", "Summary of the last round"];
            let told = told.map(|key| call.opening(round as u32, key));
            assert_eq!(
                told,
                [Some(briefing.as_str()), Some(angle.as_str()), before.as_deref()],
                "{task}:\n{}",
                call.asks()
            );
        }
    }
}

#[test]
fn openings_and_first_ballots_mention_nobody() {
    let recording = debate("max_rounds: 1\nballots: both\nmoderator: {type: tool_agent, opens: true}\n", &[]);
    for task in ["opening statement", "private ballot (initial)"] {
        let calls = recording.for_task(task);
        assert_eq!(calls.len(), 4, "{task}");
        for call in calls {
            let others = NAMES.iter().filter(|name| **name != call.participant);
            let named: Vec<&&str> = others.filter(|name| all_of(call).contains(**name)).collect();
            assert!(named.is_empty() && call.fenced().is_empty(), "{task}: {named:?}\n{}", call.asks());
        }
    }
}

#[test]
fn first_ballots_on_proposals_show_every_proposal_and_nothing_else() {
    let recording = debate("debate_format: critique_revision\ntopology: ring\nmax_rounds: 1\nballots: both\n", &[]);
    let proposals = recording.of_type("speech_recorded").filter(|event| event["kind"] == "proposal").count();
    let calls = recording.for_task("private ballot (initial)");
    assert_eq!((proposals, calls.len()), (4, 4));
    for call in calls {
        let shown: BTreeSet<String> = call.speakers().into_iter().collect();
        assert_eq!((shown, call.entries().len()), (set(&NAMES), proposals), "{}", call.asks());
    }
}

fn all_of(call: &Recorded) -> String {
    call.messages.iter().map(|(_, content)| content.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn private_notes_are_shown_to_their_owner_alone() {
    let notes = [("Quillon", "reflection: true"), ("Brandt", "evolution: true")];
    let recording = debate("max_rounds: 3\nmoderator: {type: consensus, closes: true}\n", &notes);
    let taken: Vec<&Value> = recording.of_type("note_taken").collect();
    let owners: BTreeSet<&str> = taken.iter().map(|note| note["participant"].as_str().unwrap()).collect();
    assert_eq!(owners, BTreeSet::from(["Quillon", "Brandt"]));
    for note in &taken {
        let Some(round @ ..3) = note["turn"]["round"].as_u64() else { continue };
        let owner = note["participant"].as_str().unwrap();
        let member = if owner == "Quillon" { "changed_by" } else { "next" };
        let Some(words) = note[member].as_str() else { continue };
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let next = Some(round as u32 + 1);
        let shown = recording.asked(owner, "argument").into_iter().find(|call| call.round() == next).unwrap();
        assert!(shown.asks().contains(&words), "{owner} is not shown {words:?}:\n{}", shown.asks());
        for call in recording.calls.iter().filter(|call| call.participant != owner) {
            let leaks = said_by(&recording, &words) == 0 && all_of(call).contains(&words);
            assert!(!leaks, "{} ({}) is shown a note of {owner}: {words}", call.participant, call.task);
        }
    }
}

/// In how many speeches the words stand, since a note may quote one.
fn said_by(recording: &Recording, words: &str) -> usize {
    let speeches = recording.of_type("speech_recorded");
    speeches.filter(|speech| speech["text"].as_str().unwrap().contains(words)).count()
}

#[test]
fn everybody_is_asked_to_speak_the_own_language_or_else_the_debates() {
    let languages = [("Brandt", "language: German"), ("Ferreira", "language: \"Brazilian Portuguese\"")];
    let recording = debate("max_rounds: 1\nlanguage: French\nmoderator: true\n", &languages);
    let wanted = |name: &str| match name {
        "Brandt" => "German",
        "Ferreira" => "Brazilian Portuguese",
        _ => "French",
    };
    assert!(recording.calls.len() > 10);
    for call in &recording.calls {
        assert_eq!(
            call.sentence("Write in ", "."),
            Some(wanted(&call.participant)),
            "{} ({})",
            call.participant,
            call.task
        );
    }
}
