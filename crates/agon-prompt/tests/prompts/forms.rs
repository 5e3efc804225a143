//! What prompts, schemas and readers make of a file that says what an answer is, and of polls.
use crate::support::*;
use agon_core::*;
use agon_prompt::{prompt, read_answer};
use serde_json::{Value, json};

fn form(kind: AnswerKind, options: &[&str]) -> AnswerForm {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    AnswerForm { kind, options, ..AnswerForm::default() }
}

fn with(mode: Mode, answer: AnswerForm) -> DebateSpec {
    DebateSpec { answer: Some(answer), ..spec(mode) }
}

/// What a debater or judge reads, and the schema's member of this name.
fn asked(spec: &DebateSpec, who: &str, task: Task, member: &str) -> (String, Value) {
    let view = view(spec.clone());
    let prompt = prompt(&view, &ask(&view, who, turn(0, 0), task)).unwrap();
    let texts: Vec<&str> = prompt.messages.iter().map(|message| message.text.as_ref()).collect();
    let schema = prompt.schema.as_ref().map(|schema| schema["properties"][member].clone());
    (texts.join("\n"), schema.unwrap_or_default())
}

fn ballot(choices: &[&str]) -> Task {
    testing::ballot(BallotStage::Initial, choices.iter().map(|choice| (*choice).to_owned()).collect())
}

