use std::time::Duration;

use agon_rehearsal::{HEADER, RehearsalConfig};
use serde_json::{Value, json};

use crate::{
    client::{call, get, post},
    support::{chat, prompt, start},
};

#[tokio::test]
async fn a_stream_is_lines_of_pieces_and_a_last_line_with_the_metrics() {
    let server = start(RehearsalConfig::default()).await;
    let reply = post(server.addr(), "/api/chat", &chat(true)).await.unwrap();
    assert!(
        reply.complete && reply.status == 200 && reply.head.contains("content-type: application/x-ndjson"),
        "{}",
        reply.head
    );
    let (last, lines) = (reply.last(), reply.lines());
    assert_eq!(
        (&last["done"], &last["done_reason"], &last["message"]["content"]),
        (&json!(true), &json!("stop"), &json!(""))
    );
    assert_eq!(last["eval_count"], json!(lines.len() - 1), "one piece a line");
    assert!(lines[..lines.len() - 1].iter().all(|line| line["done"] == json!(false) && line["model"] == "m"));
    assert!(last["prompt_eval_count"].as_u64().unwrap() > 50 && last["prompt_eval_cached_count"] == 0);
    let words = reply.text().split_whitespace().count();
    assert!((110..=180).contains(&words), "{words}");
    server.shutdown().await;
}

#[tokio::test]
async fn without_a_stream_the_same_text_comes_in_one_object() {
    let streamed = start(RehearsalConfig::default()).await;
    let whole = start(RehearsalConfig { chunk_tokens: 7, ..RehearsalConfig::default() }).await;
    let text = post(streamed.addr(), "/api/chat", &chat(true)).await.unwrap().text();
    let reply = post(whole.addr(), "/api/chat", &chat(false)).await.unwrap();
    assert_eq!(reply.json()["message"]["content"], text);
    assert_eq!(reply.json()["done"], true);
    let in_sevens = post(whole.addr(), "/api/chat", &chat(true)).await.unwrap();
    assert_eq!(in_sevens.text(), text);
    assert_eq!(in_sevens.lines().len() as u64 - 1, reply.json()["eval_count"].as_u64().unwrap().div_ceil(7));
}

#[tokio::test]
async fn the_same_seed_and_body_give_the_same_bytes() {
    let bytes = async |seed| {
        let server = start(RehearsalConfig { seed, ..RehearsalConfig::default() }).await;
        post(server.addr(), "/api/chat", &chat(true)).await.unwrap().body
    };
    assert_eq!(bytes(1).await, bytes(1).await);
    assert_ne!(bytes(1).await, bytes(2).await);
}

