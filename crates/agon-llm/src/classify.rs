//! Reads the many shapes of servers' complaints and says what each means.

use std::time::Duration;

use serde_json::Value;

use crate::corrections::RefusedParts;
use crate::{ChatError, ChatErrorKind, overflow};

// Ollama wraps llama-server's error once; anything deeper than this is not an error but a game.
const MAX_LAYERS: usize = 6;

const QUOTA: [&str; 6] = ["insufficient_quota", "quota", "credit", "billing", "usage limit", "payment"];
const RUNNER: [&str; 5] = [
    "model runner has unexpectedly stopped",
    "llama-server process has terminated",
    "llama runner process has terminated",
    "out of memory",
    "failed to load",
];
const TEMPLATE: [&str; 4] = ["jinja", "template error", "must alternate", "system role"];
const BUSY: [&str; 1] = ["server busy"];
const LOADING: [&str; 1] = ["loading model"];

/// What a server complains of.
#[derive(Debug, Default)]
struct Complaint {
    message: String,
    /// The message and every code and type that came with it, in lower case, to be searched.
    words: String,
    code: Option<u16>,
    prompt_tokens: Option<u32>,
    context: Option<u32>,
    /// The fields of the request that it names in a place of their own, in lower case.
    fields: Vec<String>,
}

/// A call that was refused before it began.
#[derive(Debug)]
pub(crate) struct RefusedCall {
    /// What it means.
    pub(crate) error: ChatError,
    /// What of the request the server does not take.
    pub(crate) objections: RefusedParts,
}

impl From<ChatError> for RefusedCall {
    fn from(error: ChatError) -> Self {
        Self { error, objections: RefusedParts::default() }
    }
}

/// Says what a response with a failing status means.
pub(crate) fn refusal(status: u16, body: &str, retry_after: Option<Duration>) -> RefusedCall {
    let complaint = read(body);
    let detail = match (status, body.trim().is_empty()) {
        (403, true) => {
            "empty reply: Ollama bound to loopback refuses foreign Host headers; a proxy before it has to rewrite them"
        }
        (300..400, true) => "the server redirects; give its final address",
        (_, true) => "empty reply",
        (_, false) => &complaint.message,
    };
    let kind = kind_of(status, &complaint, retry_after.is_some());
    // behind a proxy's own failure the call may have been taken
    let is_said = kind == ChatErrorKind::BadRequest || kind == ChatErrorKind::Server5xx && status <= 501;
    let objections = match is_said {
        true => RefusedParts::read(&complaint.words, &complaint.fields),
        false => RefusedParts::default(),
    };
    RefusedCall { error: ChatError { retry_after, status: Some(status), ..ChatError::new(kind, detail) }, objections }
}

/// Says what an error object within a reply of status 200 means.
pub(crate) fn mid_stream(error: &Value) -> ChatError {
    let mut complaint = Complaint::default();
    complaint.add(error, 0);
    let status = complaint.code.unwrap_or(500);
    let unnamed = complaint.fields.last().filter(|field| !complaint.words.contains(field.as_str()));
    let message = unnamed.map_or_else(|| complaint.message.clone(), |field| format!("{} ({field})", complaint.message));
    ChatError { status: complaint.code.or(Some(200)), ..ChatError::new(kind_of(status, &complaint, false), &message) }
}

/// What of the request a server does not take that says so within a reply of status 200.
pub(crate) fn refused_within(error: &ChatError) -> Option<RefusedParts> {
    let is_said = matches!(error.kind, ChatErrorKind::BadRequest | ChatErrorKind::Server5xx)
        && error.status.is_some_and(|status| status <= 501);
    is_said.then(|| RefusedParts::read(&error.detail.to_lowercase(), &[]))
}

