//! Everything but chats: lists, versions, loading, vectors, and what a version changes.

use std::time::Duration;

use agon_llm::{
    CallTimeouts, ChatErrorKind as Kind, ChatMessage, ChatModel, ChatRequest, ClientConfig, Deadlines, Discard,
    OllamaClient, OpenAiClient, RunnerOptions, TimeoutPhase, VersionNumbers,
};
use serde_json::{Value, json};

use crate::stub::{Stub, StubRequest, StubStep, json as reply};

fn answer(extra: Value) -> Vec<u8> {
    let mut body = json!({"message": {"role": "assistant", "content": "Tea."}, "done": true, "done_reason": "stop"});
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    reply(&body)
}

/// An Ollama of one version that counted ten prompt tokens.
async fn versioned(version: &'static str) -> (Stub, OllamaClient) {
    let stub = Stub::serve(move |request: &StubRequest| {
        let body = match request.line.as_str() {
            "GET /api/version HTTP/1.1" => reply(&json!({"version": version})),
            _ => answer(json!({"prompt_eval_count": 10})),
        };
        vec![StubStep::Send(body)]
    })
    .await;
    let client = OllamaClient::new(ClientConfig::new(stub.ollama()));
    (stub, client)
}

fn ask() -> ChatRequest {
    ChatRequest { min_prompt_tokens: Some(50), ..ChatRequest::new("m", vec![ChatMessage::user("Speak.")]) }
}

#[tokio::test]
async fn a_prompt_that_was_cut_in_silence_is_found_out_where_the_server_has_counted_well() {
    let (_stub, client) = versioned("0.33.0").await;
    client.version().await.unwrap();

    let unknown = client.chat(&ask(), &mut Discard).await.unwrap();
    assert_eq!((unknown.usage.prompt_tokens, unknown.disbelieved_count), (None, Some(10)));

    let (_stub, client) = versioned("0.33.0").await;
    let small = ChatRequest { min_prompt_tokens: Some(9), ..ask() };
    assert_eq!(client.chat(&small, &mut Discard).await.unwrap().usage.prompt_tokens, Some(10));
    let error = client.chat(&ask(), &mut Discard).await.unwrap_err();

    assert_eq!(error.kind, Kind::SilentTruncation { prompt_tokens: 10, expected: 50 });
    assert_eq!(error.usage.prompt_tokens, Some(10));
    assert!(!error.can_retry() && !error.counts_for_breaker());
}

#[tokio::test]
async fn the_release_that_miscounts_the_prompt_is_not_accused() {
    let (_stub, client) = versioned("0.30.0").await;
    assert_eq!(client.version().await.unwrap().release, Some(VersionNumbers::new(0, 30, 0)));

    assert_eq!(client.chat(&ask(), &mut Discard).await.unwrap().text, "Tea.");
}

#[tokio::test]
async fn an_absent_count_of_cached_tokens_means_none_only_where_the_field_exists() {
    let request = ChatRequest { min_prompt_tokens: None, ..ask() };
    for (version, cached) in [("0.33.0", None), ("0.34.1", Some(0))] {
        let (_stub, client) = versioned(version).await;
        client.version().await.unwrap();

        let usage = client.chat(&request, &mut Discard).await.unwrap().usage;

        assert_eq!(usage.cached_tokens, cached, "{version}");
    }
}

#[tokio::test]
async fn ollama_tells_its_models_and_what_they_can_do() {
    let stub = Stub::serve(|request: &StubRequest| {
        let body = match request.line.split(' ').nth(1).unwrap() {
            "/api/tags" => json!({"models": [{"name": "a:1b", "size": 7, "digest": "d", "details":
                {"family": "f", "parameter_size": "1B", "quantization_level": "Q4", "context_length": 4096}}]}),
            "/api/ps" => json!({"models": [{"name": "a:1b", "size": 9, "size_vram": 4, "context_length": 2048}]}),
            "/api/show" => json!({"capabilities": ["completion", "tools"], "details": {"family": "f"},
                "model_info": {"general.architecture": "f", "f.vision.context_length": 1, "f.context_length": 8192}}),
            other => panic!("{other}"),
        };
        vec![StubStep::Send(reply(&body))]
    })
    .await;
    let client = OllamaClient::new(ClientConfig::new(stub.ollama()));

    let models = client.models().await.unwrap();
    assert_eq!((models[0].name.as_str(), models[0].context_length), ("a:1b", Some(4096)));
    let loaded = client.loaded().await.unwrap();
    assert_eq!((loaded[0].context_length, loaded[0].offloaded()), (Some(2048), Some(true)));
    let details = client.show("a:1b").await.unwrap();
    assert_eq!(
        (details.context_length, details.can("tools"), details.can("thinking")),
        (Some(8192), Some(true), Some(false))
    );
}

