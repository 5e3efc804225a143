//! What a caller asks of a model.

use std::sync::Arc;
use std::time::Duration;

use agon_core::CallOptions;
use serde::Serialize;
use serde_json::Value;

use crate::{SharedText, ToolCall};

/// One call for one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// The model's name as the server knows it.
    pub model: String,
    /// The conversation; must not be empty, because an empty one only loads the model.
    pub messages: Vec<ChatMessage>,
    /// The JSON schema that the answer has to follow.
    pub format: Option<Arc<Value>>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// How tokens are drawn, and whether the model is to think first; free to vary from call to call. What is `None` is left to the
    /// model's own settings. Even with a seed, answers are not reproducible bit by bit.
    pub options: CallOptions,
    /// Texts that end the answer where they would appear.
    pub stop: Option<Vec<String>>,
    /// What the model was launched with; a different value makes Ollama load it again.
    pub runner: RunnerOptions,
    /// How long each phase may take.
    pub timeouts: CallTimeouts,
    /// Who speaks, where the prompt does not name the speaker: for rehearsals, which Ollama's interface reaches. No model reads it.
    pub speaker: Option<String>,
    /// The fewest prompt tokens that can be true: a lower count from the server means that it cut the prompt.
    pub min_prompt_tokens: Option<u64>,
}

impl ChatRequest {
    /// Asks `model` to continue `messages`, all else by default.
    #[must_use]
    pub fn new(model: impl Into<String>, messages: Vec<ChatMessage>) -> Self {
        Self { model: model.into(), messages, ..Self::default() }
    }

    /// The limit that is sent when none is given, because Ollama otherwise allows ten contexts' worth of tokens.
    pub const DEFAULT_MAX_TOKENS: u32 = 2048;

    /// The most tokens to generate, thinking included.
    #[must_use]
    pub fn max_tokens(&self) -> u32 {
        self.options.max_tokens.unwrap_or(Self::DEFAULT_MAX_TOKENS)
    }

    /// The seed of the draw, where it is one that servers take.
    pub(crate) fn seed(&self) -> Option<u32> {
        self.options.seed.and_then(|seed| u32::try_from(seed).ok())
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: MessageRole,
    /// What is said.
    pub content: SharedText,
    /// The calls that an assistant made in this message.
    pub tool_calls: Vec<ToolCall>,
    /// The tool whose result this is, as Ollama wants it.
    pub tool_name: Option<String>,
    /// The call whose result this is, as OpenAI-compatible servers want it.
    pub tool_call_id: Option<String>,
}

impl ChatMessage {
    /// A message without tools.
    #[must_use]
    pub fn new(role: MessageRole, content: impl Into<SharedText>) -> Self {
        Self { role, content: content.into(), ..Self::default() }
    }

    /// The rules that stand above the conversation.
    #[must_use]
    pub fn system(content: impl Into<SharedText>) -> Self {
        Self::new(MessageRole::System, content)
    }

    /// What the model is to answer.
    #[must_use]
    pub fn user(content: impl Into<SharedText>) -> Self {
        Self::new(MessageRole::User, content)
    }

    /// What the model said before.
    #[must_use]
    pub fn assistant(content: impl Into<SharedText>) -> Self {
        Self::new(MessageRole::Assistant, content)
    }

    /// The result of `call`.
    #[must_use]
    pub fn tool(call: &ToolCall, content: impl Into<SharedText>) -> Self {
        let message = Self::new(MessageRole::Tool, content);
        Self { tool_name: Some(call.name.clone()), tool_call_id: call.id.clone(), ..message }
    }
}

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// The rules.
    System,
    /// The asker.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// The name to call it by.
    pub name: String,
    /// What it does, for the model to read.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Arc<Value>,
}

/// What a model is launched with; belongs to the host's configuration and is the same for every call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunnerOptions {
    /// The context length in tokens; `None` takes the client's setting, or else the server's.
    pub num_ctx: Option<u32>,
}

/// How long a call and each of its phases may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTimeouts {
    /// From sending to the first event, loading included. Too short a limit aborts a load, and the next call loads again.
    pub first_byte: Duration,
    /// Between two events; has to cover a tool call, which Ollama sends only when it is whole.
    pub idle: Duration,
    /// From sending to the end, without the time in which the server loads the model.
    pub turn: Option<Duration>,
}

impl Default for CallTimeouts {
    fn default() -> Self {
        Self { first_byte: Duration::from_secs(300), idle: Duration::from_secs(60), turn: None }
    }
}
