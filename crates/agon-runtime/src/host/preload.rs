//! Loads the models of a debate ahead of their turns.
use crate::base::config::HostConfig;
use crate::base::shared::Shared;
use crate::cluster::TurnNeeds;
use crate::host::host_state::{Answerer, HostState};
use crate::host::replica::Replica;
use agon_core::{Admission, DebateSpec, HostId, ModelName, Outgrown, Position};
use agon_llm::{CallTimeouts, EndpointKind};
use std::sync::Arc;
use std::time::Duration;

/// How long a model stays loaded after it was loaded ahead, without any call.
const KEPT: Duration = Duration::from_secs(30 * 60);

/// Has the server of a host load the models that the debate will ask for there, one after the other: a server loads no two at once.
/// What cannot be loaded is left to the turns, which say why. A model that is known to be loaded is left alone, because a new
/// `keep_alive` for a model that has to make room for another blocks Ollama's scheduler.
pub(crate) async fn load(shared: Shared, host_state: Arc<HostState>, replica: Arc<Replica>) {
    let Answerer::Server(config) = &host_state.player else { return };
    if config.rehearsal {
        return;
    }
    let Ok(admission) = replica.catch_up(Position(1)).await else { return };
    for model in models(&admission.spec) {
        if !is_placed_here(&shared, &host_state.id, &admission, &model) {
            continue;
        }
        check_time(&shared, &host_state, &admission, &model);
        if config.client.endpoint().kind() == EndpointKind::Ollama && !shared.directory.is_warm(&host_state.id, &model)
        {
            load_one(&host_state.id, config, &admission, &model).await;
        }
        check_room(&host_state, &admission, &model).await;
    }
}

/// Whether the host is the best place for turns of the model: for those of whoever needs the most, and for all others.
fn is_placed_here(shared: &Shared, host: &HostId, admission: &Admission, model: &ModelName) -> bool {
    let needs = TurnNeeds::of_model(&admission.spec, model);
    needs.iter().any(|needs| {
        shared.directory.preferred(&admission.id, (model, needs), admission.rehearsal).as_ref() == Some(host)
    })
}

async fn load_one(host: &HostId, config: &HostConfig, admission: &Admission, model: &ModelName) {
    tracing::info!(debate = %admission.id, %host, %model, "loading model");
    let turn = Some(Duration::from_millis(admission.spec.timeout_per_turn_ms));
    let timeouts = CallTimeouts { turn, ..config.timeouts };
    match config.client.preload(model.as_str(), Some(KEPT), timeouts).await {
        Ok(()) => tracing::info!(debate = %admission.id, %host, %model, "model loaded"),
        Err(error) => tracing::info!(debate = %admission.id, %host, %model, %error, "model not loaded ahead"),
    }
}

/// Warns at the beginning where the end may not fit.
async fn check_room(host_state: &HostState, admission: &Admission, model: &ModelName) {
    let Some(context) = host_state.context(model).await else { return };
    if let Some(outgrown) = admission.spec.outgrows(context) {
        let remedy = Outgrown::REMEDY;
        tracing::warn!(debate = %admission.id, host = %host_state.id, %model, "not all that is said may fit into the model's context: {outgrown}; {remedy}");
    }
}

/// Warns at the beginning where answers may not end within their time.
fn check_time(shared: &Shared, host_state: &HostState, admission: &Admission, model: &ModelName) {
    let speed = shared.config.speeds.of(&host_state.id, model);
    if let Some(overlong) = speed.and_then(|speed| admission.spec.overlong(model, speed)) {
        let warning = overlong.warning();
        tracing::warn!(debate = %admission.id, host = %host_state.id, %model, "{warning}");
    }
}

/// The first model of everybody who generates, in the order of their roles, each once.
fn models(spec: &DebateSpec) -> Vec<ModelName> {
    let judges = spec.judge.iter().flat_map(|judge| (0..judge.panel).map(|index| judge.model(index)));
    let mut models: Vec<ModelName> = Vec::new();
    for model in spec.voices().map(|voice| &voice.model).chain(judges) {
        if !models.contains(model) && !model.is_external() {
            models.push(model.clone());
        }
    }
    models
}
