//! Opening a database file.
use super::schema;
use super::trouble::{is_full, said};
use crate::weighted_fairness::DEFAULT_MAX_JOBS;
use agon_core::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What an answered write has reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// The disk: a power cut loses no event of a log, no order and no request id. One flush per group of them; registers, jobs and
    /// the catalogue, which are only worth a second generation and a second look, reach the disk with the next one.
    #[default]
    Full,
    /// The operating system: a killed process loses nothing; a power cut may lose the last moments, never the order or wholeness of a log.
    Normal,
}

/// How a database is opened. The defaults suit a server.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// What an answered write has reached.
    pub sync: SyncMode,
    /// How long to wait for another process that writes.
    pub busy_timeout: Duration,
    /// Most reads at once.
    pub readers: NonZeroUsize,
    /// Most changes in one transaction.
    pub group: NonZeroUsize,
    /// How long a transaction waits for company once changes come from several sides at once; a change that is alone never waits.
    pub gather: Duration,
    /// Most changes that wait for the writer; more wait at the caller.
    pub queue: NonZeroUsize,
    /// Records of a live debate that are kept in memory.
    pub tail_records: usize,
    /// Debates of which anything is kept in memory.
    pub live_debates: usize,
    /// Most jobs; more are refused as [`crate::StoreError::Full`].
    pub max_jobs: NonZeroUsize,
    /// What tells the time of leases and of request ids.
    pub clock: WallClock,
}
impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            sync: SyncMode::Full,
            busy_timeout: Duration::from_secs(10),
            readers: NonZeroUsize::MIN.saturating_add(3),
            group: NonZeroUsize::MIN.saturating_add(511),
            gather: Duration::from_millis(1),
            queue: NonZeroUsize::MIN.saturating_add(4_095),
            tail_records: 64,
            live_debates: 20_000,
            max_jobs: DEFAULT_MAX_JOBS,
            clock: WallClock::default(),
        }
    }
}

/// A source of wall-clock time.
#[derive(Clone)]
pub struct WallClock(Arc<dyn Fn() -> Timestamp + Send + Sync>);
impl WallClock {
    /// A clock that asks `now`.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }
    /// The time.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}
impl Default for WallClock {
    fn default() -> Self {
        Self::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
        })
    }
}
impl fmt::Debug for WallClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be opened, or is no database.
    #[error("cannot open the database {}: {why}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why, in words.
        why: String,
    },
    /// A folder has that name.
    #[error("{} is a folder; name a file in it, such as {}", path.display(), path.join("agon.db").display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// Its disk is full.
    #[error("cannot open the database {}: {why}", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// Why, in words.
        why: String,
    },
    /// A newer Agon wrote it.
    #[error(
        "the database {} has schema {found}, this version of Agon knows {known}: use the version that wrote it, or a newer one",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The schema of the file.
        found: i64,
        /// The newest schema known here.
        known: i64,
    },
    /// Another program's database.
    #[error("{} is a SQLite database, but not one of Agon", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The writer could not be started.
    #[error("cannot start the writer's thread: {source}")]
    Thread {
        /// Why.
        source: std::io::Error,
    },
}

impl OpenError {
    pub(super) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let (path, why) = (path.to_owned(), said(error));
        match () {
            () if path.is_dir() => Self::Folder { path },
            () if is_full(error) => Self::Full { path, why },
            () => Self::Open { path, why },
        }
    }
}

/// The writing connection, on an up-to-date schema.
pub(super) fn connect(path: &Path, options: &SqliteOptions) -> Result<Connection, OpenError> {
    let open = |error| OpenError::of(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(open)?;
    connection.busy_timeout(options.busy_timeout).map_err(open)?;
    // One look in one transaction: another process may be filling the file at this moment.
    schema::check(&*connection.unchecked_transaction().map_err(open)?, path)?;
    write_ahead(&connection, options.busy_timeout).map_err(open)?;
    schema::migrate(&mut connection, path)?;
    configure(&connection, options.sync).map_err(open)?;
    Ok(connection)
}

/// Switches to the write-ahead log. SQLite does not wait for others here, so this waits for them by taking their lock.
fn write_ahead(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        let switched = connection.query_row("PRAGMA journal_mode=WAL", [], |row| row.get::<_, String>(0));
        match switched {
            Err(error) if is_busy(&error) && start.elapsed() < patience => {
                connection.execute_batch("BEGIN IMMEDIATE; COMMIT")?;
            }
            other => return other.map(drop),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn configure(connection: &Connection, sync: SyncMode) -> rusqlite::Result<()> {
    let level = match sync {
        // `fullfsync` is what reaches the disk on macOS; elsewhere it changes nothing.
        SyncMode::Full => "PRAGMA synchronous=FULL; PRAGMA fullfsync=1; PRAGMA checkpoint_fullfsync=1;",
        SyncMode::Normal => "PRAGMA synchronous=NORMAL;",
    };
    connection.execute_batch(level)?;
    // 4,000 pages: a checkpoint each 16 MiB, so that its flushes are shared by many groups.
    connection.execute_batch("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16384;")?;
    connection.query_row("PRAGMA wal_autocheckpoint=4000", [], |_| Ok(()))?;
    connection.query_row("PRAGMA journal_size_limit=67108864", [], |_| Ok(()))?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(())
}
