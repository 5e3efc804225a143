//! Looking after what is stored.
use crate::chain::{self, Hash};
use crate::condition::Condition;
use crate::owner::LocalState;
use crate::port::StoreError;
use agon_core::{DebateId, Position, Priority, Record, Timestamp, TurnId};
use agon_proto::{Chained, decode_record};
use async_trait::async_trait;
use bytes::Bytes;

/// So many debates are listed at once where all are asked for.
const PAGE: u32 = 500;

/// Checking, copying and removing logs. Not needed to run a debate.
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Recomputes a log's hash chain and compares everything that is stored beside it. The first damage is a
    /// [`StoreError::Damaged`] that names the record.
    async fn verify(&self, debate: &DebateId) -> Result<VerifiedLog, StoreError>;
    /// The records of a log as they are stored, unchecked; an unknown debate has none.
    async fn raw_records(&self, debate: &DebateId) -> Result<Vec<RawRecord>, StoreError>;
    /// Removes the registers of a debate that is over; its log holds what counted. Of a debate with turns, those of other turns may stay.
    async fn purge_registers(&self, debate: &DebateId, turns: &[TurnId]) -> Result<(), StoreError>;
    /// Every debate, newest first, from the logs themselves. A cursor that names no debate is [`StoreError::NotFound`]. May take
    /// long where there are many: [`crate::Catalogue`] is what users page through. A log that cannot be read is left out.
    async fn list(&self, page: ListPage) -> Result<Vec<DebateHead>, StoreError>;
    /// Every debate that has a log, in any order.
    async fn debates(&self) -> Result<Vec<DebateId>, StoreError> {
        let mut debates: Vec<DebateId> = Vec::new();
        loop {
            let page = self.list(ListPage { limit: PAGE, after: debates.last().cloned() }).await?;
            if page.is_empty() {
                return Ok(debates);
            }
            debates.extend(page.into_iter().map(|head| head.id));
        }
    }
    /// How a debate stands that was not submitted to a server and has not ended; nothing of any other. Only a file of one machine
    /// has such debates.
    async fn local(&self, _debate: &DebateId) -> Result<Option<LocalState>, StoreError> {
        Ok(None)
    }
    /// Gives such a debate to the servers of this store, with a job, and says how it stood. Where a process plays it, it stays that one's.
    async fn hand_over(&self, _debate: &DebateId, _priority: Priority) -> Result<Option<LocalState>, StoreError> {
        Ok(None)
    }
    /// How the store is, as it was last looked at; asks nothing.
    fn condition(&self) -> Condition {
        Condition::default()
    }
    /// Whether the log of a debate that was admitted then, and not deleted, is gone: its stream was deleted or purged. Asks nothing where
    /// that cannot be.
    async fn is_lost(&self, _debate: &DebateId, _admitted: Timestamp) -> Result<bool, StoreError> {
        Ok(false)
    }
    /// Looks anew at where the log of a debate is kept, for [`Upkeep::is_lost`] goes by the last look. Fails where that is not there.
    async fn look_again(&self, _debate: &DebateId) -> Result<(), StoreError> {
        Ok(())
    }
    /// Removes a debate: log, registers, job, orders and, last of all, catalogue entry. Whether there was a log. Its writer, if there still is
    /// one, is fenced. What a failed one has left is removed by the next.
    async fn delete(&self, debate: &DebateId) -> Result<bool, StoreError>;
}

/// A page of a listing: debates admitted before the cursor.
#[derive(Clone, Debug)]
pub struct ListPage {
    /// At most so many.
    pub limit: u32,
    /// Continue after this debate.
    pub after: Option<DebateId>,
}

/// What a listing shows of a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebateHead {
    /// Which.
    pub id: DebateId,
    /// Its last event.
    pub last: Position,
    /// When its first record was appended.
    pub admitted: Timestamp,
    /// When its last record was appended.
    pub updated: Timestamp,
    /// Whether its last event ends it.
    pub ended: bool,
}

/// A log that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedLog {
    /// How many records it has.
    pub records: u64,
    /// How many events its records hold.
    pub events: u64,
    /// The hash of its last record, which stands for the whole log.
    pub head_hash: Hash,
}

/// A record as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRecord {
    /// Position of its first event.
    pub first: Position,
    /// Position of its last event.
    pub last: Position,
    /// Its bytes, protobuf `agon.debate.v1.Record`.
    pub body: Bytes,
    /// The hash of the body, which the next record names.
    pub hash: Hash,
}

/// Walks along a log and checks that each record continues the one before.
pub(crate) struct LogWalk<'a> {
    debate: &'a DebateId,
    /// The hash of the record before; unknown when the walk starts inside a log.
    prev: Option<Hash>,
    /// The position before the next record; unknown when the walk starts inside a log.
    last: Option<Position>,
    records: u64,
}

impl<'a> LogWalk<'a> {
    /// From a log's first record.
    pub(crate) fn from_start(debate: &'a DebateId) -> Self {
        Self { debate, prev: Some(chain::genesis(debate)), last: Some(Position(0)), records: 0 }
    }
    /// From any record.
    pub(crate) fn from_inside(debate: &'a DebateId) -> Self {
        Self { debate, prev: None, last: None, records: 0 }
    }
    /// Checks the next record.
    pub(crate) fn step(&mut self, raw: &RawRecord) -> Result<Record, StoreError> {
        let expected = self.last.map_or(raw.first, Position::next);
        if raw.first != expected {
            let detail = format!("the record is missing, or its position column is wrong (next is {})", raw.first.0);
            return Err(self.damage(expected, &detail));
        }
        let decoded = decode_record(&raw.body);
        let prev = match (&self.prev, &decoded) {
            (Some(prev), _) => *prev,
            (None, Ok(chained)) => chained.prev_hash,
            (None, Err(error)) => return Err(self.damage(expected, &format!("cannot be read: {error}"))),
        };
        if chain::link(&prev, &raw.body) != raw.hash {
            return Err(self.damage(expected, "its hash does not fit its bytes"));
        }
        let Chained { record, prev_hash } = decoded.map_err(|error| self.damage(expected, &error.to_string()))?;
        if prev_hash != prev {
            return Err(self.damage(expected, "it does not continue the record before it"));
        }
        if (record.first, record.last()) != (raw.first, raw.last) {
            return Err(self.damage(expected, "its position columns do not fit its content"));
        }
        self.prev = Some(raw.hash);
        self.last = Some(record.last());
        self.records += 1;
        Ok(record)
    }
    /// What was walked, if it began at the start.
    pub(crate) fn verified(&self) -> Option<VerifiedLog> {
        Some(VerifiedLog { records: self.records, events: self.last?.0, head_hash: self.prev? })
    }
    /// The position at which the next record is expected.
    pub(crate) fn next(&self) -> Position {
        self.last.map_or(Position(0), Position::next)
    }
    /// Damage at a position of this log.
    pub(crate) fn damage(&self, at: Position, detail: &str) -> StoreError {
        let detail = format!("record {}: {detail}", self.records + 1);
        StoreError::Damaged { debate: self.debate.clone(), at, detail }
    }
}
