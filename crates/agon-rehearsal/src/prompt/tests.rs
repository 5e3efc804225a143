use super::*;
use crate::task::PromptTask;

const SYSTEM: &str =
    "Rules of the house.\n\n# Question\nShould we rewrite billing in Rust?\n\n# Context\nThe team has 5 people.\n";
const USER: &str = "# Debaters\n- Ada: for\n- Ben: against\n\n# Transcript\n### T1 | Ada | for\n<<<\nYes we should.\n>>>\n\
    ### T2 | moderator\n<<<\nGo on.\n>>>\n=== YOUR TURN ===\nYou are Ben.\nGive your next speech\nThis is round 2 of 3.\n\
    Write in this tone: calm.\n\nWrite at most 180 words.\n";

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
    assert_eq!(brief.manner, "calm\n");
    assert_eq!(brief.instructions, "Give your next speech\n\nWrite at most 180 words.");
}

#[test]
fn a_judges_numbered_entries_are_read() {
    let shown = "### [3] Speaker A | keep it\nWords.\n=== YOUR TURN ===\nYou are the judge.\nJudge the debate\n";
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
    let shown = "# Debaters\n- Ada (an economist)\n- Ben\n\n### T1 | Ada\nWords.\n=== YOUR TURN ===\nYou are Ben.\n";
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
fn what_a_turn_is_about_is_read_from_its_sentences() {
    let asked = "<<< quotations for your turn x\nQuestion: Who pays?\n>>> end of quotations x\n\n=== YOUR TURN ===\nYou are Ben (a clerk).\n\
        You speak as Prime Minister for the Opening Government.\nYou speak to Ada.\nSpeech 1 is T3, by Ada.\nSpeech 2 is T4, by Cleo.\n\n\
        Answer the question that is quoted above now.\n";
    let brief = Brief::read([("user", asked)].into_iter());
    assert_eq!((brief.you.as_deref(), brief.role.as_deref()), (Some("Ben"), Some("debater")));
    assert_eq!((brief.to.as_deref(), brief.bench.as_deref()), (Some("Ada"), Some("Opening Government")));
    assert_eq!(brief.office.as_deref(), Some("prime minister"));
    assert_eq!((brief.question.as_deref(), brief.speeches.as_slice()), (Some("Who pays?"), [3, 4].as_slice()));
    assert_eq!(brief.task, Some((PromptTask::Answer, "answer")));
    let asked = asked.replace("Question: Who pays?", "Asked by the moderator: Who pays?");
    assert_eq!(Brief::read([("user", asked.as_str())].into_iter()).question.as_deref(), Some("Who pays?"));
    for (who, you, role) in
        [("the moderator", "moderator", "moderator"), ("the judge", "judge", "judge"), ("judge-2", "judge-2", "judge")]
    {
        let asked = format!("=== YOUR TURN ===\nYou are {who}.\n");
        let brief = Brief::read([("user", asked.as_str())].into_iter());
        assert_eq!((brief.you.as_deref(), brief.role.as_deref()), (Some(you), Some(role)));
    }
}

#[test]
fn what_tools_have_answered_is_kept_apart_from_what_was_asked() {
    let asked = "# Question\nTrams\n=== YOUR TURN ===\nGive your next speech\n";
    let chat = [("user", asked), ("assistant", "{}"), ("tool", "from a tool"), ("user", "Result of search: ten")];
    let brief = Brief::read(chat.into_iter());
    assert_eq!(brief.found, ["from a tool", "Result of search: ten"]);
    assert_eq!((brief.topic.as_str(), brief.kind()), ("Trams", PromptTask::Argument));
}

#[test]
fn what_came_out_of_earlier_debates_is_nobodys_speech() {
    let earlier = "# Question\nTrams\n# Earlier debates\nIt may be wrong.\n<<< earlier debates 1: what follows\n### Debate of 2026-05-03 | Ada\n\
        Topic: Buses\nSummary of it\n### T1 | Ada\n>>> end of earlier debates 1\n";
    let asked = "### T1 | Ben\nWords.\n=== YOUR TURN ===\nGive your next speech\n";
    let brief = Brief::read([("system", earlier), ("user", asked)].into_iter());
    let speakers: Vec<_> = brief.entries.iter().map(|entry| entry.speaker.as_str()).collect();
    assert_eq!((brief.topic.as_str(), brief.summary.as_str(), speakers), ("Trams", "", vec!["Ben"]));
}

#[test]
fn a_chat_without_the_delimiter_is_no_debate() {
    assert!(!Brief::read([("user", "Hello there")].into_iter()).is_debate);
}

#[test]
fn what_may_be_answered_is_read_from_the_turn() {
    let turn = "# Debaters\n- Ada: tea\n=== YOUR TURN ===\nYou are Ada.\nGive your next speech now.\n\nEnd so:\n";
    let read = |line: &str| {
        Brief::read([("system", SYSTEM), ("user", format!("{turn}{line}\n").as_str())].into_iter()).allowed()
    };
    let options = Some(AllowedAnswers::Options(vec!["tea".into(), "milk".into()]));
    assert_eq!(read("My answer: <exactly \"tea\" or \"milk\", and nothing else>"), options);
    assert_eq!(read("- choice: exactly \"tea\" or \"milk\"."), options);
    assert_eq!(read("- choice: one number in digits, such as 7."), Some(AllowedAnswers::Number));
    assert_eq!((read("- choice: exactly \"Ada\"."), read("Speak.")), (None, None));
}

#[test]
fn what_the_moderator_said_counts_in_the_round_that_it_opened() {
    let shown = "### T1 | Ada\nYes.\n\n### Round 1, opened by the moderator\nBriefing: costs\nNew angle: time\n\n### T2 | Ben\nNo.\n\n\
        ### Round 2, opened by the moderator\nBriefing: figures\n\n>>> end of transcript x\n\n=== YOUR TURN ===\nYou are ROLE.\nGive your next speech\n";
    let read = |role: &str, round: &str| {
        let role = if role == "moderator" { "the moderator" } else { "Ben" };
        let user = format!("{}This is round {round} of 3.\n", shown.replace("ROLE", role));
        let brief = Brief::read([("user", user.as_str())].into_iter());
        assert_eq!(brief.entries.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>(), ["Yes.", "No."]);
        (brief.briefing, brief.angle)
    };
    assert_eq!(read("debater", "2"), (Some("figures".to_owned()), None));
    assert_eq!(read("debater", "3"), (None, None));
    assert_eq!(read("moderator", "2"), (None, None));
}

#[test]
fn every_turn_that_is_sent_is_understood() {
    let page = include_str!("../../../../docs/reference/turns.md");
    let turns: Vec<&str> = page.split("````text\n").skip(1).map(|rest| rest.split("````").next().unwrap()).collect();
    assert!(turns.len() > 40);
    for turn in turns {
        let delimiter = if turn.contains("=== YOUR TURN ===\n") { "" } else { "=== YOUR TURN ===\n" };
        let brief = Brief::read([("user", format!("{delimiter}{turn}").as_str())].into_iter());
        assert!(brief.task.is_some() && brief.you.is_some(), "{turn}");
    }
}
