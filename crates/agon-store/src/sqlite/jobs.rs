//! The jobs' table. A held job stays in it; its lease is the time at which it is free again.
use super::SqliteStore;
use super::writer::{Change, WriteError};
use crate::live::Live;
use crate::port::{Job, Jobs, StoreError};
use agon_core::{DebateId, Timestamp};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::time::Duration;

struct Enqueue {
    debate: DebateId,
    now: Timestamp,
}
impl Change for Enqueue {
    type Done = ();
    const FLUSHED: bool = false;
    fn run(&self, db: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT OR IGNORE INTO jobs (debate, free_at, deliveries) VALUES (?1, ?2, 0)";
        db.prepare_cached(sql)?.execute(params![self.debate.as_str(), self.now.0.cast_signed()]).map(drop)
    }
    fn committed(&self, (): &(), _live: &Live) {}
}

struct Take {
    owner: String,
    now: Timestamp,
    until: Timestamp,
}
impl Change for Take {
    type Done = Option<(String, i64, u32)>;
    const FLUSHED: bool = false;
    fn run(&self, db: &Connection) -> rusqlite::Result<Self::Done> {
        let free = db
            .prepare_cached("SELECT number FROM jobs WHERE free_at <= ?1 ORDER BY free_at, number LIMIT 1")?
            .query_row([self.now.0.cast_signed()], |row| row.get::<_, i64>(0))
            .optional()?;
        let Some(number) = free else { return Ok(None) };
        let sql = "UPDATE jobs SET owner = ?2, token = random(), free_at = ?3, deliveries = deliveries + 1
                   WHERE number = ?1 RETURNING debate, token, deliveries";
        db.prepare_cached(sql)?
            .query_row(params![number, self.owner, self.until.0.cast_signed()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()
    }
    fn committed(&self, _done: &Self::Done, _live: &Live) {}
}

/// A change of a job that only its holder may make.
struct ByHolder {
    job: Job,
    step: Step,
}
enum Step {
    Extend { until: Timestamp },
    Release { until: Timestamp },
    Complete,
}
impl Change for ByHolder {
    /// Whether the job was the caller's.
    type Done = bool;
    const FLUSHED: bool = false;
    fn run(&self, db: &Connection) -> rusqlite::Result<bool> {
        let (debate, token) = (self.job.debate.as_str(), self.job.token.cast_signed());
        let changed = match &self.step {
            Step::Extend { until } => db
                .prepare_cached("UPDATE jobs SET free_at = ?3 WHERE debate = ?1 AND token = ?2")?
                .execute(params![debate, token, until.0.cast_signed()]),
            Step::Release { until } => db
                .prepare_cached(
                    "UPDATE jobs SET free_at = ?3, owner = NULL, token = NULL WHERE debate = ?1 AND token = ?2",
                )?
                .execute(params![debate, token, until.0.cast_signed()]),
            Step::Complete => {
                db.prepare_cached("DELETE FROM jobs WHERE debate = ?1 AND token = ?2")?.execute(params![debate, token])
            }
        };
        Ok(changed? == 1)
    }
    fn committed(&self, _done: &bool, _live: &Live) {}
}

#[async_trait]
impl Jobs for SqliteStore {
    async fn enqueue(&self, debate: &DebateId) -> Result<(), StoreError> {
        let change = Enqueue { debate: debate.clone(), now: self.clock.now() };
        self.writer.write(change).await.map_err(WriteError::into_store)
    }

    async fn take(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        let change = Take { owner: owner.to_owned(), now: self.clock.now(), until: self.time_after(lease) };
        let Some((debate, token, deliveries)) = self.writer.write(change).await.map_err(WriteError::into_store)? else {
            return Ok(None);
        };
        let debate = DebateId::parse(&debate).map_err(|error| StoreError::Backend(error.to_string()))?;
        Ok(Some(Job { debate, token: token.cast_unsigned(), deliveries }))
    }

    async fn extend(&self, job: &Job, lease: Duration) -> Result<bool, StoreError> {
        self.by_holder(job, Step::Extend { until: self.time_after(lease) }).await
    }

    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        self.by_holder(job, Step::Complete).await.map(drop)
    }

    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        self.by_holder(job, Step::Release { until: self.time_after(delay) }).await.map(drop)
    }
}

impl SqliteStore {
    async fn by_holder(&self, job: &Job, step: Step) -> Result<bool, StoreError> {
        self.writer.write(ByHolder { job: job.clone(), step }).await.map_err(WriteError::into_store)
    }
    fn time_after(&self, after: Duration) -> Timestamp {
        self.clock.now().plus(u64::try_from(after.as_millis()).unwrap_or(u64::MAX))
    }
}
