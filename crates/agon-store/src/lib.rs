//! What must survive: journal, write-once registers, job queue, orders, request ids and catalogue, as ports with their adapters and
//! their in-memory twin.
//!
//! [`SqliteStore`] and [`MemoryStore`] implement every port and pass the same contract suite; `docs/reference/storage.md` says what
//! is guaranteed. [`append_settled`] is the only way in which an owner may append.
//!
//! Invariant: nothing here knows a rule of debates; records are appended, fenced and read, never interpreted.

mod cards;
mod catalogue;
pub mod chain;
mod condition;
mod evals;
mod live;
mod lock;
mod memory;
mod nats;
mod owner;
mod port;
mod sqlite;
mod upkeep;
mod weighted_fairness;

#[cfg(test)]
mod contract;

pub use agon_proto::{CancelOrder, DebateSummary, RequestClaim, SummaryState};
pub use cards::Cards;
pub use catalogue::{
    Catalogue, CatalogueQuery, DebateBacklog, DebateVectors, ListCursor, ListState, OwnerTest, supersedes,
};
pub use condition::Condition;
pub use evals::{EvalAppendError, EvalHead, EvalLogRecord, EvalLogs, MAX_EVAL_RECORD, NewEvalRecord};
pub use memory::MemoryStore;
pub use nats::{NatsCache, NatsLimits, NatsStorage, NatsStore, NatsStoreConfig, NatsStoreError, NatsUse};
pub use owner::{Claimed, LocalState, OWNER_SILENT_MS, Owner};
pub use port::*;
pub use sqlite::{OpenError, SqliteOptions, SqliteStore, SyncMode, WallClock, WriteTrouble};
pub use upkeep::{DebateHead, ListPage, RawRecord, Upkeep, VerifiedLog};
pub use weighted_fairness::DEFAULT_MAX_JOBS;
