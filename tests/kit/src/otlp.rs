//! A collector: takes traces and metrics over OTLP and keeps them for the test to look at.
use anyhow::{Context, Result};
use opentelemetry_proto::tonic::collector::metrics::v1::metrics_service_server::{
    MetricsService, MetricsServiceServer,
};
use opentelemetry_proto::tonic::collector::metrics::v1::{ExportMetricsServiceRequest, ExportMetricsServiceResponse};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::{Span, span, status};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// A span as it arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct SinkSpan {
    /// The `service.name` of who sent it.
    pub service: String,
    /// Hexadecimal.
    pub trace_id: String,
    /// Hexadecimal.
    pub span_id: String,
    /// Hexadecimal; empty for a root.
    pub parent: String,
    /// Its name.
    pub name: String,
    /// `internal`, `server`, `client`, `producer`, `consumer`.
    pub kind: &'static str,
    /// Its attributes, values as text.
    pub attributes: BTreeMap<String, String>,
    /// What happened on the way: names with their attributes.
    pub events: Vec<String>,
    /// The traces that it links to.
    pub links: Vec<String>,
    /// What went wrong, where it says that something did.
    pub error: Option<String>,
    /// Nanoseconds of Unix time.
    pub start: u64,
    /// Nanoseconds of Unix time.
    pub end: u64,
}

#[derive(Default)]
struct SinkContents {
    spans: Vec<SinkSpan>,
    metrics: BTreeSet<String>,
    headers: BTreeMap<String, String>,
}

#[derive(Clone, Default)]
struct SinkStore(Arc<(Mutex<SinkContents>, Condvar)>);

/// A running collector with a thread and a runtime of its own, so that it answers whatever the test's runtime does. Ends when dropped.
pub struct OtlpSink {
    address: SocketAddr,
    store: SinkStore,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl OtlpSink {
    /// Listens on a free loopback port.
    pub fn start() -> Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).context("no free port")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let store = SinkStore::default();
        let served = store.clone();
        let thread = std::thread::spawn(move || runtime.block_on(serve(listener, served, stopped)));
        Ok(Self { address, store, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }
    /// What has arrived.
    pub fn spans(&self) -> Vec<SinkSpan> {
        self.store.lock().spans.clone()
    }
    /// Waits until the spans that arrived are as `wanted`; what is there when the time is up, if they never are.
    pub fn wait_for(&self, wanted: impl Fn(&[SinkSpan]) -> bool, limit: Duration) -> Vec<SinkSpan> {
        let until = Instant::now() + limit;
        let mut seen = self.store.lock();
        while !wanted(&seen.spans) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            seen = self.store.0.1.wait_timeout(seen, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        seen.spans.clone()
    }
    /// The names of the metrics that were pushed.
    pub fn metrics(&self) -> BTreeSet<String> {
        self.store.lock().metrics.clone()
    }
    /// The textual headers of the calls.
    pub fn headers(&self) -> BTreeMap<String, String> {
        self.store.lock().headers.clone()
    }
}

impl Drop for OtlpSink {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

async fn serve(listener: std::net::TcpListener, store: SinkStore, stopped: oneshot::Receiver<()>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let served = tonic::transport::Server::builder()
        .add_service(TraceServiceServer::new(store.clone()))
        .add_service(MetricsServiceServer::new(store))
        .serve_with_incoming(TcpListenerStream::new(listener));
    // open connections of a sender would keep a graceful end waiting
    tokio::select! {
        ended = served => drop(ended),
        _ = stopped => {}
    }
}

impl SinkStore {
    fn lock(&self) -> MutexGuard<'_, SinkContents> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn change(&self, metadata: &tonic::metadata::MetadataMap, change: impl FnOnce(&mut SinkContents)) {
        let mut seen = self.lock();
        for entry in metadata.iter() {
            if let tonic::metadata::KeyAndValueRef::Ascii(key, value) = entry {
                seen.headers.insert(key.to_string(), value.to_str().unwrap_or_default().to_owned());
            }
        }
        change(&mut seen);
        self.0.1.notify_all();
    }
}

#[tonic::async_trait]
impl TraceService for SinkStore {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let (metadata, _, request) = request.into_parts();
        let spans = request.resource_spans.into_iter().flat_map(|part| {
            let resource = part.resource.map(|resource| attributes(resource.attributes)).unwrap_or_default();
            let service = resource.get("service.name").cloned().unwrap_or_default();
            let spans = part.scope_spans.into_iter().flat_map(|scope| scope.spans);
            spans.map(move |span| read(span, service.clone())).collect::<Vec<_>>()
        });
        self.change(&metadata, |seen| seen.spans.extend(spans));
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl MetricsService for SinkStore {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        let (metadata, _, request) = request.into_parts();
        let scopes = request.resource_metrics.into_iter().flat_map(|part| part.scope_metrics);
        let names = scopes.flat_map(|scope| scope.metrics).map(|metric| metric.name);
        self.change(&metadata, |seen| seen.metrics.extend(names));
        Ok(Response::new(ExportMetricsServiceResponse::default()))
    }
}

fn read(span: Span, service: String) -> SinkSpan {
    let failed = span.status.filter(|status| status.code() == status::StatusCode::Error);
    SinkSpan {
        service,
        trace_id: hex(&span.trace_id),
        span_id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        kind: kind(span.kind),
        name: span.name,
        attributes: attributes(span.attributes),
        events: span.events.into_iter().map(event).collect(),
        links: span.links.iter().map(|link| hex(&link.trace_id)).collect(),
        error: failed.map(|status| status.message),
        start: span.start_time_unix_nano,
        end: span.end_time_unix_nano,
    }
}

fn event(event: span::Event) -> String {
    let attributes = attributes(event.attributes).into_iter().map(|(key, value)| format!(" {key}={value}"));
    std::iter::once(event.name).chain(attributes).collect()
}

fn kind(number: i32) -> &'static str {
    match number {
        1 => "internal",
        2 => "server",
        3 => "client",
        4 => "producer",
        5 => "consumer",
        _ => "unspecified",
    }
}

fn attributes(pairs: Vec<KeyValue>) -> BTreeMap<String, String> {
    pairs.into_iter().map(|pair| (pair.key, text(pair.value))).collect()
}

fn text(value: Option<AnyValue>) -> String {
    match value.and_then(|value| value.value) {
        Some(any_value::Value::StringValue(text)) => text,
        Some(any_value::Value::BoolValue(value)) => value.to_string(),
        Some(any_value::Value::IntValue(value)) => value.to_string(),
        Some(any_value::Value::DoubleValue(value)) => value.to_string(),
        Some(any_value::Value::ArrayValue(array)) => {
            array.values.into_iter().map(|value| text(Some(value))).collect::<Vec<_>>().join(",")
        }
        Some(other) => format!("{other:?}"),
        None => String::new(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
