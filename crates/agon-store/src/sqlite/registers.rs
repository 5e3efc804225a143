//! The registers' table.
use super::writer::{Change, WriteError};
use super::{SqliteStore, backend};
use crate::live::Live;
use crate::port::{RegisterOutcome, Registers, StoreError};
use agon_core::{DebateId, TurnId, TurnResult};
use agon_proto::Wire as _;
use async_trait::async_trait;
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::sync::Arc;

/// Writes a result unless there is one.
struct Decide {
    debate: DebateId,
    turn: TurnId,
    result: Arc<TurnResult>,
    bytes: Bytes,
}

impl Change for Decide {
    /// What was there first, if something was.
    type Done = Option<Vec<u8>>;
    const FLUSHED: bool = false;

    fn run(&self, db: &Connection) -> rusqlite::Result<Self::Done> {
        let TurnId { round, seat, attempt } = self.turn;
        let written = db
            .prepare_cached(
                "INSERT OR IGNORE INTO registers (debate, round, seat, attempt, result) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![self.debate.as_str(), round, seat, attempt, self.bytes.as_ref()])?;
        if written == 1 { Ok(None) } else { find(db, &self.debate, self.turn) }
    }

    fn committed(&self, done: &Self::Done, live: &Live) {
        if done.is_none() {
            live.decided(&self.debate, self.turn, &self.result);
        }
    }
}

#[async_trait]
impl Registers for SqliteStore {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        let (bytes, result) = (result.to_bytes(), Arc::new(result));
        let change = Decide { debate: debate.clone(), turn, result: Arc::clone(&result), bytes };
        match self.writer.write(change).await.map_err(WriteError::into_store)? {
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

fn find(db: &Connection, debate: &DebateId, turn: TurnId) -> rusqlite::Result<Option<Vec<u8>>> {
    let TurnId { round, seat, attempt } = turn;
    db.prepare_cached("SELECT result FROM registers WHERE debate = ?1 AND round = ?2 AND seat = ?3 AND attempt = ?4")?
        .query_row(params![debate.as_str(), round, seat, attempt], |row| row.get(0))
        .optional()
}
