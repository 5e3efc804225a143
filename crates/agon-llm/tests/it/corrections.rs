//! What servers refuse by name: the call is corrected at once, and the next one is right from the start.
use agon_core::{CallOptions, Think};
use agon_llm::{ChatAnswer, ChatError, ChatMessage, ChatModel, ChatRequest, Http, MessageRole, connect};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::stub::{Stub, StubRequest, StubStep, json as reply, response};

pub const LIMIT: u32 = 9_000;

pub fn request() -> ChatRequest {
    let options = CallOptions {
        temperature: Some(0.0),
        top_p: Some(0.9),
        presence_penalty: Some(0.5),
        seed: Some(7),
        max_tokens: Some(LIMIT),
        think: Some(Think::Low),
        ..CallOptions::default()
    };
    let messages = vec![ChatMessage::system("Rules."), ChatMessage::user("Speak.")];
    let format = Some(Arc::new(json!({"type": "object"})));
    ChatRequest { options, format, stop: Some(vec!["###".into()]), ..ChatRequest::new("tea:1b", messages) }
}

/// A server that refuses every request that `objects` to, and answers all others.
pub async fn fussy(objects: impl Fn(&Value) -> Option<(u16, Value)> + Send + Sync + 'static) -> Stub {
    let answer = |request: &StubRequest| match request.line.contains("/api/chat") {
        true => json!({"message": {"role": "assistant", "content": "Tea."}, "done": true, "done_reason": "stop"}),
        false => json!({"choices": [{"index": 0, "message": {"content": "Tea."}, "finish_reason": "stop"}]}),
    };
    Stub::serve(move |request| {
        let bytes = match objects(&request.json()) {
            Some((status, body)) => response(status, "application/json", &body.to_string()),
            None => reply(&answer(request)),
        };
        vec![StubStep::Send(bytes)]
    })
    .await
}

pub fn client(stub: &Stub, open_ai: bool) -> Arc<dyn ChatModel> {
    connect(&if open_ai { stub.open_ai() } else { stub.ollama() }, None, &Http::default())
}

pub async fn chat(client: &dyn ChatModel, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
    client.chat(request, &mut |_: &str| {}).await
}

pub fn bodies(stub: &Stub) -> Vec<Value> {
    stub.requests().iter().map(StubRequest::json).collect()
}

/// The value at a path, in both dialects.
pub fn at<'a>(body: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(body, |value, key| value.get(key))
}

pub fn error(message: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error"}})
}

