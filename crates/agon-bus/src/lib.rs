//! The bus that actors talk over: a port, typed subjects, the NATS adapter, and its in-memory twin.
//!
//! Hints ([`Bus::publish`]) may be lost, requests ([`Bus::request`]) are answered by one of those that serve, work
//! ([`Bus::enqueue`]) is handed out under leases and comes again until somebody acknowledges it.
//!
//! Invariant: nothing here knows what the payloads mean, and nothing here is durable; whatever travels may be lost, doubled or late.

mod backlog;
#[cfg(feature = "contract")]
pub mod contract;
#[cfg(feature = "faults")]
mod faults;
mod memory;
pub mod nats;
mod pattern;
mod port;
pub mod subject;

#[cfg(feature = "faults")]
pub use faults::{FaultCounts, Faults, FaultyBus};
pub use memory::{MemoryBus, MemoryBusLimits};
pub use pattern::matches;
pub use port::*;
