//! The orders' table.
use super::journal::number;
use super::writer::Flush;
use super::{SqliteStore, backend, unreadable};
use crate::port::{Commands, Cursor, ORDERS_AT_ONCE, StoreError};
use agon_core::DebateId;
use agon_proto::{CancelOrder, Wire as _};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, params};

#[async_trait]
impl Commands for SqliteStore {
    async fn order_cancel(&self, debate: &DebateId, order: CancelOrder) -> Result<CancelOrder, StoreError> {
        let (of, bytes) = (debate.clone(), order.to_bytes());
        match self.write(Flush::Now, move |db| give(db, &of, &bytes)).await? {
            None => Ok(order),
            Some(first) => decode(debate, &first),
        }
    }

    async fn cancel_ordered(&self, debate: &DebateId) -> Result<Option<CancelOrder>, StoreError> {
        let of = debate.clone();
        let bytes = self.readers.run(move |db| find(db, &of).map_err(backend)).await?;
        bytes.map(|bytes| decode(debate, &bytes)).transpose()
    }

    async fn orders_after(&self, cursor: Option<Cursor>) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError> {
        self.readers
            .run(move |db| match cursor {
                None => end(db).map(|end| (Vec::new(), end)).map_err(backend),
                Some(cursor) => after(db, cursor),
            })
            .await
    }
}

/// Writes an order unless there is one. What was there first, if something was.
fn give(db: &Connection, debate: &DebateId, bytes: &[u8]) -> rusqlite::Result<Option<Vec<u8>>> {
    // Looked up first: an ignored insert would use up a number.
    if let Some(first) = find(db, debate)? {
        return Ok(Some(first));
    }
    db.prepare_cached("INSERT INTO orders (debate, body) VALUES (?1, ?2)")?.execute(params![debate.as_str(), bytes])?;
    Ok(None)
}

fn decode(debate: &DebateId, bytes: &[u8]) -> Result<CancelOrder, StoreError> {
    CancelOrder::from_bytes(bytes).map_err(|error| unreadable(&format!("the order to end {debate}"), &error))
}

fn find(db: &Connection, debate: &DebateId) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT body FROM orders WHERE debate = ?1")?
        .query_row([debate.as_str()], |row| row.get(0))
        .optional()
}

/// The number of the last order. Numbers are never used again, so it does not matter that removed orders are not seen.
fn end(db: &Connection) -> rusqlite::Result<Cursor> {
    db.prepare_cached("SELECT ifnull(max(number), 0) FROM orders")?.query_row([], |row| number(row, 0)).map(Cursor)
}

fn after(db: &Connection, cursor: Cursor) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError> {
    let sql = "SELECT number, debate, body FROM orders WHERE number > ?1 ORDER BY number LIMIT ?2";
    let mut statement = db.prepare_cached(sql).map_err(backend)?;
    let rows = statement
        .query_map(params![i64::try_from(cursor.0).unwrap_or(i64::MAX), ORDERS_AT_ONCE as i64], |row| {
            Ok((number(row, 0)?, row.get::<_, String>(1)?, row.get::<_, Vec<u8>>(2)?))
        })
        .map_err(backend)?;
    let (mut orders, mut end) = (Vec::new(), cursor);
    for row in rows {
        let (place, debate, bytes) = row.map_err(backend)?;
        let debate = DebateId::parse(&debate).map_err(|error| unreadable("an order", &error))?;
        let order = decode(&debate, &bytes)?;
        orders.push((debate, order));
        end = Cursor(place);
    }
    Ok((orders, end))
}
