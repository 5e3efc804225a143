//! The one thread that writes.
//!
//! It takes all changes that wait into one transaction, so that hundreds of debates share its cost and its flush, and answers them when it
//! is committed. What one change finds (a fence, a decided register) is an answer, not a failure; a change that SQLite refuses is
//! rolled back with its group, and then every change of the group is run by itself, so that only the culprit fails.
use super::open::{SqliteOptions, SyncMode};
use super::trouble::{FullDisk, Identity, WriteTrouble, full_disk, is_full, is_unwritten, said};
use crate::live::Live;
use rusqlite::{Connection, TransactionBehavior};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tracing::{debug, error};

/// Whether the answer to a change promises what [`SyncMode`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flush {
    Now,
    /// A later flush saves it just as well.
    Later,
}

/// Why a change was not answered with what it found.
#[derive(Clone, Debug)]
pub(super) enum WriteError {
    /// Nothing was written.
    Refused(String),
    /// Nothing was written, because the disk is full.
    Full(String),
    /// It may have been written, or not.
    Unsure(String),
}
impl WriteError {
    /// What SQLite said before anything was written.
    fn refused(reason: &rusqlite::Error) -> Self {
        if is_full(reason) { Self::Full(full_disk(reason)) } else { Self::Refused(said(reason)) }
    }
    /// What happened, where it makes no difference.
    pub(super) fn into_store(self) -> crate::StoreError {
        match self {
            Self::Refused(detail) | Self::Unsure(detail) => crate::StoreError::Backend(detail),
            Self::Full(detail) => crate::StoreError::Full(detail),
        }
    }
}

/// The handle of the writing thread.
pub(super) struct WriterHandle {
    queue: Option<mpsc::Sender<Box<dyn Pending>>>,
    trouble: watch::Receiver<Option<WriteTrouble>>,
    full: Arc<FullDisk>,
    thread: Option<JoinHandle<()>>,
}

impl WriterHandle {
    pub(super) fn start(
        connection: Connection,
        file: Identity,
        options: &SqliteOptions,
        live: Arc<Live>,
    ) -> std::io::Result<Self> {
        let (queue, waiting) = mpsc::channel(options.queue.get());
        let group = options.group.get();
        let gather = options.gather;
        let sync = options.sync;
        let (tell, trouble) = watch::channel(None);
        let full = Arc::new(FullDisk::of(&file));
        let told = Arc::clone(&full);
        let run = move || {
            Loop { connection, file, waiting, group, gather, sync, live, tell, full: told, flushing: true }.run()
        };
        let thread = std::thread::Builder::new().name("agon-store".to_owned()).spawn(run)?;
        Ok(Self { queue: Some(queue), trouble, full, thread: Some(thread) })
    }

    /// Whether the disk has had room since a change found none.
    pub(super) fn full(&self) -> &FullDisk {
        &self.full
    }

    /// What keeps changes from being written.
    pub(super) fn trouble(&self) -> watch::Receiver<Option<WriteTrouble>> {
        self.trouble.clone()
    }

    /// Makes a change inside a transaction, and waits until it is committed. A caller that stops waiting does not undo it.
    ///
    /// `run` may be called more than once before that, and must depend on the database alone. `committed` takes note in memory of
    /// what it found.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        flush: Flush,
        run: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
        committed: impl FnOnce(&T, &Live) + Send + 'static,
    ) -> Result<T, WriteError> {
        let stopped = || WriteError::Refused("the store's writer has stopped".to_owned());
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        let (answer, answered) = oneshot::channel();
        queue
            .send(Box::new(QueuedChange { flush, run, committed, done: None, answer }))
            .await
            .map_err(|_| stopped())?;
        answered.await.unwrap_or_else(|_| Err(WriteError::Unsure("the store's writer stopped meanwhile".to_owned())))
    }
}

impl Drop for WriterHandle {
    fn drop(&mut self) {
        drop(self.queue.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            error!("the store's writer panicked");
        }
    }
}

/// A change with the one who waits for it.
trait Pending: Send {
    fn flush(&self) -> Flush;
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()>;
    fn settle(self: Box<Self>, outcome: Result<(), WriteError>, live: &Live);
}

struct QueuedChange<R, N, T> {
    flush: Flush,
    run: R,
    committed: N,
    done: Option<T>,
    answer: oneshot::Sender<Result<T, WriteError>>,
}

