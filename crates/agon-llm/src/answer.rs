//! What a model answered.

use std::time::Duration;

use serde_json::Value;

/// A finished answer: the server said that it was done, and it holds text or tool calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatAnswer {
    /// The text, without any thinking.
    pub text: String,
    /// The tools that the model wants called.
    pub tool_calls: Vec<ToolCall>,
    /// Why generation ended.
    pub finish: FinishReason,
    /// The tokens that were counted.
    pub usage: Usage,
    /// The times that were taken.
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

/// Why an answer ended; running out of tokens is an error and not among these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FinishReason {
    /// The model had finished, or wants tools called.
    #[default]
    Stop,
    /// Something else, in the server's word.
    Other(String),
}

/// Token counts; each is `None` when the server did not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt, those served from a cache included.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the prompt that came from a cache.
    pub cached_prompt_tokens: Option<u64>,
    /// Tokens generated, thinking included where the server counts it.
    pub completion_tokens: Option<u64>,
}

impl Usage {
    /// The tokens of prompt and answer together, where they are more than a context holds: the server then forgot the beginning of the
    /// prompt while it generated, as llama.cpp's context shift does without a word.
    #[must_use]
    pub fn exceeds(self, context: u64) -> Option<u64> {
        let total = self.prompt_tokens?.saturating_add(self.completion_tokens?);
        (total > context).then_some(total)
    }
}

/// More tokens than any call has: a server that counts more counts wrong.
const MOST_TOKENS: u64 = 100_000_000;

impl Usage {
    /// The same without counts that cannot be right: they are unknown, so that no sum takes them for figures.
    #[must_use]
    pub(crate) fn plausible(self) -> Self {
        let possible = |count: Option<u64>| count.filter(|count| *count <= MOST_TOKENS);
        let prompt_tokens = possible(self.prompt_tokens);
        // A part of a prompt of unknown size, or more than the whole, is no figure either.
        let cached = self.cached_prompt_tokens.filter(|cached| prompt_tokens.is_some_and(|prompt| *cached <= prompt));
        Self { prompt_tokens, cached_prompt_tokens: cached, completion_tokens: possible(self.completion_tokens) }
    }
}

/// Where the time went; each is `None` when it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Until the model was in memory.
    pub load: Option<Duration>,
    /// Waiting for a slot: what remains of the server's total after load, prefill and decode.
    pub queue: Option<Duration>,
    /// Reading the part of the prompt that was not cached.
    pub prefill: Option<Duration>,
    /// Generating.
    pub decode: Option<Duration>,
    /// From sending to the first event, by the client's clock.
    pub first_byte: Option<Duration>,
    /// The whole call, by the server's clock.
    pub total: Option<Duration>,
    /// The whole call, by the client's clock.
    pub elapsed: Option<Duration>,
}

impl Timing {
    /// Computes the wait for a slot from the other figures of a server that reports its total.
    ///
    /// Ollama waits for a slot after loading and reports that wait only within the total (`llm/llama_server.go`).
    pub(crate) fn derive_queue(&mut self) {
        let parts = [self.load, self.prefill, self.decode];
        self.queue = self.total.map(|total| parts.into_iter().flatten().fold(total, Duration::saturating_sub));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Option<Duration> {
        Some(Duration::from_millis(millis))
    }

    #[test]
    fn the_queue_is_what_remains_of_the_total() {
        let mut timing = Timing { total: ms(100), load: ms(20), decode: ms(50), ..Timing::default() };

        timing.derive_queue();

        assert_eq!(timing.queue, ms(30));
    }

    #[test]
    fn a_server_without_a_total_has_no_known_queue() {
        let mut timing = Timing { load: ms(20), ..Timing::default() };

        timing.derive_queue();

        assert_eq!(timing.queue, None);
    }

    #[test]
    fn parts_that_exceed_the_total_leave_an_empty_queue() {
        let mut timing = Timing { total: ms(10), decode: ms(11), ..Timing::default() };

        timing.derive_queue();

        assert_eq!(timing.queue, ms(0));
    }
}
