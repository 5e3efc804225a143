//! The debates that were not submitted to a server, and which process plays each. A row goes when its debate ends.
use super::jobs::enqueue;
use super::writer::{Flush, WriteError};
use super::{SqliteStore, backend};
use crate::live::Live;
use crate::owner::{Claimed, LocalState, Owner};
use crate::port::StoreError;
use agon_core::{DebateId, Halt, Priority, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::collections::BTreeMap;

/// A row, and whether its process lives at this moment.
struct LocalRow {
    paused: bool,
    owner: Option<(Owner, Timestamp)>,
}

const COLUMNS: &str = "debate, paused, pid, started, host, process_table, ticks, token, seen";

impl LocalRow {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let unsigned = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
        let paused = row.get(1)?;
        let Some(pid) = row.get(2)? else { return Ok(Self { paused, owner: None }) };
        let owner = Owner {
            pid,
            started: Timestamp(unsigned(3)?),
            host: row.get(4)?,
            table: row.get(5)?,
            ticks: unsigned(6)?,
            token: unsigned(7)?,
        };
        Ok(Self { paused, owner: Some((owner, Timestamp(unsigned(8)?))) })
    }

    fn at(self, now: Timestamp) -> LocalState {
        match self.owner {
            Some((owner, seen)) if owner.lives(seen, now) => LocalState::Played(owner),
            Some(_) | None if self.paused => LocalState::Halted(Halt::Paused),
            Some(_) | None => LocalState::Halted(Halt::Interrupted),
        }
    }
}

fn find(db: &Connection, debate: &DebateId) -> rusqlite::Result<Option<LocalRow>> {
    db.prepare_cached(&format!("SELECT {COLUMNS} FROM local_debates WHERE debate = ?1"))?
        .query_row([debate.as_str()], LocalRow::of)
        .optional()
}

