//! The bus that actors talk over: a port, typed subjects, and the in-memory twin of the NATS adapter.
//!
//! Invariant: nothing here knows what the payloads mean, and nothing here is durable; whatever travels may be lost, doubled or late.

mod port;

pub use port::*;
