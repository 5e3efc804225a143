//! The bus over NATS.
//!
//! [`connect`] makes a [`NatsLink`], the connection that bus and store share; [`provision()`] sets up the streams of the bus;
//! [`NatsBus`] is the port. Two links are better than one: tokens then cannot delay anything else.
//!
//! What differs from the in-memory twin, because the server does not tell:
//! - [`crate::Bus::may_have_listeners`] is true while the connection stands.
//! - [`crate::Delivery::extend`] is true even when the lease has run out.
//! - [`crate::Received::Lagged`] counts the losses that the client reports, and one for each reconnect: whoever
//!   listens should read again what may have changed. Reads over the same connection see at least what was missed.
//! - Publishing succeeds when the message is on its way; whether it was permitted shows in [`NatsLink::state`] soon after.
//! - Hints and requests fail at once while the connection is being restored; pulls and listeners wait for it.
mod auth;
mod blob;
mod bus;
mod config;
mod envelope;
mod error;
mod fill;
mod hearing;
mod inbox;
mod keys;
mod link;
pub mod permissions;
pub mod provision;
mod queue;
mod state;
mod streams;

pub use bus::{NatsBus, QueueConfig};
pub use config::{NatsAuth, NatsConfig, NatsTls};
pub use error::NatsError;
pub use fill::{Fill, StreamWatch};
pub use keys::{KeyFileError, is_public_key, make_key};
pub use link::{ANSWERS, API, HOSTS_API, NatsLink, connect};
pub use state::{Access, LinkState, PermissionViolation};
pub use streams::{BLOB_STREAM, ProvisionConfig, QUEUE_STREAM, Storage, check, provision, provision_queues};