/// Makes a process the one that plays a debate: a new one, or one that nobody plays.
fn claim(
    db: &Connection,
    debate: &DebateId,
    owner: &Owner,
    (new, now): (bool, Timestamp),
) -> rusqlite::Result<Claimed> {
    let logged = db
        .prepare_cached("SELECT ended FROM debates WHERE debate = ?1")?
        .query_row([debate.as_str()], |row| row.get::<_, bool>(0))
        .optional()?;
    match (logged, find(db, debate)?.map(|row| row.at(now))) {
        (_, Some(LocalState::Played(other))) if other.token != owner.token => return Ok(Claimed::Held(other)),
        (Some(false), None) if !new => return Ok(Claimed::Servers),
        (None, _) if new => {}
        (Some(false), Some(_)) if !new => {}
        _ => return Ok(Claimed::Refused),
    }
    let Owner { pid, started, host, table, ticks, token } = owner;
    let (started, now) = (started.0.cast_signed(), now.0.cast_signed());
    let (ticks, token) = (ticks.cast_signed(), token.cast_signed());
    db.prepare_cached(&format!(
        "INSERT OR REPLACE INTO local_debates ({COLUMNS}) VALUES (?1, 0, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    ))?
    .execute(params![debate.as_str(), pid, started, host, table, ticks, token, now])?;
    Ok(Claimed::Won)
}

impl SqliteStore {
    /// Makes this process the one that plays a debate which is about to be admitted. Until then the debate is unknown.
    pub async fn admit_local(&self, debate: &DebateId, owner: &Owner) -> Result<Claimed, StoreError> {
        self.claim_for(debate, owner, true).await
    }

    /// Makes this process the one that plays a local debate, unless another one does. Of several that try, one wins.
    pub async fn claim_local(&self, debate: &DebateId, owner: &Owner) -> Result<Claimed, StoreError> {
        self.claim_for(debate, owner, false).await
    }

    async fn claim_for(&self, debate: &DebateId, owner: &Owner, new: bool) -> Result<Claimed, StoreError> {
        let (of, forgotten, owner, now) = (debate.clone(), debate.clone(), owner.clone(), self.clock.now());
        // another process may have written since
        let forget = move |_: &Claimed, live: &Live| live.forget(&forgotten);
        let claimed = self.writer.write(Flush::Now, move |db| claim(db, &of, &owner, (new, now)), forget);
        claimed.await.map_err(WriteError::into_store)
    }

    /// Makes a debate that nobody plays one of the servers, in one step with its job; how it stood.
    pub(super) async fn to_servers(
        &self,
        debate: &DebateId,
        priority: Priority,
    ) -> Result<Option<LocalState>, StoreError> {
        let (of, forgotten, limit, now) = (debate.clone(), debate.clone(), self.max_jobs, self.clock.now());
        // another process may have written since
        let forget = move |_: &Option<LocalState>, live: &Live| live.forget(&forgotten);
        let hand_over = move |db: &Connection| {
            let stood = find(db, &of)?.map(|row| row.at(now));
            // where the queue is full, it stays as it is
            if matches!(stood, Some(LocalState::Halted(_))) && enqueue(db, &of, (priority, now), limit)? {
                db.prepare_cached("DELETE FROM local_debates WHERE debate = ?1")?.execute([of.as_str()])?;
            }
            Ok(stood)
        };
        self.writer.write(Flush::Now, hand_over, forget).await.map_err(WriteError::into_store)
    }

    /// Notes that the process lives.
    pub async fn local_seen(&self, debate: &DebateId, owner: &Owner) -> Result<(), StoreError> {
        let now = self.clock.now().0.cast_signed();
        self.by_owner(debate, owner, "seen = ?3", Some(now)).await
    }

    /// Notes that the process is being stopped on purpose: once it is gone, the debate is paused and not interrupted.
    pub async fn pause_local(&self, debate: &DebateId, owner: &Owner) -> Result<(), StoreError> {
        self.by_owner(debate, owner, "paused = 1", None).await
    }

    /// Notes that the process no longer plays the debate, although it lives.
    pub async fn leave_local(&self, debate: &DebateId, owner: &Owner) -> Result<(), StoreError> {
        self.by_owner(debate, owner, "pid = NULL, token = NULL", None).await
    }

    /// A change of a row that only the process may make whose debate it is. `now` is its third parameter.
    async fn by_owner(
        &self,
        debate: &DebateId,
        owner: &Owner,
        set: &'static str,
        now: Option<i64>,
    ) -> Result<(), StoreError> {
        let (debate, token) = (debate.clone(), owner.token.cast_signed());
        let sql = format!("UPDATE local_debates SET {set} WHERE debate = ?1 AND token = ?2");
        self.write(Flush::Later, move |db| {
            let mut update = db.prepare_cached(&sql)?;
            let changed = match now {
                Some(now) => update.execute(params![debate.as_str(), token, now]),
                None => update.execute(params![debate.as_str(), token]),
            };
            changed.map(drop)
        })
        .await
    }

    /// Every debate that was not submitted to a server and has not ended, with how it stands.
    pub async fn locals(&self) -> Result<BTreeMap<DebateId, LocalState>, StoreError> {
        let now = self.clock.now();
        let sql = format!("SELECT {COLUMNS} FROM local_debates JOIN debates USING (debate) WHERE ended = 0");
        self.readers.run(move |db| all(db, &sql, now)).await
    }

    /// How a debate stands, if it was not submitted to a server and has not ended.
    pub(super) async fn local_of(&self, debate: &DebateId) -> Result<Option<LocalState>, StoreError> {
        let (debate, now) = (debate.clone(), self.clock.now());
        let row = self.readers.run(move |db| find(db, &debate).map_err(backend)).await?;
        Ok(row.map(|row| row.at(now)))
    }
}

fn all(db: &Connection, sql: &str, now: Timestamp) -> Result<BTreeMap<DebateId, LocalState>, StoreError> {
    let mut statement = db.prepare_cached(sql).map_err(backend)?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, LocalRow::of(row)?))).map_err(backend)?;
    let mut locals = BTreeMap::new();
    for row in rows {
        let (debate, standing) = row.map_err(backend)?;
        let debate = DebateId::parse(&debate).map_err(|error| StoreError::Backend(error.to_string()))?;
        locals.insert(debate, standing.at(now));
    }
    Ok(locals)
}
