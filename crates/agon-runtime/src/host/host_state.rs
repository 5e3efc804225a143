//! A host as its actors share it: its settings and what is known of its models.
use crate::base::config::HostConfig;
use crate::cluster::seats_of;
use crate::host::contexts::{self, Bound, Contexts};
use crate::host::failure::RepeatedFailures;
use agon_core::{Call, Failure, FailureCause, HostId, ModelName, NodeId, Think, Usage};
use agon_llm::{ChatRequest, EndpointKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a listing of models is believed.
const FRESH: Duration = Duration::from_secs(300);
/// How soon a listing that failed is tried again.
const RETRY: Duration = Duration::from_secs(10);
/// How many times as long an answer may be whose model has spent one on thinking.
const ROOM_TO_THINK: u32 = 4;
/// How long a turn waits for a listing.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct HostState {
    pub(crate) id: HostId,
    pub(crate) player: Answerer,
    digests: Mutex<Digests>,
    /// Whether each model calls tools by its own means, and until when that is believed.
    able: Mutex<BTreeMap<ModelName, (bool, Instant)>>,
    contexts: Contexts,
    /// The models of which it was said that the server answers under another name.
    renamed: std::sync::Mutex<BTreeSet<ModelName>>,
    /// The models that have spent an answer on thinking.
    thinkers: std::sync::Mutex<BTreeSet<ModelName>>,
    /// The models of which it was said that the server counts their prompts wrong.
    miscounted: std::sync::Mutex<BTreeSet<ModelName>>,
    pub(crate) repeated: RepeatedFailures,
}

/// Who answers there.
pub(crate) enum Answerer {
    /// A model server.
    Server(Box<HostConfig>),
    /// Participants outside Agon, each on its own subject.
    Seats,
}

#[derive(Default)]
struct Digests {
    known: BTreeMap<String, String>,
    good_until: Option<Instant>,
}

impl HostState {
    pub(crate) fn server(config: HostConfig) -> Self {
        Self {
            id: config.id.clone(),
            player: Answerer::Server(Box::new(config)),
            digests: Mutex::default(),
            able: Mutex::default(),
            contexts: Contexts::default(),
            renamed: Default::default(),
            thinkers: Default::default(),
            miscounted: Default::default(),
            repeated: RepeatedFailures::default(),
        }
    }
    pub(crate) fn seats(node: &NodeId) -> Self {
        Self {
            id: seats_of(node),
            player: Answerer::Seats,
            digests: Mutex::default(),
            able: Mutex::default(),
            contexts: Contexts::default(),
            renamed: Default::default(),
            thinkers: Default::default(),
            miscounted: Default::default(),
            repeated: RepeatedFailures::default(),
        }
    }
    /// Whether nothing that is said here is a model's word.
    pub(crate) fn rehearses(&self) -> bool {
        match &self.player {
            Answerer::Server(config) => config.rehearsal,
            Answerer::Seats => false,
        }
    }
    /// Whether its models read what is said while others speak.
    pub(crate) fn reads_ahead(&self) -> bool {
        match &self.player {
            Answerer::Server(config) => config.read_ahead,
            Answerer::Seats => false,
        }
    }
    /// Whether the host may play in such debates.
    pub(crate) fn fits(&self, rehearsal: bool) -> bool {
        match &self.player {
            Answerer::Server(config) => config.rehearsal == rehearsal,
            Answerer::Seats => true,
        }
    }

    /// The model's digest at this host, if its server tells.
    pub(crate) async fn digest(&self, model: &ModelName) -> Option<String> {
        let Answerer::Server(config) = &self.player else { return None };
        let mut digests = self.digests.lock().await;
        let now = Instant::now();
        if digests.good_until.is_none_or(|until| until <= now) {
            let listed = tokio::time::timeout(PATIENCE, config.client.models()).await;
            digests.good_until = Some(now + if matches!(listed, Ok(Ok(_))) { FRESH } else { RETRY });
            if let Ok(Ok(models)) = listed {
                digests.known = models.into_iter().filter_map(|model| Some((model.name, model.digest?))).collect();
            }
        }
        let name = model.as_str();
        digests.known.get(name).or_else(|| digests.known.get(&format!("{name}:latest"))).cloned()
    }

    /// Says once that another model answers than the one that is asked for.
    pub(crate) fn note_name(&self, call: &Call) {
        let (Some(model), Some(name)) = (&call.model, call.other_model()) else { return };
        if self.renamed.lock().unwrap_or_else(PoisonError::into_inner).insert(model.clone()) {
            tracing::warn!(host = %self.id, %model, answered_by = name, "the model server answers under another model's name: an alias, a router, or another server than was meant");
        }
    }

