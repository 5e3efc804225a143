//! What the failures of the protocol's library mean; its own words are full of addresses and stay in the log.

use std::error::Error;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use tracing::debug;

use crate::ToolError;
use crate::text::one_line;

const MAX_REASON_CHARS: usize = 300;

/// Why a call gave no result.
pub(super) fn of_call(tool: &str, error: &ServiceError) -> ToolError {
    debug!(tool, %error, "a call of an MCP server failed");
    match error {
        ServiceError::McpError(error) => {
            ToolError::Refused { tool: tool.to_owned(), reason: one_line(&error.message, MAX_REASON_CHARS) }
        }
        ServiceError::TransportClosed => ToolError::Died { tool: tool.to_owned() },
        ServiceError::UnexpectedResponse => ToolError::malformed(tool, "an answer to something else"),
        ServiceError::TransportSend(error) => of_transport(tool, error.error.as_ref()),
        _ => ToolError::unavailable(tool, "its server does not answer as it should"),
    }
}

/// Why a server could not be greeted.
pub(super) fn of_greeting(tool: &str, error: &ClientInitializeError) -> ToolError {
    debug!(tool, %error, "an MCP server did not begin");
    match error {
        ClientInitializeError::ConnectionClosed(_) => ToolError::unavailable(tool, "its server ended at once"),
        ClientInitializeError::TransportError { error, .. } => of_transport(tool, error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_greeting(tool, fallback),
        _ => ToolError::malformed(tool, "no greeting of an MCP server"),
    }
}

fn of_transport<'a>(tool: &str, error: &'a (dyn Error + 'static)) -> ToolError {
    let causes = std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source());
    let known = causes.filter_map(|cause| cause.downcast_ref::<StreamableHttpError<reqwest::Error>>()).next();
    // Without HTTP in it, writing to the process failed: it is gone.
    known.map_or_else(|| ToolError::Died { tool: tool.to_owned() }, |error| of_http(tool, error))
}

fn of_http(tool: &str, error: &StreamableHttpError<reqwest::Error>) -> ToolError {
    let unavailable = |reason: &str| ToolError::unavailable(tool, reason);
    match error {
        StreamableHttpError::ResponseBodyTooLarge { max_size } => {
            ToolError::TooLarge { tool: tool.to_owned(), limit: *max_size }
        }
        StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_) => wants_key(tool),
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => wants_key(tool),
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 403") => wants_key(tool),
        StreamableHttpError::UnexpectedServerResponse(_)
        | StreamableHttpError::UnexpectedContentType(_)
        | StreamableHttpError::Deserialize(_) => ToolError::malformed(tool, "no message of the protocol"),
        StreamableHttpError::Client(error) if error.is_connect() => unavailable("its server cannot be reached"),
        StreamableHttpError::Client(_)
        | StreamableHttpError::UnexpectedEndOfStream
        | StreamableHttpError::TransportChannelClosed => ToolError::Died { tool: tool.to_owned() },
        _ => unavailable("its server does not answer as it should"),
    }
}

fn wants_key(tool: &str) -> ToolError {
    ToolError::unavailable(tool, "its server wants another key, or one at all")
}
