//! A folder with the body of each chat call, so that it can be read what a speaker was told.
use crate::config::RehearsalError;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    calls: AtomicU64,
}

impl Recorder {
    /// Makes the folder, which must be empty: bodies of two servers would stand side by side as if they were one's.
    pub fn create(folder: &Path) -> Result<Self, RehearsalError> {
        let failed = |source| RehearsalError::Record { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        if fs::read_dir(folder).map_err(failed)?.next().is_some() {
            return Err(RehearsalError::RecordTaken { path: folder.to_owned() });
        }
        Ok(Self { folder: folder.to_owned(), calls: AtomicU64::new(0) })
    }

    /// Writes down the body of a call as it came, under its number.
    pub fn note(&self, body: &[u8]) {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if let Err(error) = fs::write(self.folder.join(format!("{call:06}.json")), body) {
            tracing::error!(%error, "a body cannot be written down");
        }
    }
}
