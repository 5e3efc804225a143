//! The port: what the rest of Agon may ask of a model server.

use std::time::Duration;

use crate::{
    CallTimeouts, ChatAnswer, ChatError, ChatRequest, Endpoint, LoadedModel, ModelDetails, ModelInfo, ServerVersion,
    WellKnownModel,
};

/// A model server, as one attempt sees it: no retry, no fallback, no queue.
#[async_trait::async_trait]
pub trait ChatModel: Send + Sync {
    /// Generates one answer, handing text to `sink` as it arrives; dropping the future cancels the call at the server.
    ///
    /// What `sink` received belongs to no speech until this returns `Ok`: a failed call leaves a partial text behind.
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError>;

    /// Lists the models that the server could run.
    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError>;

    /// Reads what the server says about itself; an OpenAI-compatible server has no agreed way to say a version.
    async fn version(&self) -> Result<ServerVersion, ChatError>;

    /// Reads the server's clock from its answer to a question about itself; `None` when it does not tell.
    async fn date(&self) -> Result<Option<jiff::Timestamp>, ChatError> {
        Ok(None)
    }

    /// Reads what is known of one model; an OpenAI-compatible server tells nothing, so every field is `None`.
    async fn show(&self, model: &str) -> Result<ModelDetails, ChatError>;

    /// What is known of one model without asking.
    fn known(&self, _model: &str) -> WellKnownModel {
        WellKnownModel::default()
    }

    /// Lists the models in memory, within a short deadline of its own, because Ollama may answer only after a load.
    ///
    /// OpenAI-compatible servers do not tell: the list is empty.
    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError>;

    /// Loads a model and says how long it is to stay; the only call that ever sends `keep_alive`.
    ///
    /// A load may take `timeouts.first_byte`; a server that neither answers nor loads is given up after `timeouts.turn`.
    /// OpenAI-compatible servers load on their own, so nothing is sent to them.
    async fn preload(&self, model: &str, keep_alive: Option<Duration>, timeouts: CallTimeouts)
    -> Result<(), ChatError>;

    /// Computes one vector for each input, in the same order.
    async fn embed(&self, model: &str, input: &[String]) -> Result<Vec<Vec<f32>>, ChatError>;

    /// The server that this client speaks to.
    fn endpoint(&self) -> &Endpoint;
}

/// Receives an answer while it is generated.
pub trait DeltaSink: Send {
    /// Takes the next piece of the answer's text, never empty.
    fn text(&mut self, delta: &str);

    /// Learns that the model thought for this many characters; the thinking itself is never handed on.
    fn thinking(&mut self, _chars: usize) {}

    /// Learns that all text so far was thinking: the answer begins anew.
    fn retract(&mut self) {}

    /// Learns, while nothing has come, that the server is loading the model. Told again and again.
    fn loading(&mut self) {}
}

/// A sink for callers that want only the finished answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl DeltaSink for Discard {
    fn text(&mut self, _delta: &str) {}
}

impl<F: FnMut(&str) + Send> DeltaSink for F {
    fn text(&mut self, delta: &str) {
        self(delta);
    }
}
