//! What tests need around the product: real servers on free loopback ports.
//!
//! Invariant: nothing here is shipped, and every process that is started is stopped by its id when its owner is dropped.

pub mod cluster;
mod dice;
mod engine;
mod events;
#[cfg(feature = "grpc")]
mod grpc;
mod http;
mod nats;
mod openai;
#[cfg(feature = "otlp")]
mod otlp;
mod patience;
mod port;
mod process;
mod proxy;
mod rehearsal;
mod stub;

pub use dice::SplitMix;
pub use engine::SearchEngine;
pub use events::answered;
#[cfg(feature = "grpc")]
pub use grpc::DynamicClient;
pub use http::http_get;
pub use nats::{NatsOptions, NatsServer, nats_servers};
pub use openai::{DoorCall, OpenAiDoor};
#[cfg(feature = "otlp")]
pub use otlp::{OtlpSink, SinkSpan};
pub use patience::until;
pub use port::free_port;
pub use process::{Process, cpu_seconds, peak_kib};
pub use proxy::TcpProxy;
pub use rehearsal::{Rehearsal, RehearsedCall};
pub use stub::{Duplex, HttpStub, StubAnswer};
