//! The ports.
use agon_core::{DebateId, Position, Priority, Record, TenantId, TurnId, TurnResult};
use agon_proto::{CancelOrder, RequestClaim};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// Why a store could not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The database, file or server failed.
    #[error("the store failed: {0}")]
    Backend(String),
    /// What is stored is not what was written.
    #[error("debate {debate}: the log is damaged at event {at}: {detail}", at = at.0)]
    Damaged {
        /// Which debate.
        debate: DebateId,
        /// First event of the damaged record.
        at: Position,
        /// What is wrong.
        detail: String,
    },
    /// There is no such debate.
    #[error("there is no debate {0}")]
    NotFound(DebateId),
    /// It holds as much as it may.
    #[error("{0} is full")]
    Full(String),
}

/// Why a record was not appended.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// Somebody else appended first: the caller no longer owns the debate, or never did.
    #[error("the log has moved on to event {}", last.0)]
    Fenced {
        /// Last event of the log.
        last: Position,
    },
    /// The answer was lost: the record may stand in the log or not. [`append_settled`] finds out.
    #[error("it is unknown whether the record was appended: {0}")]
    Unsure(String),
    /// The store refused; nothing was written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The event logs of all debates. Append-only, fenced, hash-chained.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Appends `record` if and only if `record.first` is the log's last position plus one.
    async fn append(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError>;
    /// The records that hold events after `after`, in order. Records that are still in memory are shared, not copied. An unknown
    /// debate has none; one whose log is gone, although the reader has seen events of it, is [`StoreError::NotFound`].
    ///
    /// An answer that is not empty may stop short of what another process appended meanwhile; an empty one never does. So whoever
    /// needs the end of a log that others may write reads on until nothing comes, or is told by [`AppendError::Fenced`].
    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError>;
    /// Drops what is held in memory for a debate that is over.
    fn forget(&self, debate: &DebateId);
}

/// The write-once registers of turns: the first writer decides what became of a try.
#[async_trait]
pub trait Registers: Send + Sync {
    /// Writes `result` unless the register is decided. Returns what it holds then, and whether that is the caller's.
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError>;
    /// What the register holds.
    async fn get(&self, debate: &DebateId, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError>;
}

/// What a register holds after a write.
#[derive(Clone, Debug)]
pub struct RegisterOutcome {
    /// The result that counts.
    pub result: Arc<TurnResult>,
    /// Whether this call wrote it.
    pub won: bool,
}

/// The queue of debates that want an owner. A hint: a lost or doubled job does no harm, because the log fences. A job leaves it when its
/// debate is claimed; who finds debates whose owner is gone is told by the catalogue.
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Adds a job unless there is one for the debate. A queue that is at its limit is [`StoreError::Full`].
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError>;
    /// Adds a job for a debate that nobody plays. One that is there says nothing, for its taker may be gone: it is replaced.
    async fn renew(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError>;
    /// Takes a free job, if there is one: the oldest of a priority, and of the priorities each by its weight. It is free again after `lease`.
    async fn take(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError>;
    /// Removes a job that is done.
    async fn complete(&self, job: &Job) -> Result<(), StoreError>;
    /// Gives a job back, free after `delay`.
    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError>;
}

/// A job that somebody holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The debate that is to be played.
    pub debate: DebateId,
    /// Random token of this lease; an old holder's token is refused.
    pub token: u64,
    /// How often the job was taken, this time included.
    pub deliveries: u32,
}

/// How many orders are told at once.
pub(crate) const ORDERS_AT_ONCE: usize = 1_000;

/// Lasting orders to whoever owns a debate. The first order of a debate counts.
#[async_trait]
pub trait Commands: Send + Sync {
    /// Orders a debate to be ended; returns the order that counts.
    async fn order_cancel(&self, debate: &DebateId, order: CancelOrder) -> Result<CancelOrder, StoreError>;
    /// The order to end a debate, if there is one.
    async fn cancel_ordered(&self, debate: &DebateId) -> Result<Option<CancelOrder>, StoreError>;
    /// The orders that were given after the cursor, oldest first, and the cursor behind them. Without a cursor: none, and the present
    /// end. A long backlog comes in several answers, the last of which is empty.
    async fn orders_after(&self, cursor: Option<Cursor>) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError>;
}

/// A place among the orders of all debates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(pub u64);

/// How long a request id is remembered at least.
pub const REQUESTS_KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How many older ones a new claim removes at most, so that none has much to do.
pub(crate) const REQUESTS_PURGED: usize = 16;

/// What the request ids of clients stand for. Remembered for a week at least.
#[async_trait]
pub trait Requests: Send + Sync {
    /// Writes `claim` unless the tenant has used the id before; returns what stands.
    async fn claim(&self, tenant: &TenantId, request_id: &str, claim: RequestClaim)
    -> Result<RequestClaim, StoreError>;
    /// What the tenant's id stands for, if it was used.
    async fn claimed(&self, tenant: &TenantId, request_id: &str) -> Result<Option<RequestClaim>, StoreError>;
}

/// Appends a record and settles lost answers by reading the tail and comparing the record's nonce.
///
/// This is the only way in which an owner may append (see `docs/adr/0002`). [`AppendError::Unsure`] means that the record is not in the log
/// as far as can be seen, yet may still arrive: the caller may only try the same record again, which succeeds in either case.
pub async fn append_settled(
    journal: &dyn Journal,
    debate: &DebateId,
    record: Record,
) -> Result<Arc<Record>, AppendError> {
    let nonce = record.nonce;
    let before = Position(record.first.0.saturating_sub(1));
    let unsettled = match journal.append(debate, record).await {
        // Fenced may be one's own earlier try that arrived late.
        Err(error @ (AppendError::Unsure(_) | AppendError::Fenced { .. })) => error,
        settled @ (Ok(_) | Err(AppendError::Store(_))) => return settled,
    };
    let tail = match journal.read(debate, before).await {
        Ok(tail) => tail,
        // Not even the tail can be seen: still nothing is known, and nothing but the same record may be tried.
        Err(error) => return Err(AppendError::Unsure(format!("{unsettled}; then {error}"))),
    };
    match tail.as_slice() {
        [] => Err(unsettled),
        [own] if own.nonce == nonce => Ok(own.clone()),
        [.., last] => Err(AppendError::Fenced { last: last.last() }),
    }
}

/// Nothing happened: that is no record.
pub(crate) fn empty_record() -> AppendError {
    AppendError::Store(StoreError::Backend("a record needs at least one event".to_owned()))
}
