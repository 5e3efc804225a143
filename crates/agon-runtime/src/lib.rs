//! The actors that hold debates, and the supervision that keeps them at it.
//!
//! A [`Node`] is the process: a supervisor of coordinators, one per debate, and a supervisor of hosts, one per model
//! server. A coordinator is the shell around `agon_core::Debate`: it decides, appends to the journal, applies, and
//! performs what is outstanding. A turn travels as an offer to the host that holds the debate's prompts, or by the
//! model's queue to any that has room; there a participant plays it and writes its result to a write-once register.
//! Whatever travels is a hint, and whatever dies is rebuilt from the journal.
//!
//! Several nodes share a bus and a store. They hear of each other by signs of life; the catalogue tells who owned what,
//! so that the survivors take over what a dead node leaves, and a sweeper finds whatever stands still all the same.
//!
//! ```text
//! root ── coordinators ── coordinator (per debate)
//!      └─ hosts ── host ── gate (per model: breaker and permits)
//!                      └── cell (per debate) ── participant (per speaker with an open turn)
//! ```
//!
//! Invariant: no rule of debates stands here, no actor awaits a model, every task has an owner, and no state that
//! matters lives in an actor alone.

mod agenda;
mod ahead;
mod aimd;
mod announce;
mod cell;
mod clock;
mod config;
mod contexts;
mod coordinator;
mod coordinators;
mod deltas;
mod desk;
mod directory;
mod discovery;
mod ears;
mod failure;
mod feeds;
mod figures;
mod gate;
mod held;
mod helpers;
#[cfg(any(test, feature = "test-hooks"))]
mod hooks;
mod host;
mod hosts;
mod intake;
mod leases;
mod ledger;
mod needs;
mod node;
mod notes;
mod offer;
mod orders;
mod participant;
mod peers;
mod permits;
mod puller;
mod recall;
mod replay;
mod replica;
mod request;
mod root;
mod roster;
mod seat;
mod shared;
mod shares;
mod speeds;
mod subjects;
mod succession;
mod supervision;
mod sweeper;
mod taker;
mod tasks;
mod time_left;
mod told;
mod trouble;
mod turn;
mod vectors;
mod watch;

pub use agon_proto::TokenDelta;
pub use agon_telemetry::{Observer, Silent};
pub use clock::{Clock, SystemClock, TokioClock};
pub use config::{HostConfig, NodeConfig, Ports, Served, Times};
pub use directory::KnownHost;
pub use figures::QueueWatch;
#[cfg(any(test, feature = "test-hooks"))]
pub use hooks::{Death, Victim};
pub use node::{CancelError, DrainError, Node, NodeDown, ResumeError, StartError, Stats, SubmitError};
pub use peers::KnownNode;
pub use recall::{Embedder, MOST_COMPARED, MOST_EMBEDDED, RecallError, past_debate, recall};
pub use speeds::Speeds;
pub use subjects::queue_token;
pub use watch::{Watch, WatchError, Watched};
