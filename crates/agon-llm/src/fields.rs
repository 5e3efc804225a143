//! Where an OpenAI-compatible server departs from the usual fields of a chat.

use serde::{Deserialize, Serialize};

/// Which fields a chat carries, for servers that refuse some of the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatFields {
    /// Send the token limit as `max_completion_tokens` instead of `max_tokens`.
    pub completion_limit: bool,
    /// Fields that are never sent.
    pub omit: Vec<OptionalField>,
}

impl ChatFields {
    /// The value, unless the field is never sent.
    pub(crate) fn keep<T>(&self, field: OptionalField, value: Option<T>) -> Option<T> {
        value.filter(|_| !self.omit.contains(&field))
    }
}

/// A field of a chat that a server can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionalField {
    /// `temperature`
    Temperature,
    /// `top_p`
    TopP,
    /// `presence_penalty`
    PresencePenalty,
    /// `seed`
    Seed,
    /// `stop`
    Stop,
    /// `stream_options`, which asks for token counts at the end of a stream
    StreamOptions,
    /// `reasoning_effort`
    ReasoningEffort,
    /// `response_format`, which holds the schema of ballots and judgements
    ResponseFormat,
}

impl OptionalField {
    /// Its name in a call, which is also its name in `omit`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::TopP => "top_p",
            Self::PresencePenalty => "presence_penalty",
            Self::Seed => "seed",
            Self::Stop => "stop",
            Self::StreamOptions => "stream_options",
            Self::ReasoningEffort => "reasoning_effort",
            Self::ResponseFormat => "response_format",
        }
    }
}
