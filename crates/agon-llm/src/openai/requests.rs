//! What is sent to an OpenAI-compatible server: only fields that the common servers know.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::call::serialise;
use crate::wire::{expected_bytes, tools};
use crate::{
    ChatError, ChatRequest, ClientConfig, Message, OptionalField as Field, Role, Text, Think, ThinkLevel, ToolCall,
    ToolSpec,
};

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    messages: Messages<'a>,
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
    reasoning_effort: Option<ThinkLevel>,
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
    json_schema: NamedSchema<'a>,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a Value,
}

struct Messages<'a>(&'a [Message]);

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for message in self.0 {
            seq.serialize_element(&MessageBody {
                role: message.role,
                content: &message.content,
                tool_calls: &message.tool_calls,
                tool_call_id: message.tool_call_id.as_deref(),
            })?;
        }
        seq.end()
    }
}

#[derive(Serialize)]
struct MessageBody<'a> {
    role: Role,
    content: &'a Text,
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

/// Writes a chat.
pub(super) fn chat(request: &ChatRequest, config: &ClientConfig) -> Result<Vec<u8>, ChatError> {
    let (sampling, stream, fields) = (&request.sampling, config.stream, &config.fields);
    let limit = sampling.max_tokens();
    let format = request.format.as_deref().map(|schema| ResponseFormat {
        r#type: "json_schema",
        json_schema: NamedSchema { name: "answer", strict: true, schema },
    });
    let body = ChatBody {
        model: &request.model,
        messages: Messages(&request.messages),
        stream,
        stream_options: fields.keep(Field::StreamOptions, stream.then_some(StreamOptions { include_usage: true })),
        max_tokens: (!fields.completion_limit).then_some(limit),
        max_completion_tokens: fields.completion_limit.then_some(limit),
        temperature: fields.keep(Field::Temperature, sampling.temperature),
        top_p: fields.keep(Field::TopP, sampling.top_p),
        presence_penalty: fields.keep(Field::PresencePenalty, sampling.presence_penalty),
        seed: fields.keep(Field::Seed, sampling.seed),
        stop: fields.keep(Field::Stop, sampling.stop.as_deref()),
        reasoning_effort: fields.keep(Field::ReasoningEffort, request.think.and_then(effort)),
        response_format: fields.keep(Field::ResponseFormat, format),
        tools: &request.tools,
    };
    serialise(&body, expected_bytes(request))
}

/// The effort that OpenAI's interface can express; turning thinking on or off has no agreed field.
fn effort(think: Think) -> Option<ThinkLevel> {
    match think {
        Think::Off | Think::On => None,
        Think::Level(ThinkLevel::Max) => Some(ThinkLevel::High),
        Think::Level(level) => Some(level),
    }
}
