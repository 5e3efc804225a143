//! A few connections that read.
use super::backend;
use super::open::SqliteOptions;
use crate::lock::lock;
use crate::port::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Connections are opened when first needed, and kept.
pub(super) struct Readers {
    path: PathBuf,
    busy_timeout: Duration,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Readers {
    pub(super) fn new(path: &Path, options: &SqliteOptions) -> Self {
        Self {
            path: path.to_owned(),
            busy_timeout: options.busy_timeout,
            idle: Mutex::default(),
            permits: Semaphore::new(options.readers.get()),
        }
    }

    /// Runs `read` on a thread that may block. It sees one state of the database from beginning to end.
    pub(super) async fn run<T, F>(self: &Arc<Self>, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let stopped = |reason: &dyn std::fmt::Display| StoreError::Backend(format!("a read did not finish: {reason}"));
        let permit = self.permits.acquire().await.map_err(|error| stopped(&error))?;
        let readers = Arc::clone(self);
        let done =
            tokio::task::spawn_blocking(move || readers.run_here(read)).await.map_err(|error| stopped(&error))?;
        drop(permit);
        done
    }

    fn run_here<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open().map_err(backend)?,
        };
        let snapshot = connection.unchecked_transaction().map_err(backend)?;
        let done = read(&snapshot);
        drop(snapshot);
        lock(&self.idle).push(connection);
        done
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        // Not read-only: a reader of the write-ahead log takes part in its shared memory.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(self.busy_timeout)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(connection)
    }
}