#[tokio::test]
async fn only_preloading_sends_keep_alive_and_it_launches_as_the_chats_do() {
    let stub = Stub::always(answer(json!({}))).await;
    let runner = RunnerOptions { num_ctx: Some(8192) };
    let client = OllamaClient::new(ClientConfig { runner, ..ClientConfig::new(stub.ollama()) });

    client.preload("m", Some(Duration::from_millis(1500)), CallTimeouts::default()).await.unwrap();
    client.chat(&ask(), &mut Discard).await.unwrap();

    let sent = stub.requests();
    let expected =
        json!({"model": "m", "options": {"num_ctx": 8192}, "messages": [], "stream": false, "keep_alive": 2});
    assert_eq!(sent[0].json(), expected);
    let chat = sent[1].json();
    assert_eq!((chat.get("keep_alive"), chat.get("shift")), (None, None));
    assert_eq!((&chat["options"]["num_ctx"], &chat["options"]["num_predict"]), (&json!(8192), &json!(2048)));
}

#[tokio::test]
async fn a_load_that_is_not_declared_done_is_no_success() {
    for (body, kind) in [
        (json!({"done": false}), Kind::Transport(agon_llm::TransportFault::Cut)),
        (json!({"error": "llama-server process has terminated: exit status 1"}), Kind::RunnerDied),
    ] {
        let stub = Stub::always(reply(&body)).await;
        let client = OllamaClient::new(ClientConfig::new(stub.ollama()));

        assert_eq!(client.preload("m", None, CallTimeouts::default()).await.unwrap_err().kind, kind);
    }
}

#[tokio::test]
async fn a_list_of_loaded_models_that_waits_for_a_load_is_given_up() {
    let stub = Stub::serve(|_| vec![StubStep::AwaitDeparture]).await;
    let deadlines = Deadlines { loaded: Duration::from_millis(50), ..Deadlines::default() };
    let client = OllamaClient::new(ClientConfig { deadlines, ..ClientConfig::new(stub.ollama()) });

    let error = client.loaded().await.unwrap_err();

    assert_eq!(error.kind, Kind::Timeout(TimeoutPhase::FirstByte));
}

#[tokio::test]
async fn vectors_come_one_for_each_input_or_not_at_all() {
    let input = ["a".to_owned(), "b".to_owned()];
    let two = Stub::always(reply(&json!({"embeddings": [[1.0, 0.0], [0.0, 1.0]]}))).await;
    let one = Stub::always(reply(&json!({"embeddings": [[1.0, 0.0]]}))).await;
    let swapped = json!({"data": [{"index": 1, "embedding": [2.0]}, {"index": 0, "embedding": [1.0]}]});
    let swapped = Stub::always(reply(&swapped)).await;
    let ollama = |stub: &Stub| OllamaClient::new(ClientConfig::new(stub.ollama()));

    assert_eq!(ollama(&two).embed("m", &input).await.unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(two.requests()[0].json(), json!({"model": "m", "input": ["a", "b"], "truncate": false}));
    assert_eq!(ollama(&one).embed("m", &input).await.unwrap_err().kind, Kind::Malformed);
    let open_ai = OpenAiClient::new(ClientConfig::new(swapped.open_ai()));
    assert_eq!(open_ai.embed("m", &input).await.unwrap(), [[1.0], [2.0]]);
}

#[tokio::test]
async fn an_open_ai_server_tells_its_models_and_little_else() {
    let stub = Stub::always(reply(&json!({"object": "list", "data": [{"id": "m", "max_model_len": 4096}]}))).await;
    let client = OpenAiClient::new(ClientConfig::new(stub.open_ai()));

    let models = client.models().await.unwrap();

    assert_eq!((models[0].name.as_str(), models[0].context_length), ("m", Some(4096)));
    assert_eq!(stub.requests()[0].line, "GET /v1/models HTTP/1.1");
    assert_eq!(client.show("m").await.unwrap(), agon_llm::ModelDetails::default());
    assert!(client.loaded().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_list_of_models_is_read_in_every_form() {
    let forms = [
        json!({"object": "list", "data": [{"id": "a"}, {"id": "b", "max_model_len": 4096}]}),
        json!([{"id": "a"}, {"id": "b", "max_model_len": 4096}]),
        json!({"models": [{"name": "a", "model": "a"}, {"name": "b", "max_model_len": 4096}]}),
        // llama.cpp
        json!({"models": [{"name": "x"}], "object": "list", "data": [{"id": "a"}, {"id": "b", "meta": {"n_ctx": 4096}}]}),
        json!([{"name": "a"}, {"id": "b", "context_length": 4096}, {"object": "model"}]),
        // Groq, Mistral
        json!({"data": [{"id": "a"}, {"id": "b", "context_window": 4096, "max_completion_tokens": 512}]}),
        json!({"data": [{"id": "a"}, {"id": "b", "max_context_length": 4096, "capabilities": {}}]}),
    ];
    for body in forms {
        let stub = Stub::always(reply(&body)).await;
        let models = OpenAiClient::new(ClientConfig::new(stub.open_ai())).models().await.unwrap();
        let found: Vec<_> = models.iter().map(|model| (model.name.as_str(), model.context_length)).collect();
        assert_eq!(found, [("a", None), ("b", Some(4096))], "{body}");
    }
    for (body, names) in [(json!(["a", "b"]), 2), (json!({"object": "list", "data": null}), 0), (json!([]), 0)] {
        let stub = Stub::always(reply(&body)).await;
        let models = OpenAiClient::new(ClientConfig::new(stub.open_ai())).models().await.unwrap();
        assert_eq!(models.len(), names, "{body}");
    }
}
