//! Tries now and then whether NATS still stores what it is sent: a server whose disk is full may answer every question about its streams,
//! and no message to them.
use super::NatsStoreConfig;
use super::error::StoreRefusal;
use super::js::{Js, Outgoing};
use super::setup;
use super::subjects::{PARTS, PROBE};
use async_nats::HeaderMap;
use bytes::Bytes;
use std::time::Duration;
use tokio::time::Instant;

/// A stream to which nobody has written for so long is written to.
const EVERY: Duration = Duration::from_secs(10);
/// Bytes of the message. The next one replaces it.
const BYTES: usize = 32 << 10;

/// When the stream of parts last took a message. Every role may write to it, and it keeps the last message of a subject only.
pub(super) struct WriteProbe {
    end: u64,
    at: Instant,
}

impl WriteProbe {
    pub(super) fn new() -> Self {
        Self { end: 0, at: Instant::now() }
    }

    /// Writes unless somebody has written lately: `end` is where the stream was seen to end. What comes of it is noted as that of any
    /// other write.
    pub(super) async fn look(&mut self, js: &Js, config: &NatsStoreConfig, end: Option<u64>) {
        let Some(end) = end else { return };
        if end != self.end {
            *self = Self { end, at: Instant::now() };
        }
        if self.at.elapsed() < EVERY {
            return;
        }
        let body = Bytes::from(vec![0; BYTES.min(setup::part_bytes(config))]);
        let message = Outgoing { stream: PARTS, subject: PROBE, expected: None, headers: HeaderMap::new(), body };
        match js.publish(message).await {
            Ok(end) => self.end = end,
            Err(StoreRefusal::Moved | StoreRefusal::Full(_) | StoreRefusal::Denied(_) | StoreRefusal::Unsure(_)) => {}
        }
        self.at = Instant::now();
    }
}