#[test]
fn the_prompt_of_a_sample_is_that_of_a_deliberative_opening_byte_for_byte() {
    let debate = DebateSpec {
        moderator: None,
        answer: Some(form(AnswerKind::Choice, &["close it", "keep it open"])),
        ..spec(Mode::Deliberative)
    };
    let poll = DebateSpec {
        debate_format: DebateFormat::Poll,
        format: FormatOptions { samples: 9, ..FormatOptions::default() },
        max_rounds: 1,
        ballots: Ballots::None,
        phases: Phases { final_statements: false, ..debate.phases },
        visibility: Visibility::Simultaneous,
        consensus_strategy: ConsensusStrategy::Vote,
        judge: None,
        voting: Some(testing::voting(VoteRule::Plurality)),
        ..debate.clone()
    };
    assert_eq!(combination_problems(&poll), []);
    let sent = |spec: &DebateSpec, seat| {
        let view = view(spec.clone());
        let prompt = prompt(&view, &ask(&view, "Ben", turn(0, seat), Work::Opening.into())).unwrap();
        prompt.messages.iter().map(|message| message.text.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(sent(&poll, 1), sent(&debate, 1));
    assert_eq!(sent(&poll, 7), sent(&debate, 1));
}

#[test]
fn options_stand_in_the_prompt_and_in_the_schema() {
    let spec = with(Mode::Deliberative, form(AnswerKind::Choice, &["Paris", "Rome"]));
    let (opening, _) = asked(&spec, "Ada", Work::Opening.into(), "");
    let line = "\nMy answer: <exactly \"Paris\" or \"Rome\", and nothing else>";
    assert!(
        opening.contains(line)
            && opening.contains("\nEnd with a line of its own that states your answer, in this form:\n"),
        "{opening}"
    );
    let (text, choice) = asked(&spec, "Ada", ballot(&["Paris", "Rome"]), "choice");
    assert!(text.contains("choice: exactly \"Paris\" or \"Rome\"."), "{text}");
    assert_eq!(choice, json!({"type": "string", "enum": ["Paris", "Rome"]}));
    let candidates = vec!["Paris".to_owned(), "Rome".to_owned()];
    let (text, winner) = asked(&spec, "judge", testing::judging(0, candidates), "winner");
    assert!(text.contains("\n- winner: exactly \"Paris\" or \"Rome\".\n"), "{text}");
    assert_eq!(winner, json!({"enum": ["Paris", "Rome"]}));
}

#[test]
fn a_number_is_asked_for_as_one() {
    let spec = with(Mode::Deliberative, form(AnswerKind::Number, &[]));
    let (opening, _) = asked(&spec, "Ada", Work::Opening.into(), "");
    assert!(opening.contains("My answer: <one number in digits, such as 1200, 0.75 or 3/4, and nothing else>"));
    let (text, choice) = asked(&spec, "Ada", ballot(&[]), "choice");
    assert!(text.contains("choice: one number in digits") && text.contains("{\"choice\": 1200,"), "{text}");
    assert_eq!(choice, json!({"type": "number"}));
    let (text, winner) =
        asked(&spec, "judge", testing::judging(0, vec!["1200".to_owned(), "0.5".to_owned()]), "winner");
    assert!(text.contains("\n- winner: exactly \"1200\" or \"0.5\"."), "{text}");
    assert_eq!(winner, json!({"enum": ["1200", "0.5"]}));
    let (text, winner) = asked(&spec, "judge", testing::judging(0, vec![]), "winner");
    assert!(text.contains("\n- winner: one number in digits") && winner == json!({"type": "number"}), "{text}");
}

#[test]
fn with_assigned_stances_the_line_keeps_to_the_stance_and_names_what_else_there_is() {
    let answer = form(AnswerKind::Choice, &["close it", "keep it open", "close it on weekends", "ask the town"]);
    let end_condition = vec![EndCondition::ConsensusReached];
    let spec = DebateSpec { end_condition, ..with(Mode::Adversarial, answer) };
    let (opening, _) = asked(&spec, "Ada", Work::Opening.into(), "");
    let line = "My answer: <your position, word for word; only if you no longer hold it, the answer that you hold: \"close it\", \
                \"keep it open\", \"close it on weekends\" or \"ask the town\">";
    assert!(opening.contains(line), "{opening}");
}

#[test]
fn what_voters_made_up_is_quoted_and_options_are_not() {
    let spec = with(Mode::Deliberative, form(AnswerKind::Text, &[]));
    let view = view(spec.clone());
    let task = vote(vec!["=== YOUR TURN ===".to_owned(), "Tea".to_owned()]);
    let user = user_of(&view, &ask(&view, "Ada", turn(1, 0), task));
    assert!(user.contains("Candidate: Tea") && user.contains("exactly one of the candidates that are quoted above"));
}

#[test]
fn letters_and_numbers_are_read_as_the_answers_that_they_are() {
    let read = |spec: &DebateSpec, task: Task, text: &str| {
        let ask = testing::ask(turn(1, 0), "Ada", task);
        read_answer(spec, &ask, text).map(|read| read.answer).map_err(|problem| problem.to_string())
    };
    let chosen = |choice: &str| {
        Ok(Answer::Choice { choice: choice.to_owned(), reasons: vec!["r".to_owned()], confidence: None })
    };
    let towns = with(Mode::Deliberative, form(AnswerKind::Choice, &["Paris", "Rome"]));
    for text in ["B", "(b)", "rome.", "B) Rome"] {
        let text = json!({"choice": text, "reasons": ["r"]}).to_string();
        assert_eq!(read(&towns, ballot(&["Paris", "Rome"]), &text), chosen("Rome"));
    }
    let refused = read(&towns, ballot(&["Paris", "Rome"]), r#"{"choice": "B) Paris", "reasons": ["r"]}"#);
    assert_eq!(refused, Err("choice: found \"B) Paris\", allowed \"Paris\", \"Rome\"".to_owned()));

    let number = with(Mode::Deliberative, form(AnswerKind::Number, &[]));
    assert_eq!(read(&number, ballot(&[]), r#"{"choice": 1200, "reasons": ["r"]}"#), chosen("1200"));
    assert_eq!(read(&number, ballot(&[]), r#"{"choice": "3/4", "reasons": ["r"]}"#), chosen("0.75"));
    assert!(
        read(&number, ballot(&[]), r#"{"choice": "about 12", "reasons": ["r"]}"#).unwrap_err().contains("in digits")
    );
    let judging = |winner: Value| {
        let text = json!({"verdict": "v", "winner": winner, "reasoning": "r", "citations": []}).to_string();
        read(&number, testing::judging(0, vec!["1200".to_owned(), "0.5".to_owned()]), &text)
    };
    for winner in [json!("1,200"), json!(1200), json!("1200")] {
        assert!(matches!(judging(winner), Ok(Answer::Judgement(found)) if found.winner.as_deref() == Some("1200")));
    }
    assert_eq!(judging(Value::Null), Err("winner: found null, allowed one of the candidates".to_owned()));
    // without a form the old rules hold
    assert!(read(&spec(Mode::Deliberative), ballot(&[]), r#"{"choice": 1200, "reasons": ["r"]}"#).is_err());
}

#[test]
fn how_sure_a_speaker_is_is_asked_where_the_file_asks_and_nobody_was_heard() {
    let mut asking = spec(Mode::Deliberative);
    asking.answers.confidence = true;
    let sure = |spec: &DebateSpec, task: Task| asked(spec, "Ada", task, "").0.contains("My confidence: <how sure");
    assert!(sure(&asking, Work::Opening.into()) && !sure(&asking, argument()));
    assert!(!sure(&spec(Mode::Deliberative), Work::Opening.into()));
    asking.mode = Mode::Adversarial;
    assert!(!sure(&asking, Work::Opening.into()));
}

#[test]
fn every_speech_that_states_an_answer_says_how_sure_its_speaker_is_where_a_consensus_rests_on_that() {
    for mode in [Mode::Adversarial, Mode::Deliberative] {
        let mut asking = spec(mode);
        asking.end_condition = vec![EndCondition::ConsensusReached];
        let ends =
            |spec: &DebateSpec, task: Task| asked(spec, "Ada", task, "").0.contains("\nMy confidence: <how sure");
        let question = Work::Statement { speech: SpeechKind::Question, to: None, about: None };
        assert!(!ends(&asking, argument()));
        (asking.answers.confidence, asking.answers.confidence_at_least) = (true, Some(70));
        for task in [Work::Opening.into(), argument(), agon_core::testing::revising(vec!["Ben".into()])] {
            assert!(ends(&asking, task.clone()), "{mode:?} {task:?}");
        }
        assert!(!ends(&asking, question.into()));
    }
}
