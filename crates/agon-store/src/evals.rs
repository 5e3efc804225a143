//! The logs of evals, as a port.
use crate::chain::Hash;
use crate::port::StoreError;
use agon_core::{DebateId, TenantId, Timestamp};
use async_trait::async_trait;
use std::sync::Arc;

/// The most bytes of a record of an eval: the questions of the first one, which are 64 MiB at most, and what stands around them.
pub const MAX_EVAL_RECORD: usize = 80 * 1024 * 1024;

/// The logs of all evals. Append-only, fenced, hash-chained, opaque: what a record says is the eval's business.
///
/// An eval's id has the form of a debate's; the names of both are apart.
#[async_trait]
pub trait EvalLogs: Send + Sync {
    /// Appends a record if and only if the log holds [`NewEvalRecord::after`] records. The new record's hash.
    async fn append_eval(&self, eval: &DebateId, record: NewEvalRecord) -> Result<Hash, EvalAppendError>;
    /// The records after the first `after`, in order; checked against their chain. An unknown eval has none.
    async fn read_eval(&self, eval: &DebateId, after: u64) -> Result<Vec<EvalLogRecord>, StoreError>;
    /// The evals of a tenant that began before `before`, newest first; from the newest one without it.
    async fn list_evals(
        &self,
        tenant: &TenantId,
        before: Option<&DebateId>,
        limit: u32,
    ) -> Result<Vec<EvalHead>, StoreError>;
    /// The evals of all tenants that have not ended, in no particular order.
    async fn open_evals(&self) -> Result<Vec<EvalHead>, StoreError>;
    /// What is known of one eval without its log.
    async fn eval_head(&self, eval: &DebateId) -> Result<Option<EvalHead>, StoreError>;
    /// Removes an eval's log; whether there was one. Its debates stay.
    async fn delete_eval(&self, eval: &DebateId) -> Result<bool, StoreError>;
}

/// A record that is to be appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvalRecord {
    /// How many records the log must hold.
    pub after: u64,
    /// When.
    pub at: Timestamp,
    /// What it says; never empty, at most [`MAX_EVAL_RECORD`] bytes.
    pub body: Arc<[u8]>,
    /// What lists show of the eval from now on.
    pub card: Arc<[u8]>,
    /// Whether the eval is over.
    pub ended: bool,
}

/// A record of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalLogRecord {
    /// Its number, from 1.
    pub number: u64,
    /// When it was appended.
    pub at: Timestamp,
    /// What it says.
    pub body: Arc<[u8]>,
    /// BLAKE3 of the hash before it, its time and its bytes.
    pub hash: Hash,
}

/// What lists show of an eval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalHead {
    /// Which.
    pub id: DebateId,
    /// How many records its log has.
    pub records: u64,
    /// Hash of the last one.
    pub hash: Hash,
    /// Time of the first one.
    pub admitted: Timestamp,
    /// Time of the last one.
    pub updated: Timestamp,
    /// Whether it is over.
    pub ended: bool,
    /// What the last append gave.
    pub card: Arc<[u8]>,
}

/// Why a record of an eval was not appended.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EvalAppendError {
    /// Somebody else appended first: the caller no longer drives the eval, or never did.
    #[error("the eval's log has moved on to record {records}")]
    Fenced {
        /// How many records the log has.
        records: u64,
    },
    /// The answer was lost: the record may stand in the log or not. Reading the log tells.
    #[error("it is unknown whether the eval's record was appended: {0}")]
    Unsure(String),
    /// The record is empty or too long.
    #[error("a record of an eval has 1 to {MAX_EVAL_RECORD} bytes, not {0}")]
    Size(usize),
    /// The logs of evals hold as much as they may, their reserve for ends aside; nothing was written. It says what to do.
    #[error("the store of evals is full: {0}")]
    Full(String),
    /// The store refused; nothing was written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What the first record of an eval follows in the chain: BLAKE3 of `"agon eval v1\n"` and the eval's id.
pub(crate) fn genesis(eval: &DebateId) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"agon eval v1\n").update(eval.as_str().as_bytes());
    *hasher.finalize().as_bytes()
}

/// The hash of a record after the one with the hash `prev`.
pub(crate) fn link(prev: &Hash, at: Timestamp, body: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(prev).update(&at.0.to_le_bytes()).update(body);
    *hasher.finalize().as_bytes()
}

/// The cursor of a list, which is of the list's tenant.
pub(crate) fn check_cursor<'a>(
    tenant: &TenantId,
    before: Option<&'a DebateId>,
) -> Result<Option<&'a DebateId>, StoreError> {
    match before {
        Some(before) if before.tenant() != *tenant => Err(StoreError::NotFound(before.clone())),
        own => Ok(own),
    }
}

/// Whether a record may be appended at all.
pub(crate) fn check_size(record: &NewEvalRecord) -> Result<(), EvalAppendError> {
    let bytes = record.body.len();
    if (1..=MAX_EVAL_RECORD).contains(&bytes) { Ok(()) } else { Err(EvalAppendError::Size(bytes)) }
}

/// Checks a log's records against their chain as they are read. Reading from inside trusts the first hash.
pub(crate) struct EvalWalk {
    eval: DebateId,
    prev: Option<Hash>,
    number: u64,
}

impl EvalWalk {
    /// Before the record after the first `after`.
    pub(crate) fn new(eval: &DebateId, after: u64) -> Self {
        Self { eval: eval.clone(), prev: (after == 0).then(|| genesis(eval)), number: after }
    }

    /// Takes the next record.
    pub(crate) fn step(&mut self, record: EvalLogRecord) -> Result<EvalLogRecord, StoreError> {
        let damaged = |detail: String| StoreError::Backend(format!("eval {}: the log is damaged: {detail}", self.eval));
        self.number += 1;
        if record.number != self.number {
            return Err(damaged(format!("record {} is missing", self.number)));
        }
        if let Some(prev) = &self.prev
            && link(prev, record.at, &record.body) != record.hash
        {
            return Err(damaged(format!("record {} is not what was written", record.number)));
        }
        self.prev = Some(record.hash);
        Ok(record)
    }
}
