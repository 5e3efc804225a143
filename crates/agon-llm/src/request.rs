//! What a caller asks of a model.

use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{Text, ToolCall};

/// One call for one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// The model's name as the server knows it.
    pub model: String,
    /// The conversation; must not be empty, because an empty one only loads the model.
    pub messages: Vec<Message>,
    /// The JSON schema that the answer has to follow.
    pub format: Option<Arc<Value>>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// Whether the model is to think first; `None` leaves it to the server, where able models then do.
    pub think: Option<Think>,
    /// How tokens are drawn; free to vary from call to call.
    pub sampling: Sampling,
    /// What the model was launched with; a different value makes Ollama load it again.
    pub runner: RunnerOptions,
    /// How long each phase may take.
    pub timeouts: CallTimeouts,
    /// The fewest prompt tokens that can be true: a lower count from the server means that it cut the prompt.
    pub min_prompt_tokens: Option<u64>,
}

impl ChatRequest {
    /// Asks `model` to continue `messages`, all else by default.
    #[must_use]
    pub fn new(model: impl Into<String>, messages: Vec<Message>) -> Self {
        Self { model: model.into(), messages, ..Self::default() }
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Text,
    /// The calls that an assistant made in this message.
    pub tool_calls: Vec<ToolCall>,
    /// The tool whose result this is, as Ollama wants it.
    pub tool_name: Option<String>,
    /// The call whose result this is, as OpenAI-compatible servers want it.
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A message without tools.
    #[must_use]
    pub fn new(role: Role, content: impl Into<Text>) -> Self {
        Self { role, content: content.into(), ..Self::default() }
    }

    /// The rules that stand above the conversation.
    #[must_use]
    pub fn system(content: impl Into<Text>) -> Self {
        Self::new(Role::System, content)
    }

    /// What the model is to answer.
    #[must_use]
    pub fn user(content: impl Into<Text>) -> Self {
        Self::new(Role::User, content)
    }

    /// What the model said before.
    #[must_use]
    pub fn assistant(content: impl Into<Text>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// The result of `call`.
    #[must_use]
    pub fn tool(call: &ToolCall, content: impl Into<Text>) -> Self {
        let message = Self::new(Role::Tool, content);
        Self { tool_name: Some(call.name.clone()), tool_call_id: call.id.clone(), ..message }
    }
}

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
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

/// Whether, and how much, a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Think {
    /// No thinking; some models think all the same.
    Off,
    /// Thinking.
    On,
    /// Thinking with a given effort, the only form that gpt-oss heeds.
    Level(ThinkLevel),
}

/// How much effort goes into thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkLevel {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// All there is; servers without such a level get `High`.
    Max,
}

impl Serialize for Think {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_bool(false),
            Self::On => serializer.serialize_bool(true),
            Self::Level(level) => level.serialize(serializer),
        }
    }
}

/// How tokens are drawn; what is `None` is left to the model's own settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampling {
    /// How far from the likeliest token the draw may stray.
    pub temperature: Option<f64>,
    /// The share of probability that is drawn from.
    pub top_p: Option<f64>,
    /// How much a token that has occurred is held back.
    pub presence_penalty: Option<f64>,
    /// The seed of the draw; even with it, answers are not reproducible bit by bit.
    pub seed: Option<u32>,
    /// The most tokens to generate, thinking included; `None` means [`Sampling::DEFAULT_NUM_PREDICT`].
    pub num_predict: Option<u32>,
    /// Texts that end the answer where they would appear.
    pub stop: Option<Vec<String>>,
}

impl Sampling {
    /// The limit that is sent when none is given, because Ollama otherwise allows ten contexts' worth of tokens.
    pub const DEFAULT_NUM_PREDICT: u32 = 2048;

    /// The most tokens to generate.
    #[must_use]
    pub fn max_tokens(&self) -> u32 {
        self.num_predict.unwrap_or(Self::DEFAULT_NUM_PREDICT)
    }
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
