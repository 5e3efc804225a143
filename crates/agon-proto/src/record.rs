//! The journal's form of a record.
use crate::error::{DecodeError, FieldProblem};
use crate::field::Mirrored;
use crate::flat as pb;
use agon_core::{Position, Record, Timestamp};
use prost::Message as _;

/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// A record with the hash that ties it to the record before.
#[derive(Clone, Debug, PartialEq)]
pub struct Chained {
    /// The record.
    pub record: Record,
    /// The hash of the record before.
    pub prev_hash: Hash,
}

/// The bytes of a record in the journal. The same record and hash always give the same bytes.
pub fn encode_record(record: &Record, prev_hash: &Hash) -> Vec<u8> {
    let message = pb::Record {
        first: record.first.0,
        at_ms: record.at.0,
        epoch: record.epoch,
        nonce: record.nonce,
        events: record.events.out(),
        prev_hash: prev_hash.to_vec(),
    };
    message.encode_to_vec()
}

/// Reads a record that this version or an older one wrote.
pub fn decode_record(bytes: &[u8]) -> Result<Chained, DecodeError> {
    pb::Record::decode(bytes).map_err(DecodeError::Bytes)?.try_into()
}

impl TryFrom<pb::Record> for Chained {
    type Error = DecodeError;
    fn try_from(record: pb::Record) -> Result<Self, DecodeError> {
        if record.first == 0 {
            return Err(DecodeError::field("first", FieldProblem::Missing));
        }
        if record.events.is_empty() {
            return Err(DecodeError::field("events", FieldProblem::Empty));
        }
        let length = record.prev_hash.len();
        let wrong_length =
            |_| DecodeError::field("prev_hash", FieldProblem::Invalid(format!("has {length} bytes, not 32")));
        Ok(Self {
            prev_hash: Hash::try_from(record.prev_hash).map_err(wrong_length)?,
            record: Record {
                first: Position(record.first),
                at: Timestamp(record.at_ms),
                epoch: record.epoch,
                nonce: record.nonce,
                events: Mirrored::read(record.events, "events")?,
            },
        })
    }
}
