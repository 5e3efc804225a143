//! Waiting for what is told nowhere.
use anyhow::{Result, bail};
use std::time::{Duration, Instant};

/// How often it is looked.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks again and again until there is a value. The limit is there so that nothing hangs; it decides no test.
pub fn until<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = look()? {
            return Ok(value);
        }
        if Instant::now() > end {
            bail!("waited {limit:?} in vain: {what}");
        }
        std::thread::sleep(PAUSE);
    }
}
