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
use agon_llm::{Discard, EndpointKind};
use agon_prompt::Prompt;
use agon_telemetry::{HostedModel, ReadEnd};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How long after something was said it is clear who speaks next.
const SETTLED: Duration = Duration::from_millis(100);
/// Fewer tokens are not worth a call.
const LEAST_NEW: u64 = 64;

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
        let before = models.remove(&work.ask.model);
        let reading = before.as_ref().map(|before| before.reading.clone()).unwrap_or_default();
        let (ask, priority, read) = (work.ask.clone(), work.priority, prompt.estimated_tokens);
        models.insert(work.ask.model.clone(), KnownReader { reading, ask, priority, read, spent: None });
        before.and_then(|before| before.spent)
    }

    /// Returns when the model does not read: what it reads serves the turn that waits for it, and no second call meanwhile.
    pub(crate) async fn rests(&self, model: &ModelName) {
        let reading = self.models().get(model).map(|known| known.reading.clone());
        if let Some(reading) = reading {
            drop(reading.lock().await);
        }
    }

    fn models(&self) -> MutexGuard<'_, BTreeMap<ModelName, KnownReader>> {
        // every change is one call
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
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
                Ok(admission) => self.read(config, &admission, position).await,
                Err(error) => tracing::debug!(debate = %self.debate, %error, "log not read ahead of turns"),
            }
        }
    }

    /// Every model that has no turn here.
    async fn read(&self, config: &HostConfig, admission: &Admission, position: Position) {
        let readers: Vec<KnownReader> = self.ahead.models().values().cloned().collect();
        let reads = readers.into_iter().map(|reader| self.read_with(config, admission, (reader, position)));
        futures_util::future::join_all(reads).await;
    }

    async fn read_with(&self, config: &HostConfig, admission: &Admission, (reader, position): (KnownReader, Position)) {
        let KnownReader { reading, ask, priority, read, spent: _ } = reader;
        let _reading = reading.lock().await;
        // it may never speak again
        let is_over = ask.turn.round >= admission.spec.max_rounds;
        if is_over || self.plays(&ask.model) {
            return;
        }
        let ask = Ask { sees: position, ..ask };
        let Some(prompt) = self.replica.read_ahead(&ask) else { return };
        let is_short = prompt.estimated_tokens < read.saturating_add(LEAST_NEW);
        if is_short || request::check_context(&prompt, 0, config).is_err() {
            return;
        }
        if let Some((gate, permit)) = self.spare(config, &ask.model, priority) {
            self.read_one(config, admission, (&ask, prompt), (&gate, permit)).await;
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

    async fn read_one(
        &self,
        config: &HostConfig,
        admission: &Admission,
        (ask, prompt): (&Ask, Prompt),
        (gate, mut permit): (&GateLink, SparePermit),
    ) {
        let tokens = prompt.estimated_tokens;
        let request = request::build(prompt, ask, config, &admission.spec);
        let client = config.client.clone();
        let call = self.shared.tasks.run(async move { client.chat(&request, &mut Discard).await });
        let place = HostedModel { host: &self.host_state.id, model: &ask.model };
        let outcome = tokio::select! {
            biased;
            outcome = call => outcome,
            () = self.needed(gate, &ask.model) => {
                self.shared.observer.read_ahead(place, ReadEnd::GaveWay);
                return;
            }
        };
        let usage = match &outcome {
            Ok(answer) => answer.usage,
            // one token is rarely an answer
            Err(error) => error.usage,
        };
        if usage.prompt_tokens.is_none() {
            self.shared.observer.read_ahead(place, ReadEnd::Failed);
            return;
        }
        let prefill_ms = outcome.ok().and_then(|answer| answer.timing.prefill_ms);
        permit.cost(CallCost { usage, prefill_ms });
        self.shared.observer.read_ahead(place, ReadEnd::Read(usage));
        if let Some(known) = self.ahead.models().get_mut(&ask.model) {
            known.read = known.read.max(tokens);
            known.spent = Some(known.spent.map_or(usage, |before| request::sum_of_usage(before, usage)));
        }
    }

    /// Returns when somebody else wants the permit. A turn of this debate gains by what is read.
    async fn needed(&self, gate: &GateLink, model: &ModelName) {
        loop {
            gate.shortage().await;
            if !self.plays(model) {
                return;
            }
        }
    }
}
