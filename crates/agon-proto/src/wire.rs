//! Values as bytes.
use crate::error::DecodeError;
use crate::{alive, catalogue, flat as pb, message, order, seat};
use bytes::Bytes;
use prost::Message as _;

/// A value that travels or is stored by itself.
pub trait Wire: Sized {
    /// Its bytes; the same value always gives the same.
    fn to_bytes(&self) -> Bytes;
    /// The value of such bytes.
    fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError>;
}

macro_rules! wire {
    ($($value:ty as $message:ident),+ $(,)?) => {$(
        impl Wire for $value {
            fn to_bytes(&self) -> Bytes {
                pb::$message::from(self).encode_to_vec().into()
            }
            fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
                let message = pb::$message::decode(bytes).map_err(DecodeError::Bytes)?;
                // Messages that accept every value convert with an error that cannot occur; both kinds become ours.
                Self::try_from(message).map_err(DecodeError::from)
            }
        }
    )+};
}
wire! {
    agon_core::Ask as Ask,
    agon_core::DebateSpec as DebateSpec,
    agon_core::Event as Event,
    agon_core::TurnResult as TurnResult,
    alive::HostAlive as HostAlive,
    alive::NodeAlive as NodeAlive,
    catalogue::CancelOrder as CancelOrder,
    catalogue::RequestClaim as RequestClaim,
    catalogue::DebateSummary as Summary,
    message::CancelDebate as CancelDebate,
    message::CancelTurn as CancelTurn,
    message::JobReady as JobReady,
    message::LogAdvanced as LogAdvanced,
    message::OfferReply as OfferReply,
    message::TokenDelta as TokenDelta,
    message::TurnCheck as TurnCheck,
    message::TurnCheckReply as TurnCheckReply,
    message::TurnDecided as TurnDecided,
    message::TurnOffer as TurnOffer,
    order::KeyTold as KeyTold,
    seat::SeatAsk as SeatAsk,
    seat::SeatReply as SeatReply,
}

impl From<std::convert::Infallible> for DecodeError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}
