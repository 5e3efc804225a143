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
mod live;
mod lock;
mod memory;
mod nats;
mod owner;
mod port;
mod shares;
mod sqlite;
mod upkeep;

#[cfg(test)]
mod contract;

pub use agon_proto::{CancelOrder, RequestClaim, Summary, SummaryState};
pub use cards::Cards;
pub use catalogue::{Catalogue, DebateVectors, ListState, Place, Query, Standing, supersedes};
pub use condition::Condition;
pub use memory::MemoryStore;
pub use nats::{NatsCache, NatsLimits, NatsStorage, NatsStore, NatsStoreConfig, NatsStoreError, NatsUse};
pub use owner::{Claimed, Local, OWNER_SILENT_MS, Owner};
pub use port::*;
pub use shares::DEFAULT_MAX_JOBS;
pub use sqlite::{Clock, OpenError, SqliteOptions, SqliteStore, SyncMode, Trouble};
pub use upkeep::{DebateHead, Page, RawRecord, Upkeep, Verified};
