//! A file with a line for each call that ended, so that it can be told what was asked twice, and when.
use crate::config::RehearsalError;
use crate::stats::{CallOutcome, lock};
use serde_json::json;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// The file.
#[derive(Debug)]
pub struct CallLog(Mutex<File>);

impl CallLog {
    /// Starts the file anew.
    pub fn create(path: &Path) -> Result<Self, RehearsalError> {
        let file = File::create(path).map_err(|source| RehearsalError::Ledger { path: path.to_owned(), source })?;
        Ok(Self(Mutex::new(file)))
    }

    /// Writes down a call that ends now.
    pub fn note(&self, entry: &CallLogEntry, how: CallOutcome) {
        let how = match how {
            CallOutcome::Finished => "finished",
            CallOutcome::Cancelled => "cancelled",
            CallOutcome::Failed => "failed",
        };
        let line = json!({"body": entry.body, "began_ms": entry.began_ms, "ended_ms": now_ms(), "how": how});
        if let Err(error) = lock(&self.0).write_all(format!("{line}\n").as_bytes()) {
            tracing::error!(%error, "a call cannot be written down");
        }
    }
}

/// A call that is still open.
#[derive(Debug)]
pub struct CallLogEntry {
    body: String,
    began_ms: u64,
}

impl CallLogEntry {
    /// A call that comes now.
    pub fn new(body: &[u8]) -> Self {
        Self { body: blake3::hash(body).to_hex().to_string(), began_ms: now_ms() }
    }
}

/// Milliseconds since the epoch, by this machine's clock.
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
