//! Has the models of a debate read what was said while others speak, where a permit is free: the next turn evaluates less.
//!
//! What was read counts as the first call of the turn that comes next.
use crate::base::config::HostConfig;
use crate::base::shared::Shared;
use crate::host::gate::{CallCost, GateLink, SparePermit};
use crate::host::host_state::{Answerer, HostState};
use crate::host::open_turns::{OpenTurns, TakenTurn};
use crate::host::replica::Replica;
use crate::host::request;
use agon_core::{Admission, Ask, DebateId, ModelName, Position, Priority, Usage};
use agon_llm::{CallTimeouts, ChatError, ChatErrorKind, Discard, EndpointKind};
use agon_prompt::Prompt;
use agon_telemetry::{HostedModel, ReadEnd};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// How long after somebody was asked the turn is known here, where it is played here.
const SETTLED: Duration = Duration::from_millis(100);
/// Fewer tokens are not worth a call.
const LEAST_NEW: u64 = 64;
/// A turn waits for what its model reads for so long, and not for more than such a part of its time.
const MOST_WAIT: Duration = Duration::from_secs(5);
const PART_OF_TIME: u32 = 20;
/// A model that failed so often is left alone in the debate.
const MOST_FAILURES: u32 = 2;
/// How often a read that takes too long is told so.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// What the models of one debate have read at one host.
#[derive(Default)]
pub(crate) struct ReadAhead {
    models: Mutex<BTreeMap<ModelName, KnownReader>>,
}

/// A model that spoke here.
#[derive(Clone)]
struct KnownReader {
    /// Held while it reads.
    reading: Arc<tokio::sync::Mutex<()>>,
    /// A turn has waited for long enough for what it reads.
    enough: Arc<Notify>,
    /// How often it failed to read.
    failures: u32,
    /// Its last turn.
    ask: Ask,
    priority: Priority,
    /// Estimated tokens of the longest prompt that it has read.
    read: u64,
    /// What it has read since its last turn.
    spent: Option<Usage>,
}

impl ReadAhead {
    /// A model begins a turn with this prompt. What reading ahead for it took.
    pub(crate) fn begins(&self, work: &TakenTurn, prompt: &Prompt) -> Option<Usage> {
        let mut models = self.models();
        let known = models.entry(work.ask.model.clone()).or_insert_with(|| KnownReader::new(work.ask.clone()));
        (known.ask, known.priority, known.read) = (work.ask.clone(), work.priority, prompt.estimated_tokens);
        known.spent.take()
    }

    /// Returns when the model does not read: what it reads serves the turn that waits for it, and no second call meanwhile. One that takes
    /// too long is broken off.
    pub(crate) async fn rests(&self, work: &TakenTurn) {
        let known = self.models().get(&work.ask.model).map(|known| (known.reading.clone(), known.enough.clone()));
        let Some((reading, enough)) = known else { return };
        let patience = MOST_WAIT.min(work.left() / PART_OF_TIME);
        if tokio::time::timeout(patience, reading.lock()).await.is_ok() {
            return;
        }
        while tokio::time::timeout(TELL_EVERY, reading.lock()).await.is_err() {
            enough.notify_waiters();
        }
    }

    fn models(&self) -> MutexGuard<'_, BTreeMap<ModelName, KnownReader>> {
        // every change is one call
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownReader {
    fn new(ask: Ask) -> Self {
        let (reading, enough) = Default::default();
        Self { reading, enough, failures: 0, ask, priority: Priority::default(), read: 0, spent: None }
    }
}

/// Who has models read, for one debate at one host.
pub(crate) struct AheadReader {
    pub(crate) shared: Shared,
    pub(crate) host_state: Arc<HostState>,
    pub(crate) debate: DebateId,
    pub(crate) replica: Arc<Replica>,
    pub(crate) open: Arc<OpenTurns>,
    pub(crate) ahead: Arc<ReadAhead>,
}

impl AheadReader {
    /// Follows how far the log goes, until nobody tells any more.
    pub(crate) async fn follow(self, mut log: watch::Receiver<Position>) {
        let Answerer::Server(config) = &self.host_state.player else { return };
        while log.changed().await.is_ok() {
            tokio::time::sleep(SETTLED).await;
            let position = *log.borrow_and_update();
            match self.replica.catch_up(position).await {
                // what nobody waits for is no reason to run out of tokens
                Ok(admission) if admission.spec.budget.tokens.is_some() => return,
                Ok(admission) => self.read(config, &admission).await,
                Err(error) => tracing::debug!(debate = %self.debate, %error, "log not read ahead of turns"),
            }
        }
    }

