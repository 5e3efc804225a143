//! What all calls of a server share, and the life of one call.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::OwnedSemaphorePermit;

use crate::{
    cache::Lease,
    call_log::{CallLog, CallLogEntry},
    config::{RehearsalConfig, RehearsalError},
    listener::Switch,
    model::{Model, full_name},
    plan::Director,
    recorder::Recorder,
    stats::{CallOutcome, Counters, lock},
};

/// Most model names a server remembers.
const MOST_MODELS: usize = 4096;

/// The shared state of a server.
#[derive(Debug)]
pub struct ServerState {
    pub config: RehearsalConfig,
    pub director: Director,
    pub counters: Counters,
    pub switch: Arc<Switch>,
    ledger: Option<CallLog>,
    recorder: Option<Recorder>,
    models: Mutex<BTreeMap<String, Arc<Model>>>,
}

impl ServerState {
    /// An empty stage.
    pub fn new(mut config: RehearsalConfig, switch: Arc<Switch>) -> Result<Self, RehearsalError> {
        let director = Director::new(std::mem::take(&mut config.faults));
        let ledger = config.calls.as_deref().map(CallLog::create).transpose()?;
        let recorder = config.record.as_deref().map(Recorder::create).transpose()?;
        let (counters, models) = (Counters::default(), Mutex::default());
        Ok(Self { config, director, counters, switch, ledger, recorder, models })
    }

    /// Writes down the body of a call that comes, if bodies are recorded.
    pub fn record(&self, body: &[u8]) {
        if let Some(recorder) = &self.recorder {
            recorder.note(body);
        }
    }

    /// What is written down of a call when it ends, if anything is.
    pub fn entry(&self, body: &[u8]) -> Option<CallLogEntry> {
        self.ledger.as_ref().map(|_| CallLogEntry::new(body))
    }

    /// The model of that name, unless it is not served.
    pub fn model(&self, name: &str) -> Option<Arc<Model>> {
        let mut models = lock(&self.models);
        if let Some(model) = models.get(name) {
            return Some(Arc::clone(model));
        }
        if !self.serves(name) || models.len() >= MOST_MODELS {
            return None;
        }
        let model = Arc::new(Model::new(name, &self.config));
        models.insert(name.to_owned(), Arc::clone(&model));
        Some(model)
    }

    /// Whether a name is on the list, if there is one.
    pub fn serves(&self, name: &str) -> bool {
        let wanted = full_name(name);
        !name.is_empty()
            && self.config.models.as_ref().is_none_or(|list| list.iter().any(|one| full_name(one) == wanted))
    }

    /// The models used so far.
    pub fn used_models(&self) -> Vec<Arc<Model>> {
        lock(&self.models).values().cloned().collect()
    }

    /// Goes down for `gone`: connections are reset, new ones refused, caches lost.
    pub fn crash(&self, gone: Duration) {
        tracing::info!(gone_ms = gone.as_millis(), "crash by script");
        self.forget();
        self.switch.go_down(gone);
    }

    /// Starts over: figures, fault script and caches.
    pub fn reset(&self) {
        self.counters.reset();
        self.director.reset();
        self.forget();
    }

    fn forget(&self) {
        for model in self.used_models() {
            model.set_loaded(false);
            lock(&model.cache).clear();
        }
    }
}

/// One call from its arrival to its end, whichever that is.
#[derive(Debug)]
pub struct OpenCall {
    stage: Arc<ServerState>,
    held: Option<(Arc<Model>, Lease)>,
    answer: String,
    seat: Option<OwnedSemaphorePermit>,
    entry: Option<CallLogEntry>,
    open: bool,
}

impl OpenCall {
    /// A call that was just counted as arrived; dropped before its end it counts as cancelled.
    pub fn new(stage: Arc<ServerState>, entry: Option<CallLogEntry>) -> Self {
        Self { stage, held: None, answer: String::new(), seat: None, entry, open: true }
    }

    /// The stage it plays on.
    pub fn stage(&self) -> &ServerState {
        &self.stage
    }

    /// Keeps a seat until the end.
    pub fn take_seat(&mut self, seat: OwnedSemaphorePermit) {
        self.seat = Some(seat);
    }

    /// Keeps a slot of the cache until the end.
    pub fn hold(&mut self, model: Arc<Model>, lease: Lease) {
        self.held = Some((model, lease));
    }

    /// What will stand behind the prompt in the cache if the answer is finished.
    pub fn will_say(&mut self, answer: String) {
        self.answer = answer;
    }

    /// Answered to the end. Told before the last line is sent, so that whoever has it finds the slot free and the call counted.
    pub fn finished(&mut self, tokens: u64) {
        self.end(CallOutcome::Finished, tokens);
    }

    /// Ended by script or refused.
    pub fn failed(&mut self) {
        self.end(CallOutcome::Failed, 0);
    }

    fn end(&mut self, how: CallOutcome, tokens: u64) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        if let Some((model, lease)) = self.held.take() {
            let said = if how == CallOutcome::Finished { self.answer.as_str() } else { "" };
            lock(&model.cache).finish(lease, said);
        }
        self.stage.counters.ended(how, tokens);
        if let (Some(ledger), Some(entry)) = (&self.stage.ledger, self.entry.take()) {
            ledger.note(&entry, how);
        }
        self.seat = None;
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        // what a crash took with it was not the client's doing
        let how = if self.stage.switch.is_down() { CallOutcome::Failed } else { CallOutcome::Cancelled };
        self.end(how, 0);
    }
}
