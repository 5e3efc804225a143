//! What happens to spans on their way.
use crate::test_bench::{LIMIT, admission, config, hold, stumble, tell};
use agon_core::{Timestamp, TurnId};
use agon_telemetry::{Observer, Otlp, Telemetry, TelemetryConfig, TelemetryError};
use agon_testkit::{OtlpSink, free_port};
use std::collections::BTreeMap;
use std::time::Duration;

/// More than fit into a batch.
const DEBATES: usize = 20;

async fn all_spans_arrive() {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();
    let held: Vec<_> = (0..DEBATES).map(|n| hold(admission(&format!("oven-{n}")), stumble)).collect();

    held.iter().for_each(|held| tell(&telemetry, held));
    let flushed = telemetry.shutdown().await;

    let each = 2 + 4 * held[0].played.len() + 4;
    assert!(flushed.complete, "{flushed:?}");
    assert_eq!(sink.spans().len(), DEBATES * each);
}

#[tokio::test(flavor = "current_thread")]
async fn a_shutdown_on_one_thread_delivers_everything() {
    all_spans_arrive().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_shutdown_inside_a_task_of_the_only_worker_delivers_everything() {
    tokio::spawn(all_spans_arrive()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_on_several_threads_delivers_everything() {
    all_spans_arrive().await;
}

#[tokio::test]
async fn without_a_collector_nothing_fails_and_the_loss_is_told() {
    let port = free_port().unwrap();
    let otlp = Some(Otlp::to(format!("http://127.0.0.1:{port}")));
    let config = TelemetryConfig { otlp, log: None, ..TelemetryConfig::new("agon", "node-1") };
    let telemetry = Telemetry::start(config).unwrap();

    telemetry.debate_admitted(&admission("oven-2026"), Timestamp(0));
    let flushed = tokio::time::timeout(LIMIT, telemetry.shutdown()).await.unwrap();

    assert!(!flushed.complete);
    assert_eq!(flushed.lost_spans, 1);
}

#[tokio::test]
async fn spans_that_a_collector_never_took_are_counted() {
    let port = free_port().unwrap();
    let otlp = Some(Otlp::to(format!("http://127.0.0.1:{port}")));
    let config = TelemetryConfig { otlp, log: None, ..TelemetryConfig::new("agon", "node-1") };
    let telemetry = Telemetry::start(config).unwrap();

    let admission = admission("oven-2026");
    for _ in 0..20_000 {
        telemetry.debate_admitted(&admission, Timestamp(0));
    }

    let dropped = telemetry.prometheus();
    let line = dropped.lines().find(|line| line.contains("state=\"dropped\"")).unwrap();
    assert!(!line.ends_with(" 0"), "{line}");
}

#[tokio::test]
async fn without_a_collector_set_there_is_no_trace_and_nothing_to_wait_for() {
    let config = TelemetryConfig { log: None, ..TelemetryConfig::new("agon", "node-1") };
    let telemetry = Telemetry::start(config).unwrap();

    tell(&telemetry, &hold(admission("oven-2026"), stumble));

    let turn = TurnId { round: 1, seat: 0, attempt: 1 };
    assert_eq!(telemetry.traceparent(&admission("oven-2026").id, turn), None);
    assert!(telemetry.shutdown().await.complete);
}

#[tokio::test]
async fn headers_go_with_every_call() {
    let sink = OtlpSink::start().unwrap();
    let headers = BTreeMap::from([("X-Api-Key".to_owned(), "k-1".to_owned())]);
    let otlp = Some(Otlp { headers, ..Otlp::to(sink.endpoint()) });
    let telemetry = Telemetry::start(TelemetryConfig { otlp, ..config(&sink) }).unwrap();

    telemetry.debate_admitted(&admission("oven-2026"), Timestamp(0));
    telemetry.shutdown().await;

    assert_eq!(sink.headers().get("x-api-key").map(String::as_str), Some("k-1"));
}

#[tokio::test]
async fn metrics_are_pushed_where_that_is_asked_for() {
    let sink = OtlpSink::start().unwrap();
    let push_metrics = Some(Duration::from_secs(3600));
    let otlp = Some(Otlp { push_metrics, ..Otlp::to(sink.endpoint()) });
    let telemetry = Telemetry::start(TelemetryConfig { otlp, ..config(&sink) }).unwrap();

    tell(&telemetry, &hold(admission("oven-2026"), stumble));
    let flushed = telemetry.shutdown().await;

    assert!(flushed.complete, "{flushed:?}");
    assert!(sink.metrics().contains("gen_ai.client.token.usage"), "{:?}", sink.metrics());
}

#[tokio::test]
async fn wrong_settings_are_refused_by_name() {
    let start = |config| Telemetry::start(config).err();
    let config = || TelemetryConfig { log: None, ..TelemetryConfig::new("agon", "node-1") };
    let headers = BTreeMap::from([("a key".to_owned(), "k-1".to_owned())]);
    let with_header = Otlp { headers, ..Otlp::to("http://127.0.0.1:1") };

    let ratio = start(TelemetryConfig { debate_ratio: 1.5, ..config() });
    let header = start(TelemetryConfig { otlp: Some(with_header), ..config() });
    let endpoint = start(TelemetryConfig { otlp: Some(Otlp::to("no address")), ..config() });
    let log = agon_telemetry::LogConfig { filter: "agon=loud".to_owned(), ..Default::default() };
    let filter = start(TelemetryConfig { log: Some(log), ..config() });

    assert!(matches!(ratio, Some(TelemetryError::Ratio(1.5))), "{ratio:?}");
    assert!(matches!(header, Some(TelemetryError::Header(_))), "{header:?}");
    assert!(matches!(endpoint, Some(TelemetryError::Endpoint { .. })), "{endpoint:?}");
    assert!(matches!(filter, Some(TelemetryError::Filter { .. })), "{filter:?}");
}
