//! The structured answers of debaters, moderator, voters, judges and synthesizer.
use super::tests::{read, spec};
use super::*;
use agon_core::{Bid, Critique, Moderator, Point, PointReply, Synthesizer, TurnId, testing};

fn moderated() -> DebateSpec {
    let moderator = Moderator { opens: false, closes: false, warns: true, clarifies: true, ..testing::moderator() };
    let output_schema = serde_json::json!({
        "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]
    });
    let (instructions, voice) = (None, testing::voice("m", 100));
    let synthesizer = Synthesizer { output_schema: Some(output_schema), instructions, voice };
    DebateSpec { moderator: Some(moderator), synthesizer: Some(synthesizer), ..spec() }
}

pub(super) fn ask(task: Task, correction: Option<&str>) -> Ask {
    Ask { correction: correction.map(str::to_owned), ..testing::ask(testing::turn(1, 0), "Ada", task) }
}

fn answer_of(spec: &DebateSpec, ask: &Ask, text: &str) -> Result<Answer, Malformed> {
    read_answer(spec, ask, text).map(|read| read.answer)
}

fn problem(task: Task, text: &str) -> String {
    read(task, text).unwrap_err()
}

fn names(names: &[&str]) -> Vec<ParticipantId> {
    names.iter().map(|name| ParticipantId::from(*name)).collect()
}

