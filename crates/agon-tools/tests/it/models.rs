//! Models as tools.

use agon_llm::ChatErrorKind;
use agon_tools::no_models;
use serde_json::{Value, json};

use crate::kit::{ScriptedModel, call, code, toolbox_with};

fn tools() -> Value {
    json!({"short": {"kind": "summarizer", "model": "m"}, "score": {"kind": "scorer", "model": "m"}})
}

fn scores(clarity: i32) -> String {
    let entry = |score: i32| json!({"score": score, "reason": "so\nso"});
    json!({"clarity": entry(clarity), "evidence": entry(2), "originality": entry(3), "on_topic": entry(4)}).to_string()
}

#[tokio::test]
async fn a_summary_is_asked_for_in_the_wanted_length_with_the_text_as_data() {
    let model = ScriptedModel::answering(|_| Ok("short".to_owned()));
    let toolbox = toolbox_with(tools(), model.named("m"));

    let outcome = call(&toolbox, "short", json!({"text": "long text", "words": 30})).await;

    let asked = model.asked.lock().unwrap();
    let [rules, text] = asked[0].messages.as_slice() else { panic!("{asked:?}") };
    assert_eq!(outcome.text, "short");
    assert!(rules.content.to_string().contains("at most 30 words"));
    assert!(text.content.to_string().ends_with("========\nlong text\n========"));
}

#[tokio::test]
async fn scores_are_given_by_criterion_with_their_reasons() {
    let model = ScriptedModel::answering(|_| Ok(scores(1)));

    let outcome = call(&toolbox_with(tools(), model.named("m")), "score", json!({"text": "t", "topic": "rent"})).await;

    let asked = model.asked.lock().unwrap();
    assert_eq!(
        outcome.text,
        "clarity: 1/10. so so\nevidence: 2/10. so so\noriginality: 3/10. so so\non_topic: 4/10. so so\n"
    );
    assert!(asked[0].format.is_some());
    assert!(asked[0].messages[1].content.to_string().contains("Topic: rent"));
}

#[tokio::test]
async fn scores_that_break_their_schema_are_not_shown() {
    let model = ScriptedModel::answering(|_| Ok(scores(99)));

    let outcome = call(&toolbox_with(tools(), model.named("m")), "score", json!({"text": "t"})).await;

    assert_eq!(code(&outcome), "malformed");
}

#[tokio::test]
async fn a_model_that_nobody_has_or_that_fails_makes_the_tool_unavailable() {
    let busy = ScriptedModel::answering(|_| Err(ChatErrorKind::Busy));

    let nobody = call(&toolbox_with(tools(), no_models()), "short", json!({"text": "t"})).await;
    let busy = call(&toolbox_with(tools(), busy.named("m")), "short", json!({"text": "t"})).await;

    assert_eq!(nobody.text, "the tool `short` is not available: no host has the model `m`");
    assert_eq!(busy.text, "the tool `short` is not available: the model `m` gave no answer: the server is busy");
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_refused_with_the_names_of_those_that_do() {
    let error = toolbox_with(tools(), no_models()).specs(&["sumarizer".to_owned()]).await.unwrap_err();

    assert_eq!(error.to_string(), "there is no tool `sumarizer` here; there is `score`, `short`");
}

#[tokio::test]
async fn a_function_that_only_starts_like_a_tool_is_refused() {
    let model = ScriptedModel::answering(|_| Ok("short".to_owned()));

    let outcome = call(&toolbox_with(tools(), model.named("m")), "short__er", json!({"text": "t"})).await;

    assert_eq!(outcome.text, "there is no function `short__er`; there is `short`");
    assert!(model.asked.lock().unwrap().is_empty());
}
