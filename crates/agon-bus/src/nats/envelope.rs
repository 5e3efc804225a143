//! What a payload looks like as a NATS message: its trace context as a header, and its body, or where that is kept.
use super::blob::{BlobRef, Blobs};
use crate::port::{BusError, Payload};
use async_nats::{HeaderMap, HeaderName, HeaderValue};
use bytes::Bytes;
use std::str::FromStr;
use std::sync::Arc;

const TRACEPARENT: &str = "traceparent";
const BLOB: &str = "Agon-Blob";
/// Marks messages that only test whether they may be sent.
pub(super) const PROBE: &str = "Agon-Probe";
/// Room that is left for headers in the largest message that the server takes.
const HEADER_ROOM: usize = 2 * 1024;
/// The longest trace context that is passed on; W3C's has 55 characters.
const MAX_TRACEPARENT: usize = 512;

/// A message as it goes out.
pub(super) struct Envelope {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Packs a payload. A body that is too large for one message is stored first.
pub(super) async fn pack(blobs: &Blobs, subject: &str, payload: Payload) -> Result<Envelope, BusError> {
    payload.check_size(subject)?;
    let mut headers = HeaderMap::new();
    if let Some(traceparent) = payload.traceparent.filter(|text| text.len() <= MAX_TRACEPARENT) {
        add(&mut headers, TRACEPARENT, &traceparent);
    }
    let limit = blobs.link().client().max_payload().saturating_sub(HEADER_ROOM);
    if payload.body.len() <= limit {
        return Ok(Envelope { headers, body: payload.body });
    }
    let stored = blobs.store(payload.body).await?;
    add(&mut headers, BLOB, &stored.to_string());
    Ok(Envelope { headers, body: Bytes::new() })
}

/// A message as it came in.
pub(super) enum Opened {
    /// All of it.
    Whole(Payload),
    /// Its body is kept elsewhere.
    Stored(BlobRef, Option<Arc<str>>),
}

/// Reads a message's headers.
pub(super) fn open(headers: Option<&HeaderMap>, body: Bytes) -> Result<Opened, BusError> {
    let Some(headers) = headers else { return Ok(Opened::Whole(Payload::from(body))) };
    let traceparent = find(headers, TRACEPARENT).filter(|text| text.len() <= MAX_TRACEPARENT).map(Arc::from);
    match find(headers, BLOB) {
        Some(reference) => Ok(Opened::Stored(BlobRef::from_str(reference)?, traceparent)),
        None => Ok(Opened::Whole(Payload { body, traceparent })),
    }
}

/// Reads a message. A body that was stored is fetched; one that is missing or damaged is an error.
pub(super) async fn unpack(blobs: &Blobs, headers: Option<HeaderMap>, body: Bytes) -> Result<Payload, BusError> {
    match open(headers.as_ref(), body)? {
        Opened::Whole(payload) => Ok(payload),
        Opened::Stored(reference, traceparent) => Ok(Payload { body: blobs.fetch(&reference).await?, traceparent }),
    }
}

/// Whether the message only tests whether it may be sent.
pub(super) fn is_probe(headers: Option<&HeaderMap>) -> bool {
    headers.is_some_and(|headers| find(headers, PROBE).is_some())
}

/// Adds a header, unless it holds what no header may: the client would panic.
pub(super) fn add(headers: &mut HeaderMap, name: &str, value: &str) {
    if let (Ok(name), Ok(value)) = (HeaderName::from_str(name), HeaderValue::from_str(value)) {
        headers.insert(name, value);
    }
}

fn find<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(HeaderName::from_str(name).ok()?).map(HeaderValue::as_str)
}
