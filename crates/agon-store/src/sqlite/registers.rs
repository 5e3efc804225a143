//! The registers' table.
use super::writer::{Flush, WriteError};
use super::{SqliteStore, backend};
use crate::port::{RegisterOutcome, Registers, StoreError};
use agon_core::{DebateId, TurnId, TurnResult};
use agon_proto::Wire as _;
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::sync::Arc;

#[async_trait]
impl Registers for SqliteStore {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        let (bytes, result) = (result.to_bytes(), Arc::new(result));
        let (of, noted_of, noted) = (debate.clone(), debate.clone(), Arc::clone(&result));
        let written = self.writer.write(
            Flush::Later,
            move |db| write(db, &of, turn, &bytes),
            move |first, live| {
                if first.is_none() {
                    live.decided(&noted_of, turn, &noted);
                }
            },
        );
        match written.await.map_err(WriteError::into_store)? {
            None => Ok(RegisterOutcome { result, won: true }),
            Some(first) => Ok(RegisterOutcome { result: self.known(debate, turn, &first)?, won: false }),
        }
    }

    async fn get(&self, debate: &DebateId, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError> {
        if let Some(result) = self.live.result(debate, turn) {
            return Ok(Some(result));
        }
        let of = debate.clone();
        let bytes = self.readers.run(move |db| find(db, &of, turn).map_err(backend)).await?;
        bytes.map(|bytes| self.known(debate, turn, &bytes)).transpose()
    }
}

impl SqliteStore {
    /// A result that is in the table.
    fn known(&self, debate: &DebateId, turn: TurnId, bytes: &[u8]) -> Result<Arc<TurnResult>, StoreError> {
        let result = TurnResult::from_bytes(bytes)
            .map_err(|error| StoreError::Backend(format!("register {turn} of {debate} cannot be read: {error}")))?;
        let result = Arc::new(result);
        self.live.decided(debate, turn, &result);
        Ok(result)
    }
}

/// Writes a result unless there is one. What was there first, if something was.
fn write(db: &Connection, debate: &DebateId, turn: TurnId, bytes: &[u8]) -> rusqlite::Result<Option<Vec<u8>>> {
    let TurnId { round, seat, attempt } = turn;
    let sql = "INSERT OR IGNORE INTO registers (debate, round, seat, attempt, result) VALUES (?1, ?2, ?3, ?4, ?5)";
    let written = db.prepare_cached(sql)?.execute(params![debate.as_str(), round, seat, attempt, bytes])?;
    if written == 1 { Ok(None) } else { find(db, debate, turn) }
}

fn find(db: &Connection, debate: &DebateId, turn: TurnId) -> rusqlite::Result<Option<Vec<u8>>> {
    let TurnId { round, seat, attempt } = turn;
    db.prepare_cached("SELECT result FROM registers WHERE debate = ?1 AND round = ?2 AND seat = ?3 AND attempt = ?4")?
        .query_row(params![debate.as_str(), round, seat, attempt], |row| row.get(0))
        .optional()
}
