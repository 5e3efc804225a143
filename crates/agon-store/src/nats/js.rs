//! The few requests to JetStream that the store is made of, each with a deadline.
use super::error::StoreRefusal;
use super::stream_health::{StreamFill, StreamHealth};
use super::subjects::{self, EVALS, JOBS};
use agon_bus::nats::NatsLink;
use agon_core::DebateId;
use async_nats::connection::State;
use async_nats::header::{HeaderMap, NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, NATS_EXPECTED_STREAM};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::response::Response;
use async_nats::jetstream::stream::{Info, RawMessageErrorKind, Stream};
use async_nats::jetstream::{Context, ContextBuilder, ErrorCode};
use async_nats::{Client, Message, Request, RequestErrorKind};
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde::de::IgnoredAny;
use serde_json::json;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// A connection's JetStream.
#[derive(Clone, Debug)]
pub(crate) struct Js {
    pub(crate) client: Client,
    pub(crate) context: Context,
    pub(crate) deadline: Duration,
    /// This user may create no consumers.
    pub(crate) lent: bool,
    /// How the streams are.
    pub(crate) found: Arc<StreamHealth>,
}

/// A message for a stream.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    pub(crate) stream: &'a str,
    pub(crate) subject: &'a str,
    /// The stream sequence that the subject's last message has to have, 0 for none.
    pub(crate) expected: Option<u64>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Js {
    pub(crate) fn new(link: &NatsLink, deadline: Duration) -> Self {
        let client = link.client().clone();
        let context = ContextBuilder::new().timeout(deadline).api_prefix(link.api()).build(client.clone());
        Self { client, context, deadline, lent: link.is_lent(), found: Arc::default() }
    }

    /// Stores a message; its sequence in the stream. There is no message id: an unsure answer is settled by reading.
    pub(crate) async fn publish(&self, message: Outgoing<'_>) -> Result<u64, StoreRefusal> {
        self.write(message, StreamFill::Brimful).await
    }

    /// The same in a stream that is less full than this.
    pub(crate) async fn write(&self, message: Outgoing<'_>, until: StreamFill) -> Result<u64, StoreRefusal> {
        if self.found.fill(message.stream) >= until {
            return Err(StoreRefusal::Full(format!("next to no room is left in stream {}", message.stream)));
        }
        let mut headers = message.headers;
        headers.insert(NATS_EXPECTED_STREAM, message.stream);
        if let Some(expected) = message.expected {
            headers.insert(NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, expected.to_string().as_str());
        }
        let bytes = message.body.len();
        let request = Request::new().headers(headers).payload(message.body);
        let sending = self.found.traffic.send(message.stream, bytes);
        let answer = self.ask(message.subject, request).await;
        drop(sending);
        let answer = answer.inspect_err(|_| self.unanswered(message.stream))?;
        self.found.answered(message.stream);
        match serde_json::from_slice::<Response<PublishAck>>(&answer.payload) {
            Ok(Response::Ok(ack)) => {
                self.found.taken(message.stream);
                Ok(ack.sequence)
            }
            Ok(Response::Err { error }) => Err(self.refused(message.stream, StoreRefusal::from_api(&error))),
            Err(error) => Err(StoreRefusal::Unsure(format!("the answer cannot be read: {error}"))),
        }
    }

    /// Takes note of a stream that said nothing to a message, although there is a connection.
    fn unanswered(&self, stream: &str) {
        if self.client.connection_state() == State::Connected {
            self.found.silent(stream);
        }
    }

    /// Takes note of a stream that has no room. A full queue of jobs empties by itself, and debates do without the logs of evals.
    fn refused(&self, stream: &str, refusal: StoreRefusal) -> StoreRefusal {
        match &refusal {
            // one message for a subject: that is how what is there already is refused
            StoreRefusal::Full(detail) if stream != JOBS && stream != EVALS && !detail.contains("per subject") => {
                self.found.refused(stream, detail);
            }
            StoreRefusal::Full(_) | StoreRefusal::Moved | StoreRefusal::Denied(_) | StoreRefusal::Unsure(_) => {}
        }
        refusal
    }

    /// One request and its answer.
    pub(crate) async fn ask(&self, subject: &str, request: Request) -> Result<Message, StoreRefusal> {
        let request = request.timeout(Some(self.deadline));
        let asked = self.in_time(self.client.send_request(subject.to_owned(), request)).await?;
        asked.map_err(|error| match error.kind() {
            RequestErrorKind::NoResponders => StoreRefusal::Unsure("JetStream does not answer".to_owned()),
            RequestErrorKind::TimedOut => StoreRefusal::Unsure(self.late()),
            RequestErrorKind::MaxPayloadExceeded | RequestErrorKind::InvalidSubject => {
                StoreRefusal::Denied(error.to_string())
            }
            RequestErrorKind::Other => StoreRefusal::Unsure(error.to_string()),
        })
    }

    /// The last message of a subject, as the stream's leader has it.
    pub(crate) async fn last(&self, stream: &str, subject: &str) -> Result<Option<StreamMessage>, StoreRefusal> {
        let handle = self.handle(stream).await?;
        self.message(handle.raw_message_builder().last_by_subject(subject).send()).await
    }

    /// The first message of a subject, wildcards allowed, from a sequence on, as the stream's leader has it.
    pub(crate) async fn next(
        &self,
        stream: &str,
        subject: &str,
        from: u64,
    ) -> Result<Option<StreamMessage>, StoreRefusal> {
        let handle = self.handle(stream).await?;
        self.message(handle.raw_message_builder().sequence(from.max(1)).next_by_subject(subject).send()).await
    }

    /// The sequence of a stream's last message, whatever became of it.
    pub(crate) async fn end(&self, stream: &str) -> Result<u64, StoreRefusal> {
        self.info(stream).await.map(|info| info.state.last_sequence)
    }

    /// How a stream is; fails where it is missing.
    pub(crate) async fn info(&self, stream: &str) -> Result<Info, StoreRefusal> {
        let handle = self.handle(stream).await?;
        let info = self.in_time(handle.get_info()).await?;
        info.map_err(|error| StoreRefusal::Unsure(error.to_string()))
    }

    /// The debates that a stream has messages of, under these subjects.
    pub(crate) async fn debates(&self, stream: &str, under: &str) -> Result<Vec<DebateId>, StoreRefusal> {
        Ok(self.counts(stream, under).await?.into_iter().map(|(debate, _)| debate).collect())
    }

    /// The debates or evals that a stream has messages of, under these subjects, each with how many.
    pub(crate) async fn counts(&self, stream: &str, under: &str) -> Result<Vec<(DebateId, u64)>, StoreRefusal> {
        let unsure = |error: &dyn std::fmt::Display| StoreRefusal::Unsure(error.to_string());
        let handle = self.handle(stream).await?;
        let named = self.in_time(handle.info_with_subjects(under)).await?;
        let mut named = named.map_err(|error| unsure(&error))?;
        let mut counts = Vec::new();
        while let Some(next) = self.in_time(named.next()).await? {
            let (subject, count) = next.map_err(|error| unsure(&error))?;
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            counts.extend(subjects::debate_of(&subject).map(|debate| (debate, count)));
        }
        Ok(counts)
    }

    /// Removes the messages of a subject, wildcards allowed; how many there were.
    pub(crate) async fn purge(&self, stream: &str, subject: &str) -> Result<u64, StoreRefusal> {
        let handle = self.handle(stream).await?;
        let purged = self.in_time(handle.purge().filter(subject).into_future()).await?;
        purged.map(|answer| answer.purged).map_err(|error| StoreRefusal::Unsure(error.to_string()))
    }

    /// Removes the last message of a subject, where there is one.
    pub(crate) async fn remove_last(&self, stream: &str, subject: String) -> Result<(), StoreRefusal> {
        let Some(message) = self.last(stream, &subject).await? else { return Ok(()) };
        let body = json!({ "seq": message.sequence, "no_erase": true });
        let removed = self.context.request::<_, _, Response<IgnoredAny>>(format!("STREAM.MSG.DELETE.{stream}"), &body);
        match self.in_time(removed).await? {
            Ok(Response::Ok(_)) => Ok(()),
            // somebody else was first
            Ok(Response::Err { .. }) if self.last(stream, &subject).await?.is_none() => Ok(()),
            Ok(Response::Err { error }) => Err(StoreRefusal::from_api(&error)),
            Err(error) => Err(StoreRefusal::Unsure(error.to_string())),
        }
    }

    /// A stream's handle; asks nothing.
    pub(crate) async fn handle(&self, stream: &str) -> Result<Stream<()>, StoreRefusal> {
        self.context.get_stream_no_info(stream).await.map_err(|error| StoreRefusal::Denied(error.to_string()))
    }

    async fn message(
        &self,
        asked: impl Future<Output = Result<StreamMessage, async_nats::jetstream::stream::RawMessageError>>,
    ) -> Result<Option<StreamMessage>, StoreRefusal> {
        match self.in_time(asked).await? {
            Ok(message) => Ok(Some(message)),
            Err(error) => match error.kind() {
                RawMessageErrorKind::NoMessageFound => Ok(None),
                RawMessageErrorKind::JetStream(error) if error.error_code() == ErrorCode::NO_MESSAGE_FOUND => Ok(None),
                RawMessageErrorKind::JetStream(error) => Err(StoreRefusal::from_api(&error)),
                RawMessageErrorKind::InvalidSubject | RawMessageErrorKind::Other => {
                    Err(StoreRefusal::Unsure(error.to_string()))
                }
            },
        }
    }

    /// Bounds what waits, also for room in the connection's buffer while there is no connection.
    pub(crate) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, StoreRefusal> {
        tokio::time::timeout(self.deadline, work).await.map_err(|_| StoreRefusal::Unsure(self.late()))
    }

    fn late(&self) -> String {
        format!("JetStream has not answered within {} ms", self.deadline.as_millis())
    }
}

/// A header's text.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(async_nats::HeaderValue::as_str)
}
