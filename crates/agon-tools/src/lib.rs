//! Tools that the speakers of a debate may use: web search, the user's documents, MCP servers, and models as helpers;
//! and verifiers, which check the claims that speakers mark.
//!
//! Tools are configured where they run. A debate only names them, so a debate that somebody submits can neither choose a
//! command nor a file nor an address. Whatever a tool returns is text of a stranger: bounded here, fenced by who prompts.
//!
//! Feeds are configured like tools, and read when a debate is admitted.
//!
//! Every call ends in a [`ToolOutcome`] within its [`ToolCallLimits`]: a tool that hangs, dies, floods or lies costs its own call.
//!
//! Invariant: nothing here knows a debate, no tool starts before it is asked for, and no call
//! outlives its timeout.

mod config;
mod error;
mod feed;
mod http;
mod mcp;
mod models;
mod one_shot;
mod outcome;
mod process;
mod rag;
mod schema;
mod scorer;
mod search;
mod summarizer;
mod text;
mod toolbox;
mod verifier;

pub use config::{ConfigProblems, McpConfig, ModelConfig, RagConfig, SearchConfig, ToolConfig};
pub use error::ToolError;
pub use feed::{FeedConfig, FeedFormat, FeedReader};
pub use mcp::{MAX_MESSAGE_BYTES, MAX_STARTS, START_WINDOW};
pub use models::{FindModel, no_models};
pub use one_shot::{OneShot, OneShotError, OneShotOutput};
pub use outcome::{ToolCallLimits, ToolOutcome};
pub use toolbox::Toolbox;
pub use verifier::{VerifierConfig, Verifiers};

/// The longest arguments of one call, in bytes of JSON.
pub const MAX_ARGUMENT_BYTES: usize = 64 * 1024;
/// The most tools that one host offers.
pub const MAX_TOOLS: usize = 64;
