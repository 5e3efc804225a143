//! The streams of the bus: the queues, and the parts of large messages.
use super::link::NatsLink;
use super::provision::{Growth, ProvisionError, SetUp, check_stream, ensure_stream, set_up_stream};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use std::time::Duration;

/// The stream of the queues.
pub const QUEUE_STREAM: &str = "AGON_GEN";
/// The stream of the parts of large messages.
pub const BLOB_STREAM: &str = "AGON_BLOB";
/// The start of every queue's subjects.
pub(super) const QUEUE_PREFIX: &str = "agon.v1.gen.";

/// Where a stream's messages are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// On disk.
    #[default]
    File,
    /// In memory: faster, and gone when the server restarts.
    Memory,
}
impl From<Storage> for StorageType {
    fn from(storage: Storage) -> Self {
        match storage {
            Storage::File => Self::File,
            Storage::Memory => Self::Memory,
        }
    }
}

/// How the streams of the bus are set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvisionConfig {
    /// Copies of each stream in the cluster.
    pub replicas: usize,
    /// Where queued work is kept.
    pub queue_storage: Storage,
    /// Pieces of work in all queues together; further ones are refused.
    pub queue_messages: i64,
    /// Bytes in all queues together; further work is refused.
    pub queue_bytes: i64,
    /// Work that nobody took for so long is dropped.
    pub queue_age: Duration,
    /// Where parts of large messages are kept.
    pub blob_storage: Storage,
    /// Bytes of large messages on the way; beyond them the oldest are lost.
    pub blob_bytes: i64,
    /// Parts older than this are dropped.
    pub blob_age: Duration,
    /// Whether limits of existing streams may be raised.
    pub growth: Growth,
}
impl Default for ProvisionConfig {
    fn default() -> Self {
        let hour = Duration::from_secs(3_600);
        Self {
            replicas: 1,
            queue_storage: Storage::File,
            queue_messages: 20_000,
            queue_bytes: 256 * 1024 * 1024,
            queue_age: hour,
            blob_storage: Storage::File,
            blob_bytes: 512 * 1024 * 1024,
            blob_age: hour,
            growth: Growth::Refuse,
        }
    }
}

impl ProvisionConfig {
    /// The stream of the queues: one message for a subject, gone once acknowledged.
    pub fn queue_stream(&self) -> Config {
        Config {
            name: QUEUE_STREAM.to_owned(),
            subjects: vec![format!("{QUEUE_PREFIX}>")],
            retention: RetentionPolicy::WorkQueue,
            storage: self.queue_storage.into(),
            num_replicas: self.replicas,
            max_messages: self.queue_messages,
            max_bytes: self.queue_bytes,
            max_age: self.queue_age,
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            ..Config::default()
        }
    }

    /// The stream of the parts of large messages.
    pub fn blob_stream(&self) -> Config {
        Config {
            name: BLOB_STREAM.to_owned(),
            subjects: vec!["agon.v1.blob.>".to_owned()],
            retention: RetentionPolicy::Limits,
            storage: self.blob_storage.into(),
            num_replicas: self.replicas,
            max_bytes: self.blob_bytes,
            max_age: self.blob_age,
            max_messages_per_subject: 1,
            discard: DiscardPolicy::Old,
            allow_direct: true,
            ..Config::default()
        }
    }
}

/// Sets up the streams of the bus, or checks those that exist; what that came to, by stream.
pub async fn provision(link: &NatsLink, config: &ProvisionConfig) -> Result<Vec<(String, SetUp)>, ProvisionError> {
    let mut done = Vec::new();
    for stream in [config.queue_stream(), config.blob_stream()] {
        let (set_up, info) = set_up_stream(link, &stream, config.growth).await?;
        done.push((info.config.name, set_up));
    }
    Ok(done)
}

/// Sets up what has to be there before work is queued; the stream of large messages is made when it is first needed.
pub async fn provision_queues(link: &NatsLink, config: &ProvisionConfig) -> Result<(), ProvisionError> {
    ensure_stream(link, &config.queue_stream(), config.growth).await.map(drop)
}

/// Checks what has to be there before work is queued; creates nothing.
pub async fn check(link: &NatsLink, config: &ProvisionConfig) -> Result<(), ProvisionError> {
    check_stream(link, &config.queue_stream()).await.map(drop)
}