#[tokio::test]
async fn a_schema_is_answered_with_valid_json() {
    let server = start(RehearsalConfig::default()).await;
    let schema = json!({ "type": "object", "properties": {
        "choice": { "type": "string", "enum": ["for", "against"] },
        "reasons": { "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 },
    }, "required": ["choice", "reasons"], "additionalProperties": false });
    let messages = prompt("Ben", "private ballot (initial)", "");
    let body = json!({ "model": "m", "messages": messages, "format": schema });
    let answer: Value = serde_json::from_str(&post(server.addr(), "/api/chat", &body).await.unwrap().text()).unwrap();
    assert!(jsonschema::is_valid(&schema, &answer), "{answer}");
    assert_eq!(answer["choice"], "against");
    let any = json!({ "model": "m", "stream": false, "messages": messages, "format": "json" });
    let reply = post(server.addr(), "/api/chat", &any).await.unwrap().json();
    assert!(serde_json::from_str::<Value>(reply["message"]["content"].as_str().unwrap()).unwrap().is_object());
}

#[tokio::test]
async fn num_predict_cuts_the_answer_and_says_length() {
    let server = start(RehearsalConfig::default()).await;
    let mut body = chat(true);
    body["options"] = json!({ "num_predict": 12 });
    let last = post(server.addr(), "/api/chat", &body).await.unwrap().last();
    assert_eq!((&last["done_reason"], &last["eval_count"]), (&json!("length"), &json!(12)));
}

#[tokio::test]
async fn a_structured_answer_is_kept_within_num_predict() {
    let server = start(RehearsalConfig::default()).await;
    let text = json!({ "type": "string", "minLength": 1 });
    let schema = json!({ "type": "object", "properties": { "position": text, "worked": text, "did_not_work": text, "next": text },
        "required": ["position", "worked", "did_not_work", "next"], "additionalProperties": false });
    let messages = prompt(
        "Ada",
        "reflection",
        "### T1 | Ben | against\n<<<\nThe price of this is never the figure on the first page.\n>>>\n",
    );
    let body = json!({ "model": "m", "messages": messages, "format": schema, "options": { "num_predict": 60 } });
    let reply = post(server.addr(), "/api/chat", &body).await.unwrap();
    let answer: Value = serde_json::from_str(&reply.text()).unwrap();
    assert!(jsonschema::is_valid(&schema, &answer), "{answer}");
    assert_eq!(reply.last()["done_reason"], "stop");
}

#[tokio::test]
async fn a_prompt_beyond_num_ctx_is_refused_with_both_counts_if_it_must_not_be_cut() {
    let server = start(RehearsalConfig::default()).await;
    let mut body = chat(true);
    body["options"] = json!({ "num_ctx": 20 });
    body["truncate"] = json!(false);
    let reply = post(server.addr(), "/api/chat", &body).await.unwrap();
    let inner: Value = serde_json::from_str(reply.json()["error"].as_str().unwrap()).unwrap();
    assert_eq!(
        (reply.status, &inner["error"]["type"], &inner["error"]["n_ctx"]),
        (400, &json!("exceed_context_size_error"), &json!(20))
    );
    body["truncate"] = json!(true);
    assert_eq!(post(server.addr(), "/api/chat", &body).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_tool_is_called_once_and_its_result_is_followed_by_text() {
    let server = start(RehearsalConfig::default()).await;
    let mut body = chat(false);
    body["tools"] = json!([{ "type": "function", "function": { "name": "search", "parameters": {
        "type": "object", "properties": { "query": { "type": "string" } }, "required": ["query"] } } }]);
    let calls = post(server.addr(), "/api/chat", &body).await.unwrap().json()["message"]["tool_calls"].clone();
    assert_eq!(calls[0]["function"]["name"], "search");
    assert!(calls[0]["function"]["arguments"]["query"].is_string());
    body["messages"].as_array_mut().unwrap().push(json!({ "role": "tool", "tool_name": "search", "content": "found" }));
    let message = post(server.addr(), "/api/chat", &body).await.unwrap().json()["message"].clone();
    assert!(message["tool_calls"].is_null() && !message["content"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn thinking_comes_before_the_text_and_apart_from_it() {
    let server = start(RehearsalConfig::default()).await;
    let mut body = chat(true);
    body["think"] = json!(true);
    let reply = post(server.addr(), "/api/chat", &body).await.unwrap();
    assert!(reply.lines()[0]["message"]["thinking"].is_string());
    assert_eq!(reply.text(), post(server.addr(), "/api/chat", &chat(true)).await.unwrap().text());
}

#[tokio::test]
async fn no_messages_load_and_unload_a_model() {
    let server = start(RehearsalConfig::default()).await;
    let load = json!({ "model": "m", "messages": [], "stream": false });
    assert_eq!(post(server.addr(), "/api/chat", &load).await.unwrap().json()["done_reason"], "load");
    assert_eq!(get(server.addr(), "/api/ps").await.json()["models"][0]["name"], "m:latest");
    let unload = json!({ "model": "m", "messages": [], "keep_alive": 0 });
    assert_eq!(post(server.addr(), "/api/chat", &unload).await.unwrap().last()["done_reason"], "unload");
    assert_eq!(get(server.addr(), "/api/ps").await.json()["models"], json!([]));
}

#[tokio::test]
async fn every_endpoint_answers_and_says_that_it_is_a_rehearsal() {
    let server = start(RehearsalConfig::default()).await;
    let addr = server.addr();
    let named = json!({ "model": "llama3.2" }).to_string();
    let input = json!({ "model": "llama3.2", "input": ["one text", "another"] }).to_string();
    let prompt = json!({ "model": "llama3.2", "prompt": "Hello", "stream": false }).to_string();
    let calls = [
        ("GET", "/", "", 200, "rehearsal"),
        ("HEAD", "/", "", 200, ""),
        ("GET", "/api/version", "", 200, "0.34.1-rehearsal"),
        ("GET", "/api/tags", "", 200, "\"family\":\"rehearsal\""),
        ("GET", "/api/ps", "", 200, "models"),
        ("POST", "/api/show", &named, 200, "\"family\":\"rehearsal\""),
        ("POST", "/api/pull", &named, 200, "success"),
        ("POST", "/api/embed", &input, 200, "embeddings"),
        ("POST", "/api/generate", &prompt, 200, "no model"),
        ("GET", "/rehearsal/stats", "", 200, "chat_calls"),
        ("POST", "/rehearsal/reset", "", 204, ""),
        ("GET", "/nowhere", "", 404, "404 page not found"),
        ("POST", "/api/chat", "{\"model\":", 400, "EOF"),
        ("POST", "/api/chat", "{}", 400, "model is required"),
        ("POST", "/api/chat", "{\"model\":\"m\",\"options\":{\"num_ctx\":\"x\"}}", 400, "invalid type"),
    ];
    for (method, path, body, status, part) in calls {
        let reply = call(addr, method, path, body).await.unwrap();
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
        assert!(reply.body.contains(part), "{path}: {}", reply.body);
        assert!(reply.complete && reply.head.contains(&format!("{HEADER}: 1")), "{path}: {}", reply.head);
    }
}

#[tokio::test]
async fn a_restricted_server_does_not_know_other_models() {
    let server = start(RehearsalConfig { models: Some(vec!["qwen3".into()]), ..RehearsalConfig::default() }).await;
    let reply = post(server.addr(), "/api/chat", &chat(true)).await.unwrap();
    assert_eq!((reply.status, reply.json()), (404, json!({ "error": "model 'm' not found" })));
    assert_eq!(post(server.addr(), "/api/show", &json!({ "model": "qwen3:latest" })).await.unwrap().status, 200);
    assert_eq!(get(server.addr(), "/api/tags").await.json()["models"][0]["name"], "qwen3:latest");
    let pulled = post(server.addr(), "/api/pull", &json!({ "model": "m" })).await.unwrap();
    assert!(pulled.last()["error"].is_string());
}

#[tokio::test]
async fn a_digest_is_stable_and_cannot_be_taken_for_a_real_one() {
    let digest = async || {
        let server = start(RehearsalConfig::default()).await;
        post(server.addr(), "/api/show", &json!({ "model": "m" })).await.unwrap().json()["digest"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = digest().await;
    assert!(first.starts_with("rehearsal:"));
    assert_eq!(first, digest().await);
}

#[tokio::test]
async fn a_fixed_length_answer_has_that_many_tokens_with_and_without_the_cache() {
    for model_cache in [true, false] {
        let config = RehearsalConfig { answer_tokens: Some(200), model_cache, ..RehearsalConfig::default() };
        let server = start(config).await;
        let reply = post(server.addr(), "/api/chat", &chat(true)).await.unwrap();
        assert_eq!((reply.lines().len(), &reply.last()["eval_count"]), (201, &json!(200)));
        assert!(reply.last()["prompt_eval_count"].as_u64().unwrap() > 50);
        assert_eq!(
            post(server.addr(), "/api/chat", &chat(false)).await.unwrap().json()["message"]["content"],
            reply.text()
        );
        let mut ballot = chat(false);
        ballot["format"] = json!({ "const": 5 });
        assert_eq!(post(server.addr(), "/api/chat", &ballot).await.unwrap().json()["message"]["content"], "5");
    }
}

#[tokio::test]
async fn a_stopped_server_refuses_connections_and_hangs_up_on_waiting_calls() {
    let server = start(RehearsalConfig { latency: Duration::from_secs(3600), ..RehearsalConfig::default() }).await;
    let addr = server.addr();
    let waiting = tokio::spawn(async move { post(addr, "/api/chat", &chat(true)).await });
    while server.stats().in_flight == 0 {
        tokio::task::yield_now().await;
    }
    server.shutdown().await;
    assert!(waiting.await.unwrap().is_err());
    assert!(post(addr, "/api/chat", &chat(true)).await.is_err());
}