#[test]
fn a_bid_has_an_urgency_from_0_to_10_and_a_known_name_or_none() {
    let bid = || Task::from(Work::Bid { purpose: BidPurpose::Floor, on: None, heard: None });
    let full = Bid { urgency: 7, to: Some("Ben".into()), text: Some("No.".into()) };
    assert_eq!(read(bid(), r#"{"urgency": 7.0, "to": "ben", "reason": "No."}"#), Ok(Answer::Bid(full)));
    assert_eq!(read(bid(), r#"{"urgency": 0, "to": null, "reason": ""}"#), Ok(Answer::Bid(Bid::default())));
    assert_eq!(problem(bid(), r#"{"urgency": 11}"#), "urgency: found 11, allowed a whole number from 0 to 10");
    assert_eq!(problem(bid(), r#"{"urgency": 1, "to": "Zoe"}"#), "to: found \"Zoe\", allowed \"Ada\", \"Ben\"");
}

#[test]
fn a_point_of_information_without_words_offers_nothing_however_urgent() {
    let point = || Task::from(Work::Bid { purpose: BidPurpose::Point, on: None, heard: None });
    assert_eq!(read(point(), r#"{"urgency": 0, "point": null}"#), Ok(Answer::Bid(Bid::default())));
    assert_eq!(read(point(), r#"{"urgency": 3, "point": " "}"#), Ok(Answer::Bid(Bid::default())));
    let points = || agon_core::testing::answering(vec![Point { by: "Ben".into(), text: "Why?".into() }]);
    let taken = PointReply { accepts: Some("Ben".into()), reply: Some("So.".into()) };
    assert_eq!(read(points(), r#"{"accept": "Ben", "reply": "So."}"#), Ok(Answer::PointReply(taken)));
    assert_eq!(read(points(), r#"{"accept": null, "reply": "x"}"#), Ok(Answer::PointReply(PointReply::default())));
    assert_eq!(problem(points(), r#"{"accept": "Ada", "reply": "x"}"#), "accept: found \"Ada\", allowed \"Ben\"");
    assert!(problem(points(), r#"{"accept": "Ben", "reply": null}"#).starts_with("reply: missing"));
}

#[test]
fn a_critique_that_is_severe_names_what_is_wrong() {
    let critique = || Task::from(Work::Critique { of: "Ben".into() });
    let none = Critique { severity: 0, issues: Vec::new(), suggestions: Vec::new() };
    assert_eq!(read(critique(), r#"{"severity": 0, "issues": [], "suggestions": []}"#), Ok(Answer::Critique(none)));
    assert!(
        problem(critique(), r#"{"severity": 4, "issues": [" "], "suggestions": []}"#).starts_with("issues: found none")
    );
}

#[test]
fn a_revision_takes_up_or_declines_each_critic_once() {
    let revise = || agon_core::testing::revising(names(&["Ben", "Cleo"]));
    let text = r#"{"text": "New.", "accepted": ["ben"], "declined": [{"critic": "Cleo", "why": "No."}]}"#;
    let declined = vec![agon_core::Declined { critic: "Cleo".into(), why: "No.".into() }];
    let revision = agon_core::Revision { text: "New.".into(), accepted: names(&["Ben"]), declined };
    assert_eq!(read(revise(), text), Ok(Answer::Revision(revision)));
    let twice = r#"{"text": "New.", "accepted": ["Ben"], "declined": [{"critic": "Ben", "why": "No."}]}"#;
    assert!(problem(revise(), twice).contains("Ben a second time"));
    assert!(
        problem(revise(), r#"{"text": "x", "accepted": ["Ada"], "declined": []}"#)
            .contains("allowed \"Ben\", \"Cleo\"")
    );
}

#[test]
fn a_note_has_what_was_asked_for_and_nothing_else() {
    let text = r#"{"position": "p", "changed_by": null, "contradictions": [], "next": "n"}"#;
    let note = |reflection, evolution| match read(agon_core::testing::reflecting(reflection, evolution), text) {
        Ok(Answer::Note(note)) => (note.position.is_some(), note.next.is_some()),
        other => panic!("{other:?}"),
    };
    assert_eq!((note(true, false), note(false, true), note(true, true)), ((true, false), (false, true), (true, true)));
}

#[test]
fn an_interjection_holds_the_moderators_duties_alone() {
    let text = r#"{"comment": "c", "warnings": [{"name": "ada", "text": "w"}], "questions": [], "revisions": [{"name": "Ben", "text": "r"}]}"#;
    let Ok(Answer::Interjection(said)) = answer_of(&moderated(), &ask(Work::Interject.into(), None), text) else {
        panic!()
    };
    assert_eq!(said.warnings, [agon_core::Remark { to: "Ada".into(), text: "w".into() }]);
    assert!(said.comment.is_none() && said.revisions.is_empty());
    let unknown =
        answer_of(&moderated(), &ask(Work::Interject.into(), None), r#"{"warnings": [{"name": "Zoe", "text": "w"}]}"#);
    assert!(unknown.unwrap_err().0.contains("name: found \"Zoe\""));
}

#[test]
fn scores_go_to_speeches_by_number_and_to_debaters_by_label() {
    let score = |key: &str, value: &str| {
        format!(
            r#"{{"{key}": {value}, "clarity": 1, "evidence": 2, "originality": 3, "on_topic": 10, "comment": "c"}}"#
        )
    };
    let turn = |seat| TurnId { round: 1, seat, attempt: 1 };
    let speeches = || agon_core::testing::scoring_speeches(vec![turn(4), turn(7)]);
    let text = |a: &str, b: &str| format!(r#"{{"scores": [{}, {}]}}"#, score("speech", a), score("speech", b));
    let Ok(Answer::SpeechScores(scores)) = read(speeches(), &text("2", "1")) else { panic!() };
    assert_eq!(scores.iter().map(|score| score.speech).collect::<Vec<_>>(), [turn(7), turn(4)]);
    assert_eq!(problem(speeches(), &text("1", "1")), "speech: found 1 twice, allowed each number from 1 to 2 once");
    assert_eq!(problem(speeches(), &text("1", "3")), "speech: found 3, allowed each number from 1 to 2 once");
    let debaters = || agon_core::testing::scoring(vec![("Ben".into(), "Speaker A".into())]);
    let Ok(Answer::DebaterScores(scores)) =
        read(debaters(), &format!(r#"{{"scores": [{}]}}"#, score("name", "\"speaker a\"")))
    else {
        panic!()
    };
    assert_eq!((scores[0].debater.as_str(), scores[0].score.total()), ("Ben", 16));
    assert!(problem(debaters(), r#"{"scores": []}"#).starts_with("scores: found 0 items"));
}

#[test]
fn rankings_have_every_candidate_once_and_approvals_one_at_least() {
    let candidates = || vec!["A".to_owned(), "B".to_owned()];
    let vote = |form| agon_core::testing::vote_by(candidates(), form);
    let ranked = Answer::Choices { choices: vec!["B".into(), "A".into()], reasons: vec!["r".into()], confidence: None };
    assert_eq!(read(vote(BallotForm::Ranking), r#"{"ranking": ["b", "A"], "reasons": ["r"]}"#), Ok(ranked));
    let twice = problem(vote(BallotForm::Ranking), r#"{"ranking": ["A", "a."], "reasons": ["r"]}"#);
    assert_eq!(twice, "ranking: found \"A\" twice, allowed once");
    assert!(
        problem(vote(BallotForm::Ranking), r#"{"ranking": ["A"], "reasons": ["r"]}"#)
            .contains("found 1 items, allowed 2 to 2")
    );
    assert!(problem(vote(BallotForm::Approval), r#"{"approved": [], "reasons": ["r"]}"#).contains("found 0 items"));
    let rank = agon_core::testing::ranking(0, candidates());
    let text = r#"{"ranking": [{"candidate": "B", "reason": "x"}, {"candidate": "A", "reason": "y"}]}"#;
    let Ok(Answer::Ranking(ranking)) = read(rank, text) else { panic!() };
    assert_eq!(ranking.iter().map(|place| place.candidate.as_str()).collect::<Vec<_>>(), ["B", "A"]);
}

#[test]
fn a_moderators_texts_and_conclusions_are_read() {
    let reconcile = Task::from(Work::Conclude { conclusion: Conclusion::Reconciliation });
    assert_eq!(read(reconcile, "<think>x</think> So be it."), Ok(Answer::Text { text: "So be it.".into() }));
    let decision = Task::from(Work::Conclude { conclusion: Conclusion::Decision });
    let concluded = Answer::Conclusion { verdict: "v".into(), reasoning: "r".into() };
    assert_eq!(read(decision, r#"{"verdict": "v", "reasoning": "r"}"#), Ok(concluded));
    assert_eq!(problem(agon_core::testing::summarising(1), " "), "the text is empty");
    let enough = Answer::Enough { enough: true, reasoning: "r".into() };
    assert_eq!(read(Work::EnoughSaid.into(), r#"{"enough": true, "reasoning": "r"}"#), Ok(enough));
}

#[test]
fn a_synthesis_is_held_to_its_schema_once_and_then_kept_with_its_problems() {
    let spec = moderated();
    let first = |text: &str| answer_of(&spec, &ask(Work::Synthesise.into(), None), text);
    let Ok(Answer::Synthesis(good)) = first("```json\n{ \"n\": 3 }\n```") else { panic!() };
    assert_eq!((good.output.as_deref(), good.problems.len()), (Some("{\"n\":3}"), 0));
    assert_eq!(first(r#"{"n": "x"}"#).unwrap_err().0, "/n: \"x\" is not of type \"integer\"");
    assert!(first("It is three.").unwrap_err().0.starts_with("found no JSON value that is the whole answer"));
    let second = answer_of(&spec, &ask(Work::Synthesise.into(), Some("wrong")), "It is three.");
    let Ok(Answer::Synthesis(kept)) = second else { panic!() };
    assert_eq!((&*kept.text, kept.output, kept.problems.len()), ("It is three.", None, 1));
    let mut plain = spec;
    plain.synthesizer.as_mut().unwrap().output_schema = None;
    let Ok(Answer::Synthesis(text)) = answer_of(&plain, &ask(Work::Synthesise.into(), None), "It is three.") else {
        panic!()
    };
    assert!(text.output.is_none() && text.problems.is_empty());
}

#[test]
fn a_validators_messages_are_bounded() {
    let spec = moderated();
    let long = format!(r#"{{"n": "{}"}}"#, "x".repeat(9_000));
    let problem = answer_of(&spec, &ask(Work::Synthesise.into(), None), &long).unwrap_err().0;
    assert!(problem.chars().count() < 300, "{}", problem.chars().count());
}

#[test]
fn a_synthesis_is_the_last_value_that_the_schema_describes_and_names_no_member_twice() {
    let read = |text: &str| match answer_of(&moderated(), &ask(Work::Synthesise.into(), None), text) {
        Ok(Answer::Synthesis(synthesis)) => Ok(synthesis.output.unwrap().to_string()),
        Ok(other) => panic!("{other:?}"),
        Err(Malformed(problem)) => Err(problem),
    };
    assert_eq!(read("```json\n{\"n\": 1}\n```\nor rather\n```json\n{\"n\": 2}\n```"), Ok(r#"{"n":2}"#.to_owned()));
    assert_eq!(read("```json\n{\"n\": 1}\n```\n```\n{\"m\": 2}\n```"), Ok(r#"{"n":1}"#.to_owned()));
    let problem = read(r#"{"n": 1, "n": 2}"#).unwrap_err();
    assert!(problem.contains("\"n\" stands there twice"), "{problem}");
}

#[test]
fn the_schema_of_a_synthesis_is_compiled_for_the_first_answer_alone() {
    let mut spec = moderated();
    let schema = serde_json::json!({"title": "compiled once", "type": "object"});
    spec.synthesizer.as_mut().unwrap().output_schema = Some(schema.clone());
    let known = agon_schema::Cache::shared();
    assert!(!known.knows(&schema));
    for text in ["{}", "[]"] {
        let read = answer_of(&spec, &ask(Work::Synthesise.into(), Some("once more")), text);
        assert!(matches!(read, Ok(Answer::Synthesis(_))), "{read:?}");
        assert!(known.knows(&schema));
    }
}
