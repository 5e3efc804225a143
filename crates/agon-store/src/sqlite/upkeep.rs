//! Checking, copying and removing logs.
use super::journal::{each_raw, number};
use super::trouble::said;
use super::writer::{Flush, WriteError};
use super::{SqliteStore, backend};
use crate::chain::Hash;
use crate::condition::Condition;
use crate::live::ends;
use crate::owner::LocalState;
use crate::port::StoreError;
use crate::upkeep::{DebateHead, ListPage, LogWalk, RawRecord, Upkeep, VerifiedLog};
use agon_core::{DebateId, Position, Priority, Timestamp, TurnId};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, params};

#[async_trait]
impl Upkeep for SqliteStore {
    async fn verify(&self, debate: &DebateId) -> Result<VerifiedLog, StoreError> {
        let debate = debate.clone();
        self.readers.run(move |db| verify(db, &debate)).await
    }

    fn condition(&self) -> Condition {
        if let Some(what) = self.writer.full().what() {
            let full = vec![format!("{what} is full; free space on it")];
            return Condition { full: full.clone(), exhausted: full, ..Condition::default() };
        }
        let trouble = self.writer.trouble().borrow().clone().filter(|trouble| !trouble.full);
        let broken = trouble.map(|trouble| format!("the store cannot be written: {}", trouble.detail));
        Condition { broken: Vec::from_iter(broken), ..Condition::default() }
    }

    async fn raw_records(&self, debate: &DebateId) -> Result<Vec<RawRecord>, StoreError> {
        let debate = debate.clone();
        self.readers
            .run(move |db| {
                let mut records = Vec::new();
                each_raw(db, &debate, Position(0), |raw| {
                    records.push(raw.map_err(backend)?);
                    Ok(())
                })?;
                Ok(records)
            })
            .await
    }

    async fn purge_registers(&self, debate: &DebateId, _turns: &[TurnId]) -> Result<(), StoreError> {
        self.remove(debate, |db, debate| {
            db.prepare_cached("DELETE FROM registers WHERE debate = ?1")?.execute([debate.as_str()]).map(drop)
        })
        .await
    }

    async fn list(&self, page: ListPage) -> Result<Vec<DebateHead>, StoreError> {
        self.readers.run(move |db| list(db, page)).await
    }

    async fn local(&self, debate: &DebateId) -> Result<Option<LocalState>, StoreError> {
        self.local_of(debate).await
    }

    async fn hand_over(&self, debate: &DebateId, priority: Priority) -> Result<Option<LocalState>, StoreError> {
        self.to_servers(debate, priority).await
    }

    async fn delete(&self, debate: &DebateId) -> Result<bool, StoreError> {
        self.remove(debate, delete).await
    }
}

impl SqliteStore {
    /// Removes something of a debate from the tables, and the debate from memory.
    async fn remove<T: Send + 'static>(
        &self,
        debate: &DebateId,
        run: impl Fn(&Connection, &DebateId) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (of, forgotten) = (debate.clone(), debate.clone());
        let removed = self.writer.write(Flush::Now, move |db| run(db, &of), move |_, live| live.forget(&forgotten));
        removed.await.map_err(WriteError::into_store)
    }
}

fn delete(db: &Connection, debate: &DebateId) -> rusqlite::Result<bool> {
    let debate = [debate.as_str()];
    for table in ["registers", "jobs", "orders", "catalogue", "vectors", "local_debates"] {
        db.execute(&format!("DELETE FROM {table} WHERE debate = ?1"), debate)?;
    }
    db.execute("DELETE FROM records WHERE debate = (SELECT id FROM debates WHERE debate = ?1)", debate)?;
    Ok(db.execute("DELETE FROM debates WHERE debate = ?1", debate)? == 1)
}

fn list(db: &Connection, page: ListPage) -> Result<Vec<DebateHead>, StoreError> {
    let before = match page.after {
        None => i64::MAX,
        Some(cursor) => db
            .prepare_cached("SELECT id FROM debates WHERE debate = ?1")
            .and_then(|mut cached| cached.query_row([cursor.as_str()], |row| row.get(0)).optional())
            .map_err(backend)?
            .ok_or(StoreError::NotFound(cursor))?,
    };
    let mut statement = db
        .prepare_cached(
            "SELECT debate, last, admitted, updated, ended FROM debates WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
        )
        .map_err(backend)?;
    let heads = statement.query_map(params![before, page.limit], |row| {
        Ok((row.get::<_, String>(0)?, number(row, 1)?, number(row, 2)?, number(row, 3)?, row.get(4)?))
    });
    let head = |row: rusqlite::Result<(String, u64, u64, u64, bool)>| {
        let (id, last, admitted, updated, ended) = row.map_err(backend)?;
        let id = DebateId::parse(&id).map_err(|error| StoreError::Backend(error.to_string()))?;
        let (last, admitted, updated) = (Position(last), Timestamp(admitted), Timestamp(updated));
        Ok(DebateHead { id, last, admitted, updated, ended })
    };
    heads.map_err(backend)?.map(head).collect()
}

/// What the table of debates says about a log.
#[derive(PartialEq)]
struct LogRow {
    verified: VerifiedLog,
    admitted: Timestamp,
    updated: Timestamp,
    ended: u64,
}

fn verify(db: &Connection, debate: &DebateId) -> Result<VerifiedLog, StoreError> {
    let mut walk = LogWalk::from_start(debate);
    let head = head(db, debate)
        .map_err(|error| walk.damage(Position(0), &format!("the debate's head cannot be read: {error}")))?
        .ok_or_else(|| StoreError::NotFound(debate.clone()))?;
    let (mut admitted, mut updated, mut ended) = (None, Timestamp(0), 0);
    each_raw(db, debate, Position(0), |raw| {
        // A row that SQLite itself cannot read is damage too, where the next record should be.
        let raw = raw.map_err(|error| walk.damage(walk.next(), &said(&error)))?;
        let record = walk.step(&raw)?;
        admitted.get_or_insert(record.at);
        updated = record.at;
        ended = u64::from(ends(&record));
        Ok(())
    })?;
    let missing = || walk.damage(walk.next(), "records are missing at the end of the log");
    let (Some(verified), Some(admitted)) = (walk.verified(), admitted) else { return Err(missing()) };
    if verified.events < head.verified.events {
        return Err(missing());
    }
    let walked = LogRow { verified, admitted, updated, ended };
    if walked != head {
        let last = Position(walked.verified.events);
        let detail = "the debate's head does not fit its last record".to_owned();
        return Err(StoreError::Damaged { debate: debate.clone(), at: last, detail });
    }
    Ok(walked.verified)
}

fn head(db: &Connection, debate: &DebateId) -> rusqlite::Result<Option<LogRow>> {
    db.prepare_cached("SELECT records, last, last_hash, admitted, updated, ended FROM debates WHERE debate = ?1")?
        .query_row([debate.as_str()], |row| {
            let verified =
                VerifiedLog { records: number(row, 0)?, events: number(row, 1)?, head_hash: row.get::<_, Hash>(2)? };
            let (admitted, updated) = (Timestamp(number(row, 3)?), Timestamp(number(row, 4)?));
            Ok(LogRow { verified, admitted, updated, ended: number(row, 5)? })
        })
        .optional()
}
