//! The tail of the catalogue: a consumer that is made anew whenever it fails.
//!
//! The client library's own ordered consumer stands still for up to a minute and more after a server has restarted; this one hears from
//! the server twice a second, and goes on from the last message that it has seen.
use super::catalogue::{CatalogueMessage, CatalogueView};
use super::js::Js;
use super::subjects::{self, ALL_ENTRIES, CATALOGUE};
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use futures_util::StreamExt as _;
use std::sync::Arc;
use std::time::Duration;

/// How often the server says that it is there; when it misses two, the tail begins anew.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// How long one pull stands.
const PULL: Duration = Duration::from_secs(5);
/// How long the server keeps the consumer of a process that is gone.
const UNUSED: Duration = Duration::from_secs(30);
/// The pause before the consumer is made anew.
const PAUSE: Duration = Duration::from_millis(200);
/// How long the mark of a struck debate is kept for tails that were away.
const MARK_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Why the tail begins anew.
type Broken = Box<dyn std::error::Error + Send + Sync>;

/// What was seen of the stream.
#[derive(Default)]
struct TailMark {
    /// When it was made, in nanoseconds since 1970.
    made: Option<i128>,
    /// The sequence of its last message.
    last: u64,
}

/// Follows the catalogue for as long as it is polled.
pub(crate) async fn follow(js: Js, listing: Arc<CatalogueView>) {
    let mut seen = TailMark::default();
    loop {
        if let Err(error) = run(&js, &listing, &mut seen).await {
            tracing::debug!(%error, last = seen.last, "the tail of the catalogue begins anew");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn run(js: &Js, listing: &CatalogueView, seen: &mut TailMark) -> Result<(), Broken> {
    let stream = js.info(CATALOGUE).await?;
    let made = stream.created.unix_timestamp_nanos();
    if stream.state.last_sequence < seen.last || seen.made.is_some_and(|known| known != made) {
        // The stream is another one, or has lost what was not on disk yet: what is known says nothing about its sequences.
        listing.reset();
        seen.last = 0;
    }
    seen.made = Some(made);
    let deliver_policy = match seen.last {
        0 => DeliverPolicy::LastPerSubject,
        last => DeliverPolicy::ByStartSequence { start_sequence: last + 1 },
    };
    let config = pull::Config {
        name: Some(format!("idx-{:016x}", rand::random::<u64>())),
        filter_subject: ALL_ENTRIES.to_owned(),
        deliver_policy,
        ack_policy: AckPolicy::None,
        memory_storage: true,
        num_replicas: 1,
        inactive_threshold: UNUSED,
        ..pull::Config::default()
    };
    let consumer = js.in_time(js.context.create_consumer_on_stream(config, CATALOGUE)).await??;
    if consumer.cached_info().num_pending == 0 {
        listing.loaded.send_replace(true);
    }
    let mut messages = js.in_time(consumer.stream().heartbeat(HEARTBEAT).expires(PULL).messages()).await??;
    while let Some(message) = messages.next().await {
        let message = message?;
        let info = message.info()?;
        let (sequence, pending) = (info.stream_sequence, info.pending);
        let kept = info.published.unix_timestamp().saturating_add_unsigned(MARK_KEPT.as_secs());
        let struck = listing.take_in(&CatalogueMessage {
            subject: &message.subject,
            sequence,
            headers: message.headers.as_ref(),
            payload: &message.payload,
        });
        seen.last = seen.last.max(sequence);
        if pending == 0 {
            listing.loaded.send_replace(true);
        }
        if struck && kept < now() {
            clear(js, listing, &message, sequence).await;
        }
    }
    Ok(())
}

/// Removes the mark of a debate that was struck long ago, and nothing that came after it.
async fn clear(js: &Js, listing: &CatalogueView, message: &Message, sequence: u64) {
    let Ok(stream) = js.handle(CATALOGUE).await else { return };
    let purge = stream.purge().filter(message.subject.as_str()).sequence(sequence + 1);
    // It is tried again by whoever loads the catalogue next.
    if let (Ok(Ok(_)), Some(debate)) = (js.in_time(purge.into_future()).await, subjects::debate_of(&message.subject)) {
        listing.purged(&debate, sequence);
    }
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
