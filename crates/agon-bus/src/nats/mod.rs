//! The bus over NATS.
mod auth;
mod blob;
mod bus;
mod config;
mod envelope;
mod error;
mod inbox;
mod link;
pub mod permissions;
pub mod provision;
mod queue;
mod state;
mod streams;

pub use bus::{NatsBus, QueueConfig};
pub use config::{NatsAuth, NatsConfig, NatsTls};
pub use error::NatsError;
pub use link::{NatsLink, connect};
pub use state::{Access, LinkState, Violation};
pub use streams::{BLOB_STREAM, ProvisionConfig, QUEUE_STREAM, Storage, check, provision};