/// Servers' words, with the path of the field that they refuse.
pub fn refusals() -> Vec<(&'static str, bool, u16, &'static str, Value)> {
    let with_param = |message: &str, param: &str| json!({"error": {"message": message, "param": param, "code": "unsupported_value"}});
    vec![
        (
            "OpenAI",
            true,
            400,
            "temperature",
            with_param(
                "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.",
                "temperature",
            ),
        ),
        (
            "OpenAI",
            true,
            400,
            "top_p",
            with_param("Unsupported parameter: 'top_p' is not supported with this model.", "top_p"),
        ),
        (
            "OpenAI",
            true,
            400,
            "presence_penalty",
            error("Unsupported parameter: 'presence_penalty' is not supported with this model."),
        ),
        ("OpenAI", true, 400, "reasoning_effort", error("Unrecognized request argument supplied: reasoning_effort")),
        (
            "OpenAI",
            true,
            400,
            "stop",
            with_param("Unsupported parameter: 'stop' is not supported with this model.", "stop"),
        ),
        ("Azure", true, 400, "seed", error("Unrecognized request argument supplied: seed")),
        (
            "Azure",
            true,
            400,
            "response_format",
            error(
                "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about supported models.",
            ),
        ),
        (
            "vLLM",
            true,
            400,
            "stream_options",
            json!({"object": "error", "message": "[{'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, Stream options can only be defined when `stream=True`.'}]", "type": "BadRequestError", "code": 400}),
        ),
        (
            "vLLM",
            true,
            400,
            "seed",
            json!({"object": "error", "message": "Per-request seed is not supported on this platform", "code": 400}),
        ),
        (
            "vLLM",
            true,
            422,
            "reasoning_effort",
            json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "reasoning_effort"], "msg": "Extra inputs are not permitted", "input": "low"}]}),
        ),
        (
            "llama.cpp",
            true,
            400,
            "response_format",
            json!({"error": {"code": 400, "message": "Failed to initialize samplers: failed to parse grammar", "type": "invalid_request_error"}}),
        ),
        (
            "TGI",
            true,
            422,
            "response_format",
            json!({"error": "Failed to deserialize the JSON body into the target type: response_format: unknown variant `json_schema`, expected `json_object`", "error_type": "validation"}),
        ),
        (
            "TGI",
            true,
            422,
            "top_p",
            json!({"error": "Input validation error: `top_p` must be > 0.0 and < 1.0", "error_type": "validation"}),
        ),
        (
            "Groq",
            true,
            400,
            "response_format",
            json!({"error": {"message": "This model does not support response format `json_schema`. See supported models", "type": "invalid_request_error", "param": "response_format"}}),
        ),
        ("Groq", true, 400, "reasoning_effort", error("reasoning_effort is not supported with this model")),
        (
            "Mistral",
            true,
            422,
            "seed",
            json!({"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": 7}]}, "type": "invalid_request_error", "code": null}),
        ),
        (
            "Mistral",
            true,
            422,
            "stream_options",
            json!({"detail": [{"loc": ["body", "stream_options"], "msg": "extra fields not permitted"}]}),
        ),
        (
            "Gemini",
            true,
            400,
            "seed",
            json!([{"error": {"code": 400, "message": "Invalid JSON payload received. Unknown name \"seed\": Cannot find field.", "status": "INVALID_ARGUMENT"}}]),
        ),
        (
            "Gemini",
            true,
            400,
            "presence_penalty",
            json!([{"error": {"code": 400, "message": "Penalty is not enabled for models/gemini-2.5-flash-lite", "status": "INVALID_ARGUMENT"}}]),
        ),
        (
            "Gemini",
            true,
            400,
            "reasoning_effort",
            json!({"error": {"code": 400, "message": "Thinking level is not supported for this model."}}),
        ),
        (
            "Gemini",
            true,
            400,
            "response_format",
            json!({"error": {"code": 400, "message": "JSON mode is not enabled for models/gemma-3-27b-it"}}),
        ),
        (
            "Anthropic",
            true,
            400,
            "temperature",
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "`temperature` may only be set to 1 when thinking is enabled."}}),
        ),
        (
            "Anthropic",
            true,
            400,
            "top_p",
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "`temperature` and `top_p` cannot both be specified for this model. Please use only one."}}),
        ),
        ("DeepSeek", true, 400, "response_format", error("This response_format type is unavailable now")),
        (
            "LiteLLM",
            true,
            400,
            "presence_penalty",
            error(
                "litellm.UnsupportedParamsError: anthropic does not support parameters: {'presence_penalty': 0.5}, for model=claude-3. To drop these, set `litellm.drop_params=True`",
            ),
        ),
        (
            "LiteLLM",
            true,
            500,
            "seed",
            error("litellm.UnsupportedParamsError: cohere does not support parameters: ['seed']"),
        ),
        (
            "OpenRouter",
            true,
            400,
            "temperature",
            json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "{\"error\":{\"message\":\"Unsupported parameter\",\"param\":\"temperature\"}}", "provider_name": "OpenAI"}}}),
        ),
        (
            "xAI",
            true,
            400,
            "presence_penalty",
            json!({"code": "Client specified an invalid argument", "error": "Model grok-4 does not support parameter presencePenalty."}),
        ),
        (
            "DashScope",
            true,
            400,
            "stream_options",
            error("<400> InternalError.Algo.InvalidParameter: The stream_options parameter is not supported"),
        ),
        ("Ollama", false, 400, "think", json!({"error": "\"tea:1b\" does not support thinking"})),
        ("Ollama", false, 400, "think", json!({"error": "think value \"low\" is not supported for this model"})),
        ("Ollama", false, 400, "format", json!({"error": "structured outputs are not supported by this model"})),
        ("Ollama", false, 500, "format", json!({"error": "failed to parse grammar"})),
        ("an imitator", false, 400, "options.presence_penalty", json!({"error": "unknown option presence_penalty"})),
        (
            "an imitator",
            false,
            422,
            "options.seed",
            json!({"detail": [{"loc": ["body", "options", "seed"], "msg": "Extra inputs are not permitted"}]}),
        ),
        ("an imitator", false, 400, "options.temperature", json!({"error": "temperature: unsupported"})),
    ]
}

