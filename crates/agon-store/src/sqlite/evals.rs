//! The tables of evals.
use super::journal::number;
use super::writer::{Flush, WriteError};
use super::{SqliteStore, backend};
use crate::chain::Hash;
use crate::evals::{
    EvalAppendError, EvalHead, EvalLogRecord, EvalLogs, EvalWalk, NewEvalRecord, check_cursor, check_size, genesis,
    link,
};
use crate::port::StoreError;
use agon_core::{DebateId, TenantId, Timestamp};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};

const HEAD: &str = "SELECT eval, records, last_hash, admitted, updated, ended, card FROM evals";

#[async_trait]
impl EvalLogs for SqliteStore {
    async fn append_eval(&self, eval: &DebateId, record: NewEvalRecord) -> Result<Hash, EvalAppendError> {
        check_size(&record)?;
        let of = eval.clone();
        match self.writer.write(Flush::Now, move |db| append(db, &of, &record), |_, _| {}).await {
            Ok(Ok(hash)) => Ok(hash),
            Ok(Err(records)) => Err(EvalAppendError::Fenced { records }),
            Err(WriteError::Unsure(detail)) => Err(EvalAppendError::Unsure(detail)),
            Err(refused @ (WriteError::Refused(_) | WriteError::Full(_))) => {
                Err(EvalAppendError::Store(refused.into_store()))
            }
        }
    }

    async fn read_eval(&self, eval: &DebateId, after: u64) -> Result<Vec<EvalLogRecord>, StoreError> {
        let eval = eval.clone();
        self.readers.run(move |db| read(db, &eval, after)).await
    }

    async fn list_evals(
        &self,
        tenant: &TenantId,
        before: Option<&DebateId>,
        limit: u32,
    ) -> Result<Vec<EvalHead>, StoreError> {
        let (tenant, before) = (tenant.clone(), check_cursor(tenant, before)?.cloned());
        self.readers.run(move |db| list(db, &tenant, before, limit)).await
    }

    async fn open_evals(&self) -> Result<Vec<EvalHead>, StoreError> {
        // one that `agon eval run` began is that process's, as its debates are
        let open = "ended = 0 AND NOT EXISTS (SELECT 1 FROM local_debates WHERE debate = eval)";
        self.readers.run(move |db| heads(db, open, [])).await
    }

    async fn eval_head(&self, eval: &DebateId) -> Result<Option<EvalHead>, StoreError> {
        let eval = eval.clone();
        let found = move |db: &Connection| find(db, &eval).map_err(backend)?.map(head).transpose();
        self.readers.run(found).await
    }

    async fn delete_eval(&self, eval: &DebateId) -> Result<bool, StoreError> {
        let of = eval.clone();
        let delete = move |db: &Connection| {
            db.execute("DELETE FROM eval_records WHERE eval = (SELECT id FROM evals WHERE eval = ?1)", [of.as_str()])?;
            db.execute("DELETE FROM local_debates WHERE debate = ?1", [of.as_str()])?;
            Ok(db.execute("DELETE FROM evals WHERE eval = ?1", [of.as_str()])? == 1)
        };
        self.write(Flush::Now, delete).await
    }
}

