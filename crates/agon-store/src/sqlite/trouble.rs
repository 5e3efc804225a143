//! What keeps the database from being written, for whoever shows it to a person.
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why nothing can be written at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// In words.
    pub detail: String,
    /// It does not pass: the file is gone, or is another one.
    pub lasting: bool,
    /// The disk is full.
    pub full: bool,
}

impl Trouble {
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
        Some(Self { detail: error.to_string(), lasting, full: error.sqlite_error_code() == Some(ErrorCode::DiskFull) })
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
    pub(super) fn lost(&self) -> Option<Trouble> {
        let own = (&self.path, self.opened);
        let log = self.log.as_ref().map(|(path, inode)| (path, Some(*inode)));
        let (path, now) = [Some(own), log].into_iter().flatten().find_map(|(path, opened)| {
            let now = inode(path);
            (now != opened).then_some((path, now))
        })?;
        let became = if now.is_none() { "was deleted or moved" } else { "was replaced by another" };
        let path = path.display();
        Some(Trouble {
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
