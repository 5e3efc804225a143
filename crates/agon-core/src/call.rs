//! How an answer came about: options, tokens, times, tools.
use crate::checks::Check;
use crate::failure::FailureCause;
use crate::ids::ModelName;
use crate::spec::Think;
use serde::{Deserialize, Serialize};

/// How an answer came about. Every figure that a backend did not report is absent, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The host that generated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The model that generated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The model's digest at that host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// BLAKE3 of the prompt's messages and schema, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Sampling options that were sent.
    #[serde(default)]
    pub options: CallOptions,
    /// Tokens.
    #[serde(default)]
    pub usage: Usage,
    /// Times.
    #[serde(default)]
    pub timing: Timing,
    /// Why generation ended, in the backend's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The tools that were used on the way, in order. In the log each is an event of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolUse>,
    /// Values of the answer that were not among the allowed ones and were read as the one that they clearly mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coerced: Vec<Coercion>,
    /// What verifiers said of the claims that the speech marks, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The host is a rehearsal server: nothing here is a model's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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
}

/// A value of a structured answer that was read as another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coercion {
    /// Where it stood, as in `ranking.0.candidate`.
    pub field: String,
    /// The value as the model wrote it, as JSON text.
    pub from: String,
    /// The value as it was read, as JSON text.
    pub to: String,
}

/// Sampling options that were sent with a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallOptions {
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Presence penalty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// Sampling seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Cap on generated tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Thinking policy; absent leaves it to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
    /// The model's speed in tokens a second, where `max_tokens` was lowered to what fits into the turn at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_per_second: Option<f64>,
}

/// Tokens of a call, as reported; absent is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Of these, tokens that the prompt cache spared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Generated tokens, thinking included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
}
impl Usage {
    /// Prompt plus generated tokens; absent when either is unknown.
    pub fn total(&self) -> Option<u64> {
        Some(self.prompt_tokens?.saturating_add(self.completion_tokens?))
    }
}

/// Times of a call in milliseconds; absent is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Waiting for a permit at our side, without `away_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_ms: Option<u64>,
    /// Loading the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_ms: Option<u64>,
    /// Evaluating the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefill_ms: Option<u64>,
    /// Generating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode_ms: Option<u64>,
    /// From sending the request to the first byte of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u64>,
    /// From sending the request to the end of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
    /// Waiting for a model server that was away; no part of the others. Absent where the call did not wait for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_ms: Option<u64>,
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The tool, as the model called it.
    pub tool: String,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// What came back, as the model was shown it; absent where nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The result was longer than the limit and was cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Milliseconds.
    pub duration_ms: u64,
}
