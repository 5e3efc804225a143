//! Starting and ending it all, and the observer that it is.
use crate::cluster::ClusterMetrics;
use crate::config::{Otlp, TelemetryConfig, TelemetryError};
use crate::context::{SpanPlace, TraceContext, trace_id};
use crate::logs;
use crate::metrics::Instruments;
use crate::observer::{CircuitState, DebateClaimed, EvalCellEnd, HostedModel, Observer, Permits, ReadEnd, TurnPlayed};
use crate::pipeline::{Pipeline, SpanCounts};
use crate::rpc::RpcServer;
use crate::span::scope;
use crate::{export, tree, try_spans};
use agon_core::{Admission, DebateId, HostId, Record, Timestamp, TurnId};
use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use std::sync::Arc;
use std::time::Duration;

/// How long the last spans may take to go out.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// What was lost at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flushed {
    /// Everything that was told since the start has gone out.
    pub complete: bool,
    /// Spans that never reached the collector.
    pub lost_spans: u64,
}

/// Traces, metrics and the log of a process. Copies are handles of the same.
#[derive(Clone)]
pub struct Telemetry(Arc<TelemetryParts>);

struct TelemetryParts {
    instruments: Arc<Instruments>,
    cluster: ClusterMetrics,
    meters: SdkMeterProvider,
    registry: prometheus::Registry,
    counts: Arc<SpanCounts>,
    pipeline: Option<Pipeline>,
    /// Kept, because code spans end with it.
    _tracers: Option<SdkTracerProvider>,
    pushes_metrics: bool,
    debate_ratio: f64,
    capture_content: bool,
}

impl Telemetry {
    /// Starts it, and installs the log. Inside a tokio runtime where there is a collector.
    pub fn start(config: TelemetryConfig) -> Result<Self, TelemetryError> {
        let (debate_ratio, rpc_ratio) = (ratio(config.debate_ratio)?, ratio(config.rpc_ratio)?);
        let filter = config.log.as_ref().map(|log| filter(&log.filter)).transpose()?;
        let resource = resource(&config);
        let counts = Arc::new(SpanCounts::default());
        let pipeline = match &config.otlp {
            Some(otlp) => Some(Pipeline::new(export::spans(otlp)?, &resource, counts.clone())),
            None => None,
        };
        let tracers = pipeline.clone().map(|pipeline| tracers(pipeline, &resource, rpc_ratio));
        let (meters, registry) = meters(config.otlp.as_ref(), resource)?;
        let instruments = Arc::new(Instruments::new(&meters, counts.clone()));
        let cluster = ClusterMetrics::default();
        cluster.register(&meters.meter_with_scope(scope()));
        if let (Some(log), Some(filter)) = (config.log, filter) {
            let tracer = tracers.as_ref().map(|tracers| tracers.tracer_with_scope(scope()));
            let subscriber = logs::subscriber(log, filter, tracer);
            if tracing::subscriber::set_global_default(subscriber).is_err() {
                tracing::warn!("the log was installed before; its settings stay");
            }
        }
        let pushes_metrics = config.otlp.is_some_and(|otlp| otlp.push_metrics.is_some());
        let capture_content = config.capture_content;
        Ok(Self(Arc::new(TelemetryParts {
            instruments,
            cluster,
            meters,
            registry,
            counts,
            pipeline,
            _tracers: tracers,
            pushes_metrics,
            debate_ratio,
            capture_content,
        })))
    }

    /// All metrics in Prometheus' text format.
    pub fn prometheus(&self) -> String {
        let encoder = prometheus::TextEncoder::new();
        encoder.encode_to_string(&self.0.registry.gather()).unwrap_or_else(|error| {
            tracing::warn!(%error, "metrics not written");
            String::new()
        })
    }

    /// Watches the calls to this process's server.
    pub fn rpc(&self) -> RpcServer {
        RpcServer::new(self.0.instruments.clone())
    }

    /// Takes what a gateway knows of the whole cluster.
    pub fn cluster(&self) -> ClusterMetrics {
        self.0.cluster.clone()
    }

    /// Sends all that waits, at the longest for five seconds, and ends. What is told later is lost.
    pub async fn shutdown(&self) -> Flushed {
        let (inner, limit) = (self.0.clone(), SHUTDOWN);
        // it blocks until the connection is done, so it may not sit on the thread that drives the connection
        let flushed = tokio::task::spawn_blocking(move || inner.flush(limit));
        let done = matches!(tokio::time::timeout(limit * 2, flushed).await, Ok(Ok(true)));
        let lost_spans = self.0.counts.lost().saturating_add(self.0.counts.waiting());
        Flushed { complete: done && lost_spans == 0, lost_spans }
    }

    /// Whether a debate is traced: by a hash of its trace's id, because UUIDs are no even random numbers.
    fn traces(&self, debate: &DebateId) -> Option<&Pipeline> {
        let pipeline = self.0.pipeline.as_ref()?;
        is_sampled(debate, self.0.debate_ratio).then_some(pipeline)
    }
}

