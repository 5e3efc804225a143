//! What a feed's program prints.

use agon_core::FeedFault;
use tokio::io::AsyncReadExt as _;

use super::FeedConfig;
use crate::process::ProcessGroup;

/// The whole output of the program, which ends with it or is ended. Dropping the future ends it too.
pub(super) async fn output(feed: &str, config: &FeedConfig) -> Result<Vec<u8>, FeedFault> {
    let (process, output, input) = ProcessGroup::start(feed, &config.program()).map_err(|_| FeedFault::Unavailable)?;
    drop(input);
    let limit = u64::try_from(config.max_bytes).unwrap_or(u64::MAX);
    let mut printed = Vec::new();
    let read = output.take(limit.saturating_add(1)).read_to_end(&mut printed).await;
    read.map_err(|_| FeedFault::Unavailable)?;
    if printed.len() > config.max_bytes {
        return Err(FeedFault::TooLarge);
    }
    if process.finish().await { Ok(printed) } else { Err(FeedFault::Refused) }
}
