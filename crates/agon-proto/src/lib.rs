//! The wire and journal forms of what core knows: generated protobuf types, and conversions to and from core.
//!
//! Going out is a total [`From`]; coming in is a [`TryFrom`] that names the field it refuses ([`DecodeError`]). Past that door nothing
//! is checked again. [`encode_record`] and [`decode_record`] are the journal's form, [`Wire`] is the bus's.
//!
//! Invariant: nothing here decides, reads or sends; every value of core survives the way out and back unchanged, and every
//! journal record that was ever written stays readable (`fixtures/`).

mod alive;
mod answer;
mod archive;
mod call;
mod catalogue;
mod course;
mod enums;
mod error;
mod event;
mod field;
mod hint;
mod message;
mod mirror;
mod order;
mod outcome;
mod record;
mod result;
mod seat;
mod spec;
mod task;
mod wire;

#[cfg(any(test, feature = "strategies"))]
pub mod strategies;

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod round_trip_tests;

#[cfg_attr(
    feature = "grpc",
    expect(clippy::allow_attributes, reason = "the generator of services writes its own exceptions")
)]
#[expect(
    missing_docs,
    clippy::large_enum_variant,
    reason = "generated from proto/, where not every variant has a comment"
)]
mod generated;

/// The generated types, by package.
pub use generated::agon as pb;

pub use alive::{BreakerState, HostAlive, HostModel, HostTools, ModelServerAway, NodeAlive};
pub use catalogue::{CancelOrder, DebateSummary, RequestClaim, SummaryState};
pub use error::{DecodeError, FieldProblem};
pub use hint::{CutTurn, EvalChanged, Hint, OwnerChanged, SpeechHeard, TurnReturned, TurnTaken};
pub use message::{
    CancelDebate, CancelTurn, DebateTurn, JobReady, LogAdvanced, OfferReply, TimeLeft, TokenDelta, TurnCheck,
    TurnCheckReply, TurnDecided, TurnOffer,
};
pub use order::{HostKey, KeyTold};
pub use record::{Chained, Hash, decode_record, encode_record};
pub use seat::{SeatAsk, SeatMessage, SeatReply};
pub use wire::Wire;

/// Every file of `proto/` as an encoded `google.protobuf.FileDescriptorSet`, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("generated/descriptors.bin");

/// The packages in one namespace, for the conversions.
mod flat {
    pub use crate::generated::agon::bus::v1::*;
    pub use crate::generated::agon::debate::v1::*;
    pub use crate::generated::agon::v1::*;
}
