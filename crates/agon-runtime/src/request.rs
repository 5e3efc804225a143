//! A prompt as a call, and a call's end as its account in the log.
use crate::config::HostConfig;
use agon_core::{Ask, Call, CallOptions, DebateSpec, Failure, FailureCause, Think};
use agon_llm::{CallTimeouts, ChatAnswer, ChatError, ChatRequest, FinishReason, Message, Role, Sampling, ThinkLevel};
use agon_prompt::{Prompt, PromptError, PromptMessage, PromptRole};
use std::time::Duration;

/// A call that is ready to be made.
pub(crate) struct Request {
    pub(crate) chat: ChatRequest,
    pub(crate) options: CallOptions,
}

/// No tokenizer puts more characters into a token on the average: `estimated_tokens` counts 3.5, this allows 14.
const ESTIMATE_TO_LEAST: u64 = 4;

/// The call for a turn. Its limit counts from the start of generation.
pub(crate) fn build(prompt: Prompt, ask: &Ask, host: &HostConfig, spec: &DebateSpec) -> Request {
    let options = options(&prompt.sampling);
    let Prompt { messages, schema, sampling, estimated_tokens } = prompt;
    let generation = Some(Duration::from_millis(spec.timeout_per_turn_ms));
    let chat = ChatRequest {
        format: schema,
        think: sampling.think.map(think),
        sampling: Sampling {
            temperature: sampling.temperature,
            top_p: sampling.top_p,
            presence_penalty: sampling.presence_penalty,
            seed: u32::try_from(sampling.seed).ok(),
            num_predict: Some(sampling.max_tokens),
            stop: None,
        },
        runner: host.runner,
        timeouts: CallTimeouts { generation, ..host.timeouts },
        min_prompt_tokens: Some(estimated_tokens / ESTIMATE_TO_LEAST),
        ..ChatRequest::new(ask.model.as_str(), messages.into_iter().map(message).collect())
    };
    Request { chat, options }
}

fn message(message: PromptMessage) -> Message {
    let role = match message.role {
        PromptRole::System => Role::System,
        PromptRole::User => Role::User,
        PromptRole::Assistant => Role::Assistant,
    };
    Message::new(role, message.text)
}

fn think(policy: Think) -> agon_llm::Think {
    match policy {
        Think::Off => agon_llm::Think::Off,
        Think::On => agon_llm::Think::On,
        Think::Low => agon_llm::Think::Level(ThinkLevel::Low),
        Think::Medium => agon_llm::Think::Level(ThinkLevel::Medium),
        Think::High => agon_llm::Think::Level(ThinkLevel::High),
    }
}

fn options(sampling: &agon_prompt::Sampling) -> CallOptions {
    CallOptions {
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        presence_penalty: sampling.presence_penalty,
        seed: Some(sampling.seed),
        max_tokens: Some(sampling.max_tokens),
    }
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

/// Writes down what an answer cost.
pub(crate) fn account_answer(call: &mut Call, answer: &ChatAnswer, elapsed: Duration) {
    call.usage = usage(&answer.usage);
    let timing = &answer.timing;
    call.timing.load_ms = timing.load.map(millis);
    call.timing.prefill_ms = timing.prefill.map(millis);
    call.timing.decode_ms = timing.decode.map(millis);
    call.timing.first_byte_ms = timing.first_byte.map(millis);
    call.timing.total_ms = Some(millis(timing.elapsed.unwrap_or(elapsed)));
    call.finish_reason = Some(match &answer.finish {
        FinishReason::Stop => "stop".to_owned(),
        FinishReason::Other(word) => word.clone(),
    });
}

/// Writes down what a failed call cost.
pub(crate) fn account_error(call: &mut Call, error: &ChatError, elapsed: Duration) {
    call.usage = usage(&error.usage);
    call.timing.total_ms = Some(millis(elapsed));
}

fn usage(usage: &agon_llm::Usage) -> agon_core::Usage {
    agon_core::Usage {
        prompt_tokens: usage.prompt_tokens,
        cached_tokens: usage.cached_prompt_tokens,
        completion_tokens: usage.completion_tokens,
    }
}

/// Whole milliseconds.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