    /// Says once that a server's counts of a model's prompts are not believed.
    pub(crate) fn note_count(&self, model: &ModelName, count: u64) {
        if self.miscounted.lock().unwrap_or_else(PoisonError::into_inner).insert(model.clone()) {
            tracing::warn!(host = %self.id, %model, counted = count, "the model server counts fewer prompt tokens than were sent: its answers are kept, and tokens count as unknown");
        }
    }

    /// Has an answer take no more than the context has room for beside its prompt, as far as that is known.
    pub(crate) fn bound(&self, request: &mut ChatRequest, model: &ModelName) -> Option<Bound> {
        let wanted = request.options.max_tokens?;
        let bound = self.contexts.bound(request, model, wanted)?;
        request.options.max_tokens = Some(bound.room);
        Some(bound)
    }

    /// Fails where a prompt cannot fit into the model's context. The server is asked for it where the prompt is long.
    pub(crate) async fn check_prompt(&self, request: &ChatRequest, model: &ModelName) -> Result<(), Failure> {
        if !contexts::is_long(request) {
            return Ok(());
        }
        let Some(context) = self.context(model).await else { return Ok(()) };
        let why = self.contexts.overflow(request, model, context);
        why.map_or(Ok(()), |why| Err(Failure::new(FailureCause::ContextOverflow, format!("{}: {why}", self.id))))
    }

    /// Writes down that a model spent an answer on thinking.
    pub(crate) fn note_thinking(&self, model: &ModelName) {
        self.thinkers.lock().unwrap_or_else(PoisonError::into_inner).insert(model.clone());
    }

    /// Gives an answer of a model that thinks more room, and asks one that has spent an answer on it to think less, where the debate
    /// leaves that open: its token budget counts on `max_tokens`, and its file may say how much to think.
    pub(crate) fn make_room(&self, request: &mut ChatRequest, model: &ModelName, budgeted: bool) {
        let Answerer::Server(config) = &self.player else { return };
        let spent = self.thinkers.lock().unwrap_or_else(PoisonError::into_inner).contains(model);
        if !spent && !config.client.known(model.as_str()).thinks {
            return;
        }
        // the levels are all that OpenAI's interface has
        let less = match config.client.endpoint().kind() {
            EndpointKind::Ollama => Think::Off,
            EndpointKind::OpenAi => Think::Low,
        };
        if spent {
            request.options.think.get_or_insert(less);
        }
        if !budgeted {
            request.options.max_tokens = request.options.max_tokens.map(|most| most.saturating_mul(ROOM_TO_THINK));
        }
    }

    /// How long the context of a model is, which the server is asked where that is not known well.
    pub(crate) async fn context(&self, model: &ModelName) -> Option<u64> {
        let Answerer::Server(config) = &self.player else { return None };
        let launched = config.runner.num_ctx.map(u64::from);
        self.contexts.look(&*config.client, model, launched).await
    }

    /// Fails where prompt and answer took more tokens than the context holds: the beginning of the prompt was forgotten then. Before
    /// that the server is asked once more, which may have been launched anew.
    pub(crate) async fn check_whole(
        &self,
        request: &ChatRequest,
        usage: Usage,
        model: &ModelName,
    ) -> Result<(), Failure> {
        let Answerer::Server(config) = &self.player else { return Ok(()) };
        self.contexts.count(request, usage, model);
        let Some(context) = self.context(model).await else { return Ok(()) };
        if usage.exceeds(context).is_none() {
            return Ok(());
        }
        let launched = config.runner.num_ctx.map(u64::from);
        let context = self.contexts.ask(&*config.client, model, launched).await.unwrap_or(context);
        let Some(total) = usage.exceeds(context) else { return Ok(()) };
        let detail = format!(
            "{}: prompt and answer took {total} tokens in a context of {context}, so that the server forgot the beginning of the prompt while it generated",
            self.id
        );
        Err(Failure::new(FailureCause::ContextOverflow, detail))
    }

    /// Whether the server says that the model calls tools by its own means. One that does not tell is taken not to.
    pub(crate) async fn calls_tools(&self, model: &ModelName) -> bool {
        let Answerer::Server(config) = &self.player else { return false };
        let mut able = self.able.lock().await;
        let now = Instant::now();
        if let Some((known, until)) = able.get(model)
            && *until > now
        {
            return *known;
        }
        let shown = tokio::time::timeout(PATIENCE, config.client.show(model.as_str())).await;
        let (can, believed) = match shown {
            Ok(Ok(details)) => (details.can("tools") == Some(true), FRESH),
            Ok(Err(_)) | Err(_) => (false, RETRY),
        };
        able.insert(model.clone(), (can, now + believed));
        can
    }
}
