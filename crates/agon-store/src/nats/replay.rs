//! Reading a stretch of a log: a few messages one by one from the leader, many through a consumer.
use super::NatsStore;
use super::error::StoreRefusal;
use super::log::{LogPlace, head_of};
use super::subjects;
use crate::port::StoreError;
use agon_core::Position;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::message::StreamMessage;
use futures_util::StreamExt as _;
use std::time::Duration;

/// Up to so many events are read one by one; setting up a consumer costs as much as some of these.
const ONE_BY_ONE: u64 = 6;
/// How many messages one pull asks for.
const BATCH: usize = 500;
/// How soon the server says that it has nothing.
const HEARTBEAT: Duration = Duration::from_millis(500);
/// How long the server keeps a consumer that nobody uses.
const UNUSED: Duration = Duration::from_secs(30);

impl NatsStore {
    /// The messages of a debate's log behind a sequence, up to `tail`.
    pub(crate) async fn messages_to(
        &self,
        place: &LogPlace,
        behind: u64,
        tail: StreamMessage,
    ) -> Result<Vec<StreamMessage>, StoreError> {
        let events = self.events(behind, &tail)?;
        self.stretch(place, behind, tail, events).await
    }

    /// The messages of a subject behind a sequence, up to `tail`: at most so many.
    pub(crate) async fn stretch(
        &self,
        place: &LogPlace,
        behind: u64,
        tail: StreamMessage,
        most: u64,
    ) -> Result<Vec<StreamMessage>, StoreError> {
        let mut messages = Vec::new();
        let mut next = behind + 1;
        let until = tail.sequence;
        if !self.js.lent && most > ONE_BY_ONE && until.saturating_sub(behind) > ONE_BY_ONE {
            self.pull_to(place, &mut messages, next, until).await;
            next = messages.last().map_or(next, |message| message.sequence + 1);
        }
        while next < until {
            let message = self.js.next(&place.stream, &place.subject, next).await;
            let message = message.map_err(|error| error.during("reading a log"))?;
            let Some(message) = message.filter(|message| message.sequence < until) else { break };
            next = message.sequence + 1;
            messages.push(message);
        }
        if messages.last().is_none_or(|last| last.sequence < until) {
            messages.push(tail);
        }
        Ok(messages)
    }

    /// How many events there are between a sequence and the tail.
    fn events(&self, behind: u64, tail: &StreamMessage) -> Result<u64, StoreError> {
        let debate = subjects::debate_of(&tail.subject);
        let debate = debate.ok_or_else(|| StoreError::Backend(format!("{} is not a log", tail.subject)))?;
        let from = self.heads.position(&debate, behind).unwrap_or(Position(0));
        Ok(head_of(&debate, tail)?.last.0.saturating_sub(from.0))
    }

    /// Takes messages from a consumer until the last one that is wanted. If it fails or stalls, what came so far is kept: the rest is
    /// then read one by one.
    async fn pull_to(&self, place: &LogPlace, messages: &mut Vec<StreamMessage>, from: u64, until: u64) {
        let name = format!("read-{:016x}", rand::random::<u64>());
        let config = pull::Config {
            name: Some(name.clone()),
            filter_subject: place.subject.clone(),
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from },
            ack_policy: AckPolicy::None,
            memory_storage: true,
            num_replicas: 1,
            inactive_threshold: UNUSED,
            ..pull::Config::default()
        };
        let created = self.js.in_time(self.js.context.create_consumer_on_stream(config, &place.stream)).await;
        let Ok(Ok(consumer)) = created else {
            tracing::debug!(stream = place.stream, "no consumer to read a log with");
            return;
        };
        if let Err(error) = self.take_until(&consumer, messages, until).await {
            tracing::debug!(stream = place.stream, %error, "reading a log through a consumer has stalled");
        }
        // The server removes it anyway once it is unused.
        let removed = self.js.context.delete_consumer_from_stream(&name, &place.stream);
        self.js.in_time(removed).await.ok();
    }

    async fn take_until(
        &self,
        consumer: &PullConsumer,
        messages: &mut Vec<StreamMessage>,
        until: u64,
    ) -> Result<(), StoreRefusal> {
        let unsure = |error: &dyn std::fmt::Display| StoreRefusal::Unsure(error.to_string());
        loop {
            let pull = consumer.batch().max_messages(BATCH).expires(self.js.deadline).heartbeat(HEARTBEAT);
            let mut batch = self.js.in_time(pull.messages()).await?.map_err(|error| unsure(&error))?;
            let before = messages.len();
            while let Some(message) = self.js.in_time(batch.next()).await? {
                let message = message.map_err(|error| unsure(&error))?;
                let sequence = message.info().map_err(|error| unsure(&error))?.stream_sequence;
                let time = message.info().map_err(|error| unsure(&error))?.published;
                let (message, _) = message.split();
                let headers = message.headers.unwrap_or_default();
                messages.push(StreamMessage {
                    subject: message.subject,
                    sequence,
                    headers,
                    payload: message.payload,
                    time,
                });
                if sequence >= until {
                    return Ok(());
                }
            }
            if messages.len() == before {
                return Err(StoreRefusal::Unsure("nothing came".to_owned()));
            }
        }
    }
}
