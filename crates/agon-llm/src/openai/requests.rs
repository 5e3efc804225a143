//! What is sent to an OpenAI-compatible server: only fields that the common servers know.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::call::serialise;
use crate::corrections::RequestShape;
use crate::wire::{expected_bytes, tools};
use crate::{
    ChatError, ChatMessage, ChatRequest, ClientConfig, MessageRole, OptionalField as Field, SharedText, ToolCall,
    ToolSpec,
};
use agon_core::Think;

#[derive(Serialize)]
struct CompletionBody<'a> {
    model: &'a str,
    #[serde(serialize_with = "messages")]
    messages: &'a [ChatMessage],
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<Think>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "tools")]
    tools: &'a [ToolSpec],
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_schema: Option<NamedSchema<'a>>,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a Value,
}

fn messages<S: Serializer>(messages: &&[ChatMessage], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(messages.iter().map(|message| CompletionMessage {
        role: message.role,
        content: &message.content,
        tool_calls: &message.tool_calls,
        tool_call_id: message.tool_call_id.as_deref(),
    }))
}

#[derive(Serialize)]
struct CompletionMessage<'a> {
    role: MessageRole,
    content: &'a SharedText,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "tool_calls")]
    tool_calls: &'a [ToolCall],
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

/// Arguments are a string here, where Ollama's native interface wants the object.
fn tool_calls<S: Serializer>(calls: &&[ToolCall], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(calls.iter().map(|call| {
        serde_json::json!({
            "id": call.id.as_deref().unwrap_or_default(),
            "type": "function",
            "function": { "name": call.name, "arguments": call.arguments.to_string() },
        })
    }))
}

pub(super) fn chat(request: &ChatRequest, config: &ClientConfig, shape: &RequestShape) -> Result<Vec<u8>, ChatError> {
    let (options, stream, fields) = (&request.options, config.stream, &shape.fields);
    let limit = shape.limit(request.max_tokens());
    let format = request.format.as_deref().map(|schema| match shape.object_format {
        true => ResponseFormat { r#type: "json_object", json_schema: None },
        false => ResponseFormat {
            r#type: "json_schema",
            json_schema: Some(NamedSchema { name: "answer", strict: true, schema }),
        },
    });
    let messages = shape.messages(&request.messages);
    let body = CompletionBody {
        model: &request.model,
        messages: &messages,
        stream,
        stream_options: fields.keep(Field::StreamOptions, stream.then_some(StreamOptions { include_usage: true })),
        max_tokens: (!fields.completion_limit).then_some(limit),
        max_completion_tokens: fields.completion_limit.then_some(limit),
        temperature: fields.keep(Field::Temperature, options.temperature),
        top_p: fields.keep(Field::TopP, options.top_p),
        presence_penalty: fields.keep(Field::PresencePenalty, options.presence_penalty),
        seed: fields.keep(Field::Seed, request.seed()),
        stop: fields.keep(Field::Stop, request.stop.as_deref()),
        reasoning_effort: fields.keep(Field::ReasoningEffort, options.think.filter(is_effort)),
        response_format: fields.keep(Field::ResponseFormat, format),
        tools: &request.tools,
    };
    serialise(&body, expected_bytes(request))
}

/// Whether OpenAI's interface can express it; turning thinking on or off has no agreed field.
fn is_effort(think: &Think) -> bool {
    !matches!(think, Think::Off | Think::On)
}
