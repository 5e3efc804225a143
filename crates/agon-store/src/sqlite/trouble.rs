//! What keeps the database from being written, for whoever shows it to a person.
use crate::lock::lock;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// With so many free bytes more than when a write was refused, the disk counts as having room, until it refuses again.
const ROOM: u64 = 64 << 10;
/// A disk with so many free bytes refuses for another reason, such as a quota.
const AMPLE: u64 = 64 << 20;
/// How long a refusal counts where free bytes tell nothing: then another write has to try.
const REFUSED_FOR: Duration = Duration::from_secs(10);

/// Why nothing can be written at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteTrouble {
    /// In words.
    pub detail: String,
    /// It does not pass: the file is gone, or is another one.
    pub lasting: bool,
    /// The disk is full.
    pub full: bool,
}

impl WriteTrouble {
    /// The trouble that a failed write tells of; none where only the write itself was wrong.
    pub(super) fn of(error: &rusqlite::Error) -> Option<Self> {
        let lasting = match error.sqlite_error_code()? {
            ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed => false,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => true,
            _ => return None,
        };
        Some(Self { detail: said(error), lasting, full: is_full(error) })
    }
}

/// Whether there is no room on the disk: for what is written, or for the index of the log that readers share.
pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    let extended = error.sqlite_error().map(|code| code.extended_code);
    error.sqlite_error_code() == Some(ErrorCode::DiskFull) || extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Whether a failed commit has written nothing, for certain: its last page, without which the others do not count, did not fit.
pub(super) fn is_unwritten(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
}

/// What is full, as [`crate::StoreError::Full`] names it.
pub(super) fn full_disk(error: &rusqlite::Error) -> String {
    let code = error.sqlite_error().map(|code| format!(" (SQLite {})", code.extended_code));
    format!("the disk of the store{}", code.unwrap_or_default())
}

/// What an error of SQLite means for whoever keeps debates in the file. SQLite's own words say neither where nor what to do.
pub(super) fn said(error: &rusqlite::Error) -> String {
    let words = match error.sqlite_error_code() {
        _ if is_full(error) => "the disk is full; free space on it (reading writes, too)",
        Some(ErrorCode::NotADatabase) => "it is not a database",
        Some(ErrorCode::DatabaseCorrupt) => "the file is damaged or truncated; restore its last copy",
        Some(ErrorCode::ReadOnly) => "it is read-only, and reading writes, too: copy it to a writable folder",
        Some(ErrorCode::CannotOpen) => {
            "the file or its folder cannot be opened or is read-only, and reading writes, too: copy the file to a \
             writable folder"
        }
        Some(ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied) => "this user may not use it",
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process has kept it locked for too long; end that process, or try again"
        }
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => "its disk failed to read or to write",
        Some(ErrorCode::FileLockingProtocolFailed | ErrorCode::NoLargeFileSupport) => {
            "its file system cannot hold a database; keep it on a disk of this machine"
        }
        Some(ErrorCode::OutOfMemory) => "there is not enough memory",
        Some(ErrorCode::SchemaChanged | ErrorCode::TypeMismatch | ErrorCode::ConstraintViolation) => {
            "its content was not written by Agon"
        }
        Some(_) => "the database refused the request",
        // what was found in it is no error of SQLite's, and no text of its own
        None => "its content cannot be read",
    };
    match error.sqlite_error() {
        Some(code) => format!("{words} (SQLite {})", code.extended_code),
        None => words.to_owned(),
    }
}

/// Whether the disk has no room. A small change may still fit into pages that the database has already, so a write that succeeds does
/// not end it.
pub(super) struct FullDisk {
    folder: PathBuf,
    refusal: Mutex<Option<SqliteRefusal>>,
}

struct SqliteRefusal {
    what: String,
    at: Instant,
    /// Bytes that were free then, where the system tells.
    free: Option<u64>,
}

impl FullDisk {
    pub(super) fn of(file: &Identity) -> Self {
        let folder = file.path.parent().map(Path::to_owned).unwrap_or_default();
        Self { folder, refusal: Mutex::default() }
    }

    /// A write found no room.
    pub(super) fn refused(&self, what: String) {
        let refusal = SqliteRefusal { what, at: Instant::now(), free: self.free() };
        *lock(&self.refusal) = Some(refusal);
    }

    /// What is full; nothing where there is room, as far as is known.
    pub(super) fn what(&self) -> Option<String> {
        let mut refusal = lock(&self.refusal);
        refusal.take_if(|refusal| match (refusal.free, self.free()) {
            (Some(then), Some(now)) if then < AMPLE => now >= then + ROOM,
            _ => refusal.at.elapsed() >= REFUSED_FOR,
        });
        refusal.as_ref().map(|refusal| refusal.what.clone())
    }

    fn free(&self) -> Option<u64> {
        let stat = rustix::fs::statvfs(&self.folder).ok()?;
        Some(stat.f_bavail.saturating_mul(stat.f_frsize))
    }
}

/// The file that was opened, so that it is noticed when it is deleted or replaced: SQLite would write on into a file without a name.
pub(super) struct Identity {
    path: PathBuf,
    opened: Option<Inode>,
    /// The write-ahead log, once there is one. It stays as long as the database is open.
    log: Option<(PathBuf, Inode)>,
}

impl Identity {
    pub(super) fn of(path: &Path) -> Self {
        // The folder may not be this process's for ever; the file is what counts.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self { opened: inode(&path), path, log: None }
    }

    /// Takes note of the write-ahead log, after something was written.
    pub(super) fn written(&mut self) {
        if self.log.is_none() {
            let mut name = self.path.clone().into_os_string();
            name.push("-wal");
            let path = PathBuf::from(name);
            self.log = inode(&path).map(|inode| (path, inode));
        }
    }

    /// What became of the file; none while it is the one that was opened.
    pub(super) fn lost(&self) -> Option<WriteTrouble> {
        let own = (&self.path, self.opened);
        let log = self.log.as_ref().map(|(path, inode)| (path, Some(*inode)));
        let (path, now) = [Some(own), log].into_iter().flatten().find_map(|(path, opened)| {
            let now = inode(path);
            (now != opened).then_some((path, now))
        })?;
        let became = if now.is_none() { "was deleted or moved" } else { "was replaced by another" };
        let path = path.display();
        Some(WriteTrouble {
            detail: format!("the database file {path} {became} while it was in use"),
            lasting: true,
            full: false,
        })
    }
}

/// Device and number of a file.
type Inode = (u64, u64);

#[cfg(unix)]
fn inode(path: &Path) -> Option<Inode> {
    use std::os::unix::fs::MetadataExt;
    let data = std::fs::metadata(path).ok()?;
    Some((data.dev(), data.ino()))
}

/// Where files have no number, only that there is one.
#[cfg(not(unix))]
fn inode(path: &Path) -> Option<Inode> {
    path.exists().then_some((0, 0))
}
