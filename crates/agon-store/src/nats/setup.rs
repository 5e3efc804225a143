//! Setting up the streams and the consumers of the job queue. Safe to do twice, and by many at once.
use super::NatsStoreConfig;
use super::config::NatsStorage;
use super::error::NatsStoreError;
use super::js::Js;
use super::parts::HEADER_ROOM;
use super::subjects::{self, CATALOGUE, EVALS, JOBS, ORDERS, PARTS, REGISTERS, REQUESTS};
use agon_bus::nats::NatsLink;
use agon_bus::nats::provision::{
    Growth, ProvisionError, SetUp, describe_stream, find_consumer, find_stream, set_up_stream,
};
use agon_core::Priority;
use async_nats::jetstream::consumer::{self, AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use std::num::NonZeroU64;
use std::time::Duration;

/// The server's own memory of message ids, which no message here has: as short as may be.
const NO_DUPLICATES: Duration = Duration::from_millis(100);
/// What stands before the name of a cluster.
const CLUSTER: &str = ", cluster ";
/// No limit.
const UNLIMITED: i64 = -1;

/// What a process uses of the store. What it does not use is neither set up nor looked at, so that it needs no permission for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NatsUse {
    /// Debates are admitted, listed, cancelled and deleted.
    pub admits: bool,
    /// Debates are owned.
    pub owns: bool,
    /// Evals are kept: older users of NATS may not.
    pub evals: bool,
    /// Turns are queued or pulled: the queues of the bus are looked at, too.
    pub queues: bool,
}
impl NatsUse {
    /// Everything of the store.
    pub const ALL: Self = Self { admits: true, owns: true, evals: true, queues: false };

    /// Logs, results and parts are there for everybody, the lists only for those who know all debates.
    pub(crate) fn needs(self, stream: &str) -> bool {
        match stream {
            REQUESTS => self.admits,
            EVALS => self.evals,
            ORDERS | JOBS | CATALOGUE => self.knows_all(),
            _ => true,
        }
    }
    /// Whether the catalogue is followed.
    pub(crate) fn knows_all(self) -> bool {
        self.admits || self.owns
    }
}

/// Looks at what exists, creates what is missing, raises limits that are lower than asked, and refuses any other difference. Says what
/// it came to, by stream and consumer.
pub(crate) async fn set_up(
    link: &NatsLink,
    js: &Js,
    config: &NatsStoreConfig,
    uses: NatsUse,
) -> Result<Vec<(String, SetUp)>, NatsStoreError> {
    let (server, wanted) = (js.client.max_payload(), part_bytes(config));
    let needed = wanted.saturating_add(HEADER_ROOM);
    if server < needed {
        return Err(NatsStoreError::SmallMessages { server, wanted, needed });
    }
    let mut done = Vec::new();
    for stream in streams(config).into_iter().filter(|stream| uses.needs(&stream.name)) {
        // The first one to differ stops the set-up, before anything is added to a cluster that was set up otherwise. What is fixed is
        // looked at first, because other differences may follow from it.
        if let Some(found) = find_stream(link, &stream.name).await? {
            same_cluster(&stream, &found.config)?;
            match adopted(&stream, &found.config) {
                Some(description) => describe_stream(link, &stream.name, description).await?,
                None => same_description(&stream, &found.config)?,
            }
        }
        let (set_up, info) = set_up_stream(link, &stream, Growth::Allow).await?;
        same_description(&stream, &info.config)?;
        done.push((stream.name, set_up));
    }
    let priorities = if uses.owns { Priority::ALL.as_slice() } else { &[] };
    for priority in priorities {
        for lane in 0..config.lanes.get() {
            done.push(ensure_consumer(link, js, &job_consumer(config, *priority, lane)).await?);
        }
    }
    Ok(done)
}

/// The name of a cluster in the description of its logs; metadata of streams is not known to older servers.
fn cluster_of(stream: &Config) -> Option<&str> {
    stream.description.as_deref()?.split_once(CLUSTER).map(|(_, name)| name)
}

