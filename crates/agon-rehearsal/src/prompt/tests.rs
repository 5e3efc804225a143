use super::*;
use crate::task::PromptTask;

const SYSTEM: &str =
    "Rules of the house.\n\n# Topic\nShould we rewrite billing in Rust?\n\n# Context\nThe team has 5 people.\n";
const USER: &str = "# Debaters\n- Ada: for\n- Ben: against\n\n# Transcript\n### T1 | Ada | for\n<<<\nYes we should.\n>>>\n\
    ### T2 | moderator\n<<<\nGo on.\n>>>\n=== YOUR TURN ===\nYou are: Ben\nRole: debater\nTask: argument\nRound: 2 of 3\n\
    Tone: calm\nBriefing: answer Ada\n\nWrite at most 180 words.\n";

fn read() -> Brief {
    Brief::read([("system", SYSTEM), ("user", USER)].into_iter())
}

#[test]
fn every_part_of_the_layout_is_found() {
    let brief = read();
    assert_eq!(brief.topic, "Should we rewrite billing in Rust?");
    assert_eq!(brief.context, "The team has 5 people.");
    assert_eq!(brief.cast.len(), 2);
    assert_eq!(brief.entries[0].text, "Yes we should.");
    assert_eq!((brief.entries[0].number, brief.entries[0].stance.as_str()), (1, "for"));
    assert_eq!(brief.entries[1].speaker, "moderator");
    assert_eq!((brief.you.as_deref(), brief.stance.as_deref()), (Some("Ben"), Some("against")));
    assert_eq!((brief.kind(), brief.round), (PromptTask::Argument, Some((2, Some(3)))));
    assert_eq!(brief.briefing.as_deref(), Some("answer Ada"));
    assert_eq!(brief.instructions, "Write at most 180 words.");
}

#[test]
fn a_judges_numbered_entries_are_read() {
    let shown = "### [3] Speaker A | keep it\nWords.\n=== YOUR TURN ===\nRole: judge\nTask: judge\n";
    let brief = Brief::read([("user", shown)].into_iter());
    assert_eq!(
        brief.entries,
        [TranscriptLine {
            number: 3,
            speaker: "Speaker A".into(),
            stance: "keep it".into(),
            label: String::new(),
            text: "Words.".into()
        }]
    );
    assert_eq!(brief.kind(), PromptTask::Judge);
}

#[test]
fn a_debater_with_a_role_instead_of_a_stance_is_known_by_name_and_given_a_position() {
    let shown = "# Debaters\n- Ada (an economist)\n- Ben\n\n### T1 | Ada\nWords.\n=== YOUR TURN ===\nYou are: Ben\nRole: debater\n";
    let mut brief = Brief::read([("user", shown)].into_iter());
    brief.assume_positions(|name| format!("position of {name}"));
    let ada = RosterLine { name: "Ada".into(), stance: "position of Ada".into() };
    assert_eq!((&brief.cast[0], &brief.cast[1].name), (&ada, &"Ben".to_owned()));
    assert_eq!(
        (brief.entries[0].stance.as_str(), brief.stance.as_deref()),
        ("position of Ada", Some("position of Ben"))
    );
}

#[test]
fn roles_in_brackets_are_no_part_of_a_name() {
    let shown = "# Debaters\n- Ada (economist: labour)\n- Ben (Prime Minister): for\n- Cleo: against (mostly)\n=== YOUR TURN ===\n";
    let cast = Brief::read([("user", shown)].into_iter()).cast;
    let pairs: Vec<_> = cast.iter().map(|debater| (debater.name.as_str(), debater.stance.as_str())).collect();
    assert_eq!(pairs, [("Ada", ""), ("Ben", "for"), ("Cleo", "against (mostly)")]);
}

