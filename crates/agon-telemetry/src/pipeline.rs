//! The way of spans to the collector: a bounded queue, batches, and an account of what became of each span.
use opentelemetry::Context;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Span, SpanData, SpanExporter, SpanProcessor};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many spans wait at the most; further ones are dropped and counted.
const QUEUE: usize = 8192;
/// So many spans travel together: with content they must stay below a collector's usual 4 MiB.
const BATCH: usize = 128;
/// How long a span waits for company.
const DELAY: Duration = Duration::from_secs(1);
/// At most one warning in this time.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// What became of spans.
#[derive(Debug, Default)]
pub(crate) struct SpanCounts {
    waiting: AtomicU64,
    exported: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl SpanCounts {
    pub(crate) fn read(&self) -> [(&'static str, u64); 3] {
        [("exported", &self.exported), ("failed", &self.failed), ("dropped", &self.dropped)]
            .map(|(state, count)| (state, count.load(Ordering::Relaxed)))
    }
    /// Spans that are neither on the other side nor given up.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Acquire)
    }
    /// Spans that never reached the other side.
    pub(crate) fn lost(&self) -> u64 {
        self.failed.load(Ordering::Acquire).saturating_add(self.dropped.load(Ordering::Acquire))
    }
    fn settled(&self, spans: u64, delivered: bool) {
        let count = if delivered { &self.exported } else { &self.failed };
        count.fetch_add(spans, Ordering::AcqRel);
        self.waiting.fetch_sub(spans, Ordering::AcqRel);
    }
}

/// The queue. Shared by the debates' spans, which come whole, and the SDK's tracer.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    batches: Arc<BatchSpanProcessor>,
    counts: Arc<SpanCounts>,
}

impl Pipeline {
    pub(crate) fn new(exporter: impl SpanExporter + 'static, resource: &Resource, counts: Arc<SpanCounts>) -> Self {
        let config = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE)
            .with_max_export_batch_size(BATCH)
            .with_scheduled_delay(DELAY)
            .build();
        let exporter = CountingExporter { exporter, counts: counts.clone(), warned: Mutex::new(None) };
        let mut batches = BatchSpanProcessor::new(exporter, config);
        batches.set_resource(resource);
        Self { batches: Arc::new(batches), counts }
    }

    pub(crate) fn send(&self, span: SpanData) {
        if self.counts.waiting.fetch_add(1, Ordering::AcqRel) >= QUEUE as u64 {
            self.counts.waiting.fetch_sub(1, Ordering::AcqRel);
            self.counts.dropped.fetch_add(1, Ordering::AcqRel);
            return;
        }
        self.batches.on_end(span);
    }

    /// Sends all that waits and ends. Blocks, so it may not run on a thread that drives the connection.
    pub(crate) fn shutdown(&self, limit: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(limit)
    }
}

impl SpanProcessor for Pipeline {
    fn on_start(&self, _: &mut Span, _: &Context) {}
    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() {
            self.send(span);
        }
    }
    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }
    /// The tracer's provider does this when it is dropped, on any thread; the queue is ended by [`Pipeline::shutdown`].
    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// Counts what an exporter does, and warns now and then where it fails.
#[derive(Debug)]
struct CountingExporter<E> {
    exporter: E,
    counts: Arc<SpanCounts>,
    warned: Mutex<Option<Instant>>,
}

impl<E> CountingExporter<E> {
    fn may_warn(&self) -> bool {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        let due = warned.is_none_or(|at| at.elapsed() >= WARN_EVERY);
        if due {
            *warned = Some(Instant::now());
        }
        due
    }
}

impl<E: SpanExporter> SpanExporter for CountingExporter<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len() as u64;
        let exported = self.exporter.export(batch).await;
        self.counts.settled(spans, exported.is_ok());
        if let Err(error) = &exported
            && self.may_warn()
        {
            tracing::warn!(%error, spans, lost = self.counts.lost(), "spans not exported");
        }
        exported
    }
    fn shutdown_with_timeout(&self, limit: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(limit)
    }
    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }
    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
