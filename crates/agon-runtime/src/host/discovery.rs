//! Asks a host's server which models it has, which of them are loaded, and with what context.
use crate::base::config::HostConfig;
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::cluster::{Listed, ModelFacts};
use crate::host::host_actor::Msg;
use agon_core::ModelName;
use agon_llm::{EndpointKind, LoadedModel, ModelInfo};
use ractor::ActorRef;
use std::time::Duration;

/// How soon a server that did not answer is asked again.
const RETRY: Duration = Duration::from_secs(5);
/// How long a server may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// So many models of a server are followed.
const MOST_MODELS: usize = 1_000;

/// Keeps the list of a host's models up to date. What was known stands while the server is away. Runs until its owner is gone.
pub(crate) async fn follow(shared: Shared, config: HostConfig, target: ActorRef<Msg>) {
    loop {
        let pause = match list(&config).await {
            Some(listed) => {
                if shared.directory.list(&config.id, listed) {
                    tell(&target, Msg::Models);
                }
                shared.config.times.models_refresh
            }
            None => RETRY,
        };
        tokio::time::sleep(pause).await;
    }
}

/// What the server lists; none when it does not answer.
async fn list(config: &HostConfig) -> Option<Vec<Listed>> {
    let models = match tokio::time::timeout(PATIENCE, config.client.models()).await {
        Ok(Ok(models)) => models,
        Ok(Err(error)) => {
            tracing::debug!(host = %config.id, %error, "models not listed");
            return None;
        }
        Err(_) => {
            tracing::debug!(host = %config.id, "models not listed in time");
            return None;
        }
    };
    let loaded = loaded(config).await;
    let launched = config.runner.num_ctx.map(u64::from);
    let listed = |info: ModelInfo| {
        let here = loaded.as_ref().map(|loaded| loaded.iter().find(|loaded| loaded.name == info.name));
        let facts = ModelFacts {
            digest: info.digest,
            context: here.flatten().and_then(|loaded| loaded.context_length).or(launched),
            warm: here.map(|loaded| loaded.is_some()),
        };
        Listed { name: ModelName::new(info.name), facts }
    };
    Some(models.into_iter().take(MOST_MODELS).map(listed).collect())
}

/// The models in memory; none where the server does not tell.
async fn loaded(config: &HostConfig) -> Option<Vec<LoadedModel>> {
    match config.client.endpoint().kind() {
        EndpointKind::Ollama => tokio::time::timeout(PATIENCE, config.client.loaded()).await.ok()?.ok(),
        EndpointKind::OpenAi => None,
    }
}
