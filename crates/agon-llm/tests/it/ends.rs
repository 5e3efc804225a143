//! The words by which servers say why an answer ended, in both dialects.
use agon_llm::{ChatAnswer, ChatError, ChatErrorKind, ChatMessage, ChatRequest, Http, STOP, connect};
use serde_json::json;

use crate::stub::{Stub, json as reply};

const LIMIT: u32 = 50;
const TEXT: &str = "Tea is better because";

/// What a server's word makes of a text of so many tokens.
async fn ended(open_ai: bool, word: &str, tokens: u32) -> Result<ChatAnswer, ChatError> {
    let message = json!({"role": "assistant", "content": TEXT});
    let body = if open_ai {
        json!({"choices": [{"index": 0, "message": message, "finish_reason": word}],
            "usage": {"prompt_tokens": 7, "completion_tokens": tokens}})
    } else {
        json!({"message": message, "done": true, "done_reason": word, "prompt_eval_count": 7, "eval_count": tokens})
    };
    let stub = Stub::always(reply(&body)).await;
    let endpoint = if open_ai { stub.open_ai() } else { stub.ollama() };
    let options = agon_core::CallOptions { max_tokens: Some(LIMIT), ..agon_core::CallOptions::default() };
    let request = ChatRequest { options, ..ChatRequest::new("tea:1b", vec![ChatMessage::user("Tea?")]) };
    connect(&endpoint, None, &Http::default()).chat(&request, &mut |_: &str| {}).await
}

#[tokio::test]
async fn an_answer_that_was_cut_is_none_however_the_server_words_it() {
    let words = ["length", "LENGTH", "max_tokens", "MAX_TOKENS", "maxTokens", "max_output_tokens", "model_length"];
    for word in words.into_iter().chain(["token_limit", "model_context_window_exceeded"]) {
        for open_ai in [true, false] {
            let error = ended(open_ai, word, LIMIT / 2).await.expect_err(word);
            assert_eq!(error.kind, ChatErrorKind::Truncated { partial_chars: TEXT.len() }, "{word} {open_ai}");
            assert_eq!(error.usage.completion_tokens, Some(25), "{word} {open_ai}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_ended_in_an_error_is_none() {
    for word in ["error", "ERROR", "network_error", "insufficient_system_resource", "time_limit"] {
        for open_ai in [true, false] {
            let error = ended(open_ai, word, 5).await.expect_err(word);
            assert_eq!(error.kind, ChatErrorKind::Server5xx, "{word} {open_ai}");
        }
    }
}

#[tokio::test]
async fn a_reason_that_is_not_known_is_kept_unless_the_answer_is_at_its_limit() {
    for open_ai in [true, false] {
        let kept = ended(open_ai, "Satisfied", LIMIT - 1).await.unwrap();
        assert_eq!(kept.finish_reason, "Satisfied", "{open_ai}");
        let error = ended(open_ai, "Satisfied", LIMIT).await.unwrap_err();
        assert_eq!(error.kind, ChatErrorKind::Truncated { partial_chars: TEXT.len() }, "{open_ai}");
        assert!(error.detail.contains("Satisfied"), "{error:?}");
        assert_eq!(ended(open_ai, "STOP", LIMIT).await.unwrap().finish_reason, STOP, "{open_ai}");
    }
}
