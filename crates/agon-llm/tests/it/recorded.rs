//! What real servers sent, replayed through the whole client: every recording, and what it means.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_core::{CallOptions, Usage};
use agon_llm::{
    CallTimeouts, ChatError, ChatMessage, ChatModel, ChatRequest, ClientConfig, EndpointKind, STOP, connect_with,
};
use serde_json::Value;

use crate::stub::Stub;

/// A recording: what was asked, and all that came.
struct WireRecording {
    name: String,
    path: String,
    body: Value,
    response: Vec<u8>,
}

impl WireRecording {
    fn read(folder: &Path, name: &str) -> Self {
        let request = std::fs::read_to_string(folder.join(format!("{name}.req.http")));
        // the same request was sent to another model, and stands with the first
        let request = request.or_else(|_| std::fs::read_to_string(folder.join("overflow_refused.req.http"))).unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let response = std::fs::read(folder.join(format!("{name}.resp.http"))).unwrap();
        Self { name: name.to_owned(), path, body: serde_json::from_str(body).unwrap_or_default(), response }
    }

    fn is_load(&self) -> bool {
        self.path == "/api/chat" && self.body["messages"] == Value::Array(Vec::new())
    }

    fn kind(&self) -> EndpointKind {
        if self.path.starts_with("/api/") { EndpointKind::Ollama } else { EndpointKind::OpenAi }
    }

    fn chat(&self) -> ChatRequest {
        let texts = self.body["messages"].as_array().into_iter().flatten();
        let messages: Vec<ChatMessage> =
            texts.map(|message| ChatMessage::user(message["content"].as_str().unwrap_or_default())).collect();
        let messages = if messages.is_empty() { vec![ChatMessage::user("Speak.")] } else { messages };
        let limit = self.body["options"]["num_predict"].as_u64().or_else(|| self.body["max_tokens"].as_u64());
        let max_tokens = limit.map(|limit| u32::try_from(limit).unwrap());
        ChatRequest {
            options: CallOptions { max_tokens, ..CallOptions::default() },
            ..ChatRequest::new("tiny", messages)
        }
    }

    async fn client(&self) -> (Stub, Arc<dyn ChatModel>) {
        let stub = Stub::always(self.response.clone()).await;
        let endpoint = if self.kind() == EndpointKind::Ollama { stub.ollama() } else { stub.open_ai() };
        let stream = self.body["stream"] != Value::Bool(false);
        let client = connect_with(ClientConfig { stream, ..ClientConfig::new(endpoint) });
        (stub, client)
    }

    /// What the client makes of it, on one line.
    async fn outcome(&self) -> String {
        let (_stub, client) = self.client().await;
        let told = match self.path.as_str() {
            _ if self.is_load() => {
                client.preload("tiny", None, CallTimeouts::default()).await.map(|()| "loaded".into())
            }
            "/api/tags" | "/v1/models" => client.models().await.map(|models| {
                let models = models.iter().map(|model| format!("{} {:?}", model.name, model.context_length));
                models.collect::<Vec<_>>().join(", ")
            }),
            "/api/ps" => client.loaded().await.map(|models| {
                let models = models.iter().map(|model| format!("{} {:?}", model.name, model.context_length));
                format!("loaded: {}", models.collect::<Vec<_>>().join(", "))
            }),
            "/api/show" => {
                client.show("tiny").await.map(|model| format!("{:?} {:?}", model.context_length, model.capabilities))
            }
            "/api/version" => client.version().await.map(|version| format!("{:?}", version.text)),
            "/api/embed" | "/v1/embeddings" => {
                client.embed("tiny", &["tea".to_owned()]).await.map(|vectors| format!("{} vectors", vectors.len()))
            }
            _ => self.answer(&*client).await,
        };
        format!("{}: {}", self.name, told.unwrap_or_else(|error| failed(&error)))
    }

    async fn answer(&self, client: &dyn ChatModel) -> Result<String, ChatError> {
        let mut heard = String::new();
        let answer = client.chat(&self.chat(), &mut |delta: &str| heard.push_str(delta)).await?;
        assert_eq!(heard, answer.text, "{}: the sink heard the text", self.name);
        let calls: Vec<String> =
            answer.tool_calls.iter().map(|call| format!("{}{}", call.name, call.arguments)).collect();
        let (chars, thinking) = (answer.text.chars().count(), answer.thinking_chars);
        Ok(format!(
            "{}, {chars} characters after {thinking} of thinking, calls [{}], {}, by {:?}",
            ended(&answer.finish_reason),
            calls.join(", "),
            counted(answer.usage),
            answer.model
        ))
    }
}

fn ended(reason: &str) -> String {
    if reason == STOP { "Stop".to_owned() } else { format!("Other({reason:?})") }
}

fn counted(usage: Usage) -> String {
    format!("{:?} + {:?} tokens, {:?} cached", usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
}

fn failed(error: &ChatError) -> String {
    let (retry, breaker) = (error.can_retry(), error.counts_for_breaker());
    format!("{:?} ({:?}), retry {retry}, breaker {breaker}, {}", error.kind, error.status, counted(error.usage))
}

fn folder(server: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/recorded").join(server)
}

async fn outcomes(server: &str) -> String {
    let folder = folder(server);
    let names = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".resp.http")?.to_owned())).collect();
    names.sort();
    let mut lines = Vec::new();
    for name in names {
        lines.push(WireRecording::read(&folder, &name).outcome().await);
    }
    lines.join("\n")
}

#[tokio::test]
async fn everything_that_an_ollama_sent_is_understood() {
    insta::assert_snapshot!("ollama", outcomes("ollama").await);
}

#[tokio::test]
async fn everything_that_a_llama_cpp_server_sent_is_understood() {
    insta::assert_snapshot!("llamacpp", outcomes("llamacpp").await);
}

#[tokio::test]
async fn tokens_beyond_the_context_tell_that_the_prompt_was_forgotten() {
    let case = WireRecording::read(&folder("ollama"), "overflow_in_generation");
    let (_stub, client) = case.client().await;

    // `length` ends this one, whose answer was to be no longer
    let error = client.chat(&case.chat(), &mut |_: &str| ()).await.unwrap_err();

    assert_eq!((error.usage.exceeds(512), error.usage.exceeds(537)), (Some(537), None));
    assert_eq!(Usage { completion_tokens: None, ..error.usage }.exceeds(512), None, "unknown is not zero");
}
