//! One connection to a server, from its handshake to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams, ProtocolVersion,
    Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService, ServiceError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tracing::debug;

use super::bounded::Bounded;
use super::functions::{McpFunction, functions};
use super::{MAX_MESSAGE_BYTES, failure, reply};
use crate::process::ProcessGroup;
use crate::{McpConfig, ToolError, http};

const MAX_PAGES: usize = 16;
const MAX_TOOLS_READ: usize = 1024;

/// A server that has said what it can do.
pub(super) struct Session {
    service: RunningService<RoleClient, ClientConfig>,
    functions: Vec<McpFunction>,
    process: Option<ProcessGroup>,
    overflow: Arc<AtomicBool>,
}

impl Session {
    /// Starts or reaches the server, and learns its tools.
    ///
    /// Servers of the newest protocol and older ones begin in different ways; what does not understand the newer way is
    /// asked again in the older one.
    pub(super) async fn start(tool: &str, config: &McpConfig) -> Result<Self, ToolError> {
        let newest =
            ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::V_2026_07_28], legacy_version: None };
        let (service, process, overflow) = match Self::greet(tool, config, newest).await {
            Err(ToolError::Malformed { reason, .. }) => {
                debug!(tool, reason, "an MCP server does not understand the newest way to begin");
                Self::greet(tool, config, ClientLifecycleMode::Initialize).await?
            }
            greeted => greeted?,
        };
        let tools = list(tool, &service).await?;
        let functions = functions(tool, tools, config.tools.as_deref())?;
        Ok(Self { service, functions, process, overflow })
    }

    async fn greet(tool: &str, config: &McpConfig, mode: ClientLifecycleMode) -> Result<Greeted, ToolError> {
        let overflow = Arc::new(AtomicBool::new(false));
        if let Some(url) = &config.url {
            let transport = over_http(tool, url, config)?;
            let service = handshake(tool, transport, mode).await?;
            return Ok((service, None, overflow));
        }
        let (process, output, input) = ProcessGroup::start(tool, config)?;
        let output = Bounded::new(output, MAX_MESSAGE_BYTES, Arc::clone(&overflow));
        let transport = AsyncRwTransport::new(output, input).with_max_line_length(MAX_MESSAGE_BYTES);
        let service = handshake(tool, transport, mode).await?;
        Ok((service, Some(process), overflow))
    }

    pub(super) fn functions(&self) -> &[McpFunction] {
        &self.functions
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.service.is_closed() && !self.service.is_transport_closed()
    }

    pub(super) async fn call(&self, tool: &str, function: &McpFunction, arguments: Value) -> Result<String, ToolError> {
        let mut params = CallToolRequestParams::new(function.original.clone());
        params.arguments = match arguments {
            Value::Object(fields) => Some(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        };
        let response = self.service.peer().call_tool_once(params).await;
        response.map_err(|error| self.failure(tool, &error)).and_then(|response| reply::text(tool, response))
    }

    /// Ends the server's process, if it is ours, and says whether it is.
    pub(super) fn kill(&self) -> bool {
        let Some(process) = &self.process else { return false };
        process.kill();
        true
    }

    pub(super) async fn close(&self) {
        self.service.cancellation_token().cancel();
        if let Some(process) = &self.process {
            process.finish().await;
        }
    }

    fn failure(&self, tool: &str, error: &ServiceError) -> ToolError {
        if self.overflow.load(Ordering::Relaxed) {
            return ToolError::TooLarge { tool: tool.to_owned(), limit: MAX_MESSAGE_BYTES };
        }
        failure::of_call(tool, error)
    }
}

type Greeted = (RunningService<RoleClient, ClientConfig>, Option<ProcessGroup>, Arc<AtomicBool>);

fn over_http(
    tool: &str,
    url: &str,
    config: &McpConfig,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, ToolError> {
    let address = http::parse(url).map_err(|problem| ToolError::unavailable(tool, problem))?;
    let client = http::client(&address).map_err(|error| ToolError::unavailable(tool, error.to_string()))?;
    let mut settings =
        StreamableHttpClientTransportConfig::with_uri(address.as_str()).max_sse_event_size(MAX_MESSAGE_BYTES);
    if let Some(token) = &config.bearer_token {
        settings = settings.auth_header(token.expose_secret());
    }
    Ok(StreamableHttpClientTransport::with_client(client, settings))
}

async fn handshake<T>(
    tool: &str,
    transport: T,
    mode: ClientLifecycleMode,
) -> Result<RunningService<RoleClient, ClientConfig>, ToolError>
where
    T: Transport<RoleClient> + 'static,
{
    let us = Implementation::new("agon", env!("CARGO_PKG_VERSION"));
    let client = ClientConfig::new(ClientCapabilities::default(), us);
    client.serve_with_lifecycle(transport, mode).await.map_err(|error| failure::of_greeting(tool, &error))
}

async fn list(tool: &str, service: &RunningService<RoleClient, ClientConfig>) -> Result<Vec<Tool>, ToolError> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = service.peer().list_tools(Some(page)).await.map_err(|error| failure::of_call(tool, &error))?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() > MAX_TOOLS_READ {
            break;
        }
    }
    tools.truncate(MAX_TOOLS_READ);
    Ok(tools)
}
