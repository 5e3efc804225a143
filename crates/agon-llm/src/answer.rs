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
    /// The count of prompt tokens that the server gave and that is not believed, because it is far below what was sent.
    pub disbelieved_count: Option<u64>,
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
/// More characters than a token has on the average, in any text.
const MOST_CHARS_PER_TOKEN: u64 = 14;

/// The same without counts that cannot be right: they are unknown, so that no sum takes them for figures. `chars` is how long the
/// answer is.
#[must_use]
pub(crate) fn plausible(usage: Usage, chars: usize) -> Usage {
    let possible = |count: Option<u64>| count.filter(|count| (1..=MOST_TOKENS).contains(count));
    let cached_tokens = usage.cached_tokens.filter(|count| *count <= MOST_TOKENS);
    let prompt_tokens = match (possible(usage.prompt_tokens), cached_tokens) {
        // the convention of Anthropic: what the cache spared is counted apart
        (Some(prompt), Some(cached)) if cached > prompt => Some(prompt + cached),
        (prompt, _) => prompt,
    };
    let chars = u64::try_from(chars).unwrap_or(u64::MAX);
    let is_enough = |count: &u64| count.saturating_mul(MOST_CHARS_PER_TOKEN) >= chars;
    Usage {
        prompt_tokens,
        // a part of a prompt of unknown size is no figure either
        cached_tokens: cached_tokens.filter(|_| prompt_tokens.is_some()),
        completion_tokens: usage.completion_tokens.filter(|count| *count <= MOST_TOKENS).filter(is_enough),
    }
}
