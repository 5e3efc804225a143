use agon_rehearsal::RehearsalConfig;
use serde_json::{Value, json};

use crate::{
    client::post,
    support::{chat, prompt, start, start_with},
};

fn search() -> Value {
    json!({ "type": "object", "properties": {
        "query": { "type": "string", "minLength": 1 }, "limit": { "type": "integer", "minimum": 1, "maximum": 10 } },
        "required": ["query"], "additionalProperties": false })
}

#[tokio::test]
async fn a_call_fits_the_tools_parameters_and_the_speech_after_it_uses_the_result() {
    let server = start(RehearsalConfig::default()).await;
    let mut body = chat(false);
    body["tools"] = json!([{ "type": "function", "function": { "name": "search", "parameters": search() } }]);
    let message = post(server.addr(), "/api/chat", &body).await.unwrap().json()["message"].clone();
    let arguments = &message["tool_calls"][0]["function"]["arguments"];
    assert!(jsonschema::is_valid(&search(), arguments), "{arguments}");
    assert!(arguments["query"].as_str().unwrap().contains("monolith"), "{arguments}");
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(message);
    messages.push(json!({ "role": "tool", "tool_name": "search", "content": "<<< result\nTeams of five keep 4 services alive at most.\n>>>" }));
    let text = post(server.addr(), "/api/chat", &body).await.unwrap().json()["message"]["content"].clone();
    assert!(text.as_str().unwrap().contains("Teams of five keep 4 services alive at most"), "{text}");
}

#[tokio::test]
async fn the_structured_loop_asks_for_a_tool_first_and_answers_then() {
    let server = start(RehearsalConfig::default()).await;
    let schema = json!({ "type": "object", "properties": {
        "action": { "enum": ["tool", "answer"] }, "tool": { "enum": ["search", null] },
        "arguments": { "type": ["object", "null"] }, "answer": { "type": ["string", "null"] } },
        "required": ["action", "tool", "arguments", "answer"], "additionalProperties": false });
    let mut messages = prompt("Ada", "argument", "");
    let ask = async |messages: &Value| -> Value {
        let body = json!({ "model": "m", "stream": false, "messages": messages, "format": schema });
        let content = post(server.addr(), "/api/chat", &body).await.unwrap().json()["message"]["content"].clone();
        let turn: Value = serde_json::from_str(content.as_str().unwrap()).unwrap();
        assert!(jsonschema::is_valid(&schema, &turn), "{turn}");
        turn
    };
    let first = ask(&messages).await;
    assert_eq!((&first["action"], &first["tool"]), (&json!("tool"), &json!("search")));
    assert!(first["arguments"]["query"].is_string() && first["answer"].is_null(), "{first}");
    let list = messages.as_array_mut().unwrap();
    list.push(json!({ "role": "assistant", "content": first.to_string() }));
    list.push(
        json!({ "role": "user", "content": "Result of search:\nNine of ten teams of five keep one repository." }),
    );
    let second = ask(&messages).await;
    assert_eq!((&second["action"], &second["tool"]), (&json!("answer"), &Value::Null));
    assert!(second["answer"].as_str().unwrap().contains("Nine of ten teams of five keep one repository"), "{second}");
}

#[tokio::test]
async fn a_model_without_tools_says_so_and_refuses_them_as_ollama_does() {
    let server = start(RehearsalConfig::default()).await;
    let capabilities = async |model: &str| {
        let shown = post(server.addr(), "/api/show", &json!({ "model": model })).await.unwrap().json();
        serde_json::from_value::<Vec<String>>(shown["capabilities"].clone()).unwrap()
    };
    assert!(capabilities("m").await.contains(&"tools".to_owned()));
    assert!(!capabilities("m-no-tools").await.contains(&"tools".to_owned()));
    let mut body = chat(false);
    body["model"] = json!("m-no-tools");
    assert_eq!(post(server.addr(), "/api/chat", &body).await.unwrap().status, 200);
    body["tools"] = json!([{ "type": "function", "function": { "name": "search", "parameters": search() } }]);
    let refused = post(server.addr(), "/api/chat", &body).await.unwrap();
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"], "registry.ollama.ai/library/m-no-tools does not support tools");
    assert_eq!((server.stats().failed_calls, server.stats().in_flight), (1, 0));
}

#[tokio::test]
async fn a_model_without_embeddings_says_so_and_others_put_like_texts_together() {
    let server = start(RehearsalConfig::default()).await;
    let texts =
        ["Cars take the room that people need", "People need the room that cars take", "Pineapple spoils a pizza"];
    let embed = async |model: &str| {
        let body = json!({ "model": model, "input": texts });
        post(server.addr(), "/api/embed", &body).await.unwrap()
    };
    let refused = embed("m-no-embed").await;
    assert_eq!((refused.status, refused.json()), (501, json!({ "error": "this model does not support embeddings" })));
    let vectors: Vec<Vec<f64>> = serde_json::from_value(embed("m").await.json()["embeddings"].clone()).unwrap();
    let cosine = |a: usize, b: usize| -> f64 { vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum() };
    assert!((cosine(0, 0) - 1.0).abs() < 1e-5);
    assert!(cosine(0, 1) > 0.7 && cosine(0, 2) < 0.3, "{} {}", cosine(0, 1), cosine(0, 2));
    assert_eq!(
        vectors,
        serde_json::from_value::<Vec<Vec<f64>>>(embed("m").await.json()["embeddings"].clone()).unwrap()
    );
}

#[tokio::test]
async fn a_rule_may_slow_one_speakers_stream_and_leave_the_others_alone() {
    let server = start_with("[[rules]]\nfault = \"slow\"\npace = \"60m\"\nwhen = { speaker = \"Ada\" }\n").await;
    let addr = server.addr();
    let ada = tokio::spawn(async move { post(addr, "/api/chat", &chat(true)).await });
    while server.stats().in_flight == 0 {
        tokio::task::yield_now().await;
    }
    let ben = json!({ "model": "m", "messages": prompt("Ben", "interruption", "") });
    assert_eq!(post(addr, "/api/chat", &ben).await.unwrap().last()["done"], true);
    assert_eq!(server.stats().in_flight, 1, "Ada still speaks");
    ada.abort();
    server.shutdown().await;
}
