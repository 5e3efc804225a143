//! The calls of a debate so far: by model, and how many of how many.
use crate::event::{Admission, Event};
use crate::ids::ModelName;
use crate::outcome::UsageTotals;
use crate::plan::CallPlan;
use crate::progress::CallProgress;
use crate::summary_figures::{MOST_LISTED_MODELS, ModelUsage, SummaryFigures};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What was called so far. Rules never look at it, so that no step has to copy it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CallTotals {
    progress: CallProgress,
    /// Those that are planned, from the start, and those that were called.
    models: BTreeMap<ModelName, UsageTotals>,
    /// Calls whose model is unknown.
    nameless: UsageTotals,
    turns: u32,
    failed_tries: u32,
}

impl CallTotals {
    /// Before the first call.
    pub(crate) fn admitted(admission: &Admission) -> Self {
        let plan = CallPlan::of_admission(admission);
        let mut totals = Self::default();
        totals.progress.begin(admission, &plan);
        totals.models = plan.models.into_iter().map(|(model, _)| (model, UsageTotals::default())).collect();
        totals
    }

    /// Takes in an event; the admission is known. What was `taken_over` from another debate was paid for there.
    pub(super) fn apply(&mut self, event: &Event, taken_over: bool) {
        if matches!(event, Event::DebateAdmitted(_)) {
            return;
        }
        self.progress.take(event);
        self.turns = self.turns.saturating_add(u32::from(event.answered().is_some()));
        self.failed_tries = self.failed_tries.saturating_add(u32::from(matches!(event, Event::TurnFailed { .. })));
        let Some(call) = event.made_call().filter(|_| !taken_over) else { return };
        match &call.model {
            Some(model) => self.models.entry(model.clone()).or_default().add(&call.usage),
            None => self.nameless.add(&call.usage),
        }
    }

    /// The figures, without winner and dissent.
    pub(crate) fn figures(&self, admission: &Admission) -> SummaryFigures {
        let mut models: Vec<(&ModelName, &UsageTotals)> = self.models.iter().collect();
        models.sort_by_key(|(_, usage)| Reverse(usage.calls));
        let further = models.split_off(models.len().min(MOST_LISTED_MODELS));
        let mut other_calls = self.nameless;
        further.into_iter().for_each(|(_, usage)| other_calls.merge(usage));
        let listed = models.into_iter().map(|(model, usage)| ModelUsage { model: model.clone(), usage: *usage });
        SummaryFigures {
            winner: None,
            dissent: None,
            models: listed.collect(),
            other_calls: (other_calls.calls > 0).then_some(other_calls),
            calls: self.progress.calls(),
            max_rounds: admission.spec.max_rounds,
            turns: self.turns,
            failed_tries: self.failed_tries,
            rejudges: admission.rejudges.clone(),
        }
    }
}
