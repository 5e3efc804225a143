//! Feeds on loopback and from programs, good ones and bad ones.

use std::collections::BTreeMap;

use agon_core::{FeedFault, FeedReading};
use agon_llm::SecretString;
use agon_tools::{FeedConfig, FeedReader};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::kit::soon;

const RSS: &str = "<rss version=\"2.0\"><channel><title>News</title>\
    <item><title>One</title><link>https://n.example/1</link></item><item><title>Two</title></item></channel></rss>";

/// A server with a feed for every fault.
struct FeedServer {
    url: String,
    _server: JoinSet<()>,
}

impl FeedServer {
    async fn start() -> Self {
        let secret = |headers: HeaderMap| async move {
            let known = headers.get(header::AUTHORIZATION).is_some_and(|key| key == "Bearer of-gold");
            if known { RSS.into_response() } else { StatusCode::UNAUTHORIZED.into_response() }
        };
        let endless = || async {
            let pieces = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>("<item/>".repeat(1_000)));
            Response::new(Body::from_stream(pieces))
        };
        let silent = || async { std::future::pending::<Response>().await };
        let app = Router::new()
            .route("/rss", get(|| async { RSS }))
            .route("/secret", get(secret))
            .route("/moved", get(|| async { Redirect::permanent("/rss") }))
            .route("/page", get(|| async { "<!doctype html><html><body>Welcome</body></html>" }))
            .route(
                "/latin1",
                get(|| async { b"<rss><channel><item><title>Z\xfcrich</title></item></channel></rss>".to_vec() }),
            )
            .route("/none", get(|| async { "<rss><channel/></rss>" }))
            .route("/endless", get(endless))
            .route("/silent", get(silent));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, _server: server }
    }

    async fn read(&self, path: &str, more: Value) -> FeedReading {
        let mut config = json!({"url": format!("{}{path}", self.url)});
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        one(config).await
    }
}

fn reader(feeds: Value) -> FeedReader {
    let feeds: BTreeMap<String, FeedConfig<String>> = serde_json::from_value(feeds).unwrap();
    let keyed = |feed: FeedConfig<String>| feed.with_keys(|key| Ok::<_, ()>(SecretString::from(key))).unwrap();
    FeedReader::new(feeds.into_iter().map(|(name, feed)| (name, keyed(feed))).collect()).unwrap()
}

async fn one(config: Value) -> FeedReading {
    let reader = reader(json!({ "news": config }));
    let [reading] = soon(reader.read(&["news".to_owned()])).await.try_into().unwrap();
    reading
}

/// A feed that this Python program prints.
async fn printed(program: &str, more: Value) -> FeedReading {
    let mut config = json!({"command": "python3", "args": ["-c", program]});
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    one(config).await
}

fn titles(feed: &FeedReading) -> Vec<&str> {
    feed.items.iter().map(|item| item.title.as_str()).collect()
}

#[tokio::test]
async fn the_first_items_of_a_feed_are_read() {
    let feeds = FeedServer::start().await;

    let all = feeds.read("/rss", json!({})).await;
    let first = feeds.read("/rss", json!({"max_items": 1})).await;

    assert_eq!((titles(&all), all.fault), (vec!["One", "Two"], None));
    assert_eq!(all.items[0].link.as_deref(), Some("https://n.example/1"));
    assert_eq!(titles(&first), ["One"]);
}

#[tokio::test]
async fn a_key_goes_with_the_request() {
    let feeds = FeedServer::start().await;

    assert_eq!(feeds.read("/secret", json!({})).await.fault, Some(FeedFault::Refused));
    assert_eq!(feeds.read("/secret", json!({"bearer_token": "of-gold"})).await.items.len(), 2);
}

#[tokio::test]
async fn every_bad_feed_gives_its_own_fault_and_no_item() {
    let feeds = FeedServer::start().await;
    let cases = [
        ("/moved", FeedFault::Refused),
        ("/nowhere", FeedFault::Refused),
        ("/page", FeedFault::Malformed),
        ("/latin1", FeedFault::Malformed),
        ("/none", FeedFault::Empty),
        ("/endless", FeedFault::TooLarge),
        ("/silent", FeedFault::TimedOut),
    ];
    for (path, fault) in cases {
        let reading = feeds.read(path, json!({"timeout_seconds": if path == "/silent" { 1 } else { 8 }})).await;
        assert_eq!((reading.fault, reading.items), (Some(fault), Vec::new()), "{path}");
    }
    let unheard = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(one(json!({"url": format!("http://{unheard}/")})).await.fault, Some(FeedFault::Unavailable));
}

#[tokio::test]
async fn feeds_are_read_at_once_and_in_the_order_that_was_asked_for() {
    let feeds = FeedServer::start().await;
    let rss = format!("{}/rss", feeds.url);
    let silent = json!({"url": format!("{}/silent", feeds.url), "timeout_seconds": 1});
    let reader = reader(json!({"a": {"url": rss}, "b": silent, "c": silent, "d": {"url": rss}}));
    let names = ["d", "c", "b", "a", "e"].map(str::to_owned);

    let read = soon(reader.read(&names)).await;

    assert_eq!(read.iter().map(|feed| feed.name.as_str()).collect::<Vec<_>>(), ["d", "c", "b", "a", "e"]);
    let faults: Vec<_> = read.iter().map(|feed| feed.fault).collect();
    let (late, unknown) = (Some(FeedFault::TimedOut), Some(FeedFault::Unavailable));
    assert_eq!(faults, [None, late, late, None, unknown]);
}

#[tokio::test]
async fn a_program_prints_lines_or_json() {
    let lines = printed("print('One $HOME; ls'); print(); print('Two')", json!({})).await;
    let objects =
        printed("print('[{\"title\": \"One\", \"date\": \"today\"}, \"Two\"]')", json!({"format": "json"})).await;

    assert_eq!(titles(&lines), ["One $HOME; ls", "Two"]);
    assert_eq!((titles(&objects), objects.items[0].date.as_deref()), (vec!["One", "Two"], Some("today")));
}

#[tokio::test]
async fn a_program_gets_no_variables_but_its_own() {
    let program =
        "import os; print(os.environ.get('CARGO_MANIFEST_DIR', 'none'), os.environ['OWN'], os.environ['KEY'])";
    let feed = printed(program, json!({"env": {"OWN": "own"}, "secret_env": {"KEY": "gold"}})).await;

    assert_eq!(titles(&feed), ["none own gold"]);
}

#[tokio::test]
async fn every_bad_program_gives_its_own_fault_and_no_item() {
    let cases = [
        ("print('One'); raise SystemExit(3)", json!({}), FeedFault::Refused),
        ("pass", json!({}), FeedFault::Empty),
        ("print('One')", json!({"format": "json"}), FeedFault::Malformed),
        ("while True: print('x' * 1000)", json!({"max_bytes": 4096}), FeedFault::TooLarge),
        ("import time; time.sleep(600)", json!({"timeout_seconds": 1}), FeedFault::TimedOut),
    ];
    for (program, more, fault) in cases {
        let feed = printed(program, more).await;
        assert_eq!((feed.fault, feed.items), (Some(fault), Vec::new()), "{program}");
    }
    assert_eq!(one(json!({"command": "/no/such/program"})).await.fault, Some(FeedFault::Unavailable));
}
