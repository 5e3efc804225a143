//! Asking a server whether it is there, and what it has.
use super::ReachableServer;
use crate::settings::HostKind;
use agon_core::ModelName;
use agon_llm::{ChatError, ModelInfo, ServerVersion};
use std::sync::Arc;
use tokio::task::JoinSet;

/// What a server said of itself.
#[derive(Clone, Debug)]
pub struct ProbedModels {
    /// Its kind and release.
    pub version: ServerVersion,
    /// What it could run.
    pub models: Vec<ModelInfo>,
}

impl ProbedModels {
    /// Whether it says that it is a rehearsal server.
    pub fn is_rehearsal(&self) -> bool {
        self.version.text.as_deref().is_some_and(|text| text.ends_with("-rehearsal"))
    }
}

/// Asks for the version and the models, each bounded to a few seconds.
///
/// A server may run more than it lists: models that it only forwards to, or other names. So `wanted` are asked for by name.
pub async fn probe(server: &ReachableServer, wanted: &[ModelName]) -> Result<ProbedModels, ChatError> {
    let version = server.client.version().await?;
    let mut models = if server.settings.lists_models() { server.client.models().await? } else { Vec::new() };
    for model in wanted {
        let listed = models.iter().any(|listed| same_model(&listed.name, model.as_str()));
        if !listed && server.settings.kind == HostKind::Ollama && server.client.show(model.as_str()).await.is_ok() {
            models.push(ModelInfo { name: model.to_string(), ..ModelInfo::default() });
        }
    }
    Ok(ProbedModels { version, models })
}

/// Asks all servers at once; their order stays.
pub async fn probe_all(
    servers: Vec<ReachableServer>,
    wanted: Vec<ModelName>,
) -> Vec<(ReachableServer, Result<ProbedModels, ChatError>)> {
    let mut probes = JoinSet::new();
    let wanted: Arc<[ModelName]> = wanted.into();
    for (at, server) in servers.into_iter().enumerate() {
        let wanted = Arc::clone(&wanted);
        probes.spawn(async move {
            let found = probe(&server, &wanted).await;
            (at, server, found)
        });
    }
    let mut asked = probes.join_all().await;
    asked.sort_by_key(|(at, ..)| *at);
    asked.into_iter().map(|(_, server, found)| (server, found)).collect()
}

/// Whether both names mean one model. Ollama takes a name without a tag for the tag `latest`.
pub fn same_model(one: &str, other: &str) -> bool {
    one == other || one.strip_suffix(LATEST) == Some(other) || other.strip_suffix(LATEST) == Some(one)
}

const LATEST: &str = ":latest";