    /// Every model that has no turn here.
    async fn read(&self, config: &HostConfig, admission: &Admission) {
        let readers: Vec<KnownReader> = self.ahead.models().values().cloned().collect();
        let reads = readers.into_iter().map(|reader| self.read_with(config, admission, reader));
        futures_util::future::join_all(reads).await;
    }

    async fn read_with(&self, config: &HostConfig, admission: &Admission, reader: KnownReader) {
        let KnownReader { reading, enough, failures, ask, priority, read, spent: _ } = reader;
        let _reading = reading.lock().await;
        // it may never speak again
        let is_over = ask.turn.round >= admission.spec.max_rounds;
        if failures >= MOST_FAILURES || is_over || self.plays(&ask.model) {
            return;
        }
        let Some(prompt) = self.replica.read_ahead(&ask) else { return };
        let is_short = prompt.estimated_tokens < read.saturating_add(LEAST_NEW);
        if is_short || request::check_context(&prompt, 0, config).is_err() {
            return;
        }
        let Some((gate, permit)) = self.spare(config, &ask.model, priority) else { return };
        let tokens = prompt.estimated_tokens;
        let end = tokio::select! {
            biased;
            end = self.call(config, admission, (&ask, prompt), permit) => end,
            () = gate.shortage() => ReadEnd::GaveWay,
            () = enough.notified() => ReadEnd::Failed,
        };
        self.shared.observer.read_ahead(HostedModel { host: &self.host_state.id, model: &ask.model }, end);
        self.note(&ask.model, tokens, end);
    }

    fn note(&self, model: &ModelName, tokens: u64, end: ReadEnd) {
        let mut models = self.ahead.models();
        let Some(known) = models.get_mut(model) else { return };
        match end {
            ReadEnd::Read(usage) => {
                known.read = known.read.max(tokens);
                known.spent = Some(known.spent.map_or(usage, |before| request::sum_of_usage(before, usage)));
            }
            ReadEnd::GaveWay => {}
            ReadEnd::Failed => {
                known.failures += 1;
                if known.failures == MOST_FAILURES {
                    tracing::info!(debate = %self.debate, host = %self.host_state.id, %model, "model does not read ahead of its turns, and is left alone in this debate");
                }
            }
        }
    }

    /// Whether a turn of the model is open here: it reads what it needs itself.
    fn plays(&self, model: &ModelName) -> bool {
        self.open.all().iter().any(|work| work.ask.model == *model)
    }

    /// Leave to call where nobody needs it. A model that Ollama would have to load may displace the one that speaks.
    fn spare(
        &self,
        config: &HostConfig,
        model: &ModelName,
        priority: Priority,
    ) -> Option<(Arc<GateLink>, SparePermit)> {
        let directory = &self.shared.directory;
        let loaded = config.rehearsal
            || config.client.endpoint().kind() != EndpointKind::Ollama
            || directory.is_warm(&self.host_state.id, model);
        let gate = directory.gate(&self.host_state.id, model).filter(|_| loaded)?;
        let permit = gate.spare(&self.shared, &self.debate, priority)?;
        Some((gate, permit))
    }

    async fn call(
        &self,
        config: &HostConfig,
        admission: &Admission,
        (ask, prompt): (&Ask, Prompt),
        mut permit: SparePermit,
    ) -> ReadEnd {
        let mut request = request::build(prompt, ask, config, &admission.spec);
        let CallTimeouts { first_byte, turn, .. } = request.timeouts;
        request.timeouts.first_byte = turn.map_or(first_byte, |turn| turn.min(first_byte));
        let client = config.client.clone();
        let outcome = self.shared.tasks.run(async move { client.chat(&request, &mut Discard).await }).await;
        let (usage, prefill_ms) = match outcome {
            Ok(answer) => (answer.usage, answer.timing.prefill_ms),
            // one token is rarely an answer
            Err(ChatError {
                kind: ChatErrorKind::Truncated { .. } | ChatErrorKind::BudgetEaten { .. } | ChatErrorKind::Empty { .. },
                usage,
                ..
            }) => (usage, None),
            Err(error) => {
                tracing::debug!(debate = %self.debate, host = %self.host_state.id, %error, "call to read ahead failed");
                return ReadEnd::Failed;
            }
        };
        permit.cost(CallCost { usage, prefill_ms });
        ReadEnd::Read(usage)
    }
}
