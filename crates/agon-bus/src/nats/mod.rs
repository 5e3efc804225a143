//! The bus over NATS.
mod auth;
mod config;
mod error;
mod link;
pub mod provision;
mod state;

pub use config::{NatsAuth, NatsConfig, NatsTls};
pub use error::NatsError;
pub use link::{NatsLink, connect};
pub use state::{Access, LinkState, Violation};
