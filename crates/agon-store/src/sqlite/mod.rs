//! The SQLite adapter. `docs/reference/storage.md` describes tables and guarantees.
mod catalogue;
mod evals;
mod jobs;
mod journal;
mod local;
mod open;
mod orders;
mod readers;
mod registers;
mod requests;
mod schema;
mod trouble;
mod upkeep;
mod writer;

#[cfg(test)]
mod tests;

use crate::live::Live;
use crate::port::StoreError;
use readers::Readers;
use rusqlite::Connection;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;
use trouble::Identity;
use writer::{Flush, WriteError, WriterHandle};

pub use open::{OpenError, SqliteOptions, SyncMode, WallClock};
pub use trouble::WriteTrouble;

/// Everything in one SQLite file. Several processes may use one file.
///
/// One thread of its own writes: all changes that wait, of whatever debate, go into one transaction, and are answered when it is
/// on disk. Dropping the store waits for what was already asked for.
pub struct SqliteStore {
    writer: WriterHandle,
    readers: Arc<Readers>,
    live: Arc<Live>,
    max_jobs: NonZeroUsize,
    clock: WallClock,
}

impl SqliteStore {
    /// Opens the file, creates it if there is none (its folder must exist), and brings an older one up to date.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self, OpenError> {
        let connection = open::connect(path, &options)?;
        let live = Arc::new(Live::new(options.tail_records, options.live_debates));
        let writer = WriterHandle::start(connection, Identity::of(path), &options, Arc::clone(&live));
        let writer = writer.map_err(|source| OpenError::Thread { source })?;
        let readers = Arc::new(Readers::new(path, &options));
        Ok(Self { writer, readers, live, max_jobs: options.max_jobs, clock: options.clock })
    }

    /// Makes a change of which nothing is held in memory.
    async fn write<T: Send + 'static>(
        &self,
        flush: Flush,
        run: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.write(flush, run, |_, _| {}).await.map_err(WriteError::into_store)
    }

    /// What keeps the database from being written, as the last change found it.
    pub fn trouble(&self) -> watch::Receiver<Option<WriteTrouble>> {
        self.writer.trouble()
    }
}

/// The store's failure for one of SQLite's.
fn backend(error: rusqlite::Error) -> StoreError {
    match trouble::is_full(&error) {
        true => StoreError::Full(trouble::full_disk(&error)),
        false => StoreError::Backend(format!("the database cannot be used: {}", trouble::said(&error))),
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

/// The store's failure for bytes that are not what was written.
fn unreadable(what: &str, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Backend(format!("{what} cannot be read: {error}"))
}
