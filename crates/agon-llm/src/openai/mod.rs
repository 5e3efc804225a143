//! The client for servers that imitate OpenAI's interface.

mod decode;
mod parts;
mod replies;
mod requests;
mod sse;
mod tools;

use std::time::Duration;

use reqwest::Url;
use serde_json::json;

pub use self::decode::SseDecoder;
use self::replies::{EmbeddingsReply, ModelsReply};
use crate::call::{CallLimit, Chat, HttpSender, NO_BODY};
use crate::corrections::CorrectionMemory;
use crate::counts::PromptCounts;
use crate::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatModel, ChatRequest, ClientConfig, DeltaSink, Endpoint,
    EndpointKind, LoadedModel, ModelDetails, ModelInfo, ServerVersion, WellKnownModel,
};

/// Speaks to one OpenAI-compatible server: vLLM, llama.cpp, LM Studio, OpenRouter and others.
#[derive(Debug)]
pub struct OpenAiClient {
    config: ClientConfig,
    chat: Url,
    counts: PromptCounts,
    corrections: CorrectionMemory,
}

impl OpenAiClient {
    /// Makes a client; nothing is sent.
    #[must_use]
    pub fn new(config: ClientConfig) -> Self {
        let chat = config.endpoint.join("/chat/completions");
        let corrections = CorrectionMemory::new(config.known.clone());
        Self { chat, config, counts: PromptCounts::default(), corrections }
    }

    fn caller(&self) -> HttpSender<'_> {
        HttpSender { config: &self.config }
    }

    fn url(&self, path: &str) -> Url {
        self.config.endpoint.join(path)
    }
}

#[async_trait::async_trait]
impl ChatModel for OpenAiClient {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        if request.messages.is_empty() {
            return Err(ChatError::new(ChatErrorKind::BadRequest, "a chat without messages has no answer"));
        }
        let chat = Chat {
            model: &request.model,
            write: &|shape| requests::chat(request, &self.config, shape),
            memory: &self.corrections,
            timeouts: request.timeouts,
            max_tokens: request.max_tokens(),
            min_prompt_tokens: request.min_prompt_tokens,
            counts: &self.counts,
            check: None,
        };
        self.caller().chat(&self.chat, chat, SseDecoder::new, sink).await
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        let limit = CallLimit::within(self.config.deadlines.metadata);
        let reply: ModelsReply = self.caller().json(&self.url("/models"), NO_BODY, limit).await?;
        Ok(reply.into_models())
    }

    async fn version(&self) -> Result<ServerVersion, ChatError> {
        Ok(ServerVersion { kind: EndpointKind::OpenAi, text: None, release: None })
    }

    async fn date(&self) -> Result<Option<jiff::Timestamp>, ChatError> {
        self.caller().date(&self.url("/models"), CallLimit::within(self.config.deadlines.metadata)).await
    }

    async fn show(&self, _model: &str) -> Result<ModelDetails, ChatError> {
        Ok(ModelDetails::default())
    }

    fn known(&self, model: &str) -> WellKnownModel {
        self.config.known.of(model)
    }

    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        Ok(Vec::new())
    }

    async fn preload(&self, _: &str, _: Option<Duration>, _: CallTimeouts) -> Result<(), ChatError> {
        Ok(())
    }

    async fn embed(&self, model: &str, input: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        if input.is_empty() {
            return Ok(Vec::new());
        }
        let body = json!({ "model": model, "input": input, "encoding_format": "float" });
        let limit = CallLimit::of_vectors(self.config.deadlines.embed);
        let reply: EmbeddingsReply = self.caller().json(&self.url("/embeddings"), Some(&body), limit).await?;
        reply.into_vectors(input.len())
    }

    fn endpoint(&self) -> &Endpoint {
        &self.config.endpoint
    }
}
