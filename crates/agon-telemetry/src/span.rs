//! Finished spans, made whole: with ids, times and parents of our own choice, which the SDK's tracer does not allow.
use crate::context::TraceContext;
use crate::names::{SCHEMA, SCOPE, attribute};
use agon_core::Timestamp;
use opentelemetry::trace::{Event, Link, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{InstrumentationScope, KeyValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use serde::Serialize;
use std::borrow::Cow;
use std::time::{Duration, SystemTime};

pub(crate) struct SpanDraft(SpanData);

impl SpanDraft {
    /// A span that lasts from `from` to `to`, or no time at all where the clock ran backwards.
    pub(crate) fn new(
        name: impl Into<Cow<'static, str>>,
        context: TraceContext,
        from: Timestamp,
        to: Timestamp,
    ) -> Self {
        Self(SpanData {
            span_context: span_context(&context, false),
            parent_span_id: SpanId::INVALID,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: name.into(),
            start_time: moment(from),
            end_time: moment(to.max(from)),
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: scope(),
        })
    }
    pub(crate) fn kind(mut self, kind: SpanKind) -> Self {
        self.0.span_kind = kind;
        self
    }
    pub(crate) fn under(mut self, parent: [u8; 8]) -> Self {
        self.0.parent_span_id = SpanId::from_bytes(parent);
        self
    }
    pub(crate) fn set(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.0.attributes.push(KeyValue::new(key, value));
        self
    }
    /// An attribute that may be unknown: then it is absent.
    pub(crate) fn maybe(self, key: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.set(key, value),
            None => self,
        }
    }
    pub(crate) fn count(self, key: &'static str, count: u64) -> Self {
        self.set(key, i64::try_from(count).unwrap_or(i64::MAX))
    }
    /// A count that may be unknown.
    pub(crate) fn maybe_count(self, key: &'static str, count: Option<u64>) -> Self {
        match count {
            Some(count) => self.count(key, count),
            None => self,
        }
    }
    /// Milliseconds, told in seconds.
    pub(crate) fn maybe_millis(self, key: &'static str, millis: Option<u64>) -> Self {
        self.maybe(key, millis.map(seconds))
    }
    pub(crate) fn failed(mut self, error_type: String, description: Option<String>) -> Self {
        self.0.status = Status::error(description.unwrap_or_else(|| error_type.clone()));
        self.set(attribute::ERROR_TYPE, error_type)
    }
    /// Something that happened on the way.
    pub(crate) fn event(mut self, name: &'static str, at: Timestamp, attributes: Vec<KeyValue>) -> Self {
        self.0.events.events.push(Event::new(name, moment(at), attributes, 0));
        self
    }
    /// A link into another trace. Never inside one: viewers take that for a second parent.
    pub(crate) fn link(mut self, to: &TraceContext) -> Self {
        self.0.links.links.push(Link::with_context(span_context(to, true)));
        self
    }
    pub(crate) fn done(self) -> SpanData {
        self.0
    }
}

/// The same context as the SDK has it.
pub(crate) fn span_context(context: &TraceContext, remote: bool) -> SpanContext {
    let flags = if context.sampled() { TraceFlags::SAMPLED } else { TraceFlags::NOT_SAMPLED };
    let (trace, span) = (TraceId::from_bytes(context.trace_id()), SpanId::from_bytes(context.span_id()));
    SpanContext::new(trace, span, flags, remote, TraceState::NONE)
}

/// What all spans and metrics say of where they come from.
pub(crate) fn scope() -> InstrumentationScope {
    InstrumentationScope::builder(SCOPE).with_version(env!("CARGO_PKG_VERSION")).with_schema_url(SCHEMA).build()
}

/// Milliseconds in seconds.
pub(crate) fn seconds(millis: u64) -> f64 {
    Duration::from_millis(millis).as_secs_f64()
}

/// The name that files and events use for a value of an enumeration.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => "other".to_owned(),
    }
}

fn moment(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(at.0)).unwrap_or(SystemTime::UNIX_EPOCH)
}
