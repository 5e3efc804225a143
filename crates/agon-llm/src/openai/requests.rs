//! What is sent to an OpenAI-compatible server: only fields that the common servers know.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::call::serialise;
use crate::wire::{expected_bytes, tools};
use crate::{ChatError, ChatRequest, Message, Role, Text, Think, ThinkLevel, ToolCall, ToolSpec};

#[derive(Serialize)]
struct ChatBody<'a> {
    model: &'a str,
    messages: Messages<'a>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    max_tokens: u32,
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
pub(super) fn chat(request: &ChatRequest, stream: bool) -> Result<Vec<u8>, ChatError> {
    let sampling = &request.sampling;
    let body = ChatBody {
        model: &request.model,
        messages: Messages(&request.messages),
        stream,
        stream_options: stream.then_some(StreamOptions { include_usage: true }),
        max_tokens: sampling.max_tokens(),
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        presence_penalty: sampling.presence_penalty,
        seed: sampling.seed,
        stop: sampling.stop.as_deref(),
        reasoning_effort: request.think.and_then(effort),
        response_format: request.format.as_deref().map(|schema| ResponseFormat {
            r#type: "json_schema",
            json_schema: NamedSchema { name: "answer", strict: true, schema },
        }),
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