/// Appends one record, or tells how many there are.
fn append(db: &Connection, eval: &DebateId, record: &NewEvalRecord) -> rusqlite::Result<Result<Hash, u64>> {
    let known = db
        .prepare_cached("SELECT id, records, last_hash FROM evals WHERE eval = ?1")?
        .query_row([eval.as_str()], |row| Ok((row.get::<_, i64>(0)?, number(row, 1)?, row.get::<_, Hash>(2)?)))
        .optional()?;
    let records = known.as_ref().map_or(0, |(_, records, _)| *records);
    if records != record.after {
        return Ok(Err(records));
    }
    let at = record.at.0.cast_signed();
    let prev = known.as_ref().map_or_else(|| genesis(eval), |(_, _, hash)| *hash);
    let hash = link(&prev, record.at, &record.body);
    let id = match known {
        Some((id, ..)) => {
            db.prepare_cached(
                "UPDATE evals SET records = records + 1, last_hash = ?2, updated = ?3, ended = ?4, card = ?5 WHERE id = ?1",
            )?
            .execute(params![id, hash, at, record.ended, &record.card[..]])?;
            id
        }
        None => {
            db.prepare_cached(
                "INSERT INTO evals (eval, records, last_hash, admitted, updated, ended, card) VALUES (?1, 1, ?2, ?3, ?3, ?4, ?5)",
            )?
            .execute(params![eval.as_str(), hash, at, record.ended, &record.card[..]])?;
            db.last_insert_rowid()
        }
    };
    db.prepare_cached("INSERT INTO eval_records (eval, number, at, body, hash) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![id, records.saturating_add(1).cast_signed(), at, &record.body[..], hash])?;
    Ok(Ok(hash))
}

fn read(db: &Connection, eval: &DebateId, after: u64) -> Result<Vec<EvalLogRecord>, StoreError> {
    let mut statement = db
        .prepare_cached(
            "SELECT r.number, r.at, r.body, r.hash FROM evals e JOIN eval_records r ON r.eval = e.id
             WHERE e.eval = ?1 AND r.number > ?2 ORDER BY r.number",
        )
        .map_err(backend)?;
    let mut walk = EvalWalk::new(eval, after);
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![eval.as_str(), after], |row| {
        Ok(EvalLogRecord {
            number: number(row, 0)?,
            at: Timestamp(number(row, 1)?),
            body: row.get::<_, Vec<u8>>(2)?.into(),
            hash: row.get(3)?,
        })
    });
    rows.map_err(backend)?.map(|row| walk.step(row.map_err(backend)?)).collect()
}

type RawHead = (String, u64, Hash, u64, u64, bool, Vec<u8>);

fn raw_head(row: &Row<'_>) -> rusqlite::Result<RawHead> {
    Ok((row.get(0)?, number(row, 1)?, row.get(2)?, number(row, 3)?, number(row, 4)?, row.get(5)?, row.get(6)?))
}

fn head((id, records, hash, admitted, updated, ended, card): RawHead) -> Result<EvalHead, StoreError> {
    let id = DebateId::parse(&id).map_err(|error| StoreError::Backend(error.to_string()))?;
    let (admitted, updated) = (Timestamp(admitted), Timestamp(updated));
    Ok(EvalHead { id, records, hash, admitted, updated, ended, card: card.into() })
}

fn find(db: &Connection, eval: &DebateId) -> rusqlite::Result<Option<RawHead>> {
    db.prepare_cached(&format!("{HEAD} WHERE eval = ?1"))?.query_row([eval.as_str()], raw_head).optional()
}

fn list(db: &Connection, tenant: &TenantId, before: Option<DebateId>, limit: u32) -> Result<Vec<EvalHead>, StoreError> {
    let before: i64 = match before {
        None => i64::MAX,
        Some(cursor) => db
            .prepare_cached("SELECT id FROM evals WHERE eval = ?1")
            .and_then(|mut cached| cached.query_row([cursor.as_str()], |row| row.get(0)).optional())
            .map_err(backend)?
            .ok_or(StoreError::NotFound(cursor))?,
    };
    // an id of the default tenant names none
    let prefix = if *tenant == TenantId::default() { String::new() } else { format!("{tenant}/") };
    let own = "id < ?1 AND substr(eval, 1, length(?2)) = ?2 AND instr(substr(eval, length(?2) + 1), '/') = 0
        ORDER BY id DESC LIMIT ?3";
    heads(db, own, params![before, prefix, limit])
}

fn heads(db: &Connection, which: &str, params: impl Params) -> Result<Vec<EvalHead>, StoreError> {
    let mut statement = db.prepare_cached(&format!("{HEAD} WHERE {which}")).map_err(backend)?;
    let heads = statement.query_map(params, raw_head).map_err(backend)?;
    heads.map(|row| head(row.map_err(backend)?)).collect()
}
