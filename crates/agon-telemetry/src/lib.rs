//! Traces and metrics of debates.
//!
//! The runtime tells an [`Observer`] what happens. The trace of a debate derives from its log: its ids are computed from
//! the debate's id, so that every process names the same spans with nothing stored or sent.
//!
//! Invariant: nothing here awaits a collector, fails a debate or changes one; no metric is labelled by debate or topic.

mod cluster;
mod config;
mod content;
mod context;
mod export;
mod label_names;
mod logs;
mod metrics;
mod names;
mod observer;
mod pipeline;
mod rpc;
mod section;
mod span;
mod standstill;
mod story;
mod task;
mod telemetry;
mod tree;
mod try_spans;

pub use cluster::{ClusterFigures, ClusterMetrics, DebateFigures, StreamFigures};
pub use config::{Otlp, TelemetryConfig, TelemetryError};
pub use context::{SpanPlace, TraceContext};
pub use logs::{LogConfig, LogFormat};
pub use observer::*;
pub use rpc::{RpcCall, RpcServer, TRACED, about};
pub use telemetry::{Flushed, Telemetry};

/// The revision of the sources, as the build was told in `AGON_REVISION`; `unknown` where it was not.
pub const REVISION: &str = match option_env!("AGON_REVISION") {
    Some(revision) if !revision.is_empty() => revision,
    Some(_) | None => "unknown",
};
