//! What calls cost, and by which part of the debate.
use crate::CellCost;
use agon_core::{Call, Event, PhaseName};
use std::collections::BTreeMap;

/// What one call cost, where a model was asked at all; what nobody reported is taken to be as a call usually is.
pub(super) fn cost_of(event: &Event, usual: (u64, u64)) -> Option<CellCost> {
    let (_, call) = event.settled()?;
    let made = match event {
        Event::TurnFailed { failure, .. } => call.was_made(Some(failure.cause)),
        _ => true,
    };
    made.then(|| cost_of_call(call, usual))
}

fn cost_of_call(call: &Call, (prompt, generated): (u64, u64)) -> CellCost {
    let times = [call.timing.prefill_ms, call.timing.decode_ms];
    let known = times.iter().any(Option::is_some);
    let cost = CellCost {
        calls: 1,
        unknown_calls: u32::from(call.usage.total().is_none()),
        prompt: call.usage.prompt_tokens.unwrap_or(0),
        cached: call.usage.cached_tokens,
        generated: call.usage.completion_tokens.unwrap_or(0),
        estimated_prompt: if call.usage.prompt_tokens.is_none() { prompt } else { 0 },
        estimated_generated: if call.usage.completion_tokens.is_none() { generated } else { 0 },
        seconds: known.then(|| times.iter().flatten().sum::<u64>() as f64 / 1_000.0),
        by_model: BTreeMap::new(),
    };
    let by_model = call.model.iter().map(|model| (model.as_str().to_owned(), cost.clone())).collect();
    CellCost { by_model, ..cost }
}

impl CellCost {
    /// Adds what other calls cost.
    pub fn add(&mut self, other: &Self) {
        let Self {
            calls,
            unknown_calls,
            prompt,
            cached,
            generated,
            estimated_prompt,
            estimated_generated,
            seconds,
            by_model,
        } = other;
        self.calls = self.calls.saturating_add(*calls);
        self.unknown_calls = self.unknown_calls.saturating_add(*unknown_calls);
        self.prompt = self.prompt.saturating_add(*prompt);
        self.generated = self.generated.saturating_add(*generated);
        self.estimated_prompt = self.estimated_prompt.saturating_add(*estimated_prompt);
        self.estimated_generated = self.estimated_generated.saturating_add(*estimated_generated);
        if let Some(cached) = cached {
            self.cached = Some(self.cached.unwrap_or(0).saturating_add(*cached));
        }
        if let Some(seconds) = seconds {
            self.seconds = Some(whole_milliseconds(self.seconds.unwrap_or(0.0) + seconds));
        }
        for (model, cost) in by_model {
            self.by_model.entry(model.clone()).or_default().add(cost);
        }
    }
}

/// A time as it is reported, so that a sum does not depend on the order in which calls ended.
fn whole_milliseconds(seconds: f64) -> f64 {
    (seconds * 1_000.0).round() / 1_000.0
}

/// Costs so far, with what they were when each part of the debate was over.
#[derive(Default)]
pub(super) struct CostLedger {
    /// Prompt and generated tokens that a call usually takes.
    usual: (u64, u64),
    spent: CellCost,
    by: BTreeMap<String, CellCost>,
    /// The part that goes on.
    part: Option<String>,
}

impl CostLedger {
    pub(super) fn new(usual: (u64, u64)) -> Self {
        Self { usual, ..Self::default() }
    }

    /// What the call of an event cost.
    pub(super) fn cost_of(&self, event: &Event) -> Option<CellCost> {
        cost_of(event, self.usual)
    }

    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::PhaseEntered { phase } => {
                self.begin((*phase != PhaseName::Rounds).then(|| part_of(*phase).to_owned()))
            }
            Event::RoundOpened { round, .. } => self.begin(Some(format!("round_{round}"))),
            Event::LoopEnded { .. } | Event::DebateEnded { .. } => self.begin(None),
            event => {
                if let Some(cost) = self.cost_of(event) {
                    self.spent.add(&cost);
                }
            }
        }
    }

    fn begin(&mut self, part: Option<String>) {
        if let Some(over) = std::mem::replace(&mut self.part, part) {
            self.by.insert(over, self.spent.clone());
        }
    }

    pub(super) fn finish(self) -> (CellCost, BTreeMap<String, CellCost>) {
        (self.spent, self.by)
    }
}

fn part_of(phase: PhaseName) -> &'static str {
    match phase {
        PhaseName::InitialBallots => "initial_ballots",
        PhaseName::OpeningStatements => "openings",
        PhaseName::Rounds => "rounds",
        PhaseName::FinalStatements => "final_statements",
        PhaseName::Rebuttals => "rebuttals",
        PhaseName::FinalBallots => "final_ballots",
        PhaseName::Decision => "decision",
        PhaseName::Synthesis => "synthesis",
    }
}
