//! The jobs' table. A held job stays in it; its lease is the time at which it is free again.
use super::SqliteStore;
use super::writer::{Change, WriteError};
use crate::live::Live;
use crate::port::{Job, Jobs, StoreError};
use crate::weighted_fairness::{WeightedRoundRobin, full};
use agon_core::{DebateId, Priority, Timestamp};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Adds a job.
struct Enqueue {
    debate: DebateId,
    priority: Priority,
    now: Timestamp,
    limit: NonZeroUsize,
}
impl Change for Enqueue {
    /// Whether there is a job now.
    type Done = bool;
    const FLUSHED: bool = false;
    fn run(&self, db: &Connection) -> rusqlite::Result<bool> {
        let sql = "INSERT OR IGNORE INTO jobs (debate, priority, free_at, deliveries)
                   SELECT ?1, ?2, ?3, 0 WHERE (SELECT sum(jobs) FROM shares) < ?4";
        let (limit, now) = (i64::try_from(self.limit.get()).unwrap_or(i64::MAX), self.now.0.cast_signed());
        let added = db.prepare_cached(sql)?.execute(params![self.debate.as_str(), rank(self.priority), now, limit])?;
        if added == 1 {
            return Ok(true);
        }
        db.prepare_cached("SELECT 1 FROM jobs WHERE debate = ?1")?.exists([self.debate.as_str()])
    }
    fn committed(&self, _done: &bool, _live: &Live) {}
}

/// How a priority is stored.
fn rank(priority: Priority) -> i64 {
    match priority {
        Priority::Interactive => 0,
        Priority::Normal => 1,
        Priority::Batch => 2,
    }
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
        let mut free = Vec::with_capacity(Priority::ALL.len());
        for priority in Priority::ALL {
            free.extend(self.first(db, priority)?.map(|number| (priority, number)));
        }
        let Some(number) = choose(db, &free)? else { return Ok(None) };
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
impl Take {
    /// The job of a priority that has been free the longest.
    fn first(&self, db: &Connection, priority: Priority) -> rusqlite::Result<Option<i64>> {
        let sql = "SELECT number FROM jobs WHERE priority = ?1 AND free_at <= ?2 ORDER BY free_at, number LIMIT 1";
        db.prepare_cached(sql)?
            .query_row(params![rank(priority), self.now.0.cast_signed()], |row| row.get(0))
            .optional()
    }
}

/// Which of the free jobs is taken. The credits are stored, so that all processes share the queue out as one.
fn choose(db: &Connection, free: &[(Priority, i64)]) -> rusqlite::Result<Option<i64>> {
    let number = |of: Priority| free.iter().find(|(priority, _)| *priority == of).map(|(_, number)| *number);
    match free {
        [] => return Ok(None),
        [(_, only)] => return Ok(Some(*only)),
        [_, _, ..] => {}
    }
    let mut shares = credits(db)?;
    let Some(served) = shares.order().into_iter().find(|priority| number(*priority).is_some()) else { return Ok(None) };
    shares.charge(served, |priority| number(priority).is_some());
    let mut update = db.prepare_cached("UPDATE shares SET credit = ?2 WHERE priority = ?1")?;
    for priority in Priority::ALL {
        update.execute(params![rank(priority), shares.credit(priority)])?;
    }
    Ok(number(served))
}

fn credits(db: &Connection) -> rusqlite::Result<WeightedRoundRobin> {
    let mut statement = db.prepare_cached("SELECT credit FROM shares WHERE priority = ?1")?;
    let mut credits = Vec::with_capacity(Priority::ALL.len());
    for priority in Priority::ALL {
        credits.push((priority, statement.query_row([rank(priority)], |row| row.get(0))?));
    }
    Ok(WeightedRoundRobin::new(credits))
}

/// A change of a job that only its holder may make.
struct ByHolder {
    job: Job,
    step: JobStep,
}
enum JobStep {
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
            JobStep::Extend { until } => db
                .prepare_cached("UPDATE jobs SET free_at = ?3 WHERE debate = ?1 AND token = ?2")?
                .execute(params![debate, token, until.0.cast_signed()]),
            JobStep::Release { until } => db
                .prepare_cached(
                    "UPDATE jobs SET free_at = ?3, owner = NULL, token = NULL WHERE debate = ?1 AND token = ?2",
                )?
                .execute(params![debate, token, until.0.cast_signed()]),
            JobStep::Complete => {
                db.prepare_cached("DELETE FROM jobs WHERE debate = ?1 AND token = ?2")?.execute(params![debate, token])
            }
        };
        Ok(changed? == 1)
    }
    fn committed(&self, _done: &bool, _live: &Live) {}
}

#[async_trait]
impl Jobs for SqliteStore {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        let limit = self.max_jobs;
        let change = Enqueue { debate: debate.clone(), priority, now: self.clock.now(), limit };
        match self.writer.write(change).await.map_err(WriteError::into_store)? {
            true => Ok(()),
            false => Err(full(limit)),
        }
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
        self.by_holder(job, JobStep::Extend { until: self.time_after(lease) }).await
    }

    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        self.by_holder(job, JobStep::Complete).await.map(drop)
    }

    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        self.by_holder(job, JobStep::Release { until: self.time_after(delay) }).await.map(drop)
    }
}

impl SqliteStore {
    async fn by_holder(&self, job: &Job, step: JobStep) -> Result<bool, StoreError> {
        self.writer.write(ByHolder { job: job.clone(), step }).await.map_err(WriteError::into_store)
    }
    fn time_after(&self, after: Duration) -> Timestamp {
        self.clock.now().plus(u64::try_from(after.as_millis()).unwrap_or(u64::MAX))
    }
}
