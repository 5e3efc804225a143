//! What must hold of a cluster whatever dies: reads its logs, checks them, and follows its debates as clients do.
//!
//! The program of this crate, which `cargo xtask chaos` and `cargo xtask failover` run, kills and cuts a cluster at random; the
//! whole-system tests use the same checks.
//!
//! Invariant: nothing here is shipped, and a check says what is wrong with a log without help from the code that wrote it.

mod check;
mod client;
mod intruder;
mod logs;

pub use agon_proto::pb::v1::debate::State;
pub use check::{InvariantBreach, RawLog, Settled, check, settled};
pub use client::{GatewayClient, WatchRecord, is_terminal};
pub use logs::{Logs, owner};
