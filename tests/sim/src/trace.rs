//! What happened in a run, as one number and, where somebody reads it, as text.
use std::fmt::{self, Write};
use tokio::time::Instant;

/// The events of a run in their order.
pub(crate) struct Trace {
    hasher: blake3::Hasher,
    events: u64,
    start: Instant,
    line: String,
    print: bool,
}

impl Trace {
    /// Begins now. `print` shows every event.
    pub(crate) fn new(print: bool) -> Self {
        Self { hasher: blake3::Hasher::new(), events: 0, start: Instant::now(), line: String::new(), print }
    }

    /// An event.
    pub(crate) fn note(&mut self, event: fmt::Arguments<'_>) {
        self.line.clear();
        let ms = self.start.elapsed().as_millis();
        // writing to a string does not fail
        writeln!(self.line, "{ms:>8} ms  {event}").unwrap_or_default();
        if self.print {
            print!("{}", self.line);
        }
        self.hasher.update(self.line.as_bytes());
        self.events += 1;
    }

    /// How many events there were, and the hash of all of them.
    pub(crate) fn sum(&self) -> (u64, String) {
        let mut hash = self.hasher.finalize().to_hex().to_string();
        hash.truncate(16);
        (self.events, hash)
    }
}
