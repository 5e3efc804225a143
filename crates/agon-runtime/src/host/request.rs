//! A prompt as a call, and a call's end as its account in the log.
use crate::base::clock::millis;
use crate::base::config::HostConfig;
use agon_core::{Ask, Call, DebateSpec, Failure, FailureCause, Timing, Usage};
use agon_llm::{CallTimeouts, ChatAnswer, ChatError, ChatMessage, ChatRequest, MessageRole};
use agon_prompt::{Prompt, PromptError, PromptMessage, PromptRole};
use std::sync::Arc;
use std::time::Duration;

/// No tokenizer puts more characters into a token on the average: `estimated_tokens` counts 3.5, this allows 14.
const ESTIMATE_TO_LEAST: u64 = 4;
/// How many times as long an answer in JSON may be whose last try was not usable.
const ROOM_FOR_JSON: u32 = 2;

/// The call for a turn. Its limit counts from the call, without the time in which the server loads the model.
pub(crate) fn build(prompt: Prompt, ask: &Ask, host: &HostConfig, spec: &DebateSpec) -> ChatRequest {
    let Prompt { messages, schema, mut options, estimated_tokens, context_limit, tools: _, mark: _ } = prompt;
    // a token budget and the file's own context count on the limit
    let is_free = spec.budget.tokens.is_none() && context_limit.is_none();
    if is_free && schema.is_some() && ask.correction.is_some() {
        options.max_tokens = options.max_tokens.map(|most| most.saturating_mul(ROOM_FOR_JSON));
    }
    let turn = Some(Duration::from_millis(spec.timeout_per_turn_ms));
    ChatRequest {
        format: schema,
        options,
        runner: host.runner,
        timeouts: CallTimeouts { turn, ..host.timeouts },
        speaker: (!spec.visible.names).then(|| ask.participant.to_string()),
        min_prompt_tokens: Some(estimated_tokens / ESTIMATE_TO_LEAST),
        ..ChatRequest::new(ask.model.as_str(), messages.into_iter().map(message).collect())
    }
}

/// A message of a prompt as it is sent.
fn message(message: PromptMessage) -> ChatMessage {
    let role = match message.role {
        PromptRole::System => MessageRole::System,
        PromptRole::User => MessageRole::User,
        PromptRole::Assistant => MessageRole::Assistant,
    };
    ChatMessage::new(role, Arc::<str>::from(message.text))
}

/// BLAKE3 of the messages and the schema; each part goes in with its length, so that no two prompts run into each other.
pub(crate) fn hash(prompt: &Prompt) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for message in &prompt.messages {
        part(match message.role {
            PromptRole::System => "system",
            PromptRole::User => "user",
            PromptRole::Assistant => "assistant",
        });
        part(&message.text);
    }
    if let Some(schema) = &prompt.schema {
        part("schema");
        part(&schema.to_string());
    }
    hasher.finalize().to_hex().to_string()
}

/// A prompt that cannot be made is a fault of this side.
pub(crate) fn prompt_failure(error: &PromptError) -> Failure {
    Failure::new(FailureCause::Internal, format!("no prompt for the turn: {error}"))
}

/// Fails where prompt and answer cannot fit: the participant's own limit counts where it is less than what the host gives
/// the model. `added` are the characters of what came to the prompt since it was made.
pub(crate) fn check_context(prompt: &Prompt, added: usize, host: &HostConfig) -> Result<(), Failure> {
    let Some(own) = prompt.context_limit else { return Ok(()) };
    let limit = u64::from(own.min(host.runner.num_ctx.unwrap_or(own)));
    let added = u64::try_from(added).unwrap_or(u64::MAX).saturating_mul(2) / 7;
    let estimate = prompt.estimated_tokens.saturating_add(added);
    let answer = prompt.options.max_tokens.map_or(0, u64::from);
    if estimate.saturating_add(answer) <= limit {
        return Ok(());
    }
    let detail = format!("a prompt of about {estimate} tokens and an answer of {answer} do not fit into {limit}");
    Err(Failure::new(FailureCause::ContextOverflow, detail))
}

/// How many characters fit besides a prompt, what was added to it and its answer; absent where nobody says how long the
/// context is.
pub(crate) fn room(prompt: &Prompt, added: usize, host: &HostConfig) -> Option<usize> {
    let limit = prompt.context_limit.into_iter().chain(host.runner.num_ctx).min()?;
    let taken = prompt.estimated_tokens.saturating_add(prompt.options.max_tokens.map_or(0, u64::from));
    let chars = u64::from(limit).saturating_sub(taken).saturating_mul(7) / 2;
    Some(usize::try_from(chars).unwrap_or(usize::MAX).saturating_sub(added))
}

