//! The durable consumers of the queue stream, made when they are first needed and whenever they have vanished.
use super::super::blob::Blobs;
use super::super::envelope::unpack;
use super::super::link::NatsLink;
use super::super::streams::{ProvisionConfig, QUEUE_PREFIX, QUEUE_STREAM};
use super::delivery::NatsDelivery;
use super::provision_queue;
use crate::port::{BusError, Delivery, Message};
use crate::subject::Token;
use async_nats::jetstream::consumer::{AckPolicy, Config, DeliverPolicy, Info, pull};
use async_nats::jetstream::context::{RequestError, RequestErrorKind};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{self, ErrorCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Asks for one message that is there now.
pub(super) const NO_WAIT: &str = r#"{"batch":1,"no_wait":true}"#;
/// Pulls that may wait at one consumer, over all processes.
const MAX_WAITING: i64 = 512;
/// A consumer that nobody pulled from for so long goes; its work waits for the next one.
const INACTIVE: Duration = Duration::from_secs(24 * 3_600);
/// Work that cannot be read is tried again after this,
const UNREADABLE_PAUSE: Duration = Duration::from_secs(1);
/// and dropped when it was delivered so often.
const UNREADABLE_DELIVERIES: u32 = 5;

/// What one consumer hands out: a model's turns of one priority.
#[derive(Clone, Debug)]
pub(super) struct ConsumerLane {
    pub(super) filter: String,
    pub(super) name: String,
}
impl ConsumerLane {
    /// The lane of a pattern. Consumers of a work queue may not overlap, so there is one form only.
    pub(super) fn parse(pattern: &str) -> Result<Self, BusError> {
        let lane = || {
            let (model, priority) = pattern.strip_prefix(QUEUE_PREFIX)?.strip_suffix(".>")?.split_once('.')?;
            let (model, priority) = (Token::parse(model)?, Token::parse(priority)?);
            Some(Self { filter: pattern.to_owned(), name: format!("gen-{model}-{priority}") })
        };
        lane().ok_or_else(|| {
            BusError::Failed(format!("{pattern} cannot be pulled: it has to be {QUEUE_PREFIX}<model>.<priority>.>"))
        })
    }

    /// Where messages are asked for.
    pub(super) fn next_subject(&self, link: &NatsLink) -> String {
        format!("{}.CONSUMER.MSG.NEXT.{QUEUE_STREAM}.{}", link.api(), self.name)
    }
    pub(super) fn of_work(subject: &str) -> Option<Self> {
        let (model, rest) = subject.strip_prefix(QUEUE_PREFIX)?.split_once('.')?;
        let (priority, _) = rest.split_once('.')?;
        Self::parse(&format!("{QUEUE_PREFIX}{model}.{priority}.>")).ok()
    }
}

/// Makes consumers, and work of what they deliver.
#[derive(Clone)]
pub(super) struct Consumers {
    pub(super) blobs: Blobs,
    pub(super) provision: Arc<ProvisionConfig>,
}

impl Consumers {
    pub(super) fn link(&self) -> &NatsLink {
        self.blobs.link()
    }

    /// Sets the stream up again.
    pub(super) async fn provision(&self) -> Result<(), BusError> {
        provision_queue(self.link(), &self.provision).await
    }

    /// Makes the consumer unless it is there, with leases as long as asked. False where it is missing and this user may make none:
    /// whoever adds work makes it.
    pub(super) async fn ensure(&self, lane: &ConsumerLane, lease: Duration) -> Result<bool, BusError> {
        let found: Result<Info, _> = self.call(&format!("INFO.{QUEUE_STREAM}.{}", lane.name), &json!({})).await?;
        let missing = match found {
            Ok(info) if info.config.ack_wait == lease || self.link().is_lent() => return as_asked(lane, lease, &info),
            Ok(_) => false,
            Err(error) => match error.error_code() {
                ErrorCode::CONSUMER_NOT_FOUND | ErrorCode::STREAM_NOT_FOUND if self.link().is_lent() => {
                    return Ok(false);
                }
                ErrorCode::CONSUMER_NOT_FOUND => false,
                ErrorCode::STREAM_NOT_FOUND => true,
                _ => return Err(failed(lane, &error.to_string())),
            },
        };
        if missing {
            self.provision().await?;
        }
        self.create(lane, lease).await
    }

    async fn create(&self, lane: &ConsumerLane, lease: Duration) -> Result<bool, BusError> {
        let config = serde_json::to_value(config(lane, lease)).map_err(|e| failed(lane, &e.to_string()))?;
        let request = format!("CREATE.{QUEUE_STREAM}.{}.{}", lane.name, lane.filter);
        let body = json!({ "stream_name": QUEUE_STREAM, "config": config });
        match self.call::<Info>(&request, &body).await? {
            Ok(info) => as_asked(lane, lease, &info),
            Err(error) => Err(failed(lane, &error.to_string())),
        }
    }

    /// One call of the consumers' API. The inner error is the server's answer.
    async fn call<T: serde::de::DeserializeOwned>(
        &self,
        request: &str,
        body: &Value,
    ) -> Result<Result<T, jetstream::Error>, BusError> {
        let request = format!("CONSUMER.{request}");
        let subject = format!("{}.{request}", self.link().api());
        let jetstream = self.link().jetstream();
        match self.link().unless_denied(&subject, jetstream.request::<_, _, Response<T>>(request, body)).await {
            Ok(Ok(Response::Ok(answer))) => Ok(Ok(answer)),
            Ok(Ok(Response::Err { error })) => Ok(Err(error)),
            Ok(Err(error)) => Err(unanswered(&subject, &error, self.link().request_timeout())),
            Err(denied) => Err(BusError::Denied(denied.to_string())),
        }
    }

    /// Work from what a consumer delivered. None when it cannot be read: then it comes again, a few times.
    pub(super) async fn receive(&self, message: async_nats::Message) -> Result<Option<NatsDelivery>, BusError> {
        let message = jetstream::Message { message, context: self.link().jetstream() };
        let info = message.info().map_err(|e| BusError::Failed(format!("no queued work: {e}")))?;
        let deliveries = u32::try_from(info.delivered).unwrap_or(u32::MAX);
        let async_nats::Message { subject, reply, payload, headers, .. } = message.message;
        let Some(reply) = reply else { return Ok(None) };
        let (unpacked, subject) = (unpack(&self.blobs, headers, payload).await, subject.to_string());
        let delivery = |payload| NatsDelivery {
            link: self.link().clone(),
            message: Message { subject, payload },
            deliveries,
            reply,
        };
        match unpacked {
            Ok(payload) => Ok(Some(delivery(payload))),
            Err(error) => {
                let unreadable = delivery(crate::port::Payload::default());
                let subject = &unreadable.message.subject;
                if deliveries < UNREADABLE_DELIVERIES {
                    tracing::warn!(%subject, %error, deliveries, "work cannot be read");
                    unreadable.nak(UNREADABLE_PAUSE).await?;
                } else {
                    tracing::warn!(%subject, %error, deliveries, "work dropped, as it cannot be read");
                    unreadable.ack().await?;
                }
                Ok(None)
            }
        }
    }
}

fn config(lane: &ConsumerLane, lease: Duration) -> pull::Config {
    pull::Config {
        durable_name: Some(lane.name.clone()),
        name: Some(lane.name.clone()),
        filter_subject: lane.filter.clone(),
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::Explicit,
        ack_wait: lease,
        max_deliver: -1,
        max_ack_pending: -1,
        max_waiting: MAX_WAITING,
        inactive_threshold: INACTIVE,
        ..pull::Config::default()
    }
}

/// Refuses a consumer of that name that is of another kind.
fn as_asked(lane: &ConsumerLane, lease: Duration, info: &Info) -> Result<bool, BusError> {
    let Config { filter_subject, ack_policy, ack_wait, deliver_subject, .. } = &info.config;
    let same = *filter_subject == lane.filter
        && *ack_policy == AckPolicy::Explicit
        && *ack_wait == lease
        && deliver_subject.is_none();
    match same {
        true => Ok(true),
        false => Err(failed(lane, "it exists with another filter, acknowledgement or lease")),
    }
}

fn failed(lane: &ConsumerLane, why: &str) -> BusError {
    BusError::Failed(format!("consumer {} of {QUEUE_STREAM}: {why}", lane.name))
}

pub(super) fn unanswered(subject: &str, error: &RequestError, waited: Duration) -> BusError {
    match error.kind() {
        RequestErrorKind::TimedOut => BusError::Timeout { subject: subject.to_owned(), waited },
        RequestErrorKind::NoResponders | RequestErrorKind::InvalidSubject | RequestErrorKind::Other => {
            BusError::Failed(format!("{subject}: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_models_turns_of_one_priority_can_be_pulled() {
        let lane = ConsumerLane::parse("agon.v1.gen.qwen3-4b-da37b5.p1.>").unwrap();
        assert_eq!(lane.name, "gen-qwen3-4b-da37b5-p1");
        for pattern in
            ["agon.v1.gen.>", "agon.v1.gen.m.>", "agon.v1.gen.*.p1.>", "agon.v1.gen.m.p1", "agon.v1.job.p1.0.>"]
        {
            assert!(ConsumerLane::parse(pattern).is_err(), "{pattern}");
        }
        let work = "agon.v1.gen.qwen3-4b-da37b5.p1.default.some.r1-s0.1";
        assert_eq!(ConsumerLane::of_work(work).unwrap().name, lane.name);
        assert!(ConsumerLane::of_work("agon.v1.gen.qwen3-4b-da37b5.p1").is_none());
    }
}
