//! Calls to the server. One test, because the process has one log.
use crate::test_bench::{admission, config};
use agon_telemetry::{LogConfig, LogFormat, Telemetry, TelemetryConfig};
use agon_testkit::OtlpSink;
use std::io::Write;
use std::sync::{Arc, Mutex};
use tracing::Instrument;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl LogBuffer {
    fn of(&self, message: &str) -> serde_json::Value {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let line =
            text.lines().find(|line| line.contains(message)).unwrap_or_else(|| panic!("{message} is not in {text}"));
        serde_json::from_str(line).unwrap()
    }
}

const CALLER: &str = "0af7651916cd43dd8448eb211c80319c";

#[tokio::test]
async fn calls_belong_to_their_callers_trace_and_logs_to_their_calls_and_debates() {
    let (sink, lines) = (OtlpSink::start().unwrap(), LogBuffer::default());
    let writer = lines.clone();
    let log = Some(LogConfig {
        format: LogFormat::Json,
        writer: Some(BoxMakeWriter::new(move || writer.clone())),
        ..LogConfig::default()
    });
    let telemetry = Telemetry::start(TelemetryConfig { log, ..config(&sink) }).unwrap();
    let (rpc, debate) = (telemetry.rpc(), admission("oven-2026").id);
    let traceparent = format!("00-{CALLER}-b7ad6b7169203331-01");

    let create = rpc.begin("agon.v1.DebateService/CreateDebate", Some(&traceparent));
    let submitted_by = create.context().unwrap();
    create.about(&debate);
    async { tracing::warn!("queue nearly full") }.instrument(create.span().clone()).await;
    create.end("INVALID_ARGUMENT");
    rpc.begin("agon.v1.DebateService/GetDebate", Some(&traceparent)).end("INTERNAL");
    drop(rpc.begin("agon.v1.DebateService/WatchDebate", Some(&traceparent)));
    rpc.begin("grpc.health.v1.Health/Check", Some(&traceparent)).end("OK");
    tracing::info!(%debate, round = 2, "round opened");
    tracing::info!("node started");
    let text = telemetry.prometheus();
    let flushed = telemetry.shutdown().await;

    assert!(flushed.complete, "{flushed:?}");
    let spans = sink.spans();
    let of = |method: &str| spans.iter().find(|span| span.name == format!("agon.v1.DebateService/{method}")).unwrap();
    let create = of("CreateDebate");
    assert_eq!((create.kind, create.trace_id.as_str()), ("server", CALLER));
    assert_eq!((create.parent.as_str(), create.error.is_none()), ("b7ad6b7169203331", true));
    assert_eq!(create.attributes["rpc.response.status_code"], "INVALID_ARGUMENT");
    assert_eq!(create.attributes["debate.id"], "oven-2026");
    assert_eq!(create.attributes["debate.trace_id"].len(), 32);
    assert_eq!(submitted_by.trace_hex(), CALLER);
    assert_eq!(of("GetDebate").attributes["error.type"], "INTERNAL");
    assert!(of("GetDebate").error.is_some());
    assert_eq!(of("WatchDebate").attributes["rpc.response.status_code"], "CANCELLED");
    assert_eq!(spans.len(), 3, "{spans:#?}");
    assert_keys_of_code_spans(&create.attributes.keys().map(String::as_str).collect::<Vec<_>>());

    assert!(text.contains(r#"rpc_method="grpc.health.v1.Health/Check""#), "{text}");
    let full = lines.of("queue nearly full");
    assert_eq!(
        (&full["trace_id"], &full["debate_id"]),
        (&create.attributes["debate.trace_id"].as_str().into(), &"oven-2026".into())
    );
    let opened = lines.of("round opened");
    assert_eq!((&opened["debate_id"], &opened["round"]), (&"oven-2026".into(), &2.into()));
    assert_eq!(opened["trace_id"], create.attributes["debate.trace_id"].as_str());
    assert_eq!(lines.of("node started").get("trace_id"), None);
}

/// Nothing of the code's own places, threads or times.
fn assert_keys_of_code_spans(keys: &[&str]) {
    let wanted = ["debate.id", "debate.trace_id", "rpc.method", "rpc.response.status_code", "rpc.system.name"];
    assert_eq!(keys, wanted);
}