impl TelemetryParts {
    fn flush(&self, limit: Duration) -> bool {
        let spans = self.pipeline.as_ref().is_none_or(|pipeline| pipeline.shutdown(limit).is_ok());
        let metrics = self.meters.shutdown_with_timeout(limit).is_ok() || !self.pushes_metrics;
        spans && metrics
    }
}

impl Observer for Telemetry {
    fn debate_admitted(&self, admission: &Admission, at: Timestamp) {
        self.0.instruments.admitted(admission);
        if let Some(pipeline) = self.traces(&admission.id) {
            pipeline.send(tree::accepted(admission, at));
        }
    }
    fn debate_claimed(&self, claimed: &DebateClaimed<'_>) {
        self.0.instruments.claimed(claimed);
    }
    fn recorded(&self, _: &DebateId, record: &Record) {
        self.0.instruments.recorded(record);
    }
    fn wants_log(&self) -> bool {
        true
    }
    fn debate_ended(&self, log: &[Arc<Record>]) {
        self.0.instruments.ended(log);
        let Some(pipeline) = crate::story::debate_of(log).and_then(|debate| self.traces(debate)) else { return };
        tree::spans(log, self.0.capture_content).into_iter().for_each(|span| pipeline.send(span));
    }
    fn turn_played(&self, played: &TurnPlayed<'_>) {
        self.0.instruments.played(played);
        if let Some(pipeline) = self.traces(played.debate) {
            let content = played.content.filter(|_| self.0.capture_content);
            let played = TurnPlayed { content, ..*played };
            try_spans::spans(&played).into_iter().for_each(|span| pipeline.send(span));
        }
    }
    fn breaker_changed(&self, gate: HostedModel<'_>, state: CircuitState) {
        self.0.instruments.breaker(gate, state);
    }
    fn read_ahead(&self, gate: HostedModel<'_>, end: ReadEnd) {
        self.0.instruments.read_ahead(gate, end);
    }
    fn order_refused(&self, host: &HostId) {
        self.0.instruments.order_refused(host);
    }
    fn permits_changed(&self, gate: HostedModel<'_>, permits: Permits) {
        self.0.instruments.permits(gate, permits);
    }
    fn debates_active(&self, count: usize) {
        self.0.instruments.active(count);
    }
    fn evals_active(&self, count: usize) {
        self.0.instruments.evals_active(count);
    }
    fn eval_cell_closed(&self, end: EvalCellEnd) {
        self.0.instruments.eval_cell_closed(end);
    }
    fn eval_ended(&self, state: &str) {
        self.0.instruments.eval_ended(state);
    }
    fn captures_content(&self) -> bool {
        self.0.capture_content && self.0.pipeline.is_some()
    }
    fn traceparent(&self, debate: &DebateId, turn: TurnId) -> Option<Arc<str>> {
        let pipeline = self.0.pipeline.as_ref();
        pipeline?;
        let sampled = is_sampled(debate, self.0.debate_ratio);
        Some(TraceContext::of(debate, SpanPlace::Turn(turn), sampled).to_string().into())
    }
}

/// The same in every process with the same ratio.
fn is_sampled(debate: &DebateId, ratio: f64) -> bool {
    let hash = blake3::hash(&trace_id(debate));
    let roll = hash.as_bytes().iter().take(4).fold(0u32, |roll, byte| (roll << 8) | u32::from(*byte));
    f64::from(roll) < ratio * (f64::from(u32::MAX) + 1.0)
}

fn ratio(ratio: f64) -> Result<f64, TelemetryError> {
    if (0.0..=1.0).contains(&ratio) { Ok(ratio) } else { Err(TelemetryError::Ratio(ratio)) }
}

fn filter(text: &str) -> Result<tracing_subscriber::EnvFilter, TelemetryError> {
    logs::filter(text).map_err(|source| TelemetryError::Filter { filter: text.to_owned(), source })
}

fn resource(config: &TelemetryConfig) -> Resource {
    Resource::builder()
        .with_service_name(config.service_name.clone())
        .with_attribute(KeyValue::new("service.instance.id", config.instance_id.clone()))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("service.namespace", "agon"))
        .build()
}

fn tracers(pipeline: Pipeline, resource: &Resource, ratio: f64) -> SdkTracerProvider {
    SdkTracerProvider::builder()
        .with_span_processor(pipeline)
        .with_resource(resource.clone())
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(ratio))))
        .build()
}

fn meters(otlp: Option<&Otlp>, resource: Resource) -> Result<(SdkMeterProvider, prometheus::Registry), TelemetryError> {
    let registry = prometheus::Registry::new();
    let scraped = opentelemetry_prometheus::exporter()
        .with_registry(registry.clone())
        .scope_info_enabled(false)
        .build()
        .map_err(TelemetryError::Metrics)?;
    let builder = SdkMeterProvider::builder().with_resource(resource).with_reader(scraped);
    let builder = match otlp.and_then(|otlp| Some((otlp, otlp.push_metrics?))) {
        Some((otlp, every)) => {
            builder.with_reader(PeriodicReader::builder(export::metrics(otlp)?).with_interval(every).build())
        }
        None => builder,
    };
    Ok((builder.build(), registry))
}
