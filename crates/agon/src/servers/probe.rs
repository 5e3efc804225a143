//! Asking a server whether it is there, and what it has.
use super::Server;
use crate::settings::HostKind;
use agon_core::ModelName;
use agon_llm::{ChatError, ModelInfo, ServerVersion};

/// What a server said of itself.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its kind and release.
    pub version: ServerVersion,
    /// What it could run.
    pub models: Vec<ModelInfo>,
}

impl Found {
    /// Whether it says that it is a rehearsal server.
    pub fn is_rehearsal(&self) -> bool {
        self.version.text.as_deref().is_some_and(|text| text.ends_with("-rehearsal"))
    }
}

/// Asks for the version and the models, each bounded to a few seconds.
///
/// A server may run more than it lists: models that it only forwards to, or other names. So `wanted` are asked for by name.
pub async fn probe(server: &Server, wanted: &[ModelName]) -> Result<Found, ChatError> {
    let version = server.client.version().await?;
    let mut models = server.client.models().await?;
    for model in wanted {
        let listed = models.iter().any(|listed| same_model(&listed.name, model.as_str()));
        if !listed && server.settings.kind == HostKind::Ollama && server.client.show(model.as_str()).await.is_ok() {
            models.push(ModelInfo { name: model.to_string(), ..ModelInfo::default() });
        }
    }
    Ok(Found { version, models })
}

/// Whether both names mean one model. Ollama takes a name without a tag for the tag `latest`.
pub fn same_model(one: &str, other: &str) -> bool {
    one == other || one.strip_suffix(LATEST) == Some(other) || other.strip_suffix(LATEST) == Some(one)
}

const LATEST: &str = ":latest";
