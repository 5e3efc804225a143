//! The table of request ids.
use super::writer::Flush;
use super::{SqliteStore, backend, unreadable};
use crate::port::{REQUESTS_KEPT, REQUESTS_PURGED, Requests, StoreError};
use agon_core::{TenantId, Timestamp};
use agon_proto::{RequestClaim, Wire as _};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, params};

#[async_trait]
impl Requests for SqliteStore {
    async fn claim(
        &self,
        tenant: &TenantId,
        request_id: &str,
        claim: RequestClaim,
    ) -> Result<RequestClaim, StoreError> {
        let (of, request, bytes, now) = (tenant.clone(), request_id.to_owned(), claim.to_bytes(), self.clock.now());
        match self.write(Flush::Now, move |db| write(db, (&of, &request), &bytes, now)).await? {
            None => Ok(claim),
            Some(first) => decode(tenant, request_id, &first),
        }
    }

    async fn claimed(&self, tenant: &TenantId, request_id: &str) -> Result<Option<RequestClaim>, StoreError> {
        let (of, request) = (tenant.clone(), request_id.to_owned());
        let bytes = self.readers.run(move |db| find(db, &of, &request).map_err(backend)).await?;
        bytes.map(|bytes| decode(tenant, request_id, &bytes)).transpose()
    }
}

/// Writes a claim unless there is one, and removes a few that are too old. What was there first, if something was.
fn write(
    db: &Connection,
    (tenant, request): (&TenantId, &str),
    bytes: &[u8],
    now: Timestamp,
) -> rusqlite::Result<Option<Vec<u8>>> {
    let first = find(db, tenant, request)?;
    if first.is_some() {
        return Ok(first);
    }
    let kept = u64::try_from(REQUESTS_KEPT.as_millis()).unwrap_or(u64::MAX);
    let oldest = now.0.saturating_sub(kept);
    db.prepare_cached(
        "DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests WHERE at < ?1 ORDER BY at LIMIT ?2)",
    )?
    .execute(params![oldest.cast_signed(), REQUESTS_PURGED as i64])?;
    db.prepare_cached("INSERT INTO requests (tenant, request, claim, at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![tenant.as_str(), request, bytes, now.0.cast_signed()])?;
    Ok(None)
}

fn find(db: &Connection, tenant: &TenantId, request: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT claim FROM requests WHERE tenant = ?1 AND request = ?2")?
        .query_row(params![tenant.as_str(), request], |row| row.get(0))
        .optional()
}

fn decode(tenant: &TenantId, request: &str, bytes: &[u8]) -> Result<RequestClaim, StoreError> {
    RequestClaim::from_bytes(bytes)
        .map_err(|error| unreadable(&format!("what request {request:?} of {tenant} stands for"), &error))
}