#[test]
fn what_a_turn_is_about_is_read_from_its_lines() {
    let asked = "=== YOUR TURN ===\nYou are: Ben\nTask: answer\nTo: Ada\nBench: Prime Minister, Opening Government\nSpeeches: T3, T4\nQuestion:\n\nWho pays?\nAnswer it.\n";
    let brief = Brief::read([("user", asked)].into_iter());
    assert_eq!((brief.to.as_deref(), brief.bench.as_deref()), (Some("Ada"), Some("Opening Government")));
    assert_eq!(brief.office.as_deref(), Some("prime minister"));
    assert_eq!((brief.question.as_deref(), brief.speeches.as_slice()), (Some("Who pays?"), [3, 4].as_slice()));
    assert_eq!(brief.instructions, "Answer it.");
    let asked = asked.replace("Question:\n\nWho pays?", "Asked by the moderator: Who pays?");
    assert_eq!(Brief::read([("user", asked.as_str())].into_iter()).question.as_deref(), Some("Who pays?"));
}

#[test]
fn what_tools_have_answered_is_kept_apart_from_what_was_asked() {
    let asked = "# Topic\nTrams\n=== YOUR TURN ===\nTask: argument\n";
    let chat = [("user", asked), ("assistant", "{}"), ("tool", "from a tool"), ("user", "Result of search: ten")];
    let brief = Brief::read(chat.into_iter());
    assert_eq!(brief.found, ["from a tool", "Result of search: ten"]);
    assert_eq!((brief.topic.as_str(), brief.kind()), ("Trams", PromptTask::Argument));
}

#[test]
fn what_came_out_of_earlier_debates_is_nobodys_speech() {
    let earlier = "# Topic\nTrams\n# Earlier debates\nIt may be wrong.\n<<< earlier debates 1: what follows\n### Debate of 2026-05-03 | Ada\n\
        Topic: Buses\nSummary of it\n### T1 | Ada\n>>> end of earlier debates 1\n";
    let asked = "### T1 | Ben\nWords.\n=== YOUR TURN ===\nTask: argument\n";
    let brief = Brief::read([("system", earlier), ("user", asked)].into_iter());
    let speakers: Vec<_> = brief.entries.iter().map(|entry| entry.speaker.as_str()).collect();
    assert_eq!((brief.topic.as_str(), brief.summary.as_str(), speakers), ("Trams", "", vec!["Ben"]));
}

#[test]
fn a_chat_without_the_delimiter_is_no_debate() {
    assert!(!Brief::read([("user", "Hello there")].into_iter()).is_debate);
}

#[test]
fn rules_and_tasks_are_read_apart_from_what_the_turn_asks() {
    let user = "# Speeches\nEnd so:\nMy answer: <exactly \"tea\" or \"milk\", and nothing else>\n\n# Tasks\n\n\"question\": Put one question.\n\n\
        # Debaters\n- Ada: tea\n=== YOUR TURN ===\nYou are: Ada\nRole: debater\nTask: argument\n\nSpeak now.\n";
    let brief = Brief::read([("system", SYSTEM), ("user", user)].into_iter());
    assert!(brief.rules.contains("My answer: <exactly") && brief.rules.contains("\"question\": Put one question."));
    assert_eq!(
        (brief.instructions.as_str(), brief.topic.as_str()),
        ("Speak now.", "Should we rewrite billing in Rust?")
    );
    assert_eq!(brief.allowed(), Some(AllowedAnswers::Options(vec!["tea".into(), "milk".into()])));
}

#[test]
fn what_the_moderator_said_counts_in_the_round_that_it_opened() {
    let shown = "### T1 | Ada\nYes.\n\n### Round 1, opened by the moderator\nBriefing: costs\nNew angle: time\n\n### T2 | Ben\nNo.\n\n\
        ### Round 2, opened by the moderator\nBriefing: figures\n\n>>> end of transcript x\n\n=== YOUR TURN ===\nRole: ROLE\nTask: argument\n";
    let read = |role: &str, round: &str| {
        let user = format!("{}Round: {round} of 3\n", shown.replace("ROLE", role));
        let brief = Brief::read([("user", user.as_str())].into_iter());
        assert_eq!(brief.entries.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>(), ["Yes.", "No."]);
        (brief.briefing, brief.angle)
    };
    assert_eq!(read("debater", "2"), (Some("figures".to_owned()), None));
    assert_eq!(read("debater", "3"), (None, None));
    assert_eq!(read("moderator", "2"), (None, None));
}
