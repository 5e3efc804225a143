//! The catalogue's table. Listings walk along an index from their cursor on, and read until enough debates fit.
use super::writer::Flush;
use super::{SqliteStore, backend, unreadable};
use crate::catalogue::{Catalogue, CatalogueQuery, DebateBacklog, DebateVectors, standing_of, supersedes};
use crate::port::StoreError;
use agon_core::{DebateId, ModelName, Timestamp};
use agon_proto::{DebateSummary, SummaryState, Wire as _};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Params, params};

/// The debates of all tenants behind a place, newest first.
pub(super) const EVERYWHERE: &str = "SELECT debate, summary FROM catalogue
    WHERE (admitted, debate) < (?2, ?3) AND admitted >= ?1 ORDER BY admitted DESC, debate DESC";
/// Those of one tenant.
pub(super) const IN_TENANT: &str = "SELECT debate, summary FROM catalogue
    WHERE tenant = ?4 AND (admitted, debate) < (?2, ?3) AND admitted >= ?1 ORDER BY admitted DESC, debate DESC";
/// What has not ended, oldest first.
pub(super) const UNFINISHED: &str = "SELECT debate, summary FROM catalogue WHERE ended = 0 ORDER BY admitted, debate";

#[async_trait]
impl Catalogue for SqliteStore {
    async fn note(&self, summary: DebateSummary) -> Result<(), StoreError> {
        self.write(Flush::Later, move |db| note(db, &summary)).await
    }

    async fn get_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        let of = debate.clone();
        let bytes = self.readers.run(move |db| find_bytes(db, &of).map_err(backend)).await?;
        bytes.map(|bytes| decode(debate.as_str(), &bytes)).transpose()
    }

    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        let query = query.clone();
        self.readers.run(move |db| find(db, &query)).await
    }

    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        self.readers
            .run(move |db| {
                collect(db, UNFINISHED, [], &CatalogueQuery { limit: usize::MAX, ..CatalogueQuery::default() })
            })
            .await
    }

    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        Ok(standing_of(&self.unfinished().await?))
    }

    async fn vectors(&self, model: &ModelName, debates: &[DebateId]) -> Result<DebateVectors, StoreError> {
        let (model, debates) = (model.clone(), debates.to_vec());
        self.readers.run(move |db| find_vectors(db, &model, debates).map_err(backend)).await
    }

    async fn keep_vectors(&self, model: &ModelName, vectors: DebateVectors) -> Result<(), StoreError> {
        let model = model.clone();
        self.write(Flush::Later, move |db| keep_vectors(db, &model, &vectors)).await
    }

    async fn strike(&self, debate: &DebateId) -> Result<(), StoreError> {
        let debate = debate.clone();
        self.write(Flush::Later, move |db| strike(db, &debate)).await
    }
}

/// Takes in a summary unless something newer is known.
fn note(db: &Connection, summary: &DebateSummary) -> rusqlite::Result<()> {
    let known = find_bytes(db, &summary.id)?;
    // What cannot be read is no loss: the log holds the truth.
    let known = known.and_then(|bytes| DebateSummary::from_bytes(&bytes).ok());
    if known.is_some_and(|known| !supersedes(summary, &known)) {
        return Ok(());
    }
    let ended = match &summary.state {
        SummaryState::Queued | SummaryState::Running { .. } => false,
        // no server has to look after it
        SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => true,
    };
    let (tenant, bytes) = (summary.id.tenant(), summary.to_bytes());
    db.prepare_cached(
        "INSERT INTO catalogue (debate, tenant, admitted, ended, summary) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (debate) DO UPDATE SET admitted = ?3, ended = ?4, summary = ?5",
    )?
    .execute(params![summary.id.as_str(), tenant.as_str(), order(summary.admitted), ended, bytes.as_ref()])
    .map(drop)
}

fn strike(db: &Connection, debate: &DebateId) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM vectors WHERE debate = ?1")?.execute([debate.as_str()])?;
    db.prepare_cached("DELETE FROM catalogue WHERE debate = ?1")?.execute([debate.as_str()]).map(drop)
}

/// Keeps vectors of debates that are listed.
fn keep_vectors(db: &Connection, model: &ModelName, vectors: &DebateVectors) -> rusqlite::Result<()> {
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO vectors (debate, model, vector)
         SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM catalogue WHERE debate = ?1)",
    )?;
    for (debate, vector) in vectors {
        let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        insert.execute(params![debate.as_str(), model.as_str(), bytes])?;
    }
    Ok(())
}

/// A time as SQLite orders it.
fn order(time: Timestamp) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}

fn decode(debate: &str, bytes: &[u8]) -> Result<DebateSummary, StoreError> {
    DebateSummary::from_bytes(bytes).map_err(|error| unreadable(&format!("the catalogue's entry of {debate}"), &error))
}

fn find_bytes(db: &Connection, debate: &DebateId) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT summary FROM catalogue WHERE debate = ?1")?
        .query_row([debate.as_str()], |row| row.get(0))
        .optional()
}

/// Vectors are a cache: one that cannot be read is not there.
fn find_vectors(db: &Connection, model: &ModelName, debates: Vec<DebateId>) -> rusqlite::Result<DebateVectors> {
    let mut select = db.prepare_cached("SELECT vector FROM vectors WHERE debate = ?1 AND model = ?2")?;
    let mut found = DebateVectors::new();
    for debate in debates {
        let bytes: Option<Vec<u8>> =
            select.query_row(params![debate.as_str(), model.as_str()], |row| row.get(0)).optional()?;
        let whole = |bytes: &Vec<u8>| bytes.len().is_multiple_of(size_of::<f32>());
        if let Some(bytes) = bytes.filter(whole) {
            let numbers =
                bytes.chunks_exact(size_of::<f32>()).filter_map(|four| Some(f32::from_le_bytes(four.try_into().ok()?)));
            found.insert(debate, numbers.collect());
        }
    }
    Ok(found)
}

fn find(db: &Connection, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
    let from = order(query.admitted_from.unwrap_or_default());
    // "~" comes after every id.
    let (before, id) = match query.upper() {
        None => (i64::MAX, "~".to_owned()),
        Some((before, id)) => (order(before), id.map_or_else(String::new, String::from)),
    };
    match &query.tenant {
        None => collect(db, EVERYWHERE, params![from, before, id], query),
        Some(tenant) => collect(db, IN_TENANT, params![from, before, id, tenant.as_str()], query),
    }
}

/// The first rows that fit.
fn collect(
    db: &Connection,
    sql: &str,
    params: impl Params,
    query: &CatalogueQuery,
) -> Result<Vec<DebateSummary>, StoreError> {
    let mut statement = db.prepare_cached(sql).map_err(backend)?;
    let rows = statement
        .query_map(params, |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)))
        .map_err(backend)?;
    let mut fitting = Vec::new();
    if query.limit == 0 {
        return Ok(fitting);
    }
    for row in rows {
        let (debate, bytes) = row.map_err(backend)?;
        let summary = decode(&debate, &bytes)?;
        if query.fits(&summary) {
            fitting.push(summary);
        }
        if fitting.len() == query.limit {
            break;
        }
    }
    Ok(fitting)
}
