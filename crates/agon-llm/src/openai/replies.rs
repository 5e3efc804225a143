//! What an OpenAI-compatible server replies to everything but a chat.

use serde::Deserialize;

use crate::wire::{AtMost, MAX_MODELS, Metric, check_vectors};
use crate::{ChatError, ModelInfo};

/// A list of models: an object that holds one, or the bare list.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ModelsReply {
    Listed { data: Option<ListedModels>, models: Option<ListedModels> },
    Bare(ListedModels),
}

type ListedModels = AtMost<ListedEntry, MAX_MODELS>;

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ListedEntry {
    Model(ListedModel),
    Name(String),
}

#[derive(Deserialize)]
pub(super) struct ListedModel {
    id: Option<String>,
    name: Option<String>,
    /// vLLM's word for the context length.
    max_model_len: Option<Metric>,
    /// OpenRouter's word for it.
    context_length: Option<Metric>,
    /// Groq's word.
    context_window: Option<Metric>,
    /// Mistral's word.
    max_context_length: Option<Metric>,
    /// Where llama.cpp tells it, as it was launched.
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Meta {
    n_ctx: Option<Metric>,
}

impl ModelsReply {
    pub(super) fn into_models(self) -> Vec<ModelInfo> {
        let listed = match self {
            Self::Listed { data, models } => data.or(models).unwrap_or_default(),
            Self::Bare(listed) => listed,
        };
        let entry = |entry| match entry {
            ListedEntry::Model(model) => model.into_model(),
            ListedEntry::Name(name) => Some(ModelInfo { name, ..ModelInfo::default() }),
        };
        listed.0.into_iter().filter_map(entry).collect()
    }
}

impl ListedModel {
    fn into_model(self) -> Option<ModelInfo> {
        let launched = self.meta.and_then(|meta| meta.n_ctx);
        let told = [self.max_model_len, self.context_length, self.context_window, self.max_context_length, launched];
        let context_length = told.into_iter().flatten().next().and_then(Metric::count);
        let context_length = context_length.filter(|length| *length > 0);
        let name = self.id.or(self.name)?;
        Some(ModelInfo { name, context_length, ..ModelInfo::default() })
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
