//! The lines of an answer, written by hand: they are the hot path, and their field order is Ollama's.

use std::{borrow::Cow, time::Duration};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// Every answer's time of creation: a clock would make two equal runs differ.
pub const CREATED_AT: &str = "2026-01-01T00:00:00Z";

/// Which endpoint a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndpoint {
    /// `message.content`.
    Chat,
    /// `response`.
    Generate,
}

/// Writes the lines of one model at one endpoint.
#[derive(Debug, Clone)]
pub struct WireLines {
    head: String,
    shape: LineEndpoint,
}

/// What a final line reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    pub queued: Duration,
    pub prompt: u64,
    pub cached: u64,
    pub prefill: Duration,
    pub answer: u64,
    pub decode: Duration,
}

impl WireLines {
    /// Lines of `/api/chat`.
    pub fn chat(model: &str) -> Self {
        Self::new(model, LineEndpoint::Chat)
    }

    /// Lines of either endpoint.
    pub fn new(model: &str, shape: LineEndpoint) -> Self {
        Self { head: format!("{{\"model\":{},\"created_at\":\"{CREATED_AT}\",", quoted(model)), shape }
    }

    /// Appends a line with some content.
    pub fn content(&self, text: &str, out: &mut String) {
        self.open(text, out);
        self.close(None, None, out);
        out.push_str(",\"done\":false}\n");
    }

    /// Appends a line with some thinking.
    pub fn thinking(&self, text: &str, out: &mut String) {
        self.open("", out);
        self.close(Some(text), None, out);
        out.push_str(",\"done\":false}\n");
    }

    /// Appends a line with tool calls.
    pub fn tool_calls(&self, calls: &Value, out: &mut String) {
        self.open("", out);
        self.close(None, Some(calls), out);
        out.push_str(",\"done\":false}\n");
    }

    /// Appends the final line; `metrics` are left out of an answer that was never finished.
    pub fn last(&self, whole: &FinalLine<'_>, metrics: Option<&Metrics>, out: &mut String) {
        self.open(whole.content, out);
        self.close(Some(whole.thinking).filter(|text| !text.is_empty()), whole.tool_calls, out);
        let Some(metrics) = metrics else {
            out.push_str(",\"done\":false}\n");
            return;
        };
        out.push_str(",\"done\":true,\"done_reason\":\"");
        out.push_str(whole.reason);
        out.push('"');
        metrics.write(out);
        out.push_str("}\n");
    }

    fn open(&self, text: &str, out: &mut String) {
        out.push_str(&self.head);
        out.push_str(match self.shape {
            LineEndpoint::Chat => "\"message\":{\"role\":\"assistant\",\"content\":",
            LineEndpoint::Generate => "\"response\":",
        });
        out.push_str(&quoted(text));
    }

    fn close(&self, thinking: Option<&str>, calls: Option<&Value>, out: &mut String) {
        if let Some(thinking) = thinking {
            out.push_str(",\"thinking\":");
            out.push_str(&quoted(thinking));
        }
        if let Some(calls) = calls {
            out.push_str(",\"tool_calls\":");
            out.push_str(&calls.to_string());
        }
        if self.shape == LineEndpoint::Chat {
            out.push('}');
        }
    }
}

/// What a final line carries beside the metrics.
#[derive(Debug, Clone, Copy)]
pub struct FinalLine<'a> {
    pub content: &'a str,
    pub thinking: &'a str,
    pub tool_calls: Option<&'a Value>,
    pub reason: &'a str,
}

impl Metrics {
    /// The same without counts of tokens.
    pub fn uncounted(self) -> Self {
        Self { prompt: 0, cached: 0, answer: 0, ..self }
    }

    /// Zeros are absent, as with Ollama; the cached count, which is newer, is not.
    fn write(&self, out: &mut String) {
        use std::fmt::Write as _;
        let total = self.queued + self.prefill + self.decode;
        let mut field = |name: &str, value: u128, zero_too: bool| {
            if value > 0 || zero_too {
                // writing to a string cannot fail
                let _ = write!(out, ",\"{name}\":{value}");
            }
        };
        field("total_duration", total.as_nanos(), false);
        field("prompt_eval_count", u128::from(self.prompt), false);
        field("prompt_eval_cached_count", u128::from(self.cached), self.prompt > 0);
        field("prompt_eval_duration", self.prefill.as_nanos(), false);
        field("eval_count", u128::from(self.answer), false);
        field("eval_duration", self.decode.as_nanos(), false);
    }
}

/// A JSON string.
fn quoted(text: &str) -> Cow<'static, str> {
    match text {
        "" => Cow::Borrowed("\"\""),
        _ => Cow::Owned(Value::from(text).to_string()),
    }
}

/// An error as Ollama words it.
pub fn error(status: StatusCode, text: &str) -> Response {
    json_response(status, json!({ "error": text }).to_string())
}

/// A JSON body.
pub fn json_response(status: StatusCode, body: String) -> Response {
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    (status, [(header::CONTENT_TYPE, kind)], body).into_response()
}
