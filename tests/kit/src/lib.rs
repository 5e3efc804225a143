//! What tests need around the product: real servers on free loopback ports.
//!
//! Invariant: nothing here is shipped, and every process that is started is stopped by its id when its owner is dropped.

#[cfg(feature = "grpc")]
mod grpc;
mod nats;
#[cfg(feature = "otlp")]
mod otlp;
mod port;

#[cfg(feature = "grpc")]
pub use grpc::DynamicClient;
pub use nats::{NatsOptions, NatsServer, nats_servers};
#[cfg(feature = "otlp")]
pub use otlp::{OtlpSink, SinkSpan};
pub use port::free_port;
