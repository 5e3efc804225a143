//! The table of request ids.
use super::writer::{Change, WriteError};
use super::{SqliteStore, backend, unreadable};
use crate::live::Live;
use crate::port::{REQUESTS_KEPT, REQUESTS_PURGED, Requests, StoreError};
use agon_core::{TenantId, Timestamp};
use agon_proto::{RequestClaim, Wire as _};
use async_trait::async_trait;
use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, params};

/// Writes a claim unless there is one, and removes a few that are too old.
struct RequestIdClaim {
    tenant: TenantId,
    request: String,
    bytes: Bytes,
    now: Timestamp,
}
impl Change for RequestIdClaim {
    /// What was there first, if something was.
    type Done = Option<Vec<u8>>;
    const FLUSHED: bool = true;
    fn run(&self, db: &Connection) -> rusqlite::Result<Self::Done> {
        let first = find(db, &self.tenant, &self.request)?;
        if first.is_some() {
            return Ok(first);
        }
        let kept = u64::try_from(REQUESTS_KEPT.as_millis()).unwrap_or(u64::MAX);
        let oldest = Timestamp(self.now.0.saturating_sub(kept));
        db.prepare_cached(
            "DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests WHERE at < ?1 ORDER BY at LIMIT ?2)",
        )?
        .execute(params![oldest.0.cast_signed(), REQUESTS_PURGED as i64])?;
        db.prepare_cached("INSERT INTO requests (tenant, request, claim, at) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![self.tenant.as_str(), self.request, self.bytes.as_ref(), self.now.0.cast_signed()])?;
        Ok(None)
    }
    fn committed(&self, _done: &Self::Done, _live: &Live) {}
}

#[async_trait]
impl Requests for SqliteStore {
    async fn claim(
        &self,
        tenant: &TenantId,
        request_id: &str,
        claim: RequestClaim,
    ) -> Result<RequestClaim, StoreError> {
        let request = request_id.to_owned();
        let change = RequestIdClaim { tenant: tenant.clone(), request, bytes: claim.to_bytes(), now: self.clock.now() };
        match self.writer.write(change).await.map_err(WriteError::into_store)? {
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

fn find(db: &Connection, tenant: &TenantId, request: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT claim FROM requests WHERE tenant = ?1 AND request = ?2")?
        .query_row(params![tenant.as_str(), request], |row| row.get(0))
        .optional()
}

fn decode(tenant: &TenantId, request: &str, bytes: &[u8]) -> Result<RequestClaim, StoreError> {
    RequestClaim::from_bytes(bytes)
        .map_err(|error| unreadable(&format!("what request {request:?} of {tenant} stands for"), &error))
}
