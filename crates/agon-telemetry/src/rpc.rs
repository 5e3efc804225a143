//! Calls to this server: a span under the caller's, and the duration as a metric.
use crate::context::TraceContext;
use crate::metrics::Instruments;
use crate::names::attribute;
use crate::span::span_context;
use agon_core::DebateId;
use opentelemetry::trace::{Status, TraceContextExt};
use opentelemetry::{Context, KeyValue};
use std::sync::Arc;
use std::time::Instant;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The target of the code spans that are exported; others are for the log alone.
pub const TRACED: &str = "agon::trace";

/// Services whose calls come every few seconds and tell nothing.
const QUIET: &[&str] = &["grpc.health.", "grpc.reflection."];
/// What a call ended with that was dropped before its end.
const DROPPED: &str = "CANCELLED";

/// Watches the calls to a server.
#[derive(Clone)]
pub struct RpcServer(Option<Arc<Instruments>>);

impl RpcServer {
    /// Watches nothing.
    pub fn silent() -> Self {
        Self(None)
    }
    pub(crate) fn new(instruments: Arc<Instruments>) -> Self {
        Self(Some(instruments))
    }

    /// A call begins. `method` is the full name (`agon.v1.DebateService/CreateDebate`), or `_OTHER` where there is no such method;
    /// `traceparent` is the caller's.
    pub fn begin(&self, method: &str, traceparent: Option<&str>) -> RpcCall {
        let quiet = self.0.is_none() || QUIET.iter().any(|quiet| method.starts_with(quiet));
        let span = if quiet { Span::none() } else { server_span(method) };
        if let Some(caller) = traceparent.and_then(TraceContext::parse) {
            let parent = Context::new().with_remote_span_context(span_context(&caller, true));
            if let Err(error) = span.set_parent(parent) {
                tracing::debug!(%error, "call without its parent");
            }
        }
        RpcCall { instruments: self.0.clone(), method: method.to_owned(), span, begun: Instant::now(), ended: false }
    }
}

fn server_span(method: &str) -> Span {
    tracing::info_span!(
        target: TRACED,
        parent: None,
        "rpc",
        otel.name = method,
        otel.kind = "server",
        rpc.system.name = "grpc",
        rpc.method = method,
        debate.id = tracing::field::Empty,
    )
}

/// A call that is served.
pub struct RpcCall {
    instruments: Option<Arc<Instruments>>,
    method: String,
    span: Span,
    begun: Instant,
    ended: bool,
}

impl RpcCall {
    /// The span to serve it in.
    pub fn span(&self) -> &Span {
        &self.span
    }
    /// What a debate's trace links to: the admission's `submitted_by`.
    pub fn context(&self) -> Option<TraceContext> {
        TraceContext::of_span(&self.span)
    }
    /// The call is about this debate.
    pub fn about(&self, debate: &DebateId) {
        about(&self.span, debate);
    }
    /// The call ended with this gRPC status (`OK`, `INVALID_ARGUMENT`). Without a word a call ends as `CANCELLED` when it is dropped.
    pub fn end(mut self, status: &'static str) {
        self.finish(status);
    }

    fn finish(&mut self, status: &'static str) {
        self.ended = true;
        let mut labels = vec![
            KeyValue::new(attribute::RPC_SYSTEM, "grpc"),
            KeyValue::new(attribute::RPC_METHOD, self.method.clone()),
            KeyValue::new(attribute::RPC_STATUS, status),
        ];
        self.span.set_attribute(attribute::RPC_STATUS, status);
        if is_the_servers_fault(status) {
            labels.push(KeyValue::new(attribute::ERROR_TYPE, status));
            self.span.set_attribute(attribute::ERROR_TYPE, status);
            self.span.set_status(Status::error(status));
        }
        if let Some(instruments) = &self.instruments {
            instruments.rpc(&labels, self.begun.elapsed());
        }
    }
}

impl Drop for RpcCall {
    fn drop(&mut self) {
        if !self.ended {
            self.finish(DROPPED);
        }
    }
}

/// Says of a call's span which debate it is about, and which trace to look at: viewers do not follow links backwards.
pub fn about(span: &Span, debate: &DebateId) {
    let root = TraceContext::of(debate, crate::SpanPlace::Debate, true);
    span.record(attribute::DEBATE, debate.as_str());
    span.set_attribute(attribute::DEBATE_TRACE, root.trace_hex());
}

/// The others speak of the caller.
fn is_the_servers_fault(status: &str) -> bool {
    matches!(status, "UNKNOWN" | "DEADLINE_EXCEEDED" | "UNIMPLEMENTED" | "INTERNAL" | "UNAVAILABLE" | "DATA_LOSS")
}

impl TraceContext {
    /// The context of the code span that runs now, where it is exported or belongs to a caller's trace.
    pub fn current() -> Option<Self> {
        Self::of_span(&Span::current())
    }
    fn of_span(span: &Span) -> Option<Self> {
        let context = span.context();
        let span = context.span();
        let known = span.span_context();
        Self::new(known.trace_id().to_bytes(), known.span_id().to_bytes(), known.is_sampled())
    }
}
