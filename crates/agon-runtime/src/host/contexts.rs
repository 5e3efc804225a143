//! How long the contexts of a host's models are, and how much of one a prompt takes.
//!
//! A server that generates beyond the context forgets the beginning of the prompt without a word, so answers are held to what is known.
use agon_core::{ModelName, Usage};
use agon_llm::{ChatModel, ChatRequest, EndpointKind};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long what a server told is believed, and what it did not tell.
const FRESH: Duration = Duration::from_secs(300);
const RETRY: Duration = Duration::from_secs(10);
/// How long a turn waits for it.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes of a prompt to a token until a server has counted one: few texts have more, so that no answer is bounded that would fit.
const MOST_BYTES: u64 = 5;
/// An answer may always have so many tokens: what does not fit even so is refused by the server, or noticed afterwards.
const LEAST: u64 = 32;

/// Characters of a prompt to a token at the most, until a server has counted one: a prompt that does not fit even so cannot.
const MOST_CHARS: u64 = 6;
/// Characters of a prompt that fit into every context.
const ALWAYS_FIT: u64 = 6_000;

/// What is known of the models of one host.
#[derive(Default)]
pub(crate) struct Contexts(Mutex<BTreeMap<ModelName, KnownContext>>);

#[derive(Clone, Copy, Default)]
struct KnownContext {
    context: Option<u64>,
    good_until: Option<Instant>,
    /// Tokens and bytes of the last prompt that the server counted.
    measured: Option<(u64, u64)>,
}

/// An answer that may be shorter than the debate allows, because the context has no more room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// What the prompt takes, about.
    pub(crate) prompt: u64,
    /// What the answer may take.
    pub(crate) room: u32,
    /// What both have to fit into.
    pub(crate) context: u64,
}

impl Contexts {
    // every change under this lock is one call
    fn known(&self) -> MutexGuard<'_, BTreeMap<ModelName, KnownContext>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the server how long the context of a model is, and says the least of what is known.
    pub(crate) async fn ask(&self, client: &dyn ChatModel, model: &ModelName, launched: Option<u64>) -> Option<u64> {
        let told = tokio::time::timeout(PATIENCE, told(client, model)).await.ok().flatten();
        let context = told.into_iter().chain(launched).min();
        let mut all = self.known();
        let known = all.entry(model.clone()).or_default();
        known.context = context;
        known.good_until = Some(Instant::now() + if context.is_some() { FRESH } else { RETRY });
        context
    }

    /// The same, asking only where what is known is old.
    pub(crate) async fn look(&self, client: &dyn ChatModel, model: &ModelName, launched: Option<u64>) -> Option<u64> {
        let known = self.known().get(model).copied().unwrap_or_default();
        match known.good_until.filter(|until| *until > Instant::now()) {
            Some(_) => known.context,
            None => self.ask(client, model, launched).await,
        }
    }

    /// Writes down what a server counted.
    pub(crate) fn count(&self, request: &ChatRequest, usage: Usage, model: &ModelName) {
        if let Some(tokens) = usage.prompt_tokens.filter(|tokens| *tokens > 0) {
            self.known().entry(model.clone()).or_default().measured = Some((tokens, bytes(request)));
        }
    }

    /// Why a prompt cannot fit into a context, with numbers. What the server counted in the last prompt may be a fifth too high
    /// for this one.
    pub(crate) fn overflow(&self, request: &ChatRequest, model: &ModelName, context: u64) -> Option<String> {
        let known = self.known().get(model).copied().unwrap_or_default();
        let chars = chars(request);
        let measured = known.measured.map(|(tokens, of_bytes)| bytes(request).saturating_mul(tokens) / of_bytes.max(1));
        let least = measured.map_or(chars / MOST_CHARS, |tokens| tokens / 5 * 4);
        let about = measured.unwrap_or(chars / 4);
        (least > context).then(|| {
            format!(
                "a prompt of {chars} characters, about {about} tokens, cannot fit into the model's context of {context}"
            )
        })
    }

    /// How much room the context has for an answer that may take `wanted` tokens; none where it has enough, or nobody knows.
    pub(crate) fn bound(&self, request: &ChatRequest, model: &ModelName, wanted: u32) -> Option<Bound> {
        let known = self.known().get(model).copied().unwrap_or_default();
        let context = known.context?;
        let (tokens, of_bytes) = known.measured.unwrap_or((1, MOST_BYTES));
        let prompt = bytes(request).saturating_mul(tokens) / of_bytes.max(1);
        let room = context.saturating_sub(prompt).max(LEAST);
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        (room < wanted).then_some(Bound { prompt, room, context })
    }
}

/// Whether a prompt may be too long for some context.
pub(crate) fn is_long(request: &ChatRequest) -> bool {
    chars(request) > ALWAYS_FIT
}

fn chars(request: &ChatRequest) -> u64 {
    let pieces = request.messages.iter().flat_map(|message| message.content.pieces());
    u64::try_from(pieces.map(|piece| piece.chars().count()).sum::<usize>()).unwrap_or(u64::MAX)
}

/// What a prompt is made of.
fn bytes(request: &ChatRequest) -> u64 {
    let said: usize = request.messages.iter().map(|message| message.content.len()).sum();
    let called =
        request.messages.iter().flat_map(|message| &message.tool_calls).map(|call| call.arguments.to_string().len());
    let offered = request.tools.iter().map(|tool| tool.description.len() + tool.parameters.to_string().len());
    u64::try_from(said + called.sum::<usize>() + offered.sum::<usize>()).unwrap_or(u64::MAX)
}

/// The least that the server says, of the model as it is loaded and of the model at all; else what is known without asking.
async fn told(client: &dyn ChatModel, model: &ModelName) -> Option<u64> {
    let is_it = |name: &str| plain(name) == plain(model.as_str());
    let loaded = match client.endpoint().kind() {
        EndpointKind::Ollama => client.loaded().await.unwrap_or_default(),
        EndpointKind::OpenAi => Vec::new(),
    };
    let loaded = loaded.iter().find(|loaded| is_it(&loaded.name)).and_then(|loaded| loaded.context_length);
    let listed = client.models().await.unwrap_or_default();
    let listed = listed.iter().find(|listed| is_it(&listed.name)).and_then(|listed| listed.context_length);
    loaded.into_iter().chain(listed).min().or(client.known(model.as_str()).context)
}

fn plain(model: &str) -> &str {
    model.strip_suffix(":latest").unwrap_or(model)
}
