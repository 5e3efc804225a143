//! Clients for model servers: Ollama's native interface and the OpenAI-compatible one, behind one port.
//!
//! A call is one attempt at one server. What can go wrong has a type ([`ChatErrorKind`]) that says whether the same
//! call may succeed later and whether the failure speaks against the host. Deciding what follows is the caller's.
//!
//! The wire is decoded by state machines without IO ([`NdjsonDecoder`], [`SseDecoder`]), so that framing is tested
//! byte by byte without a socket.
//!
//! Invariant: no retry but of a call that a server refuses while it loads the model or whose reused connection was closed
//! before any answer; a request of which a server refuses a part by name is sent again without that part only. No queue, no cache
//! of answers; nothing here reads a debate or the environment, and no answer is returned that the server did not declare
//! finished.

mod answer;
mod call;
mod classify;
mod connections;
#[cfg(feature = "contract")]
pub mod contract;
mod corrections;
mod counts;
mod decode;
mod draft;
mod endpoint;
mod error;
mod fields;
mod http;
mod info;
mod known;
mod lines;
mod meter;
mod model;
mod ollama;
mod openai;
mod overflow;
mod pace;
mod request;
mod text;
mod tls;
mod transport;
mod version;
mod watch;
mod wire;
#[cfg(test)]
mod wording_tests;

use std::sync::Arc;

pub use answer::{ChatAnswer, STOP, ToolCall};
pub use decode::{Decoder, Framing, Progress};
pub use endpoint::{Endpoint, EndpointError, EndpointKind};
pub use error::{ChatError, ChatErrorKind, TimeoutPhase, TransportFault};
pub use fields::{ChatFields, OptionalField};
pub use http::{ClientConfig, Deadlines, Http, is_header};
pub use info::{LoadedModel, ModelDetails, ModelInfo};
pub use known::{WellKnownModel, WellKnownModels};
pub use model::{ChatModel, DeltaSink, Discard};
pub use ollama::{NdjsonDecoder, OllamaClient};
pub use openai::{OpenAiClient, SseDecoder};
pub use pace::Pace;
pub use request::{CallTimeouts, ChatMessage, ChatRequest, MessageRole, RunnerOptions, ToolSpec};
pub use secrecy::SecretString;
pub use text::SharedText;
pub use version::{ServerVersion, VersionNumbers};

/// The longest line, event or whole answer that is read, in bytes; Ollama's own client stops at the same size.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// The most bytes of one answer that are read, whatever they hold, comments and blank lines included.
pub const MAX_REPLY_BYTES: usize = 64 * 1024 * 1024;

/// Makes the client that speaks the dialect of `endpoint`, with default deadlines and the given connection pools.
#[must_use]
pub fn connect(endpoint: &Endpoint, api_key: Option<SecretString>, http: &Http) -> Arc<dyn ChatModel> {
    let config = ClientConfig { api_key, http: http.clone(), ..ClientConfig::new(endpoint.clone()) };
    connect_with(config)
}

/// Makes the client that speaks the dialect of the configured endpoint.
#[must_use]
pub fn connect_with(config: ClientConfig) -> Arc<dyn ChatModel> {
    match config.endpoint.kind() {
        EndpointKind::Ollama => Arc::new(OllamaClient::new(config)),
        EndpointKind::OpenAi => Arc::new(OpenAiClient::new(config)),
    }
}
