//! Every kind of answer in JSON: its type, and its members in the order in which readers know them.
use super::*;
use crate::answer::{Method, RoundPlan};
use crate::testing::Asked;

fn keys(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap();
    let members = value.as_object().unwrap();
    let names: Vec<&str> = members.keys().map(String::as_str).filter(|name| *name != "type").collect();
    assert_eq!(members.keys().next().unwrap(), "type");
    format!("{}: {}", members["type"].as_str().unwrap(), names.join(" "))
}

fn asked() -> Asked {
    Asked::at(TurnId { round: 1, seat: 2, attempt: 1 }, "Ada")
}

fn measures() -> Measures {
    let (stable, known) = (Vec::new(), Vec::new());
    Measures { agreement: Some(0.5), stability: None, stable, known, by_answers: false, method: Method::Words }
}

#[test]
fn what_debaters_and_voters_answer_names_them() {
    let note = Note { position: Some("yes".to_owned()), ..Note::default() };
    let bid = Bid { urgency: 7, to: Some("Bo".into()), text: None };
    let critique = Critique { severity: 3, issues: Vec::new(), suggestions: Vec::new() };
    let all = [
        (
            asked().speech_as(crate::SpeechKind::Argument, "It pays.", |speech| {
                (speech.stance, speech.to) = (Some("yes".to_owned()), Some("Bo".into()));
            }),
            "speech_recorded: turn participant stance kind text to call",
        ),
        (
            asked().ballot(BallotStage::Final, "yes", "why", Some(80)),
            "ballot_cast: turn stage participant choice reasons confidence call",
        ),
        (asked().bid(BidPurpose::Floor, bid), "bid_placed: turn participant purpose urgency to call"),
        (asked().points(Vec::new(), PointReply::default()), "points_answered: turn participant points call"),
        (
            asked().critique("Bo", critique, 1),
            "critique_recorded: turn participant of severity issues suggestions neutralised call",
        ),
        (asked().note(note), "note_taken: turn participant position call"),
        (asked().vote(&["a", "b"], "why", None), "vote_cast: turn participant choice choices reasons call"),
        (asked().debaters_scored(Vec::new()), "debaters_scored: turn participant scores call"),
    ];
    for (event, wanted) in all {
        assert_eq!(keys(&event), wanted);
    }
}

#[test]
fn what_an_office_answers_names_nobody_and_a_judge_is_named_as_such() {
    let plan = ModeratorDecision::Opens(RoundPlan::default());
    let interjection = Interjection { comment: Some("calm".to_owned()), ..Interjection::default() };
    let synthesis = Synthesis { text: "so".into(), output: None, problems: Vec::new() };
    let all = [
        (asked().decision(plan), "moderator_decided: turn decision call"),
        (asked().interjection(interjection), "moderator_interjected: turn comment call"),
        (asked().speeches_scored(Vec::new()), "speeches_scored: turn scores call"),
        (asked().brief("facts"), "research_briefed: turn text call"),
        (
            asked().conclusion(Conclusion::Decision, "so", Some("why")),
            "moderator_concluded: turn conclusion text reasoning call",
        ),
        (asked().summary(2, "so far"), "summary_recorded: turn through text call"),
        (asked().measures(2, measures()), "round_measured: round agreement by_answers method turn call"),
        (asked().enough(true, "why"), "enough_asked: turn judge enough reasoning call"),
        (
            asked().judgement(0, "so", None, "why", Vec::new()),
            "judgement_recorded: turn judge order verdict winner reasoning citations call",
        ),
        (asked().ranking(1, Vec::new()), "ranking_recorded: turn judge order ranking call"),
        (asked().synthesis(synthesis), "synthesis_recorded: turn text call"),
    ];
    for (event, wanted) in all {
        assert_eq!(keys(&event), wanted);
    }
}

#[test]
fn what_nobody_was_asked_for_has_the_type_of_the_answer_in_whose_place_it_is() {
    let fallback = asked().fallback(ModeratorDecision::Opens(RoundPlan::default()));
    assert_eq!(keys(&fallback), "moderator_decided: turn decision fallback");
    assert_eq!(serde_json::to_value(&fallback).unwrap()["fallback"], true);
    let compared = Event::RoundCompared { round: 2, measures: measures() };
    assert_eq!(keys(&compared), "round_measured: round agreement by_answers method");
}
