//! What a model answered.

use agon_core::{Timing, Usage};
use serde_json::Value;

/// A finished answer: the server said that it was done, and it holds text or tool calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatAnswer {
    /// The text, without any thinking.
    pub text: String,
    /// The tools that the model wants called.
    pub tool_calls: Vec<ToolCall>,
    /// Why generation ended: [`STOP`], or else the server's word. Running out of tokens is an error and not among these.
    pub finish_reason: String,
    /// The tokens that were counted.
    pub usage: Usage,
    /// The times that were taken: loading, prefill and decode by the server's clock, the others by the client's.
    pub timing: Timing,
    /// How many characters of thinking preceded the text.
    pub thinking_chars: usize,
    /// The model as the server names it.
    pub model: Option<String>,
}

/// One call of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The server's name for this call.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments, an object unless the model erred.
    pub arguments: Value,
}

/// The reason of an answer that the model had finished, or that wants tools called.
pub const STOP: &str = "stop";

/// More tokens than any call has: a server that counts more counts wrong.
const MOST_TOKENS: u64 = 100_000_000;

/// The same without counts that cannot be right: they are unknown, so that no sum takes them for figures.
#[must_use]
pub(crate) fn plausible(usage: Usage) -> Usage {
    let possible = |count: Option<u64>| count.filter(|count| *count <= MOST_TOKENS);
    let prompt_tokens = possible(usage.prompt_tokens);
    // A part of a prompt of unknown size, or more than the whole, is no figure either.
    let cached_tokens = usage.cached_tokens.filter(|cached| prompt_tokens.is_some_and(|prompt| *cached <= prompt));
    Usage { prompt_tokens, cached_tokens, completion_tokens: possible(usage.completion_tokens) }
}