/// What the calls of one turn cost together. What one of them does not tell is unknown of all.
#[derive(Default)]
pub(crate) struct Costs {
    calls: Option<(Usage, Timing)>,
    /// What its model read for it before it began.
    ahead: Option<Usage>,
}

impl Costs {
    /// Of a turn for which this was read before.
    pub(crate) fn after(ahead: Option<Usage>) -> Self {
        Self { ahead, calls: None }
    }

    /// Writes down what an answer cost.
    pub(crate) fn add_answer(&mut self, call: &mut Call, answer: &ChatAnswer, elapsed: Duration) {
        let total_ms = answer.timing.total_ms.or(Some(millis(elapsed)));
        self.add(call, answer.usage, Timing { total_ms, ..answer.timing });
        call.finish_reason = Some(answer.finish_reason.clone());
    }

    /// Writes down what a failed call cost.
    pub(crate) fn add_error(&mut self, call: &mut Call, error: &ChatError, elapsed: Duration) {
        let told = Timing { total_ms: Some(millis(elapsed)), ..Timing::default() };
        self.add(call, error.usage, told);
    }

    /// Writes down what is known of a call that was left in the middle.
    pub(crate) fn add_cut(&mut self, call: &mut Call, elapsed: Duration) {
        let told = Timing { total_ms: Some(millis(elapsed)), ..Timing::default() };
        self.add(call, Usage::default(), told);
        call.finish_reason = Some("interrupted".to_owned());
    }

    fn add(&mut self, call: &mut Call, usage: Usage, timing: Timing) {
        let (usage, timing) = match self.calls {
            Some((before, times)) => (sum_of_usage(before, usage), sum_of_times(times, timing)),
            None => (usage, timing),
        };
        self.calls = Some((usage, timing));
        call.usage = self.ahead.map_or(usage, |ahead| sum_of_usage(ahead, usage));
        call.timing = Timing { queue_ms: call.timing.queue_ms, away_ms: call.timing.away_ms, ..timing };
    }
}

/// The tokens of two calls.
pub(crate) fn sum_of_usage(one: Usage, other: Usage) -> Usage {
    Usage {
        prompt_tokens: sum(one.prompt_tokens, other.prompt_tokens),
        cached_tokens: sum(one.cached_tokens, other.cached_tokens),
        completion_tokens: sum(one.completion_tokens, other.completion_tokens),
    }
}

/// The first byte is that of the first call.
fn sum_of_times(one: Timing, other: Timing) -> Timing {
    Timing {
        queue_ms: None,
        load_ms: sum(one.load_ms, other.load_ms),
        prefill_ms: sum(one.prefill_ms, other.prefill_ms),
        decode_ms: sum(one.decode_ms, other.decode_ms),
        first_byte_ms: one.first_byte_ms,
        total_ms: sum(one.total_ms, other.total_ms),
        away_ms: None,
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    Some(one?.saturating_add(other?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(prompt_tokens: Option<u64>, completion_tokens: Option<u64>) -> ChatAnswer {
        let usage = Usage { prompt_tokens, cached_tokens: None, completion_tokens };
        let timing = Timing { total_ms: Some(20), ..Timing::default() };
        ChatAnswer { usage, timing, ..ChatAnswer::default() }
    }

    #[test]
    fn the_calls_of_a_turn_add_up_and_what_one_does_not_tell_is_unknown() {
        let (mut costs, mut call) = (Costs::default(), Call::default());
        call.timing.queue_ms = Some(5);

        costs.add_answer(&mut call, &answer(Some(10), Some(1)), Duration::ZERO);
        costs.add_answer(&mut call, &answer(Some(20), None), Duration::ZERO);
        costs.add_answer(&mut call, &answer(Some(30), Some(3)), Duration::ZERO);

        assert_eq!((call.usage.prompt_tokens, call.usage.completion_tokens), (Some(60), None));
        assert_eq!((call.timing.total_ms, call.timing.queue_ms), (Some(60), Some(5)));
    }

    #[test]
    fn a_call_that_was_cut_leaves_the_usage_unknown() {
        let (mut costs, mut call) = (Costs::default(), Call::default());

        costs.add_answer(&mut call, &answer(Some(10), Some(1)), Duration::ZERO);
        costs.add_cut(&mut call, Duration::from_millis(7));

        assert_eq!((call.usage, call.timing.total_ms), (Usage::default(), Some(27)));
        assert_eq!(call.finish_reason.as_deref(), Some("interrupted"));
    }
}
