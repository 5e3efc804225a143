//! Words that a debate file keeps from watchers: by every way out of a gateway, while the debate runs and once it has ended.
use super::ConsoleServer;
use crate::support::{PATIENCE, World};
use agon_testkit::{DynamicClient, http_get, until};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const DEBATE: &str = "mode: deliberative\nmodel: m:1\nmax_rounds: 2\npersonas: [{name: ada}, {name: bob}]\n\
                      topic: Should the town build a bridge?\n";
const HIDDEN: &str = "visible: {debaters: {client: false}}\n";
/// Silence after which a stream has told all.
const QUIET: Duration = Duration::from_secs(2);

/// A way out of a gateway.
struct WayOut {
    name: String,
    /// What came, spelt as a page or a document spells it.
    text: String,
    /// Whether it has words of debaters that are not hidden.
    has_words: bool,
}

/// Everything that a gateway tells of a debate.
fn ways_out(server: &ConsoleServer, id: &str) -> Vec<WayOut> {
    let mut ways = grpc(server, id);
    let mut way = |name: &str, text: String, has_words| ways.push(WayOut { name: name.to_owned(), text, has_words });
    let paths = [
        (format!("/v1/debates/{id}"), true),
        (format!("/v1/debates/{id}/report.md"), true),
        (format!("/v1/debates/{id}/report.json"), true),
        (format!("/v1/debates/{id}/report.html"), true),
        (format!("/v1/debates/{id}/report.jsonl"), true),
        (format!("/v1/debates/{id}/report.txt"), false),
        (format!("/debates/{id}"), true),
        (format!("/debates/{id}/report.md"), true),
        (format!("/debates/{id}/report.json"), true),
        (format!("/debates/{id}/report.html"), true),
        (format!("/debates/{id}/log.jsonl"), true),
        (format!("/compare?pick={id}&pick=other"), false),
        ("/v1/debates".to_owned(), false),
        ("/".to_owned(), false),
    ];
    let address = server.http.trim_start_matches("http://");
    for (path, has_words) in paths {
        way(&path, http_get(address, &path).unwrap(), has_words);
    }
    let events = format!("/v1/debates/{id}/events");
    way("events as JSON", told(address, &events, "application/json"), true);
    way("events as a stream", told(address, &format!("{events}?deltas=true"), "text/event-stream"), true);
    way("stream of the page", told(address, &format!("/debates/{id}/live?after=0"), "text/event-stream"), true);
    ways
}

fn grpc(server: &ConsoleServer, id: &str) -> Vec<WayOut> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = DynamicClient::connect(&format!("http://{}", server.grpc)).await.unwrap();
        let mut ways = Vec::new();
        let mut way = |name: &str, value: Value, has_words| {
            ways.push(WayOut { name: name.to_owned(), text: value.to_string(), has_words });
        };
        for method in ["GetDebate", "ListDebateEvents"] {
            let answer = client.call(&format!("agon.v1.DebateService/{method}"), json!({"name": id})).await.unwrap();
            way(method, answer, true);
        }
        for format in ["MARKDOWN", "SUMMARY", "JSON", "HTML", "EVENTS"] {
            let request = json!({"name": id, "format": format!("EXPORT_FORMAT_{format}")});
            let answer = client.call("agon.v1.DebateService/ExportDebate", request).await.unwrap();
            way(&format!("ExportDebate {format}"), answer, format != "SUMMARY");
        }
        let request = json!({"name": id, "includeDeltas": true});
        let steps = client.told("agon.v1.DebateService/WatchDebate", request, QUIET).await.unwrap();
        assert!(steps.len() > 3, "{steps:?}");
        way("snapshot of WatchDebate", steps[0].clone(), true);
        way("WatchDebate", Value::from(steps[1..].to_vec()), true);
        ways
    })
}

/// What comes until nothing new comes any more.
fn told(address: &str, path: &str, accept: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(QUIET)).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nhost: {address}\r\naccept: {accept}\r\n\r\n").unwrap();
    let (mut told, mut piece, begun) = (Vec::new(), [0; 8192], Instant::now());
    // a page is told every second how far its debate is
    while begun.elapsed() < QUIET * 2 {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(bytes) => told.extend_from_slice(&piece[..bytes]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
            Err(error) => panic!("{path}: {error}"),
        }
    }
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains(" 200 "), "{path}: {told}");
    told
}

/// A piece of every speech and of the reasons of every ballot, which is spelt the same in JSON, Markdown and HTML.
fn words(result: &Value) -> Vec<String> {
    let speeches = result["transcript"].as_array().unwrap().iter().map(|speech| &speech["text"]);
    let reasons = result["ballots"].as_array().unwrap().iter().flat_map(|ballot| ballot["reasons"].as_array().unwrap());
    let plain = |text: &str| {
        let mut pieces = text.split(|c: char| !c.is_ascii_alphanumeric() && c != ' ').map(str::trim);
        pieces.find(|piece| piece.len() > 20).map(str::to_owned)
    };
    speeches.chain(reasons).filter_map(|text| plain(text.as_str()?)).collect()
}

#[test]
fn hidden_words_leave_a_gateway_by_no_way_while_the_debate_runs() {
    let server = ConsoleServer::start(&["--rehearsal", "--latency", "400ms"]);
    let world = World::new();
    let address = server.http.trim_start_matches("http://");
    let get = |id: &str| -> Value {
        serde_json::from_str(&http_get(address, &format!("/v1/debates/{id}")).unwrap()).unwrap()
    };
    // something to compare with that says nothing: rehearsed speakers and judges of all debates have words in common
    server.submit(&world.file("other.yaml", &format!("{HIDDEN}{DEBATE}")), "other", &[]);
    server.cluster.world.agon(&["pause", "other", "--server", &server.grpc]).ok();
    for (id, more) in [("hidden", HIDDEN), ("open", "")] {
        server.submit(&world.file("debate.yaml", &format!("{more}{DEBATE}")), id, &[]);
        let enough = |debate: &Value| debate["progress"]["turns"].as_u64().is_some_and(|turns| turns > 4);
        until("some speak", PATIENCE, || Ok(enough(&get(id)).then_some(()))).unwrap();
        server.cluster.world.agon(&["pause", id, "--server", &server.grpc]).ok();
        let before = ways_out(&server, id);
        server.cluster.world.agon(&["resume", id, "--server", &server.grpc, "--no-reports", "-q"]);
        until("it ends", PATIENCE, || Ok((get(id)["state"] == "STATE_SUCCEEDED").then_some(()))).unwrap();
        let words = words(&get(id)["result"]);
        assert!(words.len() > 6, "{words:?}");
        let has_words = |text: &str| words.iter().find(|word| text.contains(word.as_str()));
        for WayOut { name, text, has_words: wanted } in &before {
            let found = has_words(text);
            assert!(id == "open" || found.is_none(), "{name}: {found:?}");
            assert!(id == "hidden" || !wanted || found.is_some(), "{name} of a debate that hides nothing: {text}");
        }
        // reports of a debate that has ended follow `history`; so does the log, which is then whole
        for WayOut { name, text, has_words: wanted } in ways_out(&server, id) {
            let by_client = ["events as", "WatchDebate", "EVENTS", "jsonl"].iter().any(|one| name.contains(one));
            let wanted = wanted && (id == "open" || !by_client || name.starts_with("snapshot"));
            assert!(!wanted || has_words(&text).is_some(), "{name} of {id} after its end");
        }
    }
}
