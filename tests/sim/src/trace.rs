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
        let ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        // writing to a string does not fail
        writeln!(self.line, "{ms:>8} ms  {event}").unwrap_or_default();
        if self.print {
            print!("{}", self.line);
        }
        self.hasher.update(self.line.as_bytes());
        self.events += 1;
    }

    /// How many events there were, and the hash of all of them.
    pub(crate) fn sum(&self) -> (u64, u64) {
        let hash = self.hasher.finalize();
        let first = hash.as_bytes().first_chunk().copied().unwrap_or_default();
        (self.events, u64::from_be_bytes(first))
    }
}
