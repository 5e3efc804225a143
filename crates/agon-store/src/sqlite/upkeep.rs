//! Checking, copying and removing logs.
use super::journal::{each_raw, number};
use super::writer::{Change, WriteError};
use super::{SqliteStore, backend};
use crate::chain::Hash;
use crate::live::{Live, ends};
use crate::port::StoreError;
use crate::upkeep::{RawRecord, Upkeep, Verified, Walk};
use agon_core::{DebateId, Position, Timestamp};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _};

struct PurgeRegisters(DebateId);
impl Change for PurgeRegisters {
    type Done = ();
    const FLUSHED: bool = true;
    fn run(&self, db: &Connection) -> rusqlite::Result<()> {
        db.prepare_cached("DELETE FROM registers WHERE debate = ?1")?.execute([self.0.as_str()]).map(drop)
    }
    fn committed(&self, (): &(), live: &Live) {
        live.forget(&self.0);
    }
}

struct Delete(DebateId);
impl Change for Delete {
    type Done = bool;
    const FLUSHED: bool = true;
    fn run(&self, db: &Connection) -> rusqlite::Result<bool> {
        let debate = [self.0.as_str()];
        db.execute("DELETE FROM registers WHERE debate = ?1", debate)?;
        db.execute("DELETE FROM jobs WHERE debate = ?1", debate)?;
        db.execute("DELETE FROM records WHERE debate = (SELECT id FROM debates WHERE debate = ?1)", debate)?;
        Ok(db.execute("DELETE FROM debates WHERE debate = ?1", debate)? == 1)
    }
    fn committed(&self, _done: &bool, live: &Live) {
        live.forget(&self.0);
    }
}

#[async_trait]
impl Upkeep for SqliteStore {
    async fn verify(&self, debate: &DebateId) -> Result<Verified, StoreError> {
        let debate = debate.clone();
        self.readers.run(move |db| verify(db, &debate)).await
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

    async fn purge_registers(&self, debate: &DebateId) -> Result<(), StoreError> {
        self.writer.write(PurgeRegisters(debate.clone())).await.map_err(WriteError::into_store)
    }

    async fn delete(&self, debate: &DebateId) -> Result<bool, StoreError> {
        self.writer.write(Delete(debate.clone())).await.map_err(WriteError::into_store)
    }
}

/// What the table of debates says about a log.
#[derive(PartialEq)]
struct Head {
    verified: Verified,
    admitted: Timestamp,
    updated: Timestamp,
    ended: u64,
}

fn verify(db: &Connection, debate: &DebateId) -> Result<Verified, StoreError> {
    let mut walk = Walk::from_start(debate);
    let head = head(db, debate)
        .map_err(|error| walk.damage(Position(0), &format!("the debate's head cannot be read: {error}")))?
        .ok_or_else(|| StoreError::NotFound(debate.clone()))?;
    let (mut admitted, mut updated, mut ended) = (None, Timestamp(0), 0);
    each_raw(db, debate, Position(0), |raw| {
        // A row that SQLite itself cannot read is damage too, where the next record should be.
        let raw = raw.map_err(|error| walk.damage(walk.next(), &error.to_string()))?;
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
    let walked = Head { verified, admitted, updated, ended };
    if walked != head {
        let last = Position(walked.verified.events);
        let detail = "the debate's head does not fit its last record".to_owned();
        return Err(StoreError::Damaged { debate: debate.clone(), at: last, detail });
    }
    Ok(walked.verified)
}

fn head(db: &Connection, debate: &DebateId) -> rusqlite::Result<Option<Head>> {
    db.prepare_cached("SELECT records, last, last_hash, admitted, updated, ended FROM debates WHERE debate = ?1")?
        .query_row([debate.as_str()], |row| {
            let verified =
                Verified { records: number(row, 0)?, events: number(row, 1)?, head_hash: row.get::<_, Hash>(2)? };
            let (admitted, updated) = (Timestamp(number(row, 3)?), Timestamp(number(row, 4)?));
            Ok(Head { verified, admitted, updated, ended: number(row, 5)? })
        })
        .optional()
}