impl<R, N, T> Pending for QueuedChange<R, N, T>
where
    R: Fn(&Connection) -> rusqlite::Result<T> + Send,
    N: FnOnce(&T, &Live) + Send,
    T: Send,
{
    fn flush(&self) -> Flush {
        self.flush
    }
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()> {
        self.done = Some((self.run)(db)?);
        Ok(())
    }
    fn settle(self: Box<Self>, outcome: Result<(), WriteError>, live: &Live) {
        let Self { committed, done, answer, .. } = *self;
        let done = outcome.and_then(|()| done.ok_or_else(|| WriteError::Refused("the change was not run".to_owned())));
        if let Ok(done) = &done {
            committed(done, live);
        }
        // Whoever asked may have stopped waiting; the change stands all the same.
        let _ = answer.send(done);
    }
}

struct Loop {
    connection: Connection,
    file: Identity,
    waiting: mpsc::Receiver<Box<dyn Pending>>,
    group: usize,
    gather: Duration,
    sync: SyncMode,
    /// Whether the connection flushes its transactions, where the mode asks for it.
    flushing: bool,
    live: Arc<Live>,
    tell: watch::Sender<Option<WriteTrouble>>,
    full: Arc<FullDisk>,
}

/// Where a transaction failed.
enum TransactionError {
    /// Nothing of it was written.
    Before(rusqlite::Error),
    /// At its end: it may have been written.
    AtCommit(rusqlite::Error),
}
impl TransactionError {
    fn at_commit(reason: rusqlite::Error) -> Self {
        if is_unwritten(&reason) { Self::Before(reason) } else { Self::AtCommit(reason) }
    }
}

impl Loop {
    fn run(mut self) {
        let mut group = Vec::with_capacity(self.group);
        let mut crowded = false;
        while self.waiting.blocking_recv_many(&mut group, self.group) > 0 {
            if crowded {
                self.gather(&mut group);
            }
            crowded = group.len() > 1;
            self.write(&mut group);
        }
    }

    /// Waits a moment for more changes: a transaction and its flush cost much the same for one as for many.
    fn gather(&mut self, group: &mut Vec<Box<dyn Pending>>) {
        // Nobody unparks this thread; should the system wake it early, the group is only smaller.
        std::thread::park_timeout(self.gather);
        while group.len() < self.group
            && let Ok(change) = self.waiting.try_recv()
        {
            group.push(change);
        }
    }

    fn write(&mut self, group: &mut Vec<Box<dyn Pending>>) {
        if let Some(lost) = self.file.lost() {
            let refused = WriteError::Refused(lost.detail.clone());
            self.note(Some(lost));
            return self.settle(group, &Err(refused));
        }
        let written = self.transaction(group);
        match &written {
            Ok(()) => {
                self.file.written();
                self.note(None);
            }
            Err(TransactionError::Before(reason) | TransactionError::AtCommit(reason)) => self.note_failed(reason),
        }
        match written {
            Ok(()) => self.settle(group, &Ok(())),
            Err(TransactionError::Before(reason)) if group.len() > 1 => {
                debug!(%reason, changes = group.len(), "group of changes split");
                for change in group.drain(..) {
                    self.write(&mut vec![change]);
                }
            }
            Err(TransactionError::Before(reason)) => self.settle(group, &Err(WriteError::refused(&reason))),
            Err(TransactionError::AtCommit(reason)) => self.settle(group, &Err(WriteError::Unsure(reason.to_string()))),
        }
    }

    fn note_failed(&self, reason: &rusqlite::Error) {
        if let Some(trouble) = WriteTrouble::of(reason) {
            if trouble.full {
                self.full.refused(full_disk(reason));
            }
            self.note(Some(trouble));
        }
    }

    fn note(&self, trouble: Option<WriteTrouble>) {
        self.tell.send_if_modified(|told| {
            let changed = *told != trouble;
            *told = trouble;
            changed
        });
    }

    fn transaction(&mut self, group: &mut [Box<dyn Pending>]) -> Result<(), TransactionError> {
        self.set_flushing(group.iter().any(|change| change.flush() == Flush::Now)).map_err(TransactionError::Before)?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(TransactionError::Before)?;
        for change in group {
            change.run(&transaction).map_err(TransactionError::Before)?;
        }
        transaction.commit().map_err(TransactionError::at_commit)
    }

    /// The write-ahead log is written in order, so a flush covers all transactions before it too.
    fn set_flushing(&mut self, flushing: bool) -> rusqlite::Result<()> {
        if self.sync == SyncMode::Full && flushing != self.flushing {
            let level = if flushing { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.flushing = flushing;
        }
        Ok(())
    }

    fn settle(&self, group: &mut Vec<Box<dyn Pending>>, outcome: &Result<(), WriteError>) {
        for change in group.drain(..) {
            change.settle(outcome.clone(), &self.live);
        }
    }
}
