//! A model server inside the process: short answers that no two calls share, after a while that the seed chooses.
use crate::faults::SimulatedFault;
use crate::ports::{NodePorts, PortCall};
use crate::run_state::ModelCall;
use agon_core::{DebateId, Usage};
use agon_llm::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatModel, ChatRequest, DeltaSink, Endpoint, LoadedModel,
    MessageRole, ModelDetails, ModelInfo, ServerVersion, TransportFault,
};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The model that every host serves.
pub(crate) const MODEL: &str = "simulated";
/// What stands before a debate's id in its topic, so that the server knows which debate calls.
pub(crate) const TOPIC: &str = "Debate of the simulation ";

const USAGE: Usage = Usage { prompt_tokens: Some(100), cached_tokens: None, completion_tokens: Some(10) };

/// The server of one node.
pub(crate) struct SimulatedModel {
    pub(crate) ports: Arc<NodePorts>,
    pub(crate) endpoint: Endpoint,
}

#[async_trait]
impl ChatModel for SimulatedModel {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        let (ports, world) = (&self.ports, &self.ports.world);
        ports.enter(PortCall::bus("generate", ""), prompt_hash(request).as_bytes()).await;
        let number = self.begin(request);
        let fails = world.strikes(SimulatedFault::FailedModel);
        let pause = if world.strikes(SimulatedFault::SlowModel) { 1_000..60_000 } else { 100..1_500 };
        let kind = world.draws.number();
        tokio::time::sleep(Duration::from_millis(world.draws.within(pause))).await;
        ports.awake().await;
        if fails {
            let kinds = [
                ChatErrorKind::Busy,
                ChatErrorKind::Server5xx,
                ChatErrorKind::Transport(TransportFault::Connect),
                ChatErrorKind::Transport(TransportFault::Cut),
            ];
            let at = usize::try_from(kind).unwrap_or(0) % kinds.len();
            let kind = kinds.get(at).cloned().unwrap_or(ChatErrorKind::Busy);
            return Err(ChatError::new(kind, "simulated"));
        }
        let text = match request.format.as_deref() {
            Some(schema) => filled(schema, number).to_string(),
            None => format!("Point {number} stands."),
        };
        sink.text(&text);
        Ok(ChatAnswer { text, usage: USAGE, ..ChatAnswer::default() })
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        self.ports.awake().await;
        Ok(vec![ModelInfo { name: MODEL.to_owned(), digest: Some("sha256:1".into()), ..ModelInfo::default() }])
    }
    async fn version(&self) -> Result<ServerVersion, ChatError> {
        Err(ChatError::new(ChatErrorKind::BadRequest, "not simulated"))
    }
    async fn show(&self, _: &str) -> Result<ModelDetails, ChatError> {
        self.ports.awake().await;
        Ok(ModelDetails::default())
    }
    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        self.ports.awake().await;
        Ok(Vec::new())
    }
    async fn preload(&self, _: &str, _: Option<Duration>, _: CallTimeouts) -> Result<(), ChatError> {
        Ok(())
    }
    async fn embed(&self, _: &str, _: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        Err(ChatError::new(ChatErrorKind::BadRequest, "not simulated"))
    }
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl SimulatedModel {
    /// Writes a call down; its number.
    fn begin(&self, request: &ChatRequest) -> usize {
        let world = &self.ports.world;
        let (Some(debate), prompt) = (debate_of(request), prompt_hash(request)) else {
            world.seen().findings.push("a model was called for no debate".to_owned());
            return 0;
        };
        world.note(format_args!(
            "{}: generates for {debate}, prompt {}",
            self.ports.name,
            prompt.get(..8).unwrap_or("")
        ));
        let call = ModelCall { node: self.ports.name.clone(), debate, prompt, began: Instant::now() };
        let mut seen = world.seen();
        seen.generations.push(call);
        seen.generations.len()
    }
}

fn debate_of(request: &ChatRequest) -> Option<DebateId> {
    let contents = request.messages.iter().map(|message| message.content.to_string());
    let text = contents.into_iter().find_map(|content| Some(content.split_once(TOPIC)?.1.to_owned()))?;
    let id = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '-').next()?;
    DebateId::parse(id).ok()
}

/// The hash that hosts write into the account of a call.
fn prompt_hash(request: &ChatRequest) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&u64::try_from(text.len()).unwrap_or(0).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for message in &request.messages {
        part(match message.role {
            MessageRole::System => "system",
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
            MessageRole::Tool => "tool",
        });
        part(&message.content.to_string());
    }
    if let Some(schema) = &request.format {
        part("schema");
        part(&schema.to_string());
    }
    hasher.finalize().to_hex().to_string()
}

/// A value of the schema.
fn filled(schema: &Value, number: usize) -> Value {
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|allowed| allowed.first()) {
        return first.clone();
    }
    let kind = schema.get("type").and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
    match kind.unwrap_or("string") {
        "object" => {
            let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            Value::Object(members.map(|(name, member)| (name.clone(), filled(member, number))).collect::<Map<_, _>>())
        }
        "array" => {
            let some = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(1).min(1);
            Value::Array((0..some).filter_map(|_| schema.get("items")).map(|item| filled(item, number)).collect())
        }
        "integer" => Value::from(1),
        "boolean" => Value::from(false),
        _ => Value::from(format!("words {number}")),
    }
}
