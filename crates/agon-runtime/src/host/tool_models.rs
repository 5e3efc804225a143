//! The models that tools ask: those of this process's hosts, behind the same gates as every other call.
use crate::base::config::HostConfig;
use crate::base::shared::{Common, Shared};
use crate::host::failure;
use crate::host::gate::line::WaitingPlace;
use crate::host::gate::{CallReport, Permit, PermitRefusal};
use agon_core::{DebateId, HostId, ModelName, Priority};
use agon_llm::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatModel, ChatRequest, DeltaSink, Endpoint, LoadedModel,
    ModelDetails, ModelInfo, ServerVersion,
};
use agon_tools::FindModel;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// Tools stand in line like one debate.
const LINE: &str = "tools";
/// How long a tool waits for a permit. Its own timeout is usually shorter.
const PATIENCE: Duration = Duration::from_secs(600);

/// The node, once there is one.
pub(crate) type NodeSlot = Arc<OnceLock<Weak<Common>>>;

/// Finds a model's host among those of the node.
pub(crate) fn find(slot: &NodeSlot, hosts: &[HostConfig]) -> FindModel {
    let slot = slot.clone();
    let hosts: Vec<HostConfig> = hosts.to_vec();
    Arc::new(move |model| {
        let shared = slot.get()?.upgrade()?;
        let model = ModelName::from(model);
        let id = shared.directory.for_tools(&model)?;
        helper(&shared, &hosts, id, model)
    })
}

/// The model of a host of the node that plays rehearsals, or of one that plays other debates.
pub(crate) fn for_debates(
    shared: &Shared,
    hosts: &[HostConfig],
    model: ModelName,
    rehearsal: bool,
) -> Option<Arc<dyn ChatModel>> {
    let id = shared.directory.for_debates(&model, rehearsal)?;
    helper(shared, hosts, id, model)
}

fn helper(shared: &Shared, hosts: &[HostConfig], id: HostId, model: ModelName) -> Option<Arc<dyn ChatModel>> {
    let host = hosts.iter().find(|host| host.id == id)?.clone();
    Some(Arc::new(Helper { shared: shared.clone(), host, model }))
}

/// One model at one host, for one question of a tool.
struct Helper {
    shared: Shared,
    host: HostConfig,
    model: ModelName,
}

impl Helper {
    async fn permit(&self) -> Result<Permit, ChatError> {
        let gate =
            self.shared.directory.gate(&self.host.id, &self.model).ok_or_else(|| refused(PermitRefusal::Elsewhere))?;
        let debate =
            DebateId::parse(LINE).map_err(|error| ChatError::new(ChatErrorKind::BadRequest, &error.to_string()))?;
        let since = Instant::now();
        let place = WaitingPlace { priority: Priority::Normal, debate, begun: true, patience: PATIENCE / 2, since };
        gate.acquire(&place, since + PATIENCE).await.map_err(refused)
    }
}

fn refused(refusal: PermitRefusal) -> ChatError {
    let why = match refusal {
        PermitRefusal::Full => "too many calls wait for the model",
        PermitRefusal::NoPermit => "no call for the model could start in time",
        PermitRefusal::BreakerOpen(_) => "the model's breaker is open",
        PermitRefusal::Away(_) => "the model's server is away",
        PermitRefusal::Elsewhere => "the host does not serve the model",
    };
    ChatError::new(ChatErrorKind::Busy, why)
}

#[async_trait::async_trait]
impl ChatModel for Helper {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        let permit = self.permit().await?;
        let request = ChatRequest { runner: self.host.runner, timeouts: self.host.timeouts, ..request.clone() };
        let outcome = self.host.client.chat(&request, sink).await;
        permit.report(outcome.as_ref().map_or_else(failure::end_of, |_| CallReport::SUCCESS));
        outcome
    }
    async fn embed(&self, model: &str, input: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        let permit = self.permit().await?;
        let outcome = self.host.client.embed(model, input).await;
        permit.report(outcome.as_ref().map_or_else(failure::end_of_embedding, |_| CallReport::SUCCESS));
        outcome
    }
    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        self.host.client.models().await
    }
    async fn version(&self) -> Result<ServerVersion, ChatError> {
        self.host.client.version().await
    }
    async fn show(&self, model: &str) -> Result<ModelDetails, ChatError> {
        self.host.client.show(model).await
    }
    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        self.host.client.loaded().await
    }
    async fn preload(
        &self,
        model: &str,
        keep_alive: Option<Duration>,
        timeouts: CallTimeouts,
    ) -> Result<(), ChatError> {
        self.host.client.preload(model, keep_alive, timeouts).await
    }
    fn endpoint(&self) -> &Endpoint {
        self.host.client.endpoint()
    }
}
