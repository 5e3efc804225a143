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

mod base;
mod cluster;
mod evals;
mod host;
mod node;
mod owner;
mod recall;
mod room;
mod watch;

pub use agon_proto::TokenDelta;
pub use agon_telemetry::{Observer, Silent};
pub use base::clock::{Clock, SystemClock, TokioClock};
pub use base::config::{HostConfig, NodeConfig, Ports, Served, Times};
#[cfg(any(test, feature = "test-hooks"))]
pub use base::hooks::{Death, Victim};
pub use base::random::RandomSource;
pub use base::subjects::queue_token;
pub use cluster::KnownHost;
pub use cluster::KnownNode;
pub use evals::{
    CancelledEval, CellHolder, CellStanding, DriverConfig, DriverState, EvalDriver, EvalKeeper, EvalKeeperConfig,
    EvalLogError, EvalOrderError, EvalUpdate, HeldCell, HoldError, OpenEval, UnsettledTurns, admit_eval, cancel_eval,
    cell_admission, cell_standing, order_retry, read_eval,
};
pub use host::{Scheduling, Speeds};
pub use node::cluster_metrics::QueueWatch;
pub use node::{CancelError, DrainError, Node, NodeDown, NodeStats, PauseError, ResumeError, StartError, SubmitError};
pub use recall::{Embedder, MOST_COMPARED, MOST_EMBEDDED, RecallError, past_debate, recall};
pub use room::{DebateRefusal, DebateRoom, RoomLimits};
pub use watch::{Watch, WatchError, Watched};
