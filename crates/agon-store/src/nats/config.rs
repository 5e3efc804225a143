//! The settings of the store on JetStream.
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::time::Duration;

const MIB: u64 = 1 << 20;
const HOUR: Duration = Duration::from_secs(60 * 60);

/// How the store on JetStream is set up and bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsStoreConfig {
    /// The cluster whose streams these are; another one's are refused. Absent: no cluster that has a name.
    pub cluster: Option<String>,
    /// How many streams the logs are spread over; fixed by the first set-up.
    pub shards: NonZeroU32,
    /// How many lanes each priority of the job queue has: tenants share a lane, and lanes are served in turn. Fixed by the first set-up.
    pub lanes: NonZeroU32,
    /// Copies of every stream: 1, 3 or 5.
    pub replicas: NonZeroUsize,
    /// Where the server keeps the streams.
    pub storage: NatsStorage,
    /// How long one request may take.
    pub deadline: Duration,
    /// How long a taken job is kept without being extended.
    pub lease: Duration,
    /// Records one log may have.
    pub max_records: NonZeroU32,
    /// Debates the job queue may hold.
    pub max_jobs: NonZeroU32,
    /// Bytes a body may have in one message; larger ones are stored in parts of this size.
    pub part_bytes: NonZeroU32,
    /// What each kind of stream may hold.
    pub limits: NatsLimits,
    /// Percent of each stream that new debates and new turns leave free, so that ends, cancellations and deletions always fit.
    pub reserve_percent: u8,
    /// What this process keeps in memory.
    pub cache: NatsCache,
}

/// What kind of disk the streams lie on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NatsStorage {
    /// On disk.
    File,
    /// In memory: gone when the server ends.
    Memory,
}

/// Bytes and ages of the streams. The server reserves the bytes when it is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsLimits {
    /// Bytes of all logs together; each shard has its part.
    pub log_bytes: NonZeroU64,
    /// Bytes of the registers, which hold the first result of each turn.
    pub register_bytes: NonZeroU64,
    /// How long a register is kept.
    pub register_age: Duration,
    /// Bytes of the orders: cancel, pause, resume and their like.
    pub order_bytes: NonZeroU64,
    /// How long an order is kept.
    pub order_age: Duration,
    /// Bytes of the job queue.
    pub job_bytes: NonZeroU64,
    /// How long a job is kept.
    pub job_age: Duration,
    /// Bytes of the request ids.
    pub request_bytes: NonZeroU64,
    /// How long a request id is remembered.
    pub request_age: Duration,
    /// Bytes of the catalogue, one summary for each debate.
    pub catalogue_bytes: NonZeroU64,
    /// Bytes of the logs of evals, with the questions of each.
    pub eval_bytes: NonZeroU64,
    /// Bytes of the parts of large bodies.
    pub part_bytes: NonZeroU64,
}

/// What one process keeps in memory. Whatever is dropped is read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsCache {
    /// Debates of which something is kept.
    pub debates: NonZeroUsize,
    /// Records kept of each.
    pub records: NonZeroUsize,
    /// Places in its log kept of each.
    pub places: NonZeroUsize,
    /// Jobs that may be held at once; of more, the oldest runs out.
    pub held_jobs: NonZeroUsize,
}

impl Default for NatsStoreConfig {
    fn default() -> Self {
        Self {
            shards: NonZeroU32::MIN,
            lanes: NonZeroU32::MIN.saturating_add(3),
            replicas: NonZeroUsize::MIN,
            storage: NatsStorage::File,
            deadline: Duration::from_secs(2),
            lease: Duration::from_secs(30),
            max_records: NonZeroU32::MIN.saturating_add(4_999),
            max_jobs: NonZeroU32::MIN.saturating_add(99_999),
            part_bytes: NonZeroU32::MIN.saturating_add((256 << 10) - 1),
            cluster: None,
            limits: NatsLimits::default(),
            reserve_percent: 5,
            cache: NatsCache::default(),
        }
    }
}

impl Default for NatsLimits {
    fn default() -> Self {
        let mebibytes = |count: u64| NonZeroU64::MIN.saturating_add(count * MIB - 1);
        Self {
            log_bytes: mebibytes(1024),
            register_bytes: mebibytes(256),
            register_age: HOUR * 24 * 7,
            order_bytes: mebibytes(64),
            order_age: HOUR * 24 * 7,
            job_bytes: mebibytes(64),
            job_age: HOUR * 24,
            request_bytes: mebibytes(64),
            request_age: HOUR * 24 * 8,
            catalogue_bytes: mebibytes(128),
            eval_bytes: mebibytes(256),
            part_bytes: mebibytes(256),
        }
    }
}

impl Default for NatsCache {
    fn default() -> Self {
        Self {
            debates: NonZeroUsize::MIN.saturating_add(19_999),
            records: NonZeroUsize::MIN.saturating_add(63),
            places: NonZeroUsize::MIN.saturating_add(63),
            held_jobs: NonZeroUsize::MIN.saturating_add(19_999),
        }
    }
}
