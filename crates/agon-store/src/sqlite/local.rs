//! The debates that were not submitted to a server, and which process plays each. A row goes when its debate ends.
use super::writer::{Change, WriteError};
use super::{SqliteStore, backend};
use crate::live::Live;
use crate::owner::{Claimed, LocalState, Owner};
use crate::port::StoreError;
use agon_core::{DebateId, Halt, Timestamp};
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
struct OwnerClaim {
    debate: DebateId,
    owner: Owner,
    new: bool,
    now: Timestamp,
}
impl Change for OwnerClaim {
    type Done = Claimed;
    const FLUSHED: bool = true;
    fn run(&self, db: &Connection) -> rusqlite::Result<Claimed> {
        let logged = db
            .prepare_cached("SELECT ended FROM debates WHERE debate = ?1")?
            .query_row([self.debate.as_str()], |row| row.get::<_, bool>(0))
            .optional()?;
        match (logged, find(db, &self.debate)?.map(|row| row.at(self.now))) {
            (_, Some(LocalState::Played(owner))) if owner.token != self.owner.token => return Ok(Claimed::Held(owner)),
            (Some(false), None) if !self.new => return Ok(Claimed::Servers),
            (None, _) if self.new => {}
            (Some(false), Some(_)) if !self.new => {}
            _ => return Ok(Claimed::Refused),
        }
        let Owner { pid, started, host, table, ticks, token } = &self.owner;
        let (started, now) = (started.0.cast_signed(), self.now.0.cast_signed());
        let (ticks, token) = (ticks.cast_signed(), token.cast_signed());
        db.prepare_cached(&format!(
            "INSERT OR REPLACE INTO local_debates ({COLUMNS}) VALUES (?1, 0, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        ))?
        .execute(params![self.debate.as_str(), pid, started, host, table, ticks, token, now])?;
        Ok(Claimed::Won)
    }
    fn committed(&self, _done: &Claimed, live: &Live) {
        // another process may have written since
        live.forget(&self.debate);
    }
}

/// A change of a row that only the process may make whose debate it is.
struct ByOwner {
    debate: DebateId,
    token: u64,
    step: LocalStep,
}
enum LocalStep {
    Seen(Timestamp),
    Pause,
    Leave,
}
impl Change for ByOwner {
    type Done = ();
    const FLUSHED: bool = false;
    fn run(&self, db: &Connection) -> rusqlite::Result<()> {
        let (debate, token) = (self.debate.as_str(), self.token.cast_signed());
        let changed = match self.step {
            LocalStep::Seen(now) => db
                .prepare_cached("UPDATE local_debates SET seen = ?3 WHERE debate = ?1 AND token = ?2")?
                .execute(params![debate, token, now.0.cast_signed()]),
            LocalStep::Pause => db
                .prepare_cached("UPDATE local_debates SET paused = 1 WHERE debate = ?1 AND token = ?2")?
                .execute(params![debate, token]),
            LocalStep::Leave => db
                .prepare_cached("UPDATE local_debates SET pid = NULL, token = NULL WHERE debate = ?1 AND token = ?2")?
                .execute(params![debate, token]),
        };
        changed.map(drop)
    }
    fn committed(&self, (): &(), _live: &Live) {}
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
        let claim = OwnerClaim { debate: debate.clone(), owner: owner.clone(), new, now: self.clock.now() };
        self.writer.write(claim).await.map_err(WriteError::into_store)
    }

    /// Notes that the process lives.
    pub async fn local_seen(&self, debate: &DebateId, owner: &Owner) -> Result<(), StoreError> {
        self.by_owner(debate, owner, LocalStep::Seen(self.clock.now())).await
    }

    /// Notes that the process is being stopped on purpose: once it is gone, the debate is paused and not interrupted.
    pub async fn pause_local(&self, debate: &DebateId, owner: &Owner) -> Result<(), StoreError> {
        self.by_owner(debate, owner, LocalStep::Pause).await
    }

    /// Notes that the process no longer plays the debate, although it lives.
    pub async fn leave_local(&self, debate: &DebateId, owner: &Owner) -> Result<(), StoreError> {
        self.by_owner(debate, owner, LocalStep::Leave).await
    }

    async fn by_owner(&self, debate: &DebateId, owner: &Owner, step: LocalStep) -> Result<(), StoreError> {
        let change = ByOwner { debate: debate.clone(), token: owner.token, step };
        self.writer.write(change).await.map_err(WriteError::into_store)
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