fn same_cluster(wanted: &Config, found: &Config) -> Result<(), NatsStoreError> {
    match (cluster_of(wanted), cluster_of(found)) {
        (_, None) => Ok(()),
        (wanted, Some(found)) if wanted == Some(found) => Ok(()),
        (name, Some(found)) => Err(NatsStoreError::OtherCluster {
            stream: wanted.name.clone(),
            found: found.to_owned(),
            wanted: name.map_or_else(|| "one without a name".to_owned(), |name| format!("{name:?}")),
        }),
    }
}

/// The description of a stream without a cluster's name that is given one.
fn adopted<'a>(wanted: &'a Config, found: &Config) -> Option<&'a str> {
    let description = wanted.description.as_deref()?;
    let (nameless, _) = description.split_once(CLUSTER)?;
    (found.description.as_deref() == Some(nameless)).then_some(description)
}

fn same_description(wanted: &Config, found: &Config) -> Result<(), NatsStoreError> {
    match found.description == wanted.description {
        true => Ok(()),
        false => Err(NatsStoreError::Differs {
            stream: wanted.name.clone(),
            found: found.description.clone().unwrap_or_default(),
            wanted: wanted.description.clone().unwrap_or_default(),
        }),
    }
}

/// The setting as a number of bytes.
pub(crate) fn part_bytes(config: &NatsStoreConfig) -> usize {
    usize::try_from(config.part_bytes.get()).unwrap_or(usize::MAX)
}

/// All streams, the one whose description says the most first.
pub(crate) fn streams(config: &NatsStoreConfig) -> Vec<Config> {
    let limits = &config.limits;
    let shards = config.shards;
    let shard_bytes = NonZeroU64::new(limits.log_bytes.get() / u64::from(shards.get())).unwrap_or(NonZeroU64::MIN);
    let cluster = config.cluster.as_ref().map(|name| format!("{CLUSTER}{name}")).unwrap_or_default();
    let logs = (0..shards.get()).map(|shard| Config {
        description: Some(format!("logs of debates, shard {shard} of {shards}{cluster}")),
        max_messages_per_subject: config.max_records.get().into(),
        discard_new_per_subject: true,
        deny_delete: true,
        ..stream(config, subjects::log_stream(shard), subjects::shard_logs(shard), shard_bytes)
    });
    let once = |name: &str, subject: &str, bytes, age, description: String| Config {
        description: Some(description),
        max_messages_per_subject: 1,
        discard_new_per_subject: true,
        max_age: age,
        ..stream(config, name.to_owned(), subject.to_owned(), bytes)
    };
    let last = |name: &str, subject: &str, bytes, description: &str| Config {
        description: Some(description.to_owned()),
        max_messages_per_subject: 1,
        ..stream(config, name.to_owned(), subject.to_owned(), bytes)
    };
    let jobs = Config {
        retention: RetentionPolicy::WorkQueue,
        max_messages: config.max_jobs.get().into(),
        ..once(
            JOBS,
            subjects::ALL_JOBS,
            limits.job_bytes,
            limits.job_age,
            format!("debates that want an owner, in {} lanes", config.lanes),
        )
    };
    let rest = [
        jobs,
        once(REGISTERS, subjects::ALL_REGISTERS, limits.register_bytes, limits.register_age, "results".to_owned()),
        once(ORDERS, subjects::ALL_ORDERS, limits.order_bytes, limits.order_age, "orders to owners".to_owned()),
        once(REQUESTS, subjects::ALL_REQUESTS, limits.request_bytes, limits.request_age, "request ids".to_owned()),
        last(CATALOGUE, subjects::ALL_ENTRIES, limits.catalogue_bytes, "catalogue of debates"),
        Config {
            description: Some("logs of evals".to_owned()),
            subjects: vec![subjects::ALL_EVALS.to_owned(), subjects::ALL_EVAL_PARTS.to_owned()],
            max_messages_per_subject: UNLIMITED,
            deny_delete: true,
            ..stream(config, EVALS.to_owned(), subjects::ALL_EVALS.to_owned(), limits.eval_bytes)
        },
        last(PARTS, subjects::ALL_PARTS, limits.part_bytes, "parts of large bodies"),
    ];
    logs.chain(rest).collect()
}

