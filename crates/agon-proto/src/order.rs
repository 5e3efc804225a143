//! How a host knows that an order comes from somebody who may give it.
use crate::error::{DecodeError, FieldProblem};
use crate::flat as pb;
use agon_core::HostId;
use bytes::Bytes;
use prost::Message as _;
use std::fmt;

/// Random bytes that a host has told coordinators and gateways, and nobody else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HostKey([u8; blake3::KEY_LEN]);

/// How the proof begins in the bytes of a `HostOrder`: its field and its length.
const BEGINNING: [u8; 2] = [15 << 3 | 2, 32];
/// The bytes of a `HostOrder`.
const LENGTH: usize = BEGINNING.len() + blake3::OUT_LEN;

impl HostKey {
    /// A key of these bytes, which have to be random.
    pub const fn new(bytes: [u8; blake3::KEY_LEN]) -> Self {
        Self(bytes)
    }

    /// The body of a request to the host that told this key. Who hears it does not learn the key.
    pub fn seal(&self, subject: &str, body: &Bytes) -> Bytes {
        let order = pb::HostOrder { proof: self.proof(subject, body).as_bytes().to_vec() }.encode_to_vec();
        // messages that follow one another are read as one
        [body.as_ref(), &order].concat().into()
    }

    /// Whether whoever made a request knows the key; nothing where its body claims no such thing.
    pub fn sealed(&self, subject: &str, body: &[u8]) -> Option<bool> {
        let (body, order) = body.split_at_checked(body.len().checked_sub(LENGTH)?)?;
        let proof: [u8; blake3::OUT_LEN] = order.strip_prefix(&BEGINNING)?.try_into().ok()?;
        // in the same time wherever they differ
        Some(self.proof(subject, body) == proof)
    }

    fn proof(&self, subject: &str, body: &[u8]) -> blake3::Hash {
        blake3::Hasher::new_keyed(&self.0).update(subject.as_bytes()).update(&[0]).update(body).finalize()
    }
}
impl fmt::Debug for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostKey(..)")
    }
}

/// A host tells its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyTold {
    /// Which host.
    pub host: HostId,
    /// The key of its process.
    pub key: HostKey,
    /// It was shown the key, and obeys nothing without it.
    pub shown: bool,
}

impl From<&KeyTold> for pb::KeyTold {
    fn from(told: &KeyTold) -> Self {
        Self { host: told.host.to_string(), key: told.key.0.to_vec(), shown: told.shown }
    }
}
impl TryFrom<pb::KeyTold> for KeyTold {
    type Error = DecodeError;
    fn try_from(told: pb::KeyTold) -> Result<Self, DecodeError> {
        let key = told.key.try_into().map_err(|_| DecodeError::field("key", FieldProblem::Missing))?;
        Ok(Self { host: HostId::new(told.host), key: HostKey(key), shown: told.shown })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OfferReply, Wire};

    const KEY: HostKey = HostKey::new([7; 32]);
    const DRAIN: &str = "agon.v1.host.gpu.drain";

    #[test]
    fn an_order_is_proved_for_its_subject_and_body_and_shows_no_key() {
        for body in [Bytes::new(), OfferReply { accepted: true, host: "gpu".into(), reason: None }.to_bytes()] {
            assert_eq!(KEY.sealed(DRAIN, &body), None);
            let order = KEY.seal(DRAIN, &body);
            assert_eq!(KEY.sealed(DRAIN, &order), Some(true));
            assert_eq!(HostKey::new([8; 32]).sealed(DRAIN, &order), Some(false));
            assert_eq!(KEY.sealed("agon.v1.host.gpu.undrain", &order), Some(false));
            assert_eq!(KEY.sealed(DRAIN, &[b"\x18\x01", order.as_ref()].concat()), Some(false));
            assert!(order.windows(32).all(|part| part != KEY.0));
        }
        assert!(!format!("{KEY:?}").contains('7'));
    }

    #[test]
    fn what_the_server_answers_proves_nothing() {
        let long =
            format!("{{\"type\":\"io.nats.jetstream.api.v1.stream_info_response\",\"x\":\"{}\"}}", "z ".repeat(60));
        for answer in ["", "+ACK", "{\"stream\":\"AGON_RES\", \"seq\":7}", &long] {
            assert_ne!(KEY.sealed(DRAIN, answer.as_bytes()), Some(true), "{answer:?}");
        }
    }
}
