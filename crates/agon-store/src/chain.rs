//! The hash chain: what ties each record to all before it.
use agon_core::DebateId;
pub use agon_proto::Hash;

/// What the first record of a debate holds as the hash before it: BLAKE3 of `"agon journal v1\n"` and the debate's id, so that a log
/// cannot be passed off as another debate's.
pub fn genesis(debate: &DebateId) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"agon journal v1\n").update(debate.as_str().as_bytes());
    *hasher.finalize().as_bytes()
}

/// The hash of a record: BLAKE3 of the hash before it and the record's bytes.
pub fn link(prev: &Hash, body: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(prev).update(body);
    *hasher.finalize().as_bytes()
}

/// A hash as hexadecimal text.
pub fn hex(hash: &Hash) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}