fn kind_of(status: u16, complaint: &Complaint, told_when: bool) -> ChatErrorKind {
    if complaint.overflows(status) {
        return complaint.overflow();
    }
    match status {
        402 | 429 if complaint.has(&["in_flight"]) => ChatErrorKind::Busy,
        402 if !told_when => ChatErrorKind::Quota,
        429 if complaint.has(&QUOTA) => ChatErrorKind::Quota,
        402 | 408 | 425 | 429 => ChatErrorKind::Busy,
        401 | 403 => ChatErrorKind::Unauthorized,
        404 if complaint.has(&["model"]) => ChatErrorKind::NotFound,
        _ if overflow::is_missing(&complaint.words) => ChatErrorKind::NotFound,
        404 | 405 => ChatErrorKind::PathNotFound,
        499 => ChatErrorKind::Cancelled,
        _ if complaint.has(&TEMPLATE) => ChatErrorKind::BadRequest,
        500.. if complaint.has(&LOADING) => ChatErrorKind::Loading,
        503 => ChatErrorKind::Busy,
        500.. if complaint.has(&BUSY) => ChatErrorKind::Busy,
        500.. if complaint.has(&RUNNER) => ChatErrorKind::RunnerDied,
        500.. => ChatErrorKind::Server5xx,
        _ => ChatErrorKind::BadRequest,
    }
}

fn read(body: &str) -> Complaint {
    let mut complaint = Complaint::default();
    match serde_json::from_str::<Value>(body) {
        Ok(value) => complaint.add(&value, 0),
        Err(_) => complaint.say(body),
    }
    complaint
}

impl Complaint {
    fn has(&self, any: &[&str]) -> bool {
        any.iter().any(|word| self.words.contains(word))
    }

    /// Reads a value, unpacking errors within errors and JSON within strings.
    fn add(&mut self, value: &Value, layer: usize) {
        match value {
            Value::String(text) => self.add_text(text, layer),
            Value::Object(fields) if layer < MAX_LAYERS => {
                for (name, field) in fields {
                    match name.as_str() {
                        "error" | "message" | "msg" | "detail" | "metadata" | "raw" => self.add(field, layer + 1),
                        "param" | "loc" => self.point(field),
                        "n_prompt_tokens" => self.prompt_tokens = count(field),
                        "n_ctx" => self.context = count(field),
                        "code" | "type" | "limit_source" => self.note(field),
                        _ => {}
                    }
                }
            }
            Value::Array(all) if layer < MAX_LAYERS => all.iter().for_each(|one| self.add(one, layer + 1)),
            _ => {}
        }
    }

    /// Notes which field of the request is meant: a name, or a path to it.
    fn point(&mut self, field: &Value) {
        let path = field.as_array().map(Vec::as_slice).unwrap_or(std::slice::from_ref(field));
        self.fields.extend(path.iter().filter_map(Value::as_str).map(str::to_lowercase));
    }

    fn add_text(&mut self, text: &str, layer: usize) {
        let inner = text.find('{').and_then(|at| text.get(at..));
        match inner.and_then(|json| serde_json::from_str::<Value>(json).ok()) {
            Some(value) if layer < MAX_LAYERS => self.add(&value, layer + 1),
            _ => self.say(text),
        }
    }

    fn say(&mut self, text: &str) {
        // The innermost text wins: it comes last and is closest to the cause.
        self.message = text.to_owned();
        self.words.push_str(&text.to_lowercase());
        self.words.push('\n');
    }

    fn note(&mut self, field: &Value) {
        if let Some(text) = field.as_str() {
            self.words.push_str(&text.to_lowercase());
            self.words.push('\n');
        }
        let code = field.as_u64().and_then(|code| u16::try_from(code).ok());
        self.code = code.filter(|code| (400..600).contains(code)).or(self.code);
    }

    /// Whether the prompt is too long. Limits of rates speak of tokens as well, and a runner that died of its context's
    /// size.
    fn overflows(&self, status: u16) -> bool {
        let other = matches!(status, 401..=404 | 429) || self.has(&RUNNER);
        overflow::is_certain(&self.words) || !other && overflow::is_told(&self.words)
    }

    fn overflow(&self) -> ChatErrorKind {
        ChatErrorKind::ContextOverflow {
            prompt_tokens: self.prompt_tokens.or_else(|| overflow::prompt_tokens(&self.words)),
            context: self.context.or_else(|| overflow::context(&self.words)),
        }
    }
}

fn count(field: &Value) -> Option<u32> {
    field.as_u64().and_then(|count| count.try_into().ok())
}

