//! Every fixture: what is sent is compared with `CASE.req.json`, and `CASE.resp.http` is answered byte by byte.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agon_core::{CallOptions, Think};
use agon_llm::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind as Kind, ChatMessage, ChatRequest, ClientConfig, EndpointKind,
    RunnerOptions, STOP, SecretString, ToolCall, ToolSpec, TransportFault, connect_with,
};
use serde_json::{Value, json};

use crate::stub::Stub;

const KEY: &str = "sk-test-key";

fn folder(kind: EndpointKind) -> PathBuf {
    let name = match kind {
        EndpointKind::Ollama => "ollama",
        EndpointKind::OpenAi => "openai",
    };
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn plain() -> ChatRequest {
    let messages = vec![ChatMessage::system("You debate."), ChatMessage::user("Topic: \"tea or coffee\"?\nSpeak.")];
    let options = CallOptions {
        temperature: Some(0.7),
        top_p: Some(0.95),
        presence_penalty: Some(0.5),
        seed: Some(7),
        max_tokens: Some(256),
        ..CallOptions::default()
    };
    let stop = Some(vec!["###".into()]);
    ChatRequest { options, stop, ..ChatRequest::new("llama3.1:8b", messages) }
}

/// Does not wait for a load.
fn impatient() -> ChatRequest {
    let timeouts = CallTimeouts { first_byte: Duration::from_millis(200), ..CallTimeouts::default() };
    ChatRequest { timeouts, ..plain() }
}

fn thinking(think: Think) -> ChatRequest {
    let options = CallOptions { think: Some(think), ..plain().options };
    ChatRequest { options, ..plain() }
}

fn with_schema(think: Option<Think>) -> ChatRequest {
    let schema = json!({
        "type": "object", "properties": {"winner": {"type": "string"}},
        "required": ["winner"], "additionalProperties": false
    });
    let options = CallOptions { think, ..plain().options };
    ChatRequest { format: Some(Arc::new(schema)), options, ..plain() }
}

fn with_tools() -> ChatRequest {
    let parameters = json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
    let tool =
        ToolSpec { name: "search".into(), description: "Searches the web.".into(), parameters: Arc::new(parameters) };
    ChatRequest { tools: vec![tool], ..plain() }
}

fn search_call(id: &str) -> ToolCall {
    ToolCall { id: Some(id.into()), name: "search".into(), arguments: json!({"query": "tea"}) }
}

fn with_tool_result() -> ChatRequest {
    let mut request = with_tools();
    let call = search_call("call_abcd1234");
    request.messages.push(ChatMessage { tool_calls: vec![call.clone()], ..ChatMessage::assistant("") });
    request.messages.push(ChatMessage::tool(&call, "Tea is a drink."));
    request
}

async fn run(kind: EndpointKind, case: &str, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
    let read = |ending: &str| {
        let path = folder(kind).join(format!("{case}{ending}"));
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let expected: Value = serde_json::from_slice(&read(".req.json")).unwrap();
    let stub = Stub::always(read(".resp.http")).await;
    let endpoint = if kind == EndpointKind::Ollama { stub.ollama() } else { stub.open_ai() };
    let client = connect_with(ClientConfig {
        stream: expected["stream"] == true,
        runner: RunnerOptions { num_ctx: Some(8192) },
        api_key: Some(SecretString::from(KEY)),
        ..ClientConfig::new(endpoint)
    });

    let mut heard = String::new();
    let outcome = client.chat(request, &mut |delta: &str| heard.push_str(delta)).await;

    let sent = stub.requests();
    // what a correction may help is corrected, and this server refuses that as well
    let corrected = ["e400_no_thinking", "e400_option_type", "e500_jinja", "e500_llamacpp_jinja"].contains(&case);
    assert_eq!(sent.len(), if corrected { 2 } else { 1 }, "{case}: one attempt, one request");
    assert_eq!(sent[0].json(), expected, "{case}: what was sent");
    assert!(sent[0].headers.contains(&format!("authorization: bearer {KEY}")), "{case}: {}", sent[0].headers);
    if let Ok(answer) = &outcome {
        assert_eq!(heard, answer.text, "{case}: the sink heard the text");
    }
    outcome
}

async fn answer(kind: EndpointKind, case: &str, request: ChatRequest) -> ChatAnswer {
    run(kind, case, &request).await.unwrap_or_else(|error| panic!("{case}: {error}"))
}

/// A failing case: its name, its request, what it means, whether a retry may help, whether it counts for the breaker.
type FailingCase = (&'static str, ChatRequest, Kind, bool, bool);

async fn check_failures(kind: EndpointKind, failures: Vec<FailingCase>) {
    for (case, request, expected, retry, breaker) in failures {
        let error = run(kind, case, &request).await.expect_err(case);
        assert_eq!(error.kind, expected, "{case}: {error}");
        assert_eq!(error.can_retry(), retry, "{case}: can_retry");
        assert_eq!(error.counts_for_breaker(), breaker, "{case}: counts_for_breaker");
        assert!(!error.to_string().contains(KEY), "{case}: {error}");
    }
}

const OLLAMA: EndpointKind = EndpointKind::Ollama;
const OPEN_AI: EndpointKind = EndpointKind::OpenAi;
const CUT: Kind = Kind::Transport(TransportFault::Cut);

#[tokio::test]
async fn ollama_answers_are_read_with_their_metrics() {
    let whole = answer(OLLAMA, "answer", plain()).await;

    assert_eq!(whole.text, "Tea wins: “cheap” & <fine>,\nünd gut 🫖.");
    assert_eq!(whole.model.as_deref(), Some("llama3.1:8b"));
    assert_eq!((whole.usage.prompt_tokens, whole.usage.completion_tokens), (Some(42), Some(5)));
    assert_eq!(whole.usage.cached_tokens, None);
    let timing = whole.timing;
    assert_eq!((timing.load_ms, timing.prefill_ms, timing.decode_ms), (Some(100), Some(300), Some(1500)));
    assert!(timing.first_byte_ms.is_some() && timing.first_byte_ms <= timing.total_ms);
}

#[tokio::test]
async fn ollama_answers_come_in_every_shape() {
    assert_eq!(answer(OLLAMA, "answer_whole", plain()).await.text, "Tea wins.");
    assert_eq!(answer(OLLAMA, "answer_cached_count", plain()).await.usage.cached_tokens, Some(40));
    let bare = answer(OLLAMA, "answer_without_metrics", plain()).await;
    assert_eq!((bare.usage, bare.timing.decode_ms), (agon_core::Usage::default(), None));
    let thought = answer(OLLAMA, "thinking", thinking(Think::On)).await;
    assert_eq!((thought.text.as_str(), thought.thinking_chars), ("Tea.", 9));
    let asked = answer(OLLAMA, "tool_call", with_tools()).await;
    assert_eq!((asked.tool_calls, asked.finish_reason.as_str()), (vec![search_call("call_abcd1234")], STOP));
    assert_eq!(answer(OLLAMA, "tool_result", with_tool_result()).await.text, "Tea is a drink.");
    assert_eq!(answer(OLLAMA, "schema", with_schema(Some(Think::Off))).await.text, r#"{"winner":"tea"}"#);
}

#[tokio::test]
async fn ollama_answers_that_are_none_are_failures() {
    let failures = vec![
        ("thinking_only", thinking(Think::On), Kind::Empty { thinking_chars: 9 }, true, false),
        ("thinking_eats_budget", thinking(Think::Off), Kind::BudgetEaten { thinking_chars: 9 }, false, false),
        ("length", plain(), Kind::Truncated { partial_chars: 12 }, false, false),
        ("two_hundred_error_line", plain(), Kind::Server5xx, true, true),
        ("two_hundred_runner_died", plain(), Kind::RunnerDied, true, true),
        ("two_hundred_cut", plain(), CUT, true, true),
        ("whole_not_done", plain(), CUT, true, true),
    ];
    check_failures(OLLAMA, failures).await;
}

#[tokio::test]
async fn ollama_refusals_mean_what_the_table_says() {
    let overflow = Kind::ContextOverflow { prompt_tokens: Some(9000), context: Some(8192) };
    let overflow_untold = Kind::ContextOverflow { prompt_tokens: None, context: None };
    let failures = vec![
        ("e400_model_required", plain(), Kind::BadRequest, false, false),
        ("e400_no_chat", plain(), Kind::BadRequest, false, false),
        ("e400_no_tools", with_tools(), Kind::BadRequest, false, false),
        ("e400_no_thinking", thinking(Think::On), Kind::BadRequest, false, false),
        ("e400_option_type", plain(), Kind::BadRequest, false, false),
        ("e400_context_nested", plain(), overflow, false, false),
        ("e400_context_text", plain(), overflow_untold, false, false),
        ("e401_sign_in", plain(), Kind::Unauthorized, false, false),
        ("e403_cloud_disabled", plain(), Kind::Unauthorized, false, false),
        ("e403_host_header", plain(), Kind::Unauthorized, false, false),
        ("e404_model", plain(), Kind::NotFound, false, false),
        ("e404_path", plain(), Kind::PathNotFound, false, false),
        ("e429_cloud", plain(), Kind::Quota, false, false),
        ("e499_cancelled", plain(), Kind::Cancelled, false, false),
        ("e500_runner_stopped", plain(), Kind::RunnerDied, true, true),
        ("e500_terminated", plain(), Kind::RunnerDied, true, true),
        ("e500_out_of_memory", plain(), Kind::RunnerDied, true, true),
        ("e500_jinja", plain(), Kind::BadRequest, false, false),
        ("e500_other", plain(), Kind::Server5xx, true, true),
        ("e502_cloud", plain(), Kind::Server5xx, true, true),
        ("e503_busy", plain(), Kind::Busy, true, true),
    ];
    check_failures(OLLAMA, failures).await;
}

#[tokio::test]
async fn open_ai_answers_come_in_every_shape() {
    let ollama = answer(OPEN_AI, "ollama_answer", plain()).await;
    assert_eq!(ollama.text, "Tea wins: “cheap”,\nünd gut 🫖.");
    assert_eq!((ollama.usage.prompt_tokens, ollama.usage.completion_tokens), (Some(42), Some(5)));
    let llamacpp = answer(OPEN_AI, "llamacpp_answer", plain()).await;
    assert_eq!((llamacpp.text.as_str(), llamacpp.thinking_chars), ("Tea.", 4));
    assert_eq!(llamacpp.usage.cached_tokens, Some(30));
    assert_eq!(llamacpp.timing.prefill_ms, Some(120));
    for case in ["vllm_answer", "openrouter_answer"] {
        let other = answer(OPEN_AI, case, plain()).await;
        assert_eq!((other.text.as_str(), other.usage.prompt_tokens), ("Tea.", Some(42)), "{case}");
    }
    assert_eq!(answer(OPEN_AI, "whole", plain()).await.text, "Tea wins.");
    let asked = answer(OPEN_AI, "tool_call_pieces", with_tools()).await;
    assert_eq!((asked.tool_calls, asked.finish_reason.as_str()), (vec![search_call("call_1")], STOP));
    assert_eq!(answer(OPEN_AI, "tool_result", with_tool_result()).await.text, "Tea is a drink.");
    assert_eq!(answer(OPEN_AI, "schema", with_schema(None)).await.text, r#"{"winner":"tea"}"#);
    assert_eq!(answer(OPEN_AI, "effort", thinking(Think::High)).await.thinking_chars, 4);
}

#[tokio::test]
async fn open_ai_ends_are_known_by_their_reason() {
    for (case, finish) in [("unknown_finish", "eos_token"), ("blank_finish", ""), ("no_done_marker", STOP)] {
        let ended = answer(OPEN_AI, case, plain()).await;
        assert_eq!((ended.text.as_str(), ended.finish_reason.as_str()), ("Tea.", finish), "{case}");
    }
}

#[tokio::test]
async fn open_ai_answers_that_are_none_are_failures() {
    let failures = vec![
        ("length", plain(), Kind::Truncated { partial_chars: 12 }, false, false),
        ("thinking_eats_budget", plain(), Kind::BudgetEaten { thinking_chars: 9 }, false, false),
        ("thinking_only", plain(), Kind::Empty { thinking_chars: 9 }, true, false),
        ("blank_finish_cut", plain(), CUT, true, true),
        ("ollama_swallowed_error", plain(), CUT, true, true),
        ("done_without_finish", plain(), CUT, true, true),
        ("openrouter_error_event", plain(), Kind::Server5xx, true, true),
        ("openrouter_error_body", plain(), Kind::Busy, true, false),
        ("llamacpp_error_field", plain(), Kind::Server5xx, true, true),
        ("vllm_error_event", plain(), Kind::Server5xx, true, true),
    ];
    check_failures(OPEN_AI, failures).await;
}

#[tokio::test]
async fn open_ai_refusals_mean_what_the_table_says() {
    let overflow = || Kind::ContextOverflow { prompt_tokens: Some(9000), context: Some(8192) };
    let failures = vec![
        ("e400_llamacpp_context", plain(), overflow(), false, false),
        ("e400_vllm_context", plain(), overflow(), false, false),
        ("e401_key", plain(), Kind::Unauthorized, false, false),
        ("e402_credit", plain(), Kind::Quota, false, false),
        ("e402_in_flight", plain(), Kind::Busy, true, false),
        ("e404_vllm_model", plain(), Kind::NotFound, false, false),
        ("e408", plain(), Kind::Busy, true, false),
        ("e422", plain(), Kind::BadRequest, false, false),
        ("e429_retry_after", plain(), Kind::Busy, true, false),
        ("e429_quota", plain(), Kind::Quota, false, false),
        ("e500_llamacpp_jinja", plain(), Kind::BadRequest, false, false),
        ("e503_llamacpp_loading", impatient(), Kind::Loading, true, false),
        ("e504", plain(), Kind::Server5xx, true, true),
    ];
    check_failures(OPEN_AI, failures).await;
}

#[tokio::test]
async fn a_server_that_says_when_to_come_back_is_heard() {
    let error = run(OPEN_AI, "e429_retry_after", &plain()).await.unwrap_err();

    assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
}

#[test]
fn every_fixture_has_a_provenance_and_a_test() {
    let source = include_str!("golden.rs");
    for kind in [OLLAMA, OPEN_AI] {
        let folder = folder(kind);
        let text = std::fs::read_to_string(folder.join("provenance.json")).unwrap();
        let listed: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
        let on_disk: BTreeSet<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".resp.http").map(str::to_owned))
            .collect();

        assert_eq!(listed.keys().cloned().collect::<BTreeSet<_>>(), on_disk);
        for (case, origin) in &listed {
            assert!(source.contains(&format!("\"{case}\"")), "{case} is not tested");
            assert!(["recorded", "derived-from-source"].contains(&origin["kind"].as_str().unwrap()), "{case}");
            assert!(origin["source"].as_str().is_some_and(|source| !source.is_empty()), "{case}");
        }
    }
}
