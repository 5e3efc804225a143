//! What was asked and what it cost, for tests and benchmarks.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};

use crate::task::PromptTask;

/// Counts since the start or the last reset; `GET /rehearsal/stats` serves it as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Chat calls that arrived (refused ones included).
    pub chat_calls: u64,
    /// Of these, calls that asked for a stream.
    pub streamed_calls: u64,
    /// Chat calls that were answered to the end.
    pub finished_calls: u64,
    /// Chat calls whose client went away before the end.
    pub cancelled_calls: u64,
    /// Chat calls that met a scripted failure.
    pub failed_calls: u64,
    /// Chat calls in the works now.
    pub in_flight: u64,
    /// The most chat calls in the works at one time.
    pub max_in_flight: u64,
    /// Prompt tokens if nothing were reused.
    pub naive_prompt_tokens: u64,
    /// Prompt tokens that the modelled cache did not cover.
    pub evaluated_prompt_tokens: u64,
    /// Prompt tokens that it covered.
    pub cached_prompt_tokens: u64,
    /// Answer tokens generated.
    pub answer_tokens: u64,
    /// Texts embedded.
    pub embedded_texts: u64,
    /// Chat calls by model.
    pub calls_by_model: BTreeMap<String, u64>,
    /// Chat calls by the task of the prompt; not counted with fixed-length answers.
    pub calls_by_task: BTreeMap<String, u64>,
    /// How often each request body came (BLAKE3, hexadecimal), if fingerprints are on.
    pub fingerprints: BTreeMap<String, u64>,
}

/// The counters behind [`Stats`].
#[derive(Debug, Default)]
pub struct Counters(Mutex<Stats>);

impl Counters {
    /// Counts a call that arrived.
    pub fn arrived(&self, model: &str, streamed: bool, fingerprint: Option<String>) {
        let mut stats = lock(&self.0);
        stats.chat_calls += 1;
        stats.streamed_calls += u64::from(streamed);
        stats.in_flight += 1;
        stats.max_in_flight = stats.max_in_flight.max(stats.in_flight);
        match stats.calls_by_model.get_mut(model) {
            Some(calls) => *calls += 1,
            None => drop(stats.calls_by_model.insert(model.to_owned(), 1)),
        }
        if let Some(fingerprint) = fingerprint {
            *stats.fingerprints.entry(fingerprint).or_default() += 1;
        }
    }

    /// Counts the task of a call.
    pub fn set(&self, task: PromptTask) {
        let name = serde_json::to_value(task).ok().and_then(|value| value.as_str().map(str::to_owned));
        *lock(&self.0).calls_by_task.entry(name.unwrap_or_default()).or_default() += 1;
    }

    /// Counts the prompt tokens of a call.
    pub fn prompted(&self, total: u64, cached: u64) {
        let mut stats = lock(&self.0);
        stats.naive_prompt_tokens += total;
        stats.cached_prompt_tokens += cached;
        stats.evaluated_prompt_tokens += total - cached;
    }

    /// Counts texts embedded.
    pub fn embedded(&self, texts: u64) {
        lock(&self.0).embedded_texts += texts;
    }

    /// Counts the end of a call.
    pub fn ended(&self, how: CallOutcome, answer_tokens: u64) {
        let mut stats = lock(&self.0);
        stats.in_flight = stats.in_flight.saturating_sub(1); // a reset may have come between
        stats.answer_tokens += answer_tokens;
        match how {
            CallOutcome::Finished => stats.finished_calls += 1,
            CallOutcome::Cancelled => stats.cancelled_calls += 1,
            CallOutcome::Failed => stats.failed_calls += 1,
        }
    }

    /// What was counted so far.
    pub fn read(&self) -> Stats {
        lock(&self.0).clone()
    }

    /// Counts from zero again; calls in the works stay in the works.
    pub fn reset(&self) {
        let mut stats = lock(&self.0);
        let in_flight = stats.in_flight;
        *stats = Stats { in_flight, max_in_flight: in_flight, ..Stats::default() };
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// Answered to the end.
    Finished,
    /// The client went away.
    Cancelled,
    /// By script.
    Failed,
}

/// Locks a mutex whose data stays valid at every step, so that a poisoned one is as good as another.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
