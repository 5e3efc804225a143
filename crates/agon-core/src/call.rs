//! How an answer came about: options, tokens, times, tools.
use crate::checks::Check;
use crate::failure::FailureCause;
use crate::ids::ModelName;
use crate::spec::Think;
use serde::Serialize;

/// How an answer came about. Every figure that a backend did not report is absent, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Call {
    /// The host that generated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The model that generated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The name under which the server answered, where that is not `model`: an alias, a router, another server than was meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// The model's digest at that host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// BLAKE3 of the prompt's messages and schema, hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Sampling options that were sent.
    pub options: CallOptions,
    /// Tokens.
    pub usage: Usage,
    /// Times.
    pub timing: Timing,
    /// Why generation ended, in the backend's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The tools that were used on the way, in order. In the log each is an event of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolUse>,
    /// Values of the answer that were not among the allowed ones and were read as the one that they clearly mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coerced: Vec<Coercion>,
    /// What verifiers said of the claims that the speech marks, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The host is a rehearsal server: nothing here is a model's word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
}

impl Call {
    /// Whether a model was asked at all, in a try that failed of this or of nothing.
    pub fn was_made(&self, failed: Option<FailureCause>) -> bool {
        match failed {
            None => true,
            Some(FailureCause::BreakerOpen | FailureCause::ToolMissing) => false,
            // calls before the last one may have been answered
            Some(FailureCause::ServerAway) => self.host.is_some() && self.usage.total().is_some(),
            Some(_) => self.host.is_some(),
        }
    }
    /// Notes the name under which the server answered, where it is another one.
    pub fn answered_as(&mut self, name: &str) {
        let other = self.model.as_ref().is_some_and(|asked| !same_name(asked.as_str(), name));
        self.answered_by = other.then(|| name.to_owned());
    }

    /// The name under which another model answered than was asked for. A dated release (`gpt-4o-2024-08-06` for `gpt-4o`) is the one
    /// that was asked for.
    pub fn other_model(&self) -> Option<&str> {
        let (asked, answered) = (self.model.as_ref()?, self.answered_by.as_deref()?);
        let name = bare(answered);
        let release = name.strip_prefix(&bare(asked.as_str())).and_then(|rest| rest.strip_prefix('-'));
        let dated = release.is_some_and(|date| date.chars().all(|c| c.is_ascii_digit() || c == '-'));
        (!dated).then_some(answered)
    }
}

/// Whether two names differ in no more than what servers leave out or add: the tag `:latest`, folders and prefixes, `.gguf`, case.
fn same_name(one: &str, other: &str) -> bool {
    bare(one) == bare(other)
}

fn bare(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_lowercase();
    let name = name.strip_suffix(":latest").unwrap_or(&name);
    name.strip_suffix(".gguf").unwrap_or(name).to_owned()
}

/// A value of a structured answer that was read as another one. Where `field` is empty, a mistake in its syntax that left one meaning: then
/// `from` is what was wrong and where, and `to` is empty. Where it is `speech`, the line, cut, with which a speech went on that is another's
/// or the prompt's, and `to` is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coercion {
    /// Where it stood, as in `ranking.0.candidate`.
    pub field: String,
    /// The value as the model wrote it, as JSON text.
    pub from: String,
    /// The value as it was read, as JSON text.
    pub to: String,
}

/// Sampling options of a call. What is absent is left to the server.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CallOptions {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Presence penalty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// Sampling seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Cap on generated tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Thinking policy; absent leaves it to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
    /// The model's speed in tokens a second, where `max_tokens` was lowered to what fits into the turn at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_second: Option<f64>,
}

/// Tokens of a call, as reported; absent is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Of these, tokens that the prompt cache spared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Generated tokens, thinking included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
}
impl Usage {
    /// Prompt plus generated tokens; absent when either is unknown.
    pub fn total(&self) -> Option<u64> {
        Some(self.prompt_tokens?.saturating_add(self.completion_tokens?))
    }
    /// The tokens of prompt and answer together, where they are more than a context holds: the server then forgot the beginning of the
    /// prompt while it generated, as llama.cpp's context shift does without a word.
    pub fn exceeds(&self, context: u64) -> Option<u64> {
        self.total().filter(|total| *total > context)
    }
}

/// Times of a call in milliseconds; absent is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Timing {
    /// Waiting for a permit at our side, without `away_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_ms: Option<u64>,
    /// Loading the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_ms: Option<u64>,
    /// Evaluating the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill_ms: Option<u64>,
    /// Generating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decode_ms: Option<u64>,
    /// From sending the request to the first byte of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u64>,
    /// From sending the request to the end of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
    /// Waiting for a model server that was away; no part of the others. Absent where the call did not wait for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away_ms: Option<u64>,
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolUse {
    /// The tool, as the model called it.
    pub tool: String,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// What came back, as the model was shown it; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The result was longer than the limit and was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Milliseconds.
    pub duration_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(asked: &str, name: &str) -> Call {
        let mut call = Call { model: Some(asked.into()), ..Call::default() };
        call.answered_as(name);
        call
    }

    #[test]
    fn names_that_servers_write_otherwise_are_no_other_models() {
        for (asked, name) in [
            ("qwen3:4b", "qwen3:4b"),
            ("llama3.2", "llama3.2:latest"),
            ("llama3.2:latest", "llama3.2"),
            ("tiny", "tiny.gguf"),
            ("Tiny", "/models/tiny.gguf"),
            ("tiny", "C:\\models\\tiny.gguf"),
            ("openai/gpt-4o", "gpt-4o"),
            ("google/gemini-2.5-flash", "models/gemini-2.5-flash"),
            ("hf.co/some/Tiny-GGUF:Q4_K_M", "some/tiny-gguf:q4_k_m"),
        ] {
            assert_eq!(answered(asked, name).answered_by, None, "{asked} {name}");
        }
    }

    #[test]
    fn another_model_is_noted_and_a_dated_release_is_not_another() {
        // as recorded of llama.cpp, which answers whatever it is asked for
        let call = answered("nobody:1b", "tiny");
        assert_eq!((call.answered_by.as_deref(), call.other_model()), (Some("tiny"), Some("tiny")));
        assert_eq!(answered("qwen3:4b", "qwen3:4b-q4_K_M").other_model(), Some("qwen3:4b-q4_K_M"));
        assert_eq!(answered("gpt-4", "gpt-4-mini").other_model(), Some("gpt-4-mini"));

        let dated = answered("openai/gpt-4o", "gpt-4o-2024-08-06");
        assert_eq!((dated.answered_by.as_deref(), dated.other_model()), (Some("gpt-4o-2024-08-06"), None));
        assert_eq!(Call::default().other_model(), None);
    }
}
