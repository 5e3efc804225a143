//! What a collector and a scraper see of debates that are really held.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_runtime::{Death, NodeConfig, Victim};
use agon_telemetry::{Otlp, Telemetry, TelemetryConfig};
use agon_testkit::{OtlpSink, SinkSpan};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

const ID: &str = "a-debate";

/// Telemetry whose connection lives in real time, whatever the test's clock does.
struct Watcher {
    sink: OtlpSink,
    runtime: Option<Runtime>,
    telemetry: Telemetry,
}

impl Watcher {
    fn start() -> Self {
        let sink = OtlpSink::start().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let otlp = Some(Otlp::to(sink.endpoint()));
        let config = TelemetryConfig { otlp, log: None, ..TelemetryConfig::new("agon", "n1") };
        let entered = runtime.enter();
        let telemetry = Telemetry::start(config).unwrap();
        drop(entered);
        Self { sink, runtime: Some(runtime), telemetry }
    }
    /// All spans; none has another's id.
    async fn spans(&self) -> Vec<SinkSpan> {
        let flushed = self.telemetry.shutdown().await;
        assert!(flushed.complete, "{flushed:?}");
        let spans = self.sink.spans();
        let ids: BTreeSet<&str> = spans.iter().map(|span| span.span_id.as_str()).collect();
        assert_eq!(ids.len(), spans.len());
        spans
    }
}
impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Nobody is without its parent but the one root, which is returned.
fn root(spans: &[SinkSpan]) -> &SinkSpan {
    let known: BTreeSet<&str> = spans.iter().map(|span| span.span_id.as_str()).collect();
    let mut tops = spans.iter().filter(|span| !known.contains(span.parent.as_str()));
    let root = tops.next().unwrap();
    assert_eq!(tops.next(), None);
    root
}

fn count(spans: &[SinkSpan], name: &str) -> usize {
    spans.iter().filter(|span| span.name == name).count()
}

#[tokio::test(start_paused = true)]
async fn every_call_of_a_debate_is_in_its_one_tree() {
    let (stage, watcher, cast) = (TestBench::new(), Watcher::start(), Cast::new(Duration::from_millis(500)));
    cast.cue([Cue::Fail]);
    let observer = Arc::new(watcher.telemetry.clone());
    let node = stage.watched_node(NodeConfig::embedded("n1".into()), vec![cast.host("gpu1", 2)], observer).await;

    node.submit(admission(ID, rich_spec())).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();
    assert!(node.stop().await);

    let spans = watcher.spans().await;
    let root = root(&spans);
    assert_eq!((root.name.as_str(), root.attributes["debate.claims"].as_str()), ("invoke_workflow round_robin", "1"));
    assert_eq!(count(&spans, "chat m"), cast.calls());
    assert_eq!(count(&spans, "process agon.gen"), count(&spans, "send agon.gen"));
    assert_eq!(spans.iter().filter(|span| span.name == "chat m" && span.error.is_some()).count(), 1);
    assert_eq!(count(&spans, "debate.round").to_string(), root.attributes["debate.rounds"]);
}

#[tokio::test(start_paused = true)]
async fn a_debate_whose_coordinator_dies_again_and_again_is_still_one_whole_tree() {
    let (stage, watcher, cast) = (TestBench::new(), Watcher::start(), Cast::new(Duration::from_millis(500)));
    let observer = Arc::new(watcher.telemetry.clone());
    let node = stage.watched_node(NodeConfig::embedded("n1".into()), vec![cast.host("gpu1", 2)], observer).await;

    node.submit(admission(ID, sequential_spec())).await.unwrap();
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(750)).await;
        node.strike(Victim::Coordinator(debate(ID)), Death::Kill);
    }
    node.finished(&debate(ID)).await.unwrap();
    assert!(node.stop().await);

    let spans = watcher.spans().await;
    assert_eq!(root(&spans).attributes["debate.claims"], "4");
    assert_eq!((count(&spans, "debate.accepted"), count(&spans, "debate.decide")), (1, 1));
    assert_eq!(count(&spans, "chat m"), cast.calls());
}

#[tokio::test(start_paused = true)]
async fn a_scraper_sees_gates_and_debates() {
    let (stage, watcher, cast) = (TestBench::new(), Watcher::start(), Cast::new(Duration::from_millis(500)));
    let observer = Arc::new(watcher.telemetry.clone());
    let node = stage.watched_node(NodeConfig::embedded("n1".into()), vec![cast.host("gpu1", 2)], observer).await;

    node.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(250)).await;
    let during = watcher.telemetry.prometheus();
    node.finished(&debate(ID)).await.unwrap();
    assert!(node.stop().await);
    let after = watcher.telemetry.prometheus();

    let gate = r#"{host="gpu1",model="m"}"#;
    for line in [
        "agon_debates_active 1".to_owned(),
        format!("agon_permits_in_use{gate} 1"),
        format!("agon_permits_limit{gate} 2"),
        format!("agon_circuit_state{gate} 0"),
    ] {
        assert!(during.lines().any(|known| known == line), "{line} is not in\n{during}");
    }
    for line in [
        r#"agon_debates_submitted_total{format="round_robin",priority="normal"} 1"#,
        r#"agon_debates_wait_seconds_count{priority="normal"} 1"#,
        "agon_rounds_total 1",
    ] {
        assert!(after.lines().any(|known| known == line), "{line} is not in\n{after}");
    }
    assert!(after.contains(r#"outcome="decided",state="succeeded"} 1"#), "{after}");
}