#[tokio::test]
async fn a_field_that_a_server_refuses_by_name_is_left_out_from_then_on() {
    for (server, open_ai, status, path, body) in refusals() {
        let wanted = body.clone();
        let stub = fussy(move |request| at(request, path).map(|_| (status, wanted.clone()))).await;
        let client = client(&stub, open_ai);
        let what = format!("{server}: {path}: {body}");

        chat(&*client, &request()).await.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        let first = bodies(&stub);
        chat(&*client, &request()).await.unwrap();

        let sent = bodies(&stub);
        let (refused, accepted) = (&first[0], first.last().unwrap());
        assert!(first.len() <= 3, "{what}: {} calls", first.len());
        let differ = |key: &&String| refused.get(key.as_str()) != accepted.get(key.as_str());
        let top = path.split('.').next().unwrap();
        assert_eq!(refused.as_object().unwrap().keys().filter(differ).collect::<Vec<_>>(), [top], "{what}");
        // a bound of values is no reason to leave the field out of other calls
        let again = if server == "TGI" && path == "top_p" { 2 } else { 1 };
        assert_eq!(sent.len() - first.len(), again, "{what}: remembered");
        assert_eq!(sent.last(), Some(accepted), "{what}");
    }
}

#[tokio::test]
async fn the_token_limit_goes_where_and_as_high_as_the_server_takes_it() {
    let other =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let told = [
        (400, other, "max_completion_tokens", LIMIT),
        (
            400,
            "max_tokens is too large: 9000. This model supports at most 4096 completion tokens, whereas you provided 9000.",
            "max_tokens",
            4096,
        ),
        (
            400,
            "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022",
            "max_tokens",
            8192,
        ),
        (
            400,
            "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
            "max_tokens",
            8192,
        ),
        (400, "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 2000]", "max_tokens", 2000),
    ];
    for (status, message, field, limit) in told {
        let accepts = move |request: &Value| request.get(field).and_then(Value::as_u64) == Some(limit.into());
        let stub = fussy(move |request| (!accepts(request)).then(|| (status, error(message)))).await;
        let client = client(&stub, true);

        for _ in 0..2 {
            chat(&*client, &request()).await.unwrap_or_else(|error| panic!("{message}: {error:?}"));
        }

        let sent = bodies(&stub);
        assert_eq!(sent.len(), 3, "{message}");
        let both =
            sent.iter().any(|body| body.get("max_tokens").is_some() && body.get("max_completion_tokens").is_some());
        assert!(!both, "{message}");
    }
}

#[tokio::test]
async fn several_fields_are_learned_in_turn_and_for_their_model_alone() {
    let stub = fussy(|body| {
        let refused = ["max_tokens", "temperature", "stream_options", "seed"]
            .into_iter()
            .find(|field| body.get(field).is_some())?;
        (body["model"] == "tea:1b")
            .then(|| (400, error(&format!("Unsupported parameter: '{refused}' is not supported with this model."))))
    })
    .await;
    let client = client(&stub, true);

    chat(&*client, &request()).await.unwrap();
    assert_eq!(bodies(&stub).len(), 5);
    chat(&*client, &request()).await.unwrap();
    assert_eq!(bodies(&stub).len(), 6);
    chat(&*client, &ChatRequest { model: "coffee:1b".into(), ..request() }).await.unwrap();

    let other = bodies(&stub).pop().unwrap();
    assert_eq!((other["temperature"].as_f64(), other["max_tokens"].as_u64()), (Some(0.0), Some(LIMIT.into())));
}

#[tokio::test]
async fn a_schema_becomes_any_object_before_it_is_left_out() {
    for (takes_objects, calls) in [(true, 2), (false, 3)] {
        let stub = fussy(move |body| {
            let wanted = body.get("response_format")?.get("type")?.as_str()?.to_owned();
            let taken = takes_objects && wanted == "json_object";
            (!taken).then(|| (400, error(&format!("response_format type {wanted} is unavailable now"))))
        })
        .await;

        chat(&*client(&stub, true), &request()).await.unwrap();

        assert_eq!(bodies(&stub).len(), calls);
    }
}

#[tokio::test]
async fn a_refusal_that_no_correction_mends_ends_the_call_and_teaches_nothing() {
    for message in ["Invalid format: the temperature of the room", "no such thing", "the tools are malformed"] {
        let stub = fussy(move |_| Some((400, error(message)))).await;
        let client = client(&stub, true);

        let failed = chat(&*client, &request()).await.unwrap_err();

        assert_eq!((failed.kind.clone(), failed.detail.as_str()), (agon_llm::ChatErrorKind::BadRequest, message));
        let first = bodies(&stub);
        chat(&*client, &request()).await.unwrap_err();
        assert_eq!(bodies(&stub)[first.len()], first[0], "{message}");
    }
}

