//! What time it is.
use agon_core::Timestamp;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Tells the time that is recorded. Waiting is done in tokio's time.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(millis(since_epoch))
    }
}

/// A clock that follows tokio's time from a given start, so that it stands still while that is paused.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock {
    base: Timestamp,
    start: Instant,
}

impl TokioClock {
    /// A clock that shows `base` now.
    pub fn starting_at(base: Timestamp) -> Self {
        Self { base, start: Instant::now() }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        self.base.plus(millis(self.start.elapsed()))
    }
}

/// Whole milliseconds.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
