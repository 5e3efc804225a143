//! Traces and metrics of debates.
//!
//! The runtime tells an [`Observer`] what happens. The trace of a debate derives from its log: its ids are computed from
//! the debate's id, so that every process names the same spans with nothing stored or sent.
//!
//! Invariant: nothing here awaits a collector, fails a debate or changes one; no metric is labelled by debate or topic.

mod context;
mod observer;

pub use context::{Place, TraceContext};
pub use observer::*;
