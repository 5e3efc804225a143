//! Setting up streams so that what exists is what was asked for.
//!
//! Servers ignore options that they do not know, and an existing stream may have been set up otherwise. So every
//! set-up compares what the server says with what was asked, field by field, and refuses on a difference.
use super::link::NatsLink;
use crate::port::lasting;
use async_nats::jetstream::consumer;
use async_nats::jetstream::context::{RequestError, RequestErrorKind};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::stream::{Config, Info};
use async_nats::jetstream::{self, ErrorCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// What to do about a stream whose limits are lower than asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// Leave the stream as it is, and report the difference.
    #[default]
    Refuse,
    /// Raise them.
    Allow,
}

/// A field in which a stream differs from what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field, as the server's API names it.
    pub field: &'static str,
    /// What was asked.
    pub wanted: String,
    /// What the server has.
    pub found: String,
    /// What that means.
    pub kind: DifferenceKind,
}

/// What a difference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Another kind of stream, or a server that does not know the option.
    Other,
    /// The limit is lower than asked: it may be raised.
    Lower,
    /// The limit is higher than asked: lowering it could delete messages.
    Higher,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { field, wanted, found, kind } = self;
        let advice = match kind {
            DifferenceKind::Other => "is fixed: another stream or an older server",
            DifferenceKind::Lower => "is raised only where growing is allowed",
            DifferenceKind::Higher => {
                "is never lowered by the program: raise the setting, or lower it on the server manually"
            }
        };
        write!(f, "{field} is {found}, wanted {wanted} ({advice})")
    }
}

/// Why a stream is not there as asked.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// It exists, but differs.
    #[error("stream {stream} is not as asked: {}", differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Differs {
        /// Its name on the server.
        stream: String,
        /// In what.
        differences: Vec<Difference>,
    },
    /// It does not exist, and was only to be checked.
    #[error("stream {0} does not exist; set the streams up first")]
    Missing(String),
    /// This user may not.
    #[error("not permitted for stream {stream}: publish to {subject}")]
    Denied {
        /// Its name on the server.
        stream: String,
        /// The refused subject.
        subject: String,
    },
    /// The server has no JetStream.
    #[error("stream {0} cannot be set up: JetStream is not enabled on the server, or not for this account")]
    NoJetStream(String),
    /// The server refused or failed.
    #[error("stream {stream} cannot be inspected or set up: {reason}")]
    Server {
        /// Its name on the server.
        stream: String,
        /// What it said.
        reason: String,
    },
}

impl From<ProvisionError> for crate::port::BusError {
    fn from(error: ProvisionError) -> Self {
        match error {
            ProvisionError::Denied { .. } => Self::Denied(error.to_string()),
            ProvisionError::Differs { .. }
            | ProvisionError::Missing(_)
            | ProvisionError::NoJetStream(_)
            | ProvisionError::Server { .. } => Self::Failed(error.to_string()),
        }
    }
}

/// Attempts, where others create or delete the same stream meanwhile.
const ATTEMPTS: usize = 3;
/// The pause after one that a server refused.
const PAUSE: Duration = Duration::from_millis(100);

/// What setting up came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetUp {
    /// It was missing.
    Created,
    /// It was there, as asked.
    AsAsked,
    /// It was there, with lower limits.
    Grown,
}
impl std::fmt::Display for SetUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Created => "created",
            Self::AsAsked => "as asked",
            Self::Grown => "grown",
        })
    }
}

/// Creates the stream, or checks the one that exists. Safe to do twice and by many at once.
pub async fn ensure_stream(link: &NatsLink, wanted: &Config, growth: Growth) -> Result<Info, ProvisionError> {
    set_up_stream(link, wanted, growth).await.map(|(_, info)| info)
}