/// What all streams have in common: what is full refuses, and never drops what it has.
fn stream(config: &NatsStoreConfig, name: String, subject: String, bytes: NonZeroU64) -> Config {
    let message = part_bytes(config).saturating_add(HEADER_ROOM);
    Config {
        name,
        subjects: vec![subject],
        max_bytes: i64::try_from(bytes.get()).unwrap_or(i64::MAX),
        max_messages: UNLIMITED,
        max_message_size: i32::try_from(message).unwrap_or(i32::MAX),
        discard: DiscardPolicy::New,
        retention: RetentionPolicy::Limits,
        storage: match config.storage {
            NatsStorage::File => StorageType::File,
            NatsStorage::Memory => StorageType::Memory,
        },
        num_replicas: config.replicas.get(),
        duplicate_window: NO_DUPLICATES,
        ..Config::default()
    }
}

fn job_consumer(config: &NatsStoreConfig, priority: Priority, lane: u32) -> pull::Config {
    let name = subjects::job_consumer(priority, lane);
    pull::Config {
        durable_name: Some(name.clone()),
        name: Some(name),
        filter_subject: subjects::jobs(priority, lane),
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::Explicit,
        ack_wait: config.lease,
        max_deliver: UNLIMITED,
        max_ack_pending: config.max_jobs.get().into(),
        ..pull::Config::default()
    }
}

/// A consumer that exists is asked for again only where it differs, so that whoever may not create it can still use it.
async fn ensure_consumer(link: &NatsLink, js: &Js, wanted: &pull::Config) -> Result<(String, SetUp), NatsStoreError> {
    let name = wanted.name.clone().unwrap_or_default();
    let failed = |detail: String| NatsStoreError::Consumer { consumer: name.clone(), detail };
    let (found, set_up) = match find_consumer(link, JOBS, &name).await? {
        Some(info) if difference(wanted, &info.config).is_none() => return Ok((name, SetUp::AsAsked)),
        Some(_) => (create_consumer(link, js, wanted).await?, SetUp::Grown),
        None => (create_consumer(link, js, wanted).await?, SetUp::Created),
    };
    match difference(wanted, &found) {
        None => Ok((name, set_up)),
        Some(field) => Err(failed(format!("the server has another {field} than was asked for"))),
    }
}

async fn create_consumer(link: &NatsLink, js: &Js, wanted: &pull::Config) -> Result<consumer::Config, NatsStoreError> {
    let name = wanted.name.clone().unwrap_or_default();
    let failed = |detail: String| NatsStoreError::Consumer { consumer: name.clone(), detail };
    let subject = format!("$JS.API.CONSUMER.CREATE.{JOBS}.{name}.{}", wanted.filter_subject);
    let creating = js.in_time(js.context.create_consumer_on_stream(wanted.clone(), JOBS));
    let created = link.unless_denied(&subject, creating).await.map_err(|denied| {
        NatsStoreError::Stream(ProvisionError::Denied { stream: JOBS.to_owned(), subject: denied.subject })
    })?;
    let consumer = created.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
    Ok(consumer.cached_info().config.clone())
}

/// The field in which a consumer is not as asked.
fn difference(wanted: &pull::Config, found: &consumer::Config) -> Option<&'static str> {
    let same = [
        ("filter_subject", found.filter_subject == wanted.filter_subject),
        ("ack_policy", found.ack_policy == wanted.ack_policy),
        ("ack_wait", found.ack_wait == wanted.ack_wait),
        ("max_deliver", found.max_deliver == wanted.max_deliver),
        ("max_ack_pending", found.max_ack_pending == wanted.max_ack_pending),
    ];
    same.into_iter().find(|(_, same)| !same).map(|(field, _)| field)
}
