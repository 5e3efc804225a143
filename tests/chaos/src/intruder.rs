//! What nobody of the cluster would do: removing jobs, writing what no version knows.
use crate::logs::Logs;
use agon_core::DebateId;
use agon_store::{Upkeep as _, chain};
use anyhow::{Context, Result};
use async_nats::HeaderMap;
use futures_util::StreamExt as _;

/// The stream of the jobs.
const JOBS: &str = "AGON_JOB";
/// The stream of the logs.
const LOGS: &str = "AGON_LOG_0";
/// What it is filled with.
const JUNK_LOGS: &str = "agon.v1.log.0.junk";
/// Bytes that are left free.
const LEFT: u64 = 2 << 10;
const JUNK: &str = "agon.v1.log.0.junk.junk";

impl Logs {
    /// Removes every job, as an administrator might; gives how many there were.
    pub fn delete_jobs(&self) -> Result<u64> {
        self.block_on(async { Ok(self.link().jetstream().get_stream(JOBS).await?.purge().await?.purged) })
    }

    /// Deletes the stream of the logs; gives the debates that had one.
    pub fn delete_logs(&self) -> Result<Vec<String>> {
        self.block_on(async {
            let jetstream = self.link().jetstream();
            let stream = jetstream.get_stream(LOGS).await?;
            let mut named = stream.info_with_subjects("agon.v1.log.>").await?;
            let mut debates = Vec::new();
            while let Some(next) = named.next().await {
                let (subject, _) = next?;
                debates.extend(subject.rsplit('.').next().map(str::to_owned).filter(|_| !subject.starts_with(JUNK)));
            }
            jetstream.delete_stream(LOGS).await?;
            Ok(debates)
        })
    }

    /// Fills the stream of the logs with what is no log until next to nothing is left. Filled to the brim, nats-server 2.9 removes the
    /// oldest messages.
    pub fn fill_logs(&self) -> Result<()> {
        self.block_on(async {
            let jetstream = self.link().jetstream();
            let mut stream = jetstream.get_stream(LOGS).await?;
            for (size, name) in [(100 << 10, "large"), (10 << 10, "middle"), (1 << 10, "small")] {
                for number in 0_u32.. {
                    let info = stream.info().await?;
                    if u64::try_from(info.config.max_bytes)?.saturating_sub(info.state.bytes) < size + LEFT {
                        break;
                    }
                    let piece = vec![0; usize::try_from(size)?];
                    jetstream.publish(format!("{JUNK}-{name}-{number:06}"), piece.into()).await?.await?;
                }
            }
            Ok(())
        })
    }

    /// Removes so many pieces of what it was filled with, those of 100 KiB first.
    pub fn make_room(&self, pieces: usize) -> Result<()> {
        self.block_on(async {
            let stream = self.link().jetstream().get_stream(LOGS).await?;
            let mut named = stream.info_with_subjects(format!("{JUNK_LOGS}.>")).await?;
            let mut junk = Vec::new();
            while let Some(next) = named.next().await {
                junk.push(next?.0);
            }
            junk.sort();
            for subject in junk.into_iter().take(pieces) {
                stream.purge().filter(subject).await?;
            }
            Ok(())
        })
    }

    /// Continues a log with a record of one event that no version of Agon knows; fails where somebody else continues it meanwhile.
    pub fn append_unknown_event(&self, id: &str) -> Result<()> {
        let id = DebateId::parse(id)?;
        let (store, runtime) = self.store();
        let raw = runtime.block_on(store.raw_records(&id))?;
        let last = raw.last().context("there is no log")?;
        let body = unknown_record(last.last.0 + 1, &last.hash);
        let at = (last.last.0 + 1).to_string();
        let mut headers = HeaderMap::new();
        headers.insert("Agon-Hash", chain::hex(&chain::link(&last.hash, &body)).as_str());
        headers.insert("Agon-First", at.as_str());
        headers.insert("Agon-Last", at.as_str());
        let subject = format!("agon.v1.log.0.{}.{}", id.tenant(), id.name());
        self.block_on(async {
            let jetstream = self.link().jetstream();
            let stream = jetstream.get_stream("AGON_LOG_0").await?;
            let tail = stream.get_last_raw_message_by_subject(&subject).await?.sequence.to_string();
            headers.insert("Nats-Expected-Last-Subject-Sequence", tail.as_str());
            jetstream.publish_with_headers(subject, headers, body.into()).await?.await?;
            Ok(())
        })
    }
}

/// The protobuf bytes of a record whose one event has a kind with a number that is not taken.
fn unknown_record(first: u64, prev: &[u8; 32]) -> Vec<u8> {
    let known = agon_core::Record {
        first: agon_core::Position(first),
        at: agon_core::Timestamp(1),
        epoch: 1,
        nonce: 1,
        events: Vec::new(),
    };
    let mut body = agon_proto::encode_record(&known, prev);
    // field 5, an event of three bytes: its field 1999, a message without content
    body.extend([0x2a, 0x03, 0xfa, 0x7c, 0x00]);
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_read_as_far_as_its_unknown_event() {
        let refused = agon_proto::decode_record(&unknown_record(7, &[1; 32])).unwrap_err();
        assert!(refused.to_string().contains("event"), "{refused}");
    }
}