/// The same, and what it came to. A stream that exists as asked is only looked at. What a server refuses is tried again: of two that create
/// the same stream at once, it may refuse one because its subjects overlap with the other's.
pub async fn set_up_stream(link: &NatsLink, wanted: &Config, growth: Growth) -> Result<(SetUp, Info), ProvisionError> {
    let mut failed = ProvisionError::Missing(wanted.name.clone());
    for _ in 0..ATTEMPTS {
        match set_up_once(link, wanted, growth).await {
            Ok(Some(done)) => return Ok(done),
            Ok(None) => {}
            Err(error @ ProvisionError::Server { .. }) => {
                failed = error;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
    Err(failed)
}

/// None when somebody else created it meanwhile, with another configuration.
async fn set_up_once(
    link: &NatsLink,
    wanted: &Config,
    growth: Growth,
) -> Result<Option<(SetUp, Info)>, ProvisionError> {
    match check_stream(link, wanted).await {
        Ok(info) => Ok(Some((SetUp::AsAsked, info))),
        Err(ProvisionError::Missing(_)) => {
            let created = create(link, wanted).await?;
            created.map(|info| Ok((SetUp::Created, compared(wanted, info)?))).transpose()
        }
        Err(ProvisionError::Differs { stream, differences }) => {
            let may_grow = differences.iter().all(|difference| difference.kind == DifferenceKind::Lower);
            if growth == Growth::Refuse || !may_grow {
                return Err(ProvisionError::Differs { stream, differences });
            }
            Ok(Some((SetUp::Grown, grow(link, wanted).await?)))
        }
        Err(error) => Err(error),
    }
}

/// Checks that the stream exists as asked; creates and changes nothing.
pub async fn check_stream(link: &NatsLink, wanted: &Config) -> Result<Info, ProvisionError> {
    compared(wanted, info(link, &wanted.name).await?)
}

fn compared(wanted: &Config, info: Info) -> Result<Info, ProvisionError> {
    let differences = differences(wanted, &info.config);
    match differences.is_empty() {
        true => Ok(info),
        false => Err(ProvisionError::Differs { stream: wanted.name.clone(), differences }),
    }
}

/// The stream, if it exists.
pub async fn find_stream(link: &NatsLink, stream: &str) -> Result<Option<Info>, ProvisionError> {
    match info(link, stream).await {
        Ok(info) => Ok(Some(info)),
        Err(ProvisionError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A stream's consumer, if it exists.
pub async fn find_consumer(
    link: &NatsLink,
    stream: &str,
    consumer: &str,
) -> Result<Option<consumer::Info>, ProvisionError> {
    let request = format!("CONSUMER.INFO.{stream}.{consumer}");
    match ask::<consumer::Info>(link, stream, request, &json!({})).await? {
        Ok(info) => Ok(Some(info)),
        Err(error) if error.error_code() == ErrorCode::CONSUMER_NOT_FOUND => Ok(None),
        Err(error) => Err(refused(stream, &error)),
    }
}

async fn info(link: &NatsLink, stream: &str) -> Result<Info, ProvisionError> {
    match call(link, stream, "INFO", &json!({})).await? {
        Ok(info) => Ok(info),
        Err(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => {
            Err(ProvisionError::Missing(stream.to_owned()))
        }
        Err(error) => Err(refused(stream, &error)),
    }
}

/// None when somebody else was first with another configuration.
async fn create(link: &NatsLink, wanted: &Config) -> Result<Option<Info>, ProvisionError> {
    let stream = wanted.name.as_str();
    match call(link, stream, "CREATE", &body(stream, wanted)?).await? {
        Ok(info) => Ok(Some(info)),
        Err(error) if error.error_code() == ErrorCode::STREAM_NAME_EXIST => Ok(None),
        Err(error) => Err(refused(stream, &error)),
    }
}

async fn grow(link: &NatsLink, wanted: &Config) -> Result<Info, ProvisionError> {
    let stream = wanted.name.as_str();
    let mut config = info(link, stream).await?.config;
    config.max_messages = wanted.max_messages;
    config.max_bytes = wanted.max_bytes;
    config.max_messages_per_subject = wanted.max_messages_per_subject;
    config.max_message_size = wanted.max_message_size;
    config.max_age = wanted.max_age;
    config.num_replicas = wanted.num_replicas;
    if !wanted.duplicate_window.is_zero() {
        config.duplicate_window = wanted.duplicate_window;
    }
    let info = call(link, stream, "UPDATE", &body(stream, &config)?).await?;
    compared(wanted, info.map_err(|error| refused(stream, &error))?)
}

/// Gives a stream another description.
pub async fn describe_stream(link: &NatsLink, stream: &str, description: &str) -> Result<(), ProvisionError> {
    let mut config = info(link, stream).await?.config;
    config.description = Some(description.to_owned());
    let changed = call(link, stream, "UPDATE", &body(stream, &config)?).await?;
    changed.map(drop).map_err(|error| refused(stream, &error))
}

fn body(stream: &str, config: &Config) -> Result<Value, ProvisionError> {
    let failed = |e: serde_json::Error| ProvisionError::Server { stream: stream.to_owned(), reason: e.to_string() };
    serde_json::to_value(config).map_err(failed)
}

/// One call of the streams' API. The inner error is the server's answer.
async fn call(
    link: &NatsLink,
    stream: &str,
    verb: &str,
    body: &Value,
) -> Result<Result<Info, jetstream::Error>, ProvisionError> {
    ask(link, stream, format!("STREAM.{verb}.{stream}"), body).await
}

/// One call of JetStream's API about a stream. The inner error is the server's answer.
async fn ask<T: DeserializeOwned>(
    link: &NatsLink,
    stream: &str,
    request: String,
    body: &Value,
) -> Result<Result<T, jetstream::Error>, ProvisionError> {
    let subject = format!("{}.{request}", link.api());
    let jetstream = link.jetstream();
    let answer = jetstream.request::<_, _, Response<T>>(request, body);
    let answer = link.unless_denied(&subject, answer).await;
    let answer =
        answer.map_err(|denied| ProvisionError::Denied { stream: stream.to_owned(), subject: denied.subject })?;
    match answer {
        Ok(Response::Ok(info)) => Ok(Ok(info)),
        Ok(Response::Err { error }) => Ok(Err(error)),
        Err(error) => Err(unanswered(stream, &error)),
    }
}

fn unanswered(stream: &str, error: &RequestError) -> ProvisionError {
    match error.kind() {
        RequestErrorKind::NoResponders => ProvisionError::NoJetStream(stream.to_owned()),
        RequestErrorKind::TimedOut | RequestErrorKind::InvalidSubject | RequestErrorKind::Other => {
            ProvisionError::Server { stream: stream.to_owned(), reason: error.to_string() }
        }
    }
}

fn refused(stream: &str, error: &jetstream::Error) -> ProvisionError {
    match error.error_code() {
        ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => {
            ProvisionError::NoJetStream(stream.to_owned())
        }
        _ => ProvisionError::Server { stream: stream.to_owned(), reason: error.to_string() },
    }
}

/// Everything in which `found` is not what was asked. Options that were not asked for are compared where having them
/// would change what the stream does.
pub fn differences(wanted: &Config, found: &Config) -> Vec<Difference> {
    let sorted = |config: &Config| {
        let mut subjects = config.subjects.clone();
        subjects.sort();
        subjects
    };
    let fixed = [
        fixed("subjects", &sorted(wanted), &sorted(found)),
        fixed("retention", &wanted.retention, &found.retention),
        fixed("storage", &wanted.storage, &found.storage),
        fixed("discard", &wanted.discard, &found.discard),
        fixed("discard_new_per_subject", &wanted.discard_new_per_subject, &found.discard_new_per_subject),
        fixed("no_ack", &wanted.no_ack, &found.no_ack),
        fixed("sealed", &wanted.sealed, &found.sealed),
        fixed("deny_delete", &wanted.deny_delete, &found.deny_delete),
        fixed("deny_purge", &wanted.deny_purge, &found.deny_purge),
        fixed("allow_rollup_hdrs", &wanted.allow_rollup, &found.allow_rollup),
        fixed("republish", &wanted.republish, &found.republish),
        fixed("mirror", &wanted.mirror.is_some(), &found.mirror.is_some()),
        fixed("sources", &has_sources(wanted), &has_sources(found)),
        fixed("subject_transform", &wanted.subject_transform, &found.subject_transform),
        asked("allow_direct", wanted.allow_direct, found.allow_direct),
        asked("allow_msg_ttl", wanted.allow_message_ttl, found.allow_message_ttl),
        asked("allow_atomic", wanted.allow_atomic_publish, found.allow_atomic_publish),
    ];
    let limits = [
        limit("max_msgs", wanted.max_messages, found.max_messages),
        limit("max_bytes", wanted.max_bytes, found.max_bytes),
        limit("max_msgs_per_subject", wanted.max_messages_per_subject, found.max_messages_per_subject),
        limit("max_msg_size", wanted.max_message_size.into(), found.max_message_size.into()),
        age("max_age", wanted.max_age, found.max_age),
        replicas(wanted.num_replicas, found.num_replicas),
        (!wanted.duplicate_window.is_zero())
            .then(|| age("duplicate_window", wanted.duplicate_window, found.duplicate_window))
            .flatten(),
    ];
    fixed.into_iter().chain(limits).flatten().collect()
}

fn has_sources(config: &Config) -> bool {
    config.sources.as_ref().is_some_and(|sources| !sources.is_empty())
}

fn fixed<T: PartialEq + std::fmt::Debug>(field: &'static str, wanted: &T, found: &T) -> Option<Difference> {
    let difference = || Difference {
        field,
        wanted: format!("{wanted:?}"),
        found: format!("{found:?}"),
        kind: DifferenceKind::Other,
    };
    (wanted != found).then(difference)
}

/// An option that newer servers may turn on by themselves, and that hurts nobody.
fn asked(field: &'static str, wanted: bool, found: bool) -> Option<Difference> {
    wanted.then(|| fixed(field, &wanted, &found)).flatten()
}

fn limit(field: &'static str, wanted: i64, found: i64) -> Option<Difference> {
    let shown = |value: i64| if value <= 0 { "unlimited".to_owned() } else { value.to_string() };
    ordered(field, (bound(wanted), shown(wanted)), (bound(found), shown(found)))
}

/// A limit as a number that can be compared: none is the highest.
fn bound(limit: i64) -> u128 {
    u128::try_from(limit).ok().filter(|limit| *limit > 0).unwrap_or(u128::MAX)
}

fn age(field: &'static str, wanted: Duration, found: Duration) -> Option<Difference> {
    let bound = |age: Duration| if age.is_zero() { u128::MAX } else { age.as_nanos() };
    let shown = |age: Duration| if age.is_zero() { "unlimited".to_owned() } else { lasting(age) };
    ordered(field, (bound(wanted), shown(wanted)), (bound(found), shown(found)))
}

fn replicas(wanted: usize, found: usize) -> Option<Difference> {
    let at_least_one = |replicas: usize| (replicas.max(1) as u128, replicas.max(1).to_string());
    ordered("num_replicas", at_least_one(wanted), at_least_one(found))
}

fn ordered(field: &'static str, wanted: (u128, String), found: (u128, String)) -> Option<Difference> {
    let kind = match found.0.cmp(&wanted.0) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less => DifferenceKind::Lower,
        std::cmp::Ordering::Greater => DifferenceKind::Higher,
    };
    Some(Difference { field, wanted: wanted.1, found: found.1, kind })
}
