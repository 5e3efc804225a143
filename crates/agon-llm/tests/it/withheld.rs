//! Answers that a service withheld or a model refused, and figures that cannot be right.
use agon_core::Usage;
use agon_llm::{ChatAnswer, ChatError, ChatErrorKind, ChatMessage, ChatRequest, Http, connect};
use serde_json::{Value, json};

use crate::stub::{Stub, json as reply};

async fn answered(open_ai: bool, body: Value) -> Result<ChatAnswer, ChatError> {
    let stub = Stub::always(reply(&body)).await;
    let endpoint = if open_ai { stub.open_ai() } else { stub.ollama() };
    let request = ChatRequest::new("tea:1b", vec![ChatMessage::user("Tea?")]);
    connect(&endpoint, None, &Http::default()).chat(&request, &mut |_: &str| {}).await
}

fn choice(index: u64, message: Value, reason: &str) -> Value {
    json!({"index": index, "message": message, "finish_reason": reason})
}

#[tokio::test]
async fn what_was_withheld_or_refused_is_no_answer() {
    let said = json!({"role": "assistant", "content": "Partial te"});
    let refused = json!({"role": "assistant", "content": "Partial te", "refusal": "I cannot help with that."});
    let bodies = [
        (true, json!({"choices": [choice(0, said.clone(), "content_filter")]})),
        (true, json!({"choices": [choice(0, said.clone(), "SAFETY")]})),
        (true, json!({"choices": [choice(0, refused, "stop")]})),
        (false, json!({"message": said, "done": true, "done_reason": "content_filter"})),
    ];
    for (open_ai, body) in bodies {
        let error = answered(open_ai, body.clone()).await.expect_err(&body.to_string());
        assert_eq!(error.kind, ChatErrorKind::Refused, "{body}");
        assert!(error.can_retry() && !error.counts_for_breaker(), "{body}");
    }
}

#[tokio::test]
async fn only_the_answer_that_was_asked_for_is_taken() {
    let message = |text: &str| json!({"role": "assistant", "content": text});
    let second = answered(true, json!({"choices": [choice(1, message("SECOND"), "stop")]})).await;
    assert!(second.is_err(), "{second:?}");
    let both = json!({"choices": [choice(0, message("Tea."), "stop"), choice(1, message("SECOND"), "stop")]});
    assert_eq!(answered(true, both).await.unwrap().text, "Tea.");
}

#[tokio::test]
async fn counts_that_cannot_be_right_are_unknown() {
    let usage = |prompt: i64, cached: i64, generated: i64| {
        let details = json!({"cached_tokens": cached});
        let counts = json!({"prompt_tokens": prompt, "completion_tokens": generated, "prompt_tokens_details": details});
        json!({"choices": [choice(0, json!({"content": "Tea."}), "stop")], "usage": counts})
    };
    let (known, unknown) = (Some(900), None);
    for (body, prompt, cached, generated) in [
        (usage(900, 800, 5), known, Some(800), Some(5)),
        // what was cached is counted apart
        (usage(900, 10_000, 5), Some(10_900), Some(10_000), Some(5)),
        (usage(-5, 30, 999_999_999_999), unknown, unknown, unknown),
    ] {
        let expected = Usage { prompt_tokens: prompt, cached_tokens: cached, completion_tokens: generated };
        assert_eq!(answered(true, body).await.unwrap().usage, expected);
    }
}
