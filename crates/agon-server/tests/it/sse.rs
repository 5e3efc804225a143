//! Events for browsers.
use crate::gateway_bench::*;
use crate::http::{http, status_of};
use serde_json::Value;

/// The blocks of an event stream that ends.
async fn blocks(answer: reqwest::Response) -> Vec<String> {
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    assert_eq!(answer.headers()["cache-control"], "no-cache");
    let text = tokio::time::timeout(LIMIT, answer.text()).await.expect("the stream ends").unwrap();
    text.split_terminator("\n\n").map(str::to_owned).collect()
}

/// The events of the log among them: id and JSON.
fn events(blocks: &[String]) -> Vec<(u64, Value)> {
    let event = |block: &String| {
        let (id, data) = block.strip_prefix("id: ")?.split_once("\ndata: ")?;
        Some((id.parse().unwrap(), serde_json::from_str(data).unwrap()))
    };
    blocks.iter().filter_map(event).collect()
}

#[tokio::test]
async fn events_are_streamed_in_the_form_of_the_event_log() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("streamed")).await.unwrap();
    let url = format!("http://{}/v1/debates/streamed/events", gateway.http);
    let blocks = blocks(http().get(&url).send().await.unwrap()).await;
    assert_eq!(blocks[0], "retry: 1000");
    let snapshot = blocks[1].strip_prefix("event: snapshot\ndata: ").unwrap();
    assert_eq!(serde_json::from_str::<Value>(snapshot).unwrap()["id"], "streamed");
    let log = http().get(format!("http://{}/v1/debates/streamed/report.jsonl", gateway.http)).send().await.unwrap();
    let log: Vec<Value> = log.text().await.unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = events(&blocks);
    assert!(told.iter().all(|(id, event)| event["seq"] == *id));
    assert_eq!(told.into_iter().map(|(_, event)| event).collect::<Vec<_>>(), log);
    let progress = blocks.iter().filter_map(|block| block.strip_prefix("event: progress\ndata: "));
    let progress: Vec<Value> = progress.map(|data| serde_json::from_str(data).unwrap()).collect();
    let (first, last) = (progress.first().unwrap(), progress.last().unwrap());
    assert_eq!((first["calls_done"].as_u64(), &last["calls_done"]), (Some(1), &last["calls_planned"]));
    assert!(first["calls_planned"].as_u64() > Some(1), "{first}");
}

#[tokio::test]
async fn a_browser_that_comes_back_goes_on_after_its_last_event() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("resumed")).await.unwrap();
    let last = gateway.finish("resumed").await.sequence;
    let url = format!("http://{}/v1/debates/resumed/events", gateway.http);
    let again = http().get(&url).header("last-event-id", "3").send().await.unwrap();
    let ids: Vec<u64> = events(&blocks(again).await).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, (4..=last).collect::<Vec<_>>());
    let over = http().get(&url).header("last-event-id", last.to_string()).send().await.unwrap();
    assert_eq!(over.status(), 204, "which tells a browser to stay away");
    let odd = http().get(&url).header("last-event-id", "three").send().await.unwrap();
    assert_eq!(status_of(odd).await, (400, "INVALID_REQUEST".to_owned()));
}

#[tokio::test]
async fn pieces_of_speeches_are_streamed_on_request() {
    let pace = agon_rehearsal::RehearsalConfig {
        token_interval: std::time::Duration::from_millis(5),
        ..agon_rehearsal::RehearsalConfig::default()
    };
    let stage = GatewayBench::with(pace).await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("pieces")).await.unwrap();
    let url = format!("http://{}/v1/debates/pieces/events?deltas=true", gateway.http);
    let answer = http().get(&url).send().await.unwrap();
    let _node = stage.node().await;
    let blocks = blocks(answer).await;
    let pieces: Vec<&str> = blocks.iter().filter_map(|block| block.strip_prefix("event: delta\ndata: ")).collect();
    let piece: Value = serde_json::from_str(pieces.first().expect("pieces come")).unwrap();
    assert_eq!((&piece["type"], piece["text"].is_string()), (&Value::from("delta"), true));
}

#[tokio::test]
async fn events_come_as_a_page_where_json_is_asked_for() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("paged")).await.unwrap();
    let last = gateway.finish("paged").await.sequence;
    let url = format!("http://{}/v1/debates/paged/events?after_sequence=2&page_size=1000", gateway.http);
    let page: Value = http().get(&url).header("accept", "application/json").send().await.unwrap().json().await.unwrap();
    let seen: Vec<u64> =
        page["events"].as_array().unwrap().iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!((seen, page["more"].as_bool()), ((3..=last).collect(), Some(false)));
}
