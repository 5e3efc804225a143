//! Looking at the stream of the queues without taking anything from it.
use super::super::envelope::unpack;
use super::super::streams::{QUEUE_PREFIX, QUEUE_STREAM};
use super::NatsQueues;
use super::consumer::unanswered;
use crate::backlog::by_debate;
use crate::port::{Backlog, BusError, Payload};
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::response::Response;
use async_nats::jetstream::stream::RawMessage;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// What is read of an answer about a stream.
#[derive(Deserialize)]
struct Info {
    state: State,
    /// How many subjects there are, where one answer does not name all of them.
    #[serde(default)]
    total: usize,
}

#[derive(Deserialize)]
struct State {
    messages: u64,
    #[serde(default)]
    subjects: Option<HashMap<String, u64>>,
}

/// An answer with a message.
#[derive(Deserialize)]
struct FoundMessage {
    message: RawMessage,
}

impl NatsQueues {
    /// Counts the stream's messages by the model of their subjects. The server is asked for subjects only where there are messages.
    pub(in crate::nats) async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        let held: Option<Info> = self.ask(&info(), &json!({})).await?;
        if held.is_none_or(|info| info.state.messages == 0) {
            return Ok(Vec::new());
        }
        let held = self.subjects(0).await?;
        Ok(by_debate(held.and_then(|info| info.state.subjects).unwrap_or_default()))
    }

    /// The subjects of the stream's messages, page by page.
    pub(in crate::nats) async fn queued_subjects(&self) -> Result<HashSet<String>, BusError> {
        let mut queued = HashSet::new();
        let mut named = 0;
        while let Some(info) = self.subjects(named).await? {
            let page = info.state.subjects.unwrap_or_default();
            named += page.len();
            let last = page.is_empty() || named >= info.total;
            queued.extend(page.into_keys());
            if last {
                break;
            }
        }
        Ok(queued)
    }

    /// The subjects from the one of this number on, as many as the server names in one answer.
    async fn subjects(&self, from: usize) -> Result<Option<Info>, BusError> {
        self.ask(&info(), &json!({ "subjects_filter": format!("{QUEUE_PREFIX}>"), "offset": from })).await
    }

    pub(in crate::nats) async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        let request = format!("STREAM.MSG.GET.{QUEUE_STREAM}");
        let found: Option<FoundMessage> = self.ask(&request, &json!({ "last_by_subj": subject })).await?;
        let Some(FoundMessage { message }) = found else { return Ok(None) };
        let message = StreamMessage::try_from(message)
            .map_err(|error| BusError::Failed(format!("the message of {subject} cannot be read: {error}")))?;
        unpack(&self.consumers.blobs, Some(message.headers), message.payload).await.map(Some)
    }

    /// One call of the stream's API; nothing where there is no such stream or message.
    async fn ask<T: DeserializeOwned>(&self, request: &str, body: &Value) -> Result<Option<T>, BusError> {
        let link = self.consumers.link();
        let subject = format!("{}.{request}", link.api());
        let jetstream = link.jetstream();
        let asking = jetstream.request::<_, _, Response<T>>(request.to_owned(), body);
        match link.unless_denied(&subject, asking).await {
            Ok(Ok(Response::Ok(answer))) => Ok(Some(answer)),
            Ok(Ok(Response::Err { error })) => match error.error_code() {
                ErrorCode::STREAM_NOT_FOUND | ErrorCode::NO_MESSAGE_FOUND => Ok(None),
                _ => Err(BusError::Failed(format!("{subject}: {error}"))),
            },
            Ok(Err(error)) => Err(unanswered(&subject, &error, link.request_timeout())),
            Err(denied) => Err(BusError::Denied(denied.to_string())),
        }
    }
}

fn info() -> String {
    format!("STREAM.INFO.{QUEUE_STREAM}")
}
