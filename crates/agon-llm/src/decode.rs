//! What the decoders of both dialects have in common.

use crate::{ChatAnswer, ChatError, DeltaSink};

/// How an answer's body is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Piece by piece: lines of JSON, or server-sent events.
    Streamed,
    /// One JSON document.
    Whole,
}

/// What a chunk of bytes brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Whether an event was among it; comments and partial lines are none.
    pub advanced: bool,
    /// Whether the server has declared the answer done, so that nothing more is needed.
    pub complete: bool,
}

/// Turns the bytes of an answer's body into an answer; no IO, no clock.
///
/// However the same bytes are split over calls of `push`, the result and the text given to the sink are the same.
pub trait Decoder: Send {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// When the server reports a failure or does not speak its protocol; the decoder is of no use afterwards.
    fn push(&mut self, bytes: &[u8], sink: &mut dyn DeltaSink) -> Result<Progress, ChatError>;

    /// Takes the end of the body, and judges.
    ///
    /// # Errors
    /// When the answer was never declared done, was cut at its token limit, or is empty.
    fn finish(self, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError>
    where
        Self: Sized;
}
