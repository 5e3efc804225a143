//! Web search against an endpoint on loopback.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agon_tools::Toolbox;
use axum::Router;
use axum::body::Body;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::kit::{call, call_within, code, toolbox};

/// The query of a search, and the key that came with it.
type SearchQuery = (String, Option<String>);

/// An endpoint that gives the same answer to every search, and remembers what it was asked.
struct Engine {
    url: String,
    asked: Arc<Mutex<Vec<SearchQuery>>>,
    _server: JoinSet<()>,
}

impl Engine {
    async fn start(answer: impl Fn() -> Response + Clone + Send + Sync + 'static) -> Self {
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let log = Arc::clone(&asked);
        let search = move |RawQuery(query): RawQuery, headers: HeaderMap| async move {
            let key = headers.get(header::AUTHORIZATION).map(|key| key.to_str().unwrap().to_owned());
            log.lock().unwrap().push((query.unwrap_or_default(), key));
            answer()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/search", listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, Router::new().route("/search", get(search))).await.unwrap() });
        Self { url, asked, _server: server }
    }

    fn tool(&self, more: Value) -> Toolbox {
        let mut config = json!({"kind": "search", "url": self.url});
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        toolbox(json!({ "search": config }))
    }
}

fn results(count: usize) -> Response {
    let hit = |n: usize| json!({"title": format!("Title\n{n}"), "url": format!("https://a/{n}"), "content": "<b>words</b>", "engine": "x"});
    let hits = (1..=count).map(hit).collect::<Vec<_>>();
    axum::Json(json!({"query": "q", "results": hits, "number_of_results": 0})).into_response()
}

fn query(words: &str) -> Value {
    json!({ "query": words })
}

#[tokio::test]
async fn the_best_results_are_given_a_few_lines_each() {
    let engine = Engine::start(|| results(30)).await;

    let outcome = call(&engine.tool(json!({"max_results": 2})), "search", query("rent & tax")).await;

    assert_eq!(
        outcome.text,
        "1. Title 1\n   https://a/1\n   <b>words</b>\n2. Title 2\n   https://a/2\n   <b>words</b>\n"
    );
}

#[tokio::test]
async fn language_and_key_go_with_the_question() {
    let engine = Engine::start(|| results(1)).await;

    call(&engine.tool(json!({"language": "de", "api_key": "k3y"})), "search", query("rent & tax")).await;

    let asked = engine.asked.lock().unwrap().clone();
    assert_eq!(asked, [("q=rent+%26+tax&format=json&language=de".to_owned(), Some("Bearer k3y".to_owned()))]);
}

#[tokio::test]
async fn nothing_found_is_a_result() {
    let engine = Engine::start(|| results(0)).await;

    let outcome = call(&engine.tool(json!({})), "search", query("x")).await;

    assert_eq!((outcome.text.as_str(), outcome.is_error()), ("Nothing was found.", false));
}

#[tokio::test]
async fn a_body_without_end_is_read_up_to_a_limit() {
    let endless = || {
        let pieces = std::iter::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 65536]));
        Response::new(Body::from_stream(futures_util::stream::iter(pieces)))
    };
    let engine = Engine::start(endless).await;

    let outcome = call(&engine.tool(json!({})), "search", query("x")).await;

    assert_eq!(code(&outcome), "too_large", "{}", outcome.text);
}

#[tokio::test]
async fn an_engine_that_never_ends_its_answer_is_cut_off() {
    let engine = Engine::start(|| {
        Response::new(Body::from_stream(futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>()))
    })
    .await;

    let outcome = call_within(&engine.tool(json!({})), "search", query("x"), Duration::from_millis(200)).await;

    assert_eq!(code(&outcome), "timed_out");
}

#[tokio::test]
async fn refusals_are_told_with_a_hint() {
    let engine = Engine::start(|| StatusCode::FORBIDDEN.into_response()).await;

    let outcome = call(&engine.tool(json!({})), "search", query("x")).await;

    assert_eq!(code(&outcome), "unavailable");
    assert!(outcome.text.contains("403") && outcome.text.contains("search.formats"), "{}", outcome.text);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Engine::start(|| results(1)).await;
    let url = target.url.clone();
    let engine = Engine::start(move || (StatusCode::FOUND, [(header::LOCATION, url.clone())]).into_response()).await;

    let outcome = call(&engine.tool(json!({})), "search", query("x")).await;

    assert!(outcome.text.contains("answered 302"), "{}", outcome.text);
    assert!(target.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_page_instead_of_results_cannot_be_understood() {
    let engine = Engine::start(|| "<html>".into_response()).await;

    assert_eq!(code(&call(&engine.tool(json!({})), "search", query("x")).await), "malformed");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_without_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let tools = toolbox(json!({"search": {"kind": "search", "url": format!("http://{address}/search")}}));

    let outcome = call(&tools, "search", query("x")).await;

    assert_eq!(outcome.text, "the tool `search` is not available: its server cannot be reached");
}

#[tokio::test]
async fn arguments_are_checked_before_anything_is_sent() {
    let engine = Engine::start(|| results(1)).await;

    let outcome = call(&engine.tool(json!({})), "search", json!({"q": "x"})).await;

    assert_eq!(code(&outcome), "bad_arguments");
    assert!(outcome.text.contains("\"query\" is a required property"), "{}", outcome.text);
    assert!(engine.asked.lock().unwrap().is_empty());
}