/// Reads a `Retry-After` header: seconds, or a date that is compared with `now`.
pub(crate) fn retry_after(header: &str, now: jiff::Timestamp) -> Option<Duration> {
    if let Ok(seconds) = header.trim().parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let at = jiff::fmt::rfc2822::parse(header.trim()).ok()?.timestamp();
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(status: u16, body: &str) -> ChatErrorKind {
        refusal(status, body, None).error.kind
    }

    #[test]
    fn a_double_encoded_overflow_yields_its_counts() {
        let body = r#"{"error":"{\"error\":{\"code\":400,\"message\":\"request (5000 tokens) exceeds the available context size (4096 tokens)\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":5000,\"n_ctx\":4096}}"}"#;

        let error = refusal(400, body, None).error;

        assert_eq!(error.kind, ChatErrorKind::ContextOverflow { prompt_tokens: Some(5000), context: Some(4096) });
        assert!(error.detail.starts_with("request (5000 tokens)"), "{}", error.detail);
    }

    #[test]
    fn what_only_sounds_like_an_overflow_is_none() {
        let other = [
            (400, "Invalid 'input[0].id': string too long. Expected a string with maximum length 64."),
            (400, "context deadline exceeded"),
            (400, "image input is too large"),
            (400, "the prompt is empty"),
            (429, "rate limit exceeded: the input token count of this minute is used up"),
            (429, "You exceeded your current quota"),
            (500, "failed to load model: out of memory, context size too large"),
            (503, "server busy, please try again. maximum pending requests exceeded"),
            (404, "model 'long-context window' not found, name too long"),
        ];
        for (status, message) in other {
            let kind = kind(status, &serde_json::json!({ "error": message }).to_string());
            assert!(!matches!(kind, ChatErrorKind::ContextOverflow { .. }), "{message}: {kind:?}");
        }
    }

    #[test]
    fn a_missing_model_is_not_a_missing_path() {
        assert_eq!(kind(404, r#"{"error":"model 'x' not found"}"#), ChatErrorKind::NotFound);
        assert_eq!(kind(404, r#"{"error":{"code":"model_not_found","message":"nope"}}"#), ChatErrorKind::NotFound);
        assert_eq!(kind(404, "404 page not found"), ChatErrorKind::PathNotFound);
        assert_eq!(kind(404, r#"{"detail":"Not Found"}"#), ChatErrorKind::PathNotFound);
    }

    #[test]
    fn limits_that_pass_are_busy_and_limits_that_stay_are_quota() {
        let in_flight = r#"{"error":{"code":402,"metadata":{"limit_source":"openrouter_in_flight_budget"}}}"#;

        assert_eq!(kind(402, r#"{"error":{"message":"Insufficient credits"}}"#), ChatErrorKind::Quota);
        assert_eq!(kind(402, in_flight), ChatErrorKind::Busy);
        assert_eq!(kind(429, r#"{"error":"you've reached your hourly usage limit"}"#), ChatErrorKind::Quota);
        assert_eq!(kind(429, r#"{"error":"slow down"}"#), ChatErrorKind::Busy);
    }

    #[test]
    fn a_template_that_refuses_the_layout_is_permanent_despite_its_status() {
        let body = r#"{"error":"Jinja Exception: Conversation roles must alternate user/assistant"}"#;

        assert_eq!(kind(500, body), ChatErrorKind::BadRequest);
    }

    #[test]
    fn an_empty_403_is_explained() {
        let error = refusal(403, "", None).error;

        assert_eq!(error.kind, ChatErrorKind::Unauthorized);
        assert!(error.detail.contains("Host header"));
    }

    #[test]
    fn an_error_in_the_stream_is_judged_by_its_own_code() {
        let overload = mid_stream(&serde_json::json!({"code": 503, "message": "overloaded"}));
        let unnamed = mid_stream(&serde_json::json!("something broke"));

        assert_eq!((overload.kind, overload.status), (ChatErrorKind::Busy, Some(503)));
        assert_eq!((unnamed.kind, unnamed.status), (ChatErrorKind::Server5xx, Some(200)));
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();

        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Thu, 01 Jan 2026 00:01:00 GMT", now), Some(Duration::from_secs(60)));
        assert_eq!(retry_after("Wed, 31 Dec 2025 00:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", now), None);
    }
}
