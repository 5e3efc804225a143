//! The contract of `agon_llm::contract`, on a stub always and on a real host when one is named.

use std::io::Write;

use agon_llm::contract::{ContractOutcome, run};
use agon_llm::{EndpointKind, Http, SecretString, connect};
use serde_json::{Value, json};

use crate::stub::{Stub, StubRequest, StubStep, json as reply, response};

const MODEL: &str = "tea:1b";

/// What the stub says to a chat, in neither dialect yet.
enum ScriptedReply {
    Text(&'static str, &'static str),
    Call,
    Refusal(u16, &'static str),
}

fn decide(request: &Value) -> ScriptedReply {
    let limit = request["options"]["num_predict"].as_u64().or(request["max_tokens"].as_u64());
    if request["model"] != MODEL {
        return ScriptedReply::Refusal(404, "model 'agon-no-such-model:0b' not found");
    }
    if request["messages"].to_string().len() > 8192 {
        return ScriptedReply::Refusal(400, "the prompt is longer than the context length currently available");
    }
    if request["messages"].as_array().is_some_and(Vec::is_empty) {
        return ScriptedReply::Text("", "load");
    }
    if !request["format"].is_null() || !request["response_format"].is_null() {
        return ScriptedReply::Text(r#"{"winner": "tea"}"#, "stop");
    }
    if !request["tools"].is_null() {
        return ScriptedReply::Call;
    }
    if limit == Some(4) {
        ScriptedReply::Text("one two", "length")
    } else {
        ScriptedReply::Text("Hello there.", "stop")
    }
}

fn refusal(status: u16, text: &str) -> Vec<u8> {
    response(status, "application/json", &json!({"error": text}).to_string())
}

fn ollama_chat(request: &Value) -> Vec<u8> {
    let (message, reason) = match decide(request) {
        ScriptedReply::Refusal(status, text) => return refusal(status, text),
        ScriptedReply::Text(text, reason) => (json!({"role": "assistant", "content": text}), reason),
        ScriptedReply::Call => {
            let call = json!({"function": {"name": "weather", "arguments": {"city": "Rome"}}});
            (json!({"role": "assistant", "content": "", "tool_calls": [call]}), "stop")
        }
    };
    let first = json!({"model": MODEL, "message": message, "done": false});
    let last = json!({"model": MODEL, "message": {"role": "assistant", "content": ""}, "done": true,
        "done_reason": reason, "total_duration": 9, "prompt_eval_count": 7, "eval_count": 3});
    if request["stream"] == false {
        return reply(&last);
    }
    response(200, "application/x-ndjson", &format!("{first}\n{last}\n"))
}

fn ollama(request: &StubRequest) -> Vec<StubStep> {
    let body = match request.line.split(' ').nth(1).unwrap() {
        "/api/version" => reply(&json!({"version": "0.33.0"})),
        "/api/tags" => reply(&json!({"models": [{"name": MODEL}]})),
        "/api/ps" => reply(&json!({"models": [{"name": MODEL, "context_length": 2048}]})),
        "/api/show" => reply(&json!({"capabilities": ["completion", "tools", "embedding", "thinking"]})),
        "/api/embed" => reply(&json!({"embeddings": [[1.0], [0.5]]})),
        "/api/chat" => ollama_chat(&request.json()),
        other => panic!("{other}"),
    };
    vec![StubStep::Send(body)]
}

fn open_ai(request: &StubRequest) -> Vec<StubStep> {
    if request.line.starts_with("GET /v1/models ") {
        return vec![StubStep::Send(reply(&json!({"data": [{"id": MODEL}]})))];
    }
    let (text, reason) = match decide(&request.json()) {
        ScriptedReply::Refusal(status, text) => return vec![StubStep::Send(refusal(status, text))],
        ScriptedReply::Text(text, reason) => (text, reason),
        ScriptedReply::Call => panic!("the model is not known to call tools"),
    };
    let first = json!({"choices": [{"delta": {"content": text}}]});
    let last = json!({"choices": [{"delta": {}, "finish_reason": reason}], "usage":
        {"prompt_tokens": 7, "completion_tokens": 3}});
    let body = format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n");
    vec![StubStep::Send(response(200, "text/event-stream", &body))]
}

#[tokio::test]
async fn ollama_passes_the_contract_on_the_stub() {
    let stub = Stub::serve(ollama).await;

    let report = run(connect(&stub.ollama(), None, &Http::default()).as_ref(), MODEL).await;

    assert!(report.checks.iter().all(|(_, outcome)| *outcome == ContractOutcome::Passed), "{report}");
}

#[tokio::test]
async fn an_open_ai_server_passes_the_contract_on_the_stub() {
    let stub = Stub::serve(open_ai).await;

    let report = run(connect(&stub.open_ai(), None, &Http::default()).as_ref(), MODEL).await;

    assert!(report.passed(), "{report}");
}

#[tokio::test]
async fn a_server_that_declares_nothing_done_fails_the_contract() {
    let stub = Stub::serve(|request: &StubRequest| {
        if request.line.contains("/api/chat") {
            let cut = json!({"message": {"content": "Hello"}, "done": false});
            return vec![StubStep::Send(response(200, "application/x-ndjson", &format!("{cut}\n")))];
        }
        ollama(request)
    })
    .await;

    let report = run(connect(&stub.ollama(), None, &Http::default()).as_ref(), MODEL).await;

    let failed = |name: &str| {
        let found = report.checks.iter().find(|(check, _)| *check == name);
        matches!(found, Some((_, ContractOutcome::Failed(_))))
    };
    assert!(!report.passed());
    assert!(failed("an answer arrives in pieces that make up its text"), "{report}");
    assert!(failed("preloading puts the model in memory"), "{report}");
    assert!(!failed("the version can be read"), "{report}");
}

/// Runs only where `AGON_LIVE_URL` and `AGON_LIVE_MODEL` name a host; `AGON_LIVE_KIND=openai` changes the dialect and
/// `AGON_LIVE_KEY` is the key. Says plainly when it did not run.
#[tokio::test]
async fn a_live_host_passes_the_contract_when_one_is_named() {
    let read = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    // Written past the test harness, which hides what passing tests print.
    let mut out = std::io::stderr();
    let (Some(url), Some(model)) = (read("AGON_LIVE_URL"), read("AGON_LIVE_MODEL")) else {
        writeln!(out, "contract: not run against a live host (AGON_LIVE_URL and AGON_LIVE_MODEL are not set)").unwrap();
        return;
    };
    let kind = match read("AGON_LIVE_KIND").as_deref() {
        None | Some("ollama") => EndpointKind::Ollama,
        Some("openai") => EndpointKind::OpenAi,
        Some(other) => panic!("AGON_LIVE_KIND is `{other}`; `ollama` and `openai` are known"),
    };
    let endpoint = agon_llm::Endpoint::parse(kind, &url).unwrap();
    let client = connect(&endpoint, read("AGON_LIVE_KEY").map(SecretString::from), &Http::default());

    let report = run(client.as_ref(), &model).await;

    writeln!(out, "contract: {model} at {endpoint}\n{report}").unwrap();
    assert!(report.passed());
}
