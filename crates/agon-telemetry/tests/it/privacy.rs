//! What was said stays at home unless the operator says otherwise.
use crate::test_bench::{SECRET, admission, config, hold, stumble, tell};
use agon_core::FailureCause;
use agon_telemetry::{Observer, Telemetry, TelemetryConfig};
use agon_testkit::{OtlpSink, SinkSpan};

async fn told(capture_content: bool, cause: FailureCause) -> Vec<SinkSpan> {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(TelemetryConfig { capture_content, ..config(&sink) }).unwrap();
    assert_eq!(telemetry.captures_content(), capture_content);
    tell(&telemetry, &hold(admission("oven-2026"), |ask| stumble(ask).map(|_| cause)));
    telemetry.shutdown().await;
    sink.spans()
}

fn tells(spans: &[SinkSpan], words: &str) -> bool {
    spans.iter().any(|span| {
        let values = span.attributes.values();
        values.chain(&span.error).chain([&span.name]).any(|text| text.contains(words))
    })
}

#[tokio::test]
async fn neither_prompts_nor_answers_nor_topics_are_told_by_default() {
    let spans = told(false, FailureCause::Malformed).await;

    assert!(!tells(&spans, SECRET));
    assert!(!tells(&spans, "second oven"));
}

#[tokio::test]
async fn prompts_and_answers_are_told_where_that_is_asked_for() {
    let spans = told(true, FailureCause::Malformed).await;

    let chat = spans.iter().find(|span| span.name == "chat gemma3:4b").unwrap();
    let output = &chat.attributes["gen_ai.output.messages"];
    let expected =
        format!(r#"[{{"role":"assistant","parts":[{{"type":"text","content":"{SECRET}"}}],"finish_reason":"stop"}}]"#);
    assert_eq!(*output, expected);
    assert!(chat.attributes["gen_ai.input.messages"].starts_with(r#"[{"role":"system","#));
    assert!(tells(&spans, "second oven"));
}

#[tokio::test]
async fn a_servers_own_words_on_a_failure_are_told() {
    let spans = told(false, FailureCause::Transport).await;

    let failed = spans.iter().find(|span| span.name == "chat llama3.2:3b" && span.error.is_some()).unwrap();
    assert_eq!(failed.error.as_deref(), Some(format!("said: {SECRET}").as_str()));
    assert_eq!(failed.attributes["error.type"], "transport");
}
