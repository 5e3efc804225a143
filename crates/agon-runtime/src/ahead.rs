//! Loads the models of a debate ahead of their turns.
use crate::config::HostConfig;
use crate::desk::{Desk, Player};
use crate::needs::Needs;
use crate::replica::Replica;
use crate::shared::Shared;
use agon_core::{Admission, DebateSpec, HostId, ModelName, Outgrown, Position};
use agon_llm::{CallTimeouts, EndpointKind};
use std::sync::Arc;
use std::time::Duration;

/// How long a model stays loaded after it was loaded ahead, without any call.
const KEPT: Duration = Duration::from_secs(30 * 60);

/// Has the server of a host load the models that the debate will ask for there, one after the other: a server loads no two at once.
/// What cannot be loaded is left to the turns, which say why. A model that is known to be loaded is left alone, because a new
/// `keep_alive` for a model that has to make room for another blocks Ollama's scheduler.
pub(crate) async fn load(shared: Shared, desk: Arc<Desk>, replica: Arc<Replica>) {
    let Player::Server(config) = &desk.player else { return };
    if config.rehearsal {
        return;
    }
    let Ok(admission) = replica.catch_up(Position(1)).await else { return };
    for model in models(&admission.spec) {
        if !is_placed_here(&shared, &desk.id, &admission, &model) {
            continue;
        }
        check_time(&shared, &desk, &admission, &model);
        if config.client.endpoint().kind() == EndpointKind::Ollama && !shared.directory.is_warm(&desk.id, &model) {
            load_one(&desk.id, config, &admission, &model).await;
        }
        check_room(&desk, &admission, &model).await;
    }
}

/// Whether the host is the best place for turns of the model: for those of whoever needs the most, and for all others.
fn is_placed_here(shared: &Shared, host: &HostId, admission: &Admission, model: &ModelName) -> bool {
    let needs = Needs::of_model(&admission.spec, model);
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
async fn check_room(desk: &Desk, admission: &Admission, model: &ModelName) {
    let Some(context) = desk.context(model).await else { return };
    if let Some(outgrown) = admission.spec.outgrows(context) {
        let remedy = Outgrown::REMEDY;
        tracing::warn!(debate = %admission.id, host = %desk.id, %model, "not all that is said may fit into the model's context: {outgrown}; {remedy}");
    }
}

/// Warns at the beginning where answers may not end within their time.
fn check_time(shared: &Shared, desk: &Desk, admission: &Admission, model: &ModelName) {
    let speed = shared.config.speeds.of(&desk.id, model);
    if let Some(overlong) = speed.and_then(|speed| admission.spec.overlong(model, speed)) {
        let warning = overlong.warning();
        tracing::warn!(debate = %admission.id, host = %desk.id, %model, "{warning}");
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