#[tokio::test]
async fn other_failures_are_not_corrected() {
    let said = [
        (401, "bad temperature key"),
        (404, "model 'temperature' not found"),
        (429, "seed: slow down"),
        (503, "seed"),
        (504, "the stop of the gateway: format"),
    ];
    for (status, message) in said {
        let stub = fussy(move |_| Some((status, error(message)))).await;
        chat(&*client(&stub, true), &request()).await.unwrap_err();
        assert_eq!(bodies(&stub).len(), 1, "{status} {message}");
    }
}

/// What a template takes.
fn takes(roles: &[MessageRole], system: bool) -> bool {
    let rest = if system && roles.first() == Some(&MessageRole::System) { &roles[1..] } else { roles };
    rest.iter().enumerate().all(|(at, role)| *role == [MessageRole::User, MessageRole::Assistant][at % 2])
}

#[tokio::test]
async fn a_conversation_is_put_into_the_form_that_a_template_takes() {
    let words = [
        (true, 400, false, json!({"object": "error", "message": "System role not supported", "code": 400})),
        (
            true,
            400,
            false,
            json!({"object": "error", "message": "Conversation roles must alternate user/assistant/user/assistant/...", "code": 400}),
        ),
        (true, 400, false, error("Only user and assistant roles are supported!")),
        (
            true,
            400,
            false,
            json!({"error": {"message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.", "param": "messages[0].role"}}),
        ),
        (
            true,
            400,
            false,
            json!([{"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it"}}]),
        ),
        (true, 400, false, error("This model doesn't support system messages. Try again without a system prompt.")),
        (
            true,
            422,
            false,
            json!({"error": "Template error: syntax error: Conversation roles must alternate user/assistant/user/assistant/... (in <string>:1)", "error_type": "template_error"}),
        ),
        (
            true,
            500,
            true,
            json!({"error": {"code": 500, "message": "Error: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.", "type": "server_error"}}),
        ),
        (
            true,
            400,
            true,
            json!({"type": "error", "error": {"message": "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"user\" roles in a row"}}),
        ),
        (
            true,
            400,
            true,
            error(
                "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
            ),
        ),
        (false, 500, false, json!({"error": "Jinja Exception: System role not supported"})),
        (
            false,
            500,
            true,
            json!({"error": "{\"error\":{\"code\":500,\"message\":\"Jinja Exception: Conversation roles must alternate user/assistant\"}}"}),
        ),
    ];
    let role = |message: &Value| match message["role"].as_str() {
        Some("system") => MessageRole::System,
        Some("user") => MessageRole::User,
        _ => MessageRole::Assistant,
    };
    for (open_ai, status, system, body) in words {
        let refusal = body.clone();
        let stub = fussy(move |request| {
            let roles: Vec<MessageRole> = request["messages"].as_array()?.iter().map(role).collect();
            (!takes(&roles, system)).then(|| (status, refusal.clone()))
        })
        .await;
        let client = client(&stub, open_ai);
        let messages = vec![
            ChatMessage::system("Rules."),
            ChatMessage::user("Said: A."),
            ChatMessage::user("Said: B."),
            ChatMessage::assistant("Mine."),
            ChatMessage::user("Speak."),
        ];
        let asked = ChatRequest { messages, ..request() };

        chat(&*client, &asked).await.unwrap_or_else(|error| panic!("{body}: {error:?}"));
        let first = bodies(&stub).len();
        chat(&*client, &asked).await.unwrap();

        let sent = bodies(&stub);
        assert!(first <= 3 && sent.len() == first + 1, "{body}: {first}, {}", sent.len());
        let last = sent.last().unwrap();
        let said: Vec<&str> =
            last["messages"].as_array().unwrap().iter().filter_map(|one| one["content"].as_str()).collect();
        assert_eq!(said.join("\n\n"), "Rules.\n\nSaid: A.\n\nSaid: B.\n\nMine.\n\nSpeak.", "{body}");
        assert_eq!(last["temperature"].as_f64().or(last["options"]["temperature"].as_f64()), Some(0.0), "{body}");
    }
}
