//! What Ollama replies to everything but a chat.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::classify::mid_stream;
use crate::wire::{AtMost, MAX_MODELS, Metric, Tree, check_vectors};
use crate::{ChatError, LoadedModel, ModelDetails, ModelInfo};

/// So many abilities may a model have.
const MAX_CAPABILITIES: usize = 64;

#[derive(Deserialize)]
pub(super) struct VersionReply {
    pub(super) version: String,
}

#[derive(Deserialize)]
pub(super) struct TagsReply {
    models: Option<AtMost<ModelTag, MAX_MODELS>>,
}

#[derive(Deserialize)]
struct ModelTag {
    name: String,
    size: Option<Metric>,
    digest: Option<String>,
    details: Option<Details>,
}

#[derive(Deserialize, Default)]
struct Details {
    family: Option<String>,
    parameter_size: Option<String>,
    quantization_level: Option<String>,
    context_length: Option<Metric>,
}

impl TagsReply {
    pub(super) fn into_models(self) -> Vec<ModelInfo> {
        self.models.unwrap_or_default().0.into_iter().map(ModelTag::into_model).collect()
    }
}

impl ModelTag {
    fn into_model(self) -> ModelInfo {
        let details = self.details.unwrap_or_default();
        ModelInfo {
            name: self.name,
            size: self.size.and_then(Metric::count),
            digest: self.digest,
            family: told(details.family),
            parameter_size: told(details.parameter_size),
            quantization: told(details.quantization_level),
            context_length: details.context_length.and_then(Metric::count).filter(|length| *length > 0),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct PsReply {
    models: Option<AtMost<RunningModel, MAX_MODELS>>,
}

#[derive(Deserialize)]
struct RunningModel {
    name: String,
    size: Option<Metric>,
    size_vram: Option<Metric>,
    context_length: Option<Metric>,
    expires_at: Option<String>,
}

impl PsReply {
    pub(super) fn into_models(self) -> Vec<LoadedModel> {
        self.models.unwrap_or_default().0.into_iter().map(RunningModel::into_model).collect()
    }
}

impl RunningModel {
    fn into_model(self) -> LoadedModel {
        LoadedModel {
            name: self.name,
            context_length: self.context_length.and_then(Metric::count).filter(|length| *length > 0),
            size: self.size.and_then(Metric::count),
            size_vram: self.size_vram.and_then(Metric::count),
            expires_at: told(self.expires_at),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct ShowReply {
    capabilities: Option<AtMost<String, MAX_CAPABILITIES>>,
    model_info: Option<Tree>,
    details: Option<Details>,
    remote_host: Option<String>,
}

impl ShowReply {
    pub(super) fn into_details(self) -> ModelDetails {
        let details = self.details.unwrap_or_default();
        ModelDetails {
            context_length: self.model_info.as_ref().and_then(|info| info.0.as_object()).and_then(context_length),
            capabilities: self.capabilities.map(|capabilities| capabilities.0),
            family: told(details.family),
            parameter_size: told(details.parameter_size),
            quantization: told(details.quantization_level),
            remote_host: told(self.remote_host),
        }
    }
}

/// The key is named after the architecture, such as `llama.context_length`.
fn context_length(info: &Map<String, Value>) -> Option<u64> {
    let named = info.get("general.architecture").and_then(Value::as_str);
    let key = named.map(|architecture| format!("{architecture}.context_length"));
    let exact = key.and_then(|key| info.get(&key));
    let any = || info.iter().find(|(key, _)| key.ends_with(".context_length")).map(|(_, value)| value);
    exact.or_else(any).and_then(Value::as_u64)
}

#[derive(Deserialize)]
pub(super) struct LoadReply {
    done: Option<bool>,
    error: Option<Tree>,
}

impl LoadReply {
    pub(super) fn check(self) -> Result<(), ChatError> {
        match (self.error, self.done) {
            (Some(error), _) => Err(mid_stream(&error.0)),
            (None, Some(true)) => Ok(()),
            (None, _) => Err(ChatError::cut("the server did not declare the load done")),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct EmbedReply {
    embeddings: Option<Vec<Vec<f32>>>,
}

impl EmbedReply {
    pub(super) fn into_vectors(self, expected: usize) -> Result<Vec<Vec<f32>>, ChatError> {
        check_vectors(self.embeddings.unwrap_or_default(), expected)
    }
}

fn told(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
