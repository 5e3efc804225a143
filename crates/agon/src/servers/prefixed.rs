//! A server whose models debates call by a prefix, which the server itself does not know.
use agon_llm::{
    CallTimeouts, ChatAnswer, ChatError, ChatModel, ChatRequest, DeltaSink, Endpoint, LoadedModel, ModelDetails,
    ModelInfo, ServerVersion, WellKnownModel,
};
use std::sync::Arc;
use std::time::Duration;

/// Takes the prefix off the names that go to the server, and puts it before those that come from it.
pub struct Prefixed {
    /// The client of the server.
    pub inner: Arc<dyn ChatModel>,
    /// The prefix, without the slash.
    pub prefix: String,
}

/// What Google writes before the names in its list, but does not want in a call.
const LISTED: &str = "models/";

impl Prefixed {
    fn bare<'a>(&self, model: &'a str) -> &'a str {
        model.strip_prefix(&self.prefix).and_then(|rest| rest.strip_prefix('/')).unwrap_or(model)
    }
    fn full(&self, model: &str) -> String {
        format!("{}/{}", self.prefix, model.strip_prefix(LISTED).unwrap_or(model))
    }
}

#[async_trait::async_trait]
impl ChatModel for Prefixed {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        let request = ChatRequest { model: self.bare(&request.model).to_owned(), ..request.clone() };
        self.inner.chat(&request, sink).await
    }
    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        let models = self.inner.models().await?;
        Ok(models.into_iter().map(|model| ModelInfo { name: self.full(&model.name), ..model }).collect())
    }
    async fn version(&self) -> Result<ServerVersion, ChatError> {
        self.inner.version().await
    }
    async fn date(&self) -> Result<Option<jiff::Timestamp>, ChatError> {
        self.inner.date().await
    }
    async fn show(&self, model: &str) -> Result<ModelDetails, ChatError> {
        self.inner.show(self.bare(model)).await
    }
    fn known(&self, model: &str) -> WellKnownModel {
        self.inner.known(self.bare(model))
    }
    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        let models = self.inner.loaded().await?;
        Ok(models.into_iter().map(|model| LoadedModel { name: self.full(&model.name), ..model }).collect())
    }
    async fn preload(
        &self,
        model: &str,
        keep_alive: Option<Duration>,
        timeouts: CallTimeouts,
    ) -> Result<(), ChatError> {
        self.inner.preload(self.bare(model), keep_alive, timeouts).await
    }
    async fn embed(&self, model: &str, input: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        self.inner.embed(self.bare(model), input).await
    }
    fn endpoint(&self) -> &Endpoint {
        self.inner.endpoint()
    }
}
