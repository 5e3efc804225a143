//! What an OpenAI-compatible server replies to everything but a chat.

use serde::Deserialize;

use crate::wire::{AtMost, MAX_MODELS, Metric, check_vectors};
use crate::{ChatError, ModelInfo};

#[derive(Deserialize)]
pub(super) struct ModelsReply {
    data: Option<AtMost<ListedModel, MAX_MODELS>>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
    /// vLLM's word for the context length.
    max_model_len: Option<Metric>,
    /// OpenRouter's word for it.
    context_length: Option<Metric>,
    /// Where llama.cpp tells it, as it was launched.
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Meta {
    n_ctx: Option<Metric>,
}

impl ModelsReply {
    pub(super) fn into_models(self) -> Vec<ModelInfo> {
        self.data.unwrap_or_default().0.into_iter().map(ListedModel::into_model).collect()
    }
}

impl ListedModel {
    fn into_model(self) -> ModelInfo {
        let launched = self.meta.and_then(|meta| meta.n_ctx);
        let context_length = self.max_model_len.or(self.context_length).or(launched).and_then(Metric::count);
        let context_length = context_length.filter(|length| *length > 0);
        ModelInfo { name: self.id, context_length, ..ModelInfo::default() }
    }
}

#[derive(Deserialize)]
pub(super) struct EmbeddingsReply {
    data: Option<Vec<Embedding>>,
}

#[derive(Deserialize)]
struct Embedding {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl EmbeddingsReply {
    pub(super) fn into_vectors(self, expected: usize) -> Result<Vec<Vec<f32>>, ChatError> {
        let mut data = self.data.unwrap_or_default();
        // Stable, so that a server without indices keeps its order.
        data.sort_by_key(|one| one.index.unwrap_or_default());
        check_vectors(data.into_iter().map(|one| one.embedding).collect(), expected)
    }
}
