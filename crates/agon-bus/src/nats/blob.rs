//! Bodies that are too large for one message: stored in parts, and fetched by whoever gets the message.
use super::link::NatsLink;
use super::provision::ensure_stream;
use super::streams::BLOB_STREAM;
use super::streams::ProvisionConfig;
use crate::port::{BusError, MAX_MESSAGE_BYTES};
use crate::subject::{Subject, Token};
use async_nats::StatusCode;
use async_nats::client::{Request, RequestErrorKind};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

const MAX_PART_BYTES: usize = 512 * 1024;
const PARTS_AT_ONCE: usize = 4;
/// The most parts that a reference may name: those of the largest body on a server that takes 64 KiB at a time.
const MAX_PARTS: u32 = 2_048;

/// Where a body is kept, and what it must be: `<id>;<parts>;<bytes>;<BLAKE3 in hex>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlobRef {
    id: Token,
    parts: u32,
    bytes: usize,
    hash: blake3::Hash,
}
impl fmt::Display for BlobRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};{};{};{}", self.id, self.parts, self.bytes, self.hash.to_hex())
    }
}
impl FromStr for BlobRef {
    type Err = BusError;
    fn from_str(text: &str) -> Result<Self, BusError> {
        let read = || {
            let mut fields = text.split(';');
            let id = Token::parse(fields.next()?)?;
            let parts = fields.next()?.parse().ok().filter(|parts| *parts <= MAX_PARTS)?;
            let bytes = fields.next()?.parse().ok().filter(|bytes| *bytes <= MAX_MESSAGE_BYTES)?;
            let hash = blake3::Hash::from_hex(fields.next()?).ok()?;
            fields.next().is_none().then_some(Self { id, parts, bytes, hash })
        };
        read().ok_or_else(|| BusError::Failed(format!("no reference to a large message: {text:?}")))
    }
}
impl BlobRef {
    fn part(&self, part: u32) -> String {
        Subject::Blob { id: self.id.clone(), part }.to_string()
    }
}

/// Stores and fetches large bodies. Clones share the connection.
#[derive(Clone)]
pub(super) struct Blobs {
    link: NatsLink,
    provision: Arc<ProvisionConfig>,
}

impl Blobs {
    pub(super) fn new(link: NatsLink, provision: Arc<ProvisionConfig>) -> Self {
        Self { link, provision }
    }
    /// The connection whose limits count.
    pub(super) fn link(&self) -> &NatsLink {
        &self.link
    }

    pub(super) async fn store(&self, body: Bytes) -> Result<BlobRef, BusError> {
        let part_bytes = MAX_PART_BYTES.min(self.link.client().max_payload() / 2).max(1);
        let parts = u32::try_from(body.len().div_ceil(part_bytes)).unwrap_or(u32::MAX);
        if parts > MAX_PARTS {
            let why =
                format!("a message of {} bytes needs {parts} parts on this server, at most {MAX_PARTS}", body.len());
            return Err(BusError::Failed(why));
        }
        let id = Token::new(&uuid::Uuid::new_v4().simple().to_string());
        let stored = BlobRef { id, parts, bytes: body.len(), hash: blake3::hash(&body) };
        let sends = (0..parts).map(|part| {
            let start = part as usize * part_bytes;
            let bytes = body.slice(start..body.len().min(start + part_bytes));
            self.store_part(stored.part(part), bytes)
        });
        stream::iter(sends).buffer_unordered(PARTS_AT_ONCE).try_collect::<()>().await?;
        Ok(stored)
    }

    async fn store_part(&self, subject: String, bytes: Bytes) -> Result<(), BusError> {
        match self.try_store_part(&subject, bytes.clone()).await? {
            true => return Ok(()),
            // somebody deleted the stream, or the server lost its memory
            false => ensure_stream(&self.link, &self.provision.blob_stream(), self.provision.growth).await?,
        };
        match self.try_store_part(&subject, bytes).await? {
            true => Ok(()),
            false => Err(BusError::Failed(format!("stream {BLOB_STREAM} is gone again"))),
        }
    }

    /// False when there is no stream for it.
    async fn try_store_part(&self, subject: &str, bytes: Bytes) -> Result<bool, BusError> {
        let jetstream = self.link.jetstream();
        let sending = async {
            let message = PublishMessage::build().payload(bytes);
            jetstream.send_publish(subject.to_owned(), message).await?.await
        };
        match self.link.unless_denied(subject, sending).await {
            Ok(Ok(_)) => Ok(true),
            Ok(Err(error)) if error.kind() == PublishErrorKind::StreamNotFound => Ok(false),
            Ok(Err(error)) => Err(BusError::Failed(format!("a part of a large message is not stored: {error}"))),
            Err(denied) => Err(BusError::Denied(denied.to_string())),
        }
    }

    pub(super) async fn fetch(&self, wanted: &BlobRef) -> Result<Bytes, BusError> {
        let fetches = (0..wanted.parts).map(|part| self.fetch_part(wanted.part(part)));
        let mut parts = stream::iter(fetches).buffered(PARTS_AT_ONCE);
        let mut body = BytesMut::with_capacity(wanted.bytes);
        while let Some(part) = parts.try_next().await? {
            if body.len() + part.len() > wanted.bytes {
                return Err(BusError::Failed(format!("large message {} is longer than said", wanted.id)));
            }
            body.extend_from_slice(&part);
        }
        if body.len() != wanted.bytes || blake3::hash(&body) != wanted.hash {
            return Err(BusError::Failed(format!("large message {} is damaged", wanted.id)));
        }
        Ok(body.freeze())
    }

    async fn fetch_part(&self, part: String) -> Result<Bytes, BusError> {
        let subject = format!("{}.DIRECT.GET.{BLOB_STREAM}.{part}", self.link.api());
        let request = Request::new().timeout(Some(self.link.request_timeout()));
        let asking = self.link.client().send_request(subject.clone(), request);
        let missing = || BusError::Failed(format!("part {part} of a large message is gone"));
        match self.link.unless_denied(&subject, asking).await {
            Ok(Ok(message)) if message.status.is_none() => Ok(message.payload),
            Ok(Ok(message)) if message.status == Some(StatusCode::NOT_FOUND) => Err(missing()),
            Ok(Ok(message)) => {
                let why = message.description.unwrap_or_else(|| "no reason is given".to_owned());
                Err(BusError::Failed(format!("part {part} of a large message cannot be read: {why}")))
            }
            Ok(Err(error)) if error.kind() == RequestErrorKind::NoResponders => Err(missing()),
            Ok(Err(error)) => Err(BusError::Failed(format!("part {part} of a large message cannot be read: {error}"))),
            Err(denied) => Err(BusError::Denied(denied.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_read_back_as_it_was_written() {
        let reference =
            BlobRef { id: Token::new("abc"), parts: 6, bytes: 3_000_000, hash: blake3::hash(b"what it must be") };
        assert_eq!(reference.to_string().parse::<BlobRef>().unwrap(), reference);
    }

    #[test]
    fn references_beyond_the_bounds_are_refused() {
        let hash = blake3::hash(b"").to_hex();
        for text in [
            format!("a;{};1;{hash}", MAX_PARTS + 1),
            format!("a;1;{};{hash}", MAX_MESSAGE_BYTES + 1),
            format!("a.b;1;1;{hash}"),
            format!("a;1;1;{hash};more"),
            "a;1;1;00".to_owned(),
        ] {
            assert!(text.parse::<BlobRef>().is_err(), "{text}");
        }
    }
}
