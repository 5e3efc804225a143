//! Bodies that are larger than one message may be: stored in parts, named by their hash.
use super::error::StoreRefusal;
use super::js::{Js, Outgoing, header};
use super::subjects;
use crate::chain::{self, Hash};
use crate::port::StoreError;
use agon_core::DebateId;
use async_nats::HeaderMap;
use async_nats::jetstream::message::StreamMessage;
use bytes::{Bytes, BytesMut};

/// Where a message's body is, if not in it: `<hash> <parts>`.
const ELSEWHERE: &str = "Agon-Body";

/// Room that headers may take beside a body.
pub(crate) const HEADER_ROOM: usize = 4 << 10;

/// Where parts lie.
pub(crate) struct PartShelf {
    stream: &'static str,
    part: fn(&DebateId, &Hash, u32) -> String,
}

/// Those of debates.
pub(crate) const OF_DEBATES: PartShelf = PartShelf { stream: subjects::PARTS, part: subjects::part };
/// Those of evals.
pub(crate) const OF_EVALS: PartShelf = PartShelf { stream: subjects::EVALS, part: subjects::eval_part };

impl Js {
    /// What to put into a message for `body`: the body itself or, once its parts are stored, a header that says where they are.
    pub(crate) async fn stow(
        &self,
        shelf: &PartShelf,
        debate: &DebateId,
        body: Bytes,
        part: usize,
    ) -> Result<(Bytes, HeaderMap), StoreRefusal> {
        let mut headers = HeaderMap::new();
        if body.len() <= part {
            return Ok((body, headers));
        }
        let hash = *blake3::hash(&body).as_bytes();
        let mut rest = body;
        let mut parts = 0;
        while !rest.is_empty() {
            let piece = rest.split_to(rest.len().min(part));
            let subject = (shelf.part)(debate, &hash, parts);
            let message = Outgoing {
                stream: shelf.stream,
                subject: &subject,
                expected: None,
                headers: HeaderMap::new(),
                body: piece,
            };
            // A part that is stored twice is the same part. Until the message that names it is stored, none of it counts.
            self.publish(message).await.map_err(StoreRefusal::unwritten)?;
            parts += 1;
        }
        headers.insert(ELSEWHERE, format!("{} {parts}", chain::hex(&hash)).as_str());
        Ok((Bytes::new(), headers))
    }

    /// The body of a message of a debate.
    pub(crate) async fn body(&self, debate: &DebateId, message: &StreamMessage) -> Result<Bytes, BodyError> {
        self.stowed(&OF_DEBATES, debate, &message.headers, message.payload.clone()).await
    }

    /// What was put into a message, or its parts.
    pub(crate) async fn stowed(
        &self,
        shelf: &PartShelf,
        debate: &DebateId,
        headers: &HeaderMap,
        here: Bytes,
    ) -> Result<Bytes, BodyError> {
        let Some(place) = header(headers, ELSEWHERE) else { return Ok(here) };
        let lost = |why: &str| BodyError::Lost(format!("its body is stored elsewhere: {why}"));
        let (hash, parts) = parse(place).ok_or_else(|| lost("its place cannot be read"))?;
        let mut body = BytesMut::new();
        for number in 0..parts {
            let subject = (shelf.part)(debate, &hash, number);
            let part = self.last(shelf.stream, &subject).await;
            let part = part.map_err(|error| error.during("reading a part"))?;
            body.extend_from_slice(&part.ok_or_else(|| lost("a part is missing"))?.payload);
        }
        // What it is for checks the bytes again; this says that it is the parts that are wrong.
        match blake3::hash(&body) == blake3::Hash::from_bytes(hash) {
            true => Ok(body.freeze()),
            false => Err(lost("its parts do not fit its hash")),
        }
    }
}

/// Why a body is missing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    /// It could not be read now.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is not what was written.
    #[error("{0}")]
    Lost(String),
}

fn parse(place: &str) -> Option<(Hash, u32)> {
    let (hash, parts) = place.split_once(' ')?;
    Some((*blake3::Hash::from_hex(hash).ok()?.as_bytes(), parts.parse().ok()?))
}
