//! Keeps the reserve of a stream from debates that are admitted: looks at its size are seconds apart, and a burst of submissions fills it
//! in between.
use super::NatsStore;
use super::error::StoreRefusal;
use super::stream_health::{StreamHealth, lacks_room};
use super::subjects::PARTS;
use crate::lock::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::MutexGuard;

/// What the server adds to a body at most: subject, headers and its own record.
const OVERHEAD: u64 = 1 << 10;

/// What was written to streams since they were last looked at.
#[derive(Debug, Default)]
pub(super) struct StreamTraffic(Mutex<HashMap<String, Traffic>>);

#[derive(Clone, Copy, Debug, Default)]
struct Traffic {
    /// Bytes at the last look, and how many there may be; 0 where that is not limited. Nothing before the first look.
    size: Option<(u64, u64)>,
    /// Bytes that were sent since that look began, or were on their way then.
    sent: u64,
    /// Bytes that are on their way.
    open: u64,
}

/// A message on its way.
pub(super) struct Sending<'a> {
    traffic: &'a StreamTraffic,
    stream: &'a str,
    bytes: u64,
}

impl StreamTraffic {
    /// Counts a message, which is on its way until what is returned is dropped.
    pub(super) fn send<'a>(&'a self, stream: &'a str, body: usize) -> Sending<'a> {
        let bytes = weight(body);
        let mut all = lock(&self.0);
        let of = all.entry(stream.to_owned()).or_default();
        (of.sent, of.open) = (of.sent.saturating_add(bytes), of.open.saturating_add(bytes));
        Sending { traffic: self, stream, bytes }
    }

    /// What has arrived before a look begins.
    pub(super) fn before_look(&self) -> HashMap<String, u64> {
        lock(&self.0).iter().map(|(stream, of)| (stream.clone(), of.sent.saturating_sub(of.open))).collect()
    }

    /// Takes note of a look: what had arrived `before` is part of what it saw.
    pub(super) fn looked(&self, stream: &str, size: (u64, u64), before: &HashMap<String, u64>) {
        let mut all = lock(&self.0);
        let of = all.entry(stream.to_owned()).or_default();
        let sent = of.sent.saturating_sub(before.get(stream).copied().unwrap_or(0));
        *of = Traffic { size: Some(size), sent, ..*of };
    }

    fn open(&self, stream: &str) -> u64 {
        lock(&self.0).get(stream).map_or(0, |of| of.open)
    }

    /// Whether the stream may be more than half full with so many bytes more.
    fn is_filling(&self, stream: &str, bytes: u64) -> bool {
        let of = lock(&self.0).get(stream).copied().unwrap_or_default();
        of.size.is_none_or(|(used, most)| most > 0 && used.saturating_add(of.sent).saturating_add(bytes) > most / 2)
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        if let Some(of) = lock(&self.traffic.0).get_mut(self.stream) {
            of.open = of.open.saturating_sub(self.bytes);
        }
    }
}

fn weight(body: usize) -> u64 {
    u64::try_from(body).unwrap_or(u64::MAX).saturating_add(OVERHEAD)
}

impl NatsStore {
    /// Refuses a debate with a first record of so many bytes if the reserve would not stay free. What is returned is kept until the
    /// record is written: where a stream is filling, one debate is admitted after the other.
    pub(super) async fn admit(&self, log: &str, body: usize) -> Result<Option<MutexGuard<'_, ()>>, StoreRefusal> {
        let (stream, bytes) = (if body > self.part_bytes() { PARTS } else { log }, weight(body));
        let found: &StreamHealth = &self.found;
        if !found.traffic.is_filling(stream, bytes) {
            return Ok(None);
        }
        let turn = self.admitting.lock().await;
        let bytes = bytes.saturating_add(found.traffic.open(stream));
        let info = self.js.info(stream).await.map_err(StoreRefusal::unwritten)?;
        match lacks_room(&info, bytes, self.config.reserve_percent) {
            Some(why) => Err(StoreRefusal::Full(format!("stream {stream}: {why}"))),
            None => Ok(Some(turn)),
        }
    }
}
