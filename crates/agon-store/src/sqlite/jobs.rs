//! The jobs' table. A held job stays in it; its lease is the time at which it is free again.
use super::SqliteStore;
use super::writer::Flush;
use crate::port::{Job, Jobs, StoreError};
use crate::weighted_fairness::{WeightedRoundRobin, full};
use agon_core::{DebateId, Priority, Timestamp};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::num::NonZeroUsize;
use std::time::Duration;

/// How a priority is stored.
fn rank(priority: Priority) -> i64 {
    priority.pick([0, 1, 2])
}

/// Adds a job; whether there is one now.
pub(super) fn enqueue(
    db: &Connection,
    debate: &DebateId,
    (priority, now): (Priority, Timestamp),
    limit: NonZeroUsize,
) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO jobs (debate, priority, free_at, deliveries)
               SELECT ?1, ?2, ?3, 0 WHERE (SELECT sum(jobs) FROM shares) < ?4";
    let (limit, now) = (i64::try_from(limit.get()).unwrap_or(i64::MAX), now.0.cast_signed());
    let added = db.prepare_cached(sql)?.execute(params![debate.as_str(), rank(priority), now, limit])?;
    if added == 1 {
        return Ok(true);
    }
    db.prepare_cached("SELECT 1 FROM jobs WHERE debate = ?1")?.exists([debate.as_str()])
}

/// Takes a job; its debate, token and deliveries.
fn take(
    db: &Connection,
    owner: &str,
    now: Timestamp,
    until: Timestamp,
) -> rusqlite::Result<Option<(String, i64, u32)>> {
    let mut free = Vec::with_capacity(Priority::ALL.len());
    for priority in Priority::ALL {
        free.extend(first(db, priority, now)?.map(|number| (priority, number)));
    }
    let Some(number) = choose(db, &free)? else { return Ok(None) };
    let sql = "UPDATE jobs SET owner = ?2, token = random(), free_at = ?3, deliveries = deliveries + 1
               WHERE number = ?1 RETURNING debate, token, deliveries";
    db.prepare_cached(sql)?
        .query_row(params![number, owner, until.0.cast_signed()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()
}

/// The job of a priority that has been free the longest.
fn first(db: &Connection, priority: Priority, now: Timestamp) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT number FROM jobs WHERE priority = ?1 AND free_at <= ?2 ORDER BY free_at, number LIMIT 1";
    db.prepare_cached(sql)?.query_row(params![rank(priority), now.0.cast_signed()], |row| row.get(0)).optional()
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

#[async_trait]
impl Jobs for SqliteStore {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        let (limit, debate, now) = (self.max_jobs, debate.clone(), self.clock.now());
        match self.write(Flush::Later, move |db| enqueue(db, &debate, (priority, now), limit)).await? {
            true => Ok(()),
            false => Err(full(limit)),
        }
    }

    async fn renew(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        let (of, now) = (debate.clone(), self.clock.now().0.cast_signed());
        let sql = "UPDATE jobs SET free_at = ?2, owner = NULL, token = NULL WHERE debate = ?1";
        self.write(Flush::Later, move |db| db.prepare_cached(sql)?.execute(params![of.as_str(), now]).map(drop))
            .await?;
        self.enqueue(debate, priority).await
    }

    async fn take(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        let (owner, now, until) = (owner.to_owned(), self.clock.now(), self.time_after(lease));
        let taken = self.write(Flush::Later, move |db| take(db, &owner, now, until)).await?;
        let Some((debate, token, deliveries)) = taken else { return Ok(None) };
        let debate = DebateId::parse(&debate).map_err(|error| StoreError::Backend(error.to_string()))?;
        Ok(Some(Job { debate, token: token.cast_unsigned(), deliveries }))
    }

    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        self.by_holder(job, "DELETE FROM jobs", None).await
    }

    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        let sql = "UPDATE jobs SET free_at = ?3, owner = NULL, token = NULL";
        self.by_holder(job, sql, Some(delay)).await
    }
}

impl SqliteStore {
    /// Frees the jobs that other processes than `owner` hold: the server that serves this file alone knows that they are gone.
    pub async fn free_jobs(&self, owner: &str) -> Result<(), StoreError> {
        let (owner, now) = (owner.to_owned(), self.clock.now().0.cast_signed());
        let sql = "UPDATE jobs SET free_at = min(free_at, ?2), owner = NULL, token = NULL WHERE owner <> ?1";
        self.write(Flush::Later, move |db| db.prepare_cached(sql)?.execute(params![owner, now]).map(drop)).await
    }

    /// A change of a job that only its holder may make. Its third parameter is the time when it is free again.
    async fn by_holder(&self, job: &Job, sql: &str, free_after: Option<Duration>) -> Result<(), StoreError> {
        let sql = format!("{sql} WHERE debate = ?1 AND token = ?2");
        let (debate, token) = (job.debate.clone(), job.token.cast_signed());
        let free_at = free_after.map(|after| self.time_after(after).0.cast_signed());
        self.write(Flush::Later, move |db| {
            let mut change = db.prepare_cached(&sql)?;
            let changed = match free_at {
                Some(free_at) => change.execute(params![debate.as_str(), token, free_at]),
                None => change.execute(params![debate.as_str(), token]),
            };
            changed.map(drop)
        })
        .await
    }
    fn time_after(&self, after: Duration) -> Timestamp {
        self.clock.now().plus(u64::try_from(after.as_millis()).unwrap_or(u64::MAX))
    }
}
