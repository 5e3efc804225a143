//! An MCP server behind streamable HTTP.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agon_tools::Toolbox;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::kit::{call, call_within, code, toolbox};

const KEY: &str = "Bearer k3y";

/// A server on loopback, and the methods that it was asked for.
struct McpTestServer {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
    tasks: JoinSet<()>,
}

impl McpTestServer {
    async fn start() -> Self {
        Self::listen("127.0.0.1:0").await
    }

    async fn listen(address: &str) -> Self {
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let log = Arc::clone(&asked);
        let serve = move |headers: HeaderMap, body: Bytes| async move {
            if headers.get(header::AUTHORIZATION).is_none_or(|key| key != KEY) {
                return StatusCode::UNAUTHORIZED.into_response();
            }
            let request = serde_json::from_slice::<Value>(&body).unwrap();
            log.lock().unwrap().push(request["method"].as_str().unwrap_or_default().to_owned());
            answer(&request)
        };
        let listener = TcpListener::bind(address).await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, Router::new().route("/mcp", post(serve))).await.unwrap() });
        Self { url, asked, tasks }
    }

    fn tool(&self, key: &str) -> Toolbox {
        toolbox(json!({"far": {"kind": "mcp", "url": self.url, "bearer_token": key}}))
    }
}

fn answer(request: &Value) -> Response {
    let result = |result: Value| json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
    let text = |text: &str| result(json!({"content": [{"type": "text", "text": text}]}));
    let as_json = |message: Value| axum::Json(message).into_response();
    match request["method"].as_str().unwrap_or_default() {
        "initialize" => as_json(result(json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "far", "version": "1"}
        }))),
        "tools/list" => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            as_json(result(
                json!({"tools": [tool("plain"), tool("stream"), tool("hang"), tool("endless"), tool("endless_event"), tool("garbage")]}),
            ))
        }
        "tools/call" => match request["params"]["name"].as_str().unwrap_or_default() {
            "plain" => as_json(text("in one piece")),
            "stream" => events(&text("as an event")),
            "hang" => {
                let nothing = futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>();
                ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(nothing)).into_response()
            }
            "endless" => endless("application/json"),
            "endless_event" => endless("text/event-stream"),
            _ => ([(header::CONTENT_TYPE, "application/json")], "{\"jsonrpc\"").into_response(),
        },
        _ if request.get("id").is_none() => StatusCode::ACCEPTED.into_response(),
        _ => (StatusCode::BAD_REQUEST, "what?").into_response(),
    }
}

fn events(message: &Value) -> Response {
    let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "hm"}});
    let body = format!(": hello\n\nevent: message\ndata: {note}\n\nevent: message\ndata: {message}\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn endless(kind: &'static str) -> Response {
    let pieces = std::iter::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 65536]));
    let body = Body::from_stream(futures_util::stream::iter(pieces));
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

#[tokio::test]
async fn answers_come_in_one_piece_or_as_events() {
    let server = McpTestServer::start().await;
    let toolbox = server.tool("k3y");

    let specs = toolbox.specs(&["far".to_owned()]).await.unwrap();
    let plain = call(&toolbox, "far__plain", json!({})).await;
    let stream = call(&toolbox, "far__stream", json!({})).await;

    assert_eq!(specs.len(), 6);
    assert_eq!((plain.text.as_str(), stream.text.as_str()), ("in one piece", "as an event"));
    assert!(server.asked.lock().unwrap().contains(&"notifications/initialized".to_owned()));
}

#[tokio::test]
async fn a_wrong_key_is_told_and_not_shown() {
    let server = McpTestServer::start().await;

    let outcome = call(&server.tool("wr0ng"), "far__plain", json!({})).await;

    assert_eq!(code(&outcome), "unavailable");
    assert!(outcome.text.contains("key") && !outcome.text.contains("wr0ng"), "{}", outcome.text);
}

#[tokio::test]
async fn a_call_that_hangs_is_cut_off_and_the_next_one_works() {
    let server = McpTestServer::start().await;
    let toolbox = server.tool("k3y");
    toolbox.specs(&["far".to_owned()]).await.unwrap();

    let hung = call_within(&toolbox, "far__hang", json!({}), Duration::from_millis(300)).await;
    let next = call(&toolbox, "far__plain", json!({})).await;

    assert_eq!(code(&hung), "timed_out");
    assert_eq!(next.text, "in one piece");
}

#[tokio::test]
async fn a_body_without_end_is_read_up_to_a_limit() {
    let server = McpTestServer::start().await;
    let toolbox = server.tool("k3y");

    let body = call(&toolbox, "far__endless", json!({})).await;
    let next = call(&toolbox, "far__plain", json!({})).await;

    assert_eq!(code(&body), "too_large", "{}", body.text);
    assert_eq!(next.text, "in one piece");
}

#[tokio::test]
async fn an_event_without_end_ends_the_connection_and_the_next_call_makes_another() {
    let server = McpTestServer::start().await;
    let toolbox = server.tool("k3y");

    let event = call(&toolbox, "far__endless_event", json!({})).await;
    let next = call(&toolbox, "far__plain", json!({})).await;

    assert_eq!(code(&event), "died", "{}", event.text);
    assert_eq!(next.text, "in one piece");
}

#[tokio::test]
async fn a_body_that_is_no_message_is_a_failure_of_the_tool() {
    let server = McpTestServer::start().await;

    let outcome = call(&server.tool("k3y"), "far__garbage", json!({})).await;

    assert_eq!(code(&outcome), "malformed", "{}", outcome.text);
}

#[tokio::test]
async fn a_server_that_went_away_is_told_and_one_that_came_back_is_used() {
    let mut server = McpTestServer::start().await;
    let toolbox = server.tool("k3y");
    assert_eq!(call(&toolbox, "far__plain", json!({})).await.text, "in one piece");
    let address = server.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    server.tasks.shutdown().await;

    let gone = call(&toolbox, "far__plain", json!({})).await;
    let _again = McpTestServer::listen(&address).await;
    let back = call(&toolbox, "far__plain", json!({})).await;

    assert!(matches!(code(&gone), "unavailable" | "died"), "{}", gone.text);
    assert_eq!(back.text, "in one piece");
}
