//! Calls in traces. One test, because the process has one tracer.
use crate::gateway_bench::*;
use agon_core::{DebateId, Event, Position};
use agon_server::GatewayPorts;
use agon_store::Journal;
use agon_telemetry::{LogConfig, Otlp, Telemetry, TelemetryConfig};
use agon_testkit::OtlpSink;
use tonic::Request;
use tonic::metadata::MetadataValue;

const CALLER: &str = "0af7651916cd43dd8448eb211c80319c";

#[tokio::test]
async fn a_call_belongs_to_its_callers_trace_and_its_debate_links_to_the_call() {
    let sink = OtlpSink::start().unwrap();
    let log = Some(LogConfig { filter: "off".to_owned(), ..LogConfig::default() });
    let otlp = Some(Otlp::to(sink.endpoint()));
    let telemetry = Telemetry::start(TelemetryConfig { otlp, log, ..TelemetryConfig::new("agon", "n1") }).unwrap();
    let stage = GatewayBench::new().await;
    let node = stage.node().await;
    let ports = GatewayPorts { rpc: telemetry.rpc(), ..stage.ports(&node) };
    let gateway = TestGateway::of(agon_server::Gateway::start(config(), ports).await.unwrap());
    let mut request = Request::new(wanted("traced"));
    let header = MetadataValue::try_from(format!("00-{CALLER}-b7ad6b7169203331-01")).unwrap();
    request.metadata_mut().insert("traceparent", header);

    gateway.debates.clone().create_debate(request).await.unwrap();
    let text = telemetry.prometheus();
    let log = stage.store.read(&DebateId::parse("traced").unwrap(), Position(0)).await.unwrap();
    let Event::DebateAdmitted(admission) = &log[0].events[0] else { panic!("{log:?}") };
    let flushed = telemetry.shutdown().await;

    assert!(flushed.complete, "{flushed:?}");
    let spans = sink.spans();
    let call = spans.iter().find(|span| span.name == "agon.v1.DebateService/CreateDebate").unwrap();
    assert_eq!((call.trace_id.as_str(), call.parent.as_str()), (CALLER, "b7ad6b7169203331"));
    assert_eq!(call.attributes["rpc.response.status_code"], "OK");
    assert_eq!(call.attributes["debate.id"], "traced");
    assert_eq!(admission.submitted_by, Some(format!("00-{CALLER}-{}-01", call.span_id)));
    assert!(
        text.contains(r#"rpc_method="agon.v1.DebateService/CreateDebate",rpc_response_status_code="OK""#),
        "{text}"
    );
}
