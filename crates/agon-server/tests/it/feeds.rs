//! Debates that read feeds of the gateway's settings.
use crate::gateway_bench::*;
use agon_core::*;
use agon_proto::pb::v1 as pb;
use agon_server::GatewayConfig;
use agon_store::Journal;
use agon_testkit::{HttpStub, StubAnswer};
use agon_tools::{FeedConfig, FeedReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tonic::Code;

const RSS: &str = "<rss><channel><item><title>Bridges are cheap</title></item></channel></rss>";

fn asking(id: &str, feeds: &str) -> pb::CreateDebateRequest {
    let text = FILE.replace("model: m:1", &format!("model: m:1\nfeeds: [{feeds}]"));
    pb::CreateDebateRequest { source: Some(file(&text)), ..wanted(id) }
}

async fn admission(stage: &GatewayBench, id: &str) -> Admission {
    let log = stage.store.read(&DebateId::parse(id).unwrap(), Position(0)).await.unwrap();
    let Event::DebateAdmitted(admission) = &log[0].events[0] else { panic!("an admission") };
    admission.as_ref().clone()
}

/// A feed that counts how often it is read, and a gateway that knows it as `news`.
async fn with_news(stage: &GatewayBench) -> (HttpStub, Arc<AtomicUsize>, TestGateway) {
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = reads.clone();
    let stub = HttpStub::start(move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        StubAnswer::Reply("200 OK", String::new(), RSS.to_owned())
    });
    let stub = stub.unwrap();
    let news = serde_json::json!({"url": format!("http://{}/rss", stub.address())});
    let news: FeedConfig<String> = serde_json::from_value(news).unwrap();
    let news = news.with_keys(|key| Ok::<_, ()>(key.into())).unwrap();
    let feeds = FeedReader::new([("news".to_owned(), news)].into()).unwrap();
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { feeds, ..config() }).await;
    (stub, reads, gateway)
}

#[tokio::test]
async fn a_feed_is_read_once_when_the_debate_is_admitted() {
    let stage = GatewayBench::new().await;
    let (_stub, reads, gateway) = with_news(&stage).await;

    gateway.create(pb::CreateDebateRequest { validate_only: true, ..asking("first", "news") }).await.unwrap();
    assert_eq!(reads.load(Ordering::SeqCst), 0, "a plan reads nothing");
    gateway.create(asking("first", "news")).await.unwrap();
    gateway.create(asking("first", "news")).await.unwrap();

    assert_eq!(reads.load(Ordering::SeqCst), 1, "the same submission again is the same debate");
    let admission = admission(&stage, "first").await;
    assert_eq!((admission.feeds.len(), admission.feeds[0].items[0].title.as_str()), (1, "Bridges are cheap"));
}

#[tokio::test]
async fn a_feed_that_is_not_set_up_is_refused_even_as_a_plan() {
    let stage = GatewayBench::new().await;
    let (_stub, reads, gateway) = with_news(&stage).await;
    for validate_only in [true, false] {
        let refused =
            gateway.create(pb::CreateDebateRequest { validate_only, ..asking("first", "news, weather") }).await;
        let (code, _, details) = refusal(refused);
        let violations = &details.bad_request().unwrap().field_violations;
        assert_eq!((code, violations.len(), violations[0].field.as_str()), (Code::InvalidArgument, 1, "feeds"));
        assert!(violations[0].description.contains("\"weather\"") && violations[0].description.contains("news"));
    }
    assert_eq!(reads.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_dead_feed_stops_no_debate() {
    let stage = GatewayBench::new().await;
    let (stub, _, gateway) = with_news(&stage).await;
    drop(stub);

    gateway.create(asking("first", "news")).await.unwrap();

    let admission = admission(&stage, "first").await;
    assert_eq!((admission.feeds[0].fault, admission.feeds[0].items.len()), (Some(FeedFault::Unavailable), 0));
}
