//! The right of this process to play a debate of the local store. One process has it at a time, and gives it up by ending.
use crate::exit::{Exit, Stop};
use crate::store::{Store, failed};
use agon_core::DebateId;
use agon_runtime::{Clock, SystemClock};
use agon_store::{Claimed, OWNER_SILENT_MS, Owner, SqliteStore};
use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How often the process says that it lives, for those who cannot see it among their processes.
const HEARTBEAT: Duration = Duration::from_millis(OWNER_SILENT_MS / 6);

/// Stands for `agon ui` among the debates. It is in a tenant, which those of this machine are not.
const UI: &str = "agon/user-interface";

/// The right to be the one server of a store. It ends with the process, however that ends.
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// Locks a file beside the database. Nothing where the file system has no locks.
    pub fn take(store: &Store) -> Result<Option<Self>, Stop> {
        // the file itself, by whatever link it is named
        let mut path = store.path.canonicalize().unwrap_or_else(|_| store.path.clone()).into_os_string();
        path.push(".server");
        let cannot = |error| Stop::say(Exit::Internal, format!("cannot lock {}: {error}", path.display()));
        let file = File::options().create(true).append(true).open(&path).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Err(Stop::usage(format!(
                "another server (agon serve or agon ui) uses the store {}; stop it first, or give this one another with --store PATH",
                store.path.display()
            ))),
            Err(TryLockError::Error(error)) => {
                tracing::warn!(path = %path.display(), %error, "the store cannot be locked: use it with one server only");
                Ok(None)
            }
        }
    }
}

/// The right to play one debate.
pub struct Ownership {
    store: Arc<SqliteStore>,
    id: DebateId,
    owner: Owner,
    /// Dropping the set ends the task.
    _heartbeat: JoinSet<()>,
}

impl Ownership {
    /// The right to play a debate that is about to be admitted.
    pub async fn admit(store: &Store, id: &DebateId) -> Result<Self, Stop> {
        let owner = Owner::this_process(SystemClock.now());
        match store.sqlite.admit_local(id, &owner).await.map_err(failed)? {
            Claimed::Won => Ok(Self::keep(store, id, owner)),
            Claimed::Held(other) => Err(held(store, id, &other)),
            Claimed::Servers | Claimed::Refused => Err(Stop::usage(format!(
                "there is a debate {id} already: {} shows it, and {} continues it if it has not ended",
                store.advice(&format!("get {id}")),
                store.advice(&format!("resume {id}"))
            ))),
        }
    }

    /// The right to run an eval, which shares its table with debates: ids are drawn for both.
    pub async fn eval(store: &Store, id: &DebateId) -> Result<Self, Stop> {
        let owner = Owner::this_process(SystemClock.now());
        match store.sqlite.admit_local(id, &owner).await.map_err(failed)? {
            Claimed::Won => Ok(Self::keep(store, id, owner)),
            Claimed::Held(other) => Err(Stop::usage(format!(
                "eval {id} is run by {}; stop that process first (Ctrl-C there), follow it ({}), or end it ({})",
                described(&other),
                store.advice(&format!("eval watch {id}")),
                store.advice(&format!("eval cancel {id}"))
            ))),
            Claimed::Servers | Claimed::Refused => {
                Err(Stop::usage(format!("there is a debate {id}; give the eval an id of its own with --id")))
            }
        }
    }

    /// The right to be the one `agon ui` of a store: two would take each other's evals.
    pub async fn ui(store: &Store) -> Result<Self, Stop> {
        let id = DebateId::parse(UI).map_err(|error| Stop::new(Exit::Internal, error))?;
        let owner = Owner::this_process(SystemClock.now());
        match store.sqlite.admit_local(&id, &owner).await.map_err(failed)? {
            Claimed::Won => Ok(Self::keep(store, &id, owner)),
            Claimed::Held(other) => Err(Stop::usage(format!(
                "agon ui is already open on this store: {}; use its link, or stop that process first (Ctrl-C there)",
                described(&other)
            ))),
            Claimed::Servers | Claimed::Refused => Err(Stop::say(Exit::Internal, format!("{UI} is a debate"))),
        }
    }

    /// The right to play a debate that nobody plays; none where it has ended, or was deleted.
    pub async fn claim(store: &Store, id: &DebateId) -> Result<Option<Self>, Stop> {
        let owner = Owner::this_process(SystemClock.now());
        match store.sqlite.claim_local(id, &owner).await.map_err(failed)? {
            Claimed::Won => Ok(Some(Self::keep(store, id, owner))),
            Claimed::Held(other) => Err(held(store, id, &other)),
            Claimed::Servers => Err(servers(store, id)),
            Claimed::Refused => Ok(None),
        }
    }

    fn keep(store: &Store, id: &DebateId, owner: Owner) -> Self {
        let mut heartbeat = JoinSet::new();
        heartbeat.spawn(beat(store.sqlite.clone(), id.clone(), owner.clone()));
        Self { store: store.sqlite.clone(), id: id.clone(), owner, _heartbeat: heartbeat }
    }

    /// The debate.
    pub fn debate(&self) -> &DebateId {
        &self.id
    }

    /// Notes that the debate is being stopped on purpose, so that it is paused even if this process is killed on the way.
    pub async fn pause(&self) {
        if let Err(error) = self.store.pause_local(&self.id, &self.owner).await {
            tracing::warn!(debate = %self.id, %error, "not noted as paused, the debate counts as interrupted");
        }
    }

    /// Gives the right up before the process ends.
    pub async fn leave(self) {
        if let Err(error) = self.store.leave_local(&self.id, &self.owner).await {
            tracing::warn!(debate = %self.id, %error, "the debate is free only when this process has ended");
        }
    }
}

async fn beat(store: Arc<SqliteStore>, id: DebateId, owner: Owner) {
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        if let Err(error) = store.local_seen(&id, &owner).await {
            tracing::warn!(debate = %id, %error, "heartbeat not recorded");
        }
    }
}

/// Refuses a debate that another process plays.
pub fn held(store: &Store, id: &DebateId, owner: &Owner) -> Stop {
    Stop::usage(format!(
        "debate {id} is played by {}; stop that process first (Ctrl-C there), or end the debate: {}",
        described(owner),
        store.advice(&format!("cancel {id}"))
    ))
}

/// Refuses a debate that is not for this machine's user to play.
pub fn servers(store: &Store, id: &DebateId) -> Stop {
    Stop::usage(format!(
        "debate {id} was submitted to a server or in the browser, where it is played: start that on this store ({}, or {}), \
         or end the debate: {}",
        store.advice("ui"),
        store.advice("serve"),
        store.advice(&format!("cancel {id}"))
    ))
}

/// A process, so that a person finds it.
pub fn described(owner: &Owner) -> String {
    let millis = i64::try_from(owner.started.0).unwrap_or(i64::MAX);
    let started = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
    format!("process {} on {:?}, started {}", owner.pid, owner.host, started.strftime("%Y-%m-%d %H:%M:%S UTC"))
}
