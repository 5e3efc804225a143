//! What is sent to Ollama. Never `keep_alive` on a chat, never `shift`, always `truncate:false` and a token limit.

use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::call::serialise;
use crate::corrections::RequestShape;
use crate::wire::{expected_bytes, tools};
use crate::{
    ChatError, ChatMessage, ChatRequest, ClientConfig, MessageRole, OptionalField as Field, SharedText, ToolCall,
    ToolSpec,
};
use agon_core::Think;

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    #[serde(serialize_with = "messages")]
    messages: &'a [ChatMessage],
    stream: bool,
    // Without it, an over-long prompt loses its oldest messages without a word (server/prompt.go).
    truncate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "tools")]
    tools: &'a [ToolSpec],
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "think")]
    think: Option<Think>,
    options: Options<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agon_speaker: Option<&'a str>,
}

#[derive(Serialize)]
struct Options<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
    num_predict: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a [String]>,
}

fn messages<S: Serializer>(messages: &&[ChatMessage], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(messages.iter().map(|message| MessageBody {
        role: message.role,
        content: &message.content,
        tool_calls: &message.tool_calls,
        tool_name: message.tool_name.as_deref(),
        tool_call_id: message.tool_call_id.as_deref(),
    }))
}

#[derive(Serialize)]
struct MessageBody<'a> {
    role: MessageRole,
    content: &'a SharedText,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "tool_calls")]
    tool_calls: &'a [ToolCall],
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

fn tool_calls<S: Serializer>(calls: &&[ToolCall], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(calls.iter().map(|call| {
        let function = serde_json::json!({ "name": call.name, "arguments": call.arguments });
        match &call.id {
            Some(id) => serde_json::json!({ "id": id, "function": function }),
            None => serde_json::json!({ "function": function }),
        }
    }))
}

/// A level is the only form that gpt-oss heeds; some models think whatever is asked.
fn think<S: Serializer>(think: &Option<Think>, serializer: S) -> Result<S::Ok, S::Error> {
    match think {
        Some(Think::Off) => serializer.serialize_bool(false),
        Some(Think::On) => serializer.serialize_bool(true),
        level @ (Some(Think::Low | Think::Medium | Think::High) | None) => level.serialize(serializer),
    }
}

pub(super) fn chat(request: &ChatRequest, config: &ClientConfig, shape: &RequestShape) -> Result<Vec<u8>, ChatError> {
    let (options, fields) = (&request.options, &shape.fields);
    let messages = shape.messages(&request.messages);
    let body = ChatBody {
        model: &request.model,
        messages: &messages,
        stream: config.stream,
        truncate: false,
        format: fields.keep(Field::ResponseFormat, request.format.as_deref()),
        tools: &request.tools,
        think: fields.keep(Field::ReasoningEffort, options.think),
        options: Options {
            num_ctx: request.runner.num_ctx.or(config.runner.num_ctx),
            num_predict: shape.limit(request.max_tokens()),
            temperature: fields.keep(Field::Temperature, options.temperature),
            top_p: fields.keep(Field::TopP, options.top_p),
            presence_penalty: fields.keep(Field::PresencePenalty, options.presence_penalty),
            seed: fields.keep(Field::Seed, request.seed()),
            stop: fields.keep(Field::Stop, request.stop.as_deref()),
        },
        agon_speaker: request.speaker.as_deref(),
    };
    serialise(&body, expected_bytes(request))
}

/// Writes the request that loads a model; a conversation without messages does nothing else.
pub(super) fn preload(model: &str, keep_alive: Option<Duration>, config: &ClientConfig) -> Value {
    let mut body = with_runner(model, config);
    body.insert("messages".into(), Value::Array(Vec::new()));
    body.insert("stream".into(), false.into());
    if let Some(time) = keep_alive {
        let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
        body.insert("keep_alive".into(), seconds.into());
    }
    Value::Object(body)
}

/// Writes the request for vectors; an input that is too long is an error and not cut.
pub(super) fn embed(model: &str, input: &[String], config: &ClientConfig) -> Value {
    let mut body = with_runner(model, config);
    body.insert("input".into(), input.into());
    body.insert("truncate".into(), false.into());
    Value::Object(body)
}

/// The head of a request that may load a model: what it is launched with has to be what the chats will say.
fn with_runner(model: &str, config: &ClientConfig) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    if let Some(num_ctx) = config.runner.num_ctx {
        body.insert("options".into(), serde_json::json!({ "num_ctx": num_ctx }));
    }
    body
}
