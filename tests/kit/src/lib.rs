//! What tests need around the product: real servers on free loopback ports.
//!
//! Invariant: nothing here is shipped, and every process that is started is stopped by its id when its owner is dropped.

mod nats;
mod port;

pub use nats::{NatsOptions, NatsServer, nats_servers};
pub use port::free_port;
