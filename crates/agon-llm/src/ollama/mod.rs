//! The client for Ollama's native interface.

mod decode;
mod replies;
mod requests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::Url;
use serde_json::json;

pub use self::decode::NdjsonDecoder;
use self::replies::{EmbedReply, LoadReply, PsReply, ShowReply, TagsReply, VersionReply};
use crate::call::{CallLimit, Chat, HttpSender, NO_BODY};
use crate::corrections::CorrectionMemory;
use crate::counts::PromptCounts;
use crate::watch::LoadCheck;
use crate::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatModel, ChatRequest, ClientConfig, DeltaSink, Endpoint,
    EndpointKind, LoadedModel, ModelDetails, ModelInfo, ServerVersion, VersionNumbers,
};

// Short, because a list that is held back says as much as one that comes.
const LOAD_CHECK_LIMIT: Duration = Duration::from_secs(1);

/// Speaks to one Ollama server.
#[derive(Debug)]
pub struct OllamaClient {
    config: ClientConfig,
    chat: Url,
    counts: PromptCounts,
    corrections: CorrectionMemory,
    /// The release last read, packed; 0 until [`ChatModel::version`] was called.
    release: AtomicU64,
}

impl OllamaClient {
    /// Makes a client; nothing is sent.
    #[must_use]
    pub fn new(config: ClientConfig) -> Self {
        Self {
            chat: config.endpoint.join("/api/chat"),
            config,
            counts: PromptCounts::default(),
            corrections: CorrectionMemory::default(),
            release: AtomicU64::new(0),
        }
    }

    fn caller(&self) -> HttpSender<'_> {
        HttpSender { config: &self.config }
    }

    fn url(&self, path: &str) -> Url {
        self.config.endpoint.join(path)
    }

    fn release(&self) -> Option<VersionNumbers> {
        VersionNumbers::unpack(self.release.load(Ordering::Relaxed))
    }

    fn metadata(&self) -> CallLimit {
        CallLimit::within(self.config.deadlines.metadata)
    }

    fn load_check<'a>(&'a self, model: &'a str) -> OllamaLoadCheck<'a> {
        OllamaLoadCheck { client: self, model }
    }
}

/// Whether an Ollama server that is silent about a call loads its model.
struct OllamaLoadCheck<'a> {
    client: &'a OllamaClient,
    model: &'a str,
}

#[async_trait::async_trait]
impl LoadCheck for OllamaLoadCheck<'_> {
    /// A server that lives and holds its list of loaded models back is in the middle of a load. One that lists other models
    /// waits for one of them to make room. One that lists the model, or none, has nothing to load.
    async fn is_loading(&self) -> bool {
        let (caller, limit) = (self.client.caller(), CallLimit::within(LOAD_CHECK_LIMIT));
        let (version, loaded) = (self.client.url("/api/version"), self.client.url("/api/ps"));
        let (lives, loaded) = tokio::join!(
            caller.json::<VersionReply>(&version, NO_BODY, limit),
            caller.json::<PsReply>(&loaded, NO_BODY, limit)
        );
        lives.is_ok()
            && match loaded {
                Ok(reply) => {
                    let models = reply.into_models();
                    !models.is_empty() && models.iter().all(|model| plain(&model.name) != plain(self.model))
                }
                Err(error) => matches!(error.kind, ChatErrorKind::Timeout(_)),
            }
    }
}

/// A name without the tag that Ollama assumes.
fn plain(model: &str) -> &str {
    model.strip_suffix(":latest").unwrap_or(model)
}

#[async_trait::async_trait]
impl ChatModel for OllamaClient {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        if request.messages.is_empty() {
            return Err(ChatError::new(ChatErrorKind::BadRequest, "a chat without messages would only load the model"));
        }
        let release = self.release();
        let check = self.load_check(&request.model);
        let chat = Chat {
            model: &request.model,
            write: &|shape| requests::chat(request, &self.config, shape),
            memory: &self.corrections,
            timeouts: request.timeouts,
            max_tokens: request.max_tokens(),
            min_prompt_tokens: request
                .min_prompt_tokens
                .filter(|_| release.is_none_or(VersionNumbers::counts_whole_prompt)),
            counts: &self.counts,
            check: Some(&check),
        };
        let mut answer = self.caller().chat(&self.chat, chat, NdjsonDecoder::new, sink).await?;
        if release.is_some_and(VersionNumbers::reports_cached_tokens) {
            // Ollama leaves zeros out, so that an absent count means none where the field exists.
            answer.usage.cached_tokens.get_or_insert(0);
        }
        Ok(answer)
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        let reply: TagsReply = self.caller().json(&self.url("/api/tags"), NO_BODY, self.metadata()).await?;
        Ok(reply.into_models())
    }

    async fn version(&self) -> Result<ServerVersion, ChatError> {
        let reply: VersionReply = self.caller().json(&self.url("/api/version"), NO_BODY, self.metadata()).await?;
        let release = VersionNumbers::parse(&reply.version);
        self.release.store(release.map_or(0, VersionNumbers::pack), Ordering::Relaxed);
        Ok(ServerVersion { kind: EndpointKind::Ollama, text: Some(reply.version), release })
    }

    async fn date(&self) -> Result<Option<jiff::Timestamp>, ChatError> {
        self.caller().date(&self.url("/api/version"), self.metadata()).await
    }

    async fn show(&self, model: &str) -> Result<ModelDetails, ChatError> {
        let body = json!({ "model": model });
        let reply: ShowReply = self.caller().json(&self.url("/api/show"), Some(&body), self.metadata()).await?;
        Ok(reply.into_details())
    }

    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        let limit = CallLimit::within(self.config.deadlines.loaded);
        let reply: PsReply = self.caller().json(&self.url("/api/ps"), NO_BODY, limit).await?;
        Ok(reply.into_models())
    }

    async fn preload(
        &self,
        model: &str,
        keep_alive: Option<Duration>,
        timeouts: CallTimeouts,
    ) -> Result<(), ChatError> {
        let body = requests::preload(model, keep_alive, &self.config);
        let check = self.load_check(model);
        let reply: LoadReply = self.caller().load(&self.chat, &body, timeouts, &check).await?;
        reply.check()
    }

    async fn embed(&self, model: &str, input: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        if input.is_empty() {
            return Ok(Vec::new());
        }
        let body = requests::embed(model, input, &self.config);
        let limit = CallLimit::of_vectors(self.config.deadlines.embed);
        let reply: EmbedReply = self.caller().json(&self.url("/api/embed"), Some(&body), limit).await?;
        reply.into_vectors(input.len())
    }

    fn endpoint(&self) -> &Endpoint {
        &self.config.endpoint
    }
}
