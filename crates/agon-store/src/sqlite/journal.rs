//! The journal's tables.
use super::writer::{Flush, WriteError};
use super::{SqliteStore, backend};
use crate::chain::{self, Hash};
use crate::live::{Live, ends};
use crate::port::{AppendError, Journal, StoreError, empty_record};
use crate::upkeep::{LogWalk, RawRecord};
use agon_core::{DebateId, Position, Record};
use agon_proto::encode_record;
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::sync::Arc;

/// The log has moved on to here.
struct Fenced(Position);

struct JournalHead {
    id: i64,
    last: Position,
    hash: Hash,
}

/// Appends one record, or finds where the log stands.
fn append(db: &Connection, debate: &DebateId, record: &Record) -> rusqlite::Result<Result<(), Fenced>> {
    let head = db
        .prepare_cached("SELECT id, last, last_hash FROM debates WHERE debate = ?1")?
        .query_row([debate.as_str()], |row| {
            Ok(JournalHead { id: row.get(0)?, last: Position(number(row, 1)?), hash: row.get(2)? })
        })
        .optional()?;
    let last = head.as_ref().map_or(Position(0), |head| head.last);
    if record.first != last.next() {
        return Ok(Err(Fenced(last)));
    }
    let prev = head.as_ref().map_or_else(|| chain::genesis(debate), |head| head.hash);
    let body = encode_record(record, &prev);
    let hash = chain::link(&prev, &body);
    let id = move_head(db, (debate, record), head, &hash)?;
    if ends(record) {
        db.prepare_cached("DELETE FROM local_debates WHERE debate = ?1")?.execute([debate.as_str()])?;
    }
    db.prepare_cached("INSERT INTO records (debate, first, last, body, hash) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![id, record.first.0.cast_signed(), record.last().0.cast_signed(), body, hash])?;
    Ok(Ok(()))
}

/// Moves the debate's head to this record.
fn move_head(
    db: &Connection,
    (debate, record): (&DebateId, &Record),
    head: Option<JournalHead>,
    hash: &Hash,
) -> rusqlite::Result<i64> {
    let last = record.last().0.cast_signed();
    let (at, ended) = (record.at.0.cast_signed(), ends(record));
    if let Some(head) = head {
        db.prepare_cached(
            "UPDATE debates SET records = records + 1, last = ?2, last_hash = ?3, updated = ?4, ended = ?5 WHERE id = ?1",
        )?
        .execute(params![head.id, last, hash, at, ended])?;
        return Ok(head.id);
    }
    db.prepare_cached(
        "INSERT INTO debates (debate, records, last, last_hash, admitted, updated, ended) VALUES (?1, 1, ?2, ?3, ?4, ?4, ?5)",
    )?
    .execute(params![debate.as_str(), last, hash, at, ended])?;
    Ok(db.last_insert_rowid())
}

#[async_trait]
impl Journal for SqliteStore {
    async fn append(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        if record.events.is_empty() {
            return Err(empty_record());
        }
        let record = Arc::new(record);
        let (of, noted_of) = (debate.clone(), debate.clone());
        let (new, noted) = (Arc::clone(&record), Arc::clone(&record));
        let note = move |done: &Result<(), Fenced>, live: &Live| match done {
            Ok(()) => live.appended(&noted_of, &noted),
            // Somebody else writes: what is held here is not the tail.
            Err(Fenced(_)) => live.forget(&noted_of),
        };
        match self.writer.write(Flush::Now, move |db| append(db, &of, &new), note).await {
            Ok(Ok(())) => Ok(record),
            Ok(Err(Fenced(last))) => Err(AppendError::Fenced { last }),
            Err(refused @ (WriteError::Refused(_) | WriteError::Full(_))) => {
                Err(AppendError::Store(refused.into_store()))
            }
            Err(WriteError::Unsure(detail)) => Err(AppendError::Unsure(detail)),
        }
    }

    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        if let Some(records) = self.live.read(debate, after) {
            return Ok(records);
        }
        let debate = debate.clone();
        self.readers.run(move |db| read(db, &debate, after)).await
    }

    fn forget(&self, debate: &DebateId) {
        self.live.forget(debate);
    }
}

fn read(db: &Connection, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
    let mut walk = if after.0 == 0 { LogWalk::from_start(debate) } else { LogWalk::from_inside(debate) };
    let mut records = Vec::new();
    each_raw(db, debate, after, |raw| {
        records.push(Arc::new(walk.step(&raw.map_err(backend)?)?));
        Ok(())
    })?;
    Ok(records)
}

/// Calls `visit` with each stored record that holds events after `after`, in order.
pub(super) fn each_raw(
    db: &Connection,
    debate: &DebateId,
    after: Position,
    mut visit: impl FnMut(rusqlite::Result<RawRecord>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut statement = db
        .prepare_cached(
            "SELECT r.first, r.last, r.body, r.hash FROM debates d JOIN records r ON r.debate = d.id
             WHERE d.debate = ?1 AND r.last > ?2 ORDER BY r.last",
        )
        .map_err(backend)?;
    // The bits of a larger number would be those of a negative one, after which everything comes.
    let after = i64::try_from(after.0).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![debate.as_str(), after], |row| {
        Ok(RawRecord {
            first: Position(number(row, 0)?),
            last: Position(number(row, 1)?),
            body: row.get::<_, Vec<u8>>(2)?.into(),
            hash: row.get(3)?,
        })
    });
    rows.map_err(backend)?.try_for_each(&mut visit)
}

/// A column that holds an unsigned number. SQLite has signed ones only; the bits are the same.
pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}
