//! When failures end an eval, or its gradings: what never answers is not asked for hours.
use super::{ArmProgress, EvalMachine, GRADERS, has_failed};
use crate::{CellClosed, CellEnding, EvalStop, SCORER};
use std::collections::BTreeMap;

/// Of so many cells of an arm the share of failed ones counts. Where that many will be over and too many of them have failed already,
/// the others are not waited for.
pub const FAILURES_AFTER: u32 = 20;
/// The share of failed cells of an arm above which an eval ends.
pub const MOST_FAILED: f64 = 0.2;
/// The reason of a stop after which nothing more is graded.
pub(super) const GRADINGS: &str = "gradings";

/// How gradings fared since they were last ordered.
#[derive(Clone, Debug, Default)]
pub(super) struct GradingRun {
    over: u32,
    failed: u32,
    /// Nothing more is graded.
    stopped: bool,
}

impl GradingRun {
    pub(super) fn closed(&mut self, closed: &CellClosed) {
        if closed.cell.is_grading() {
            self.over += 1;
            self.failed += u32::from(has_failed(closed));
        }
    }
}

/// Whether more cells have failed than may, of those that are over or, where these are few, of [`FAILURES_AFTER`].
fn fails_too_often(failed: u32, over: u32) -> bool {
    f64::from(failed) > MOST_FAILED * f64::from(over.max(FAILURES_AFTER))
}

impl EvalMachine {
    /// Which arm failed too often.
    pub(super) fn too_many_failures(&self) -> Option<String> {
        let spec = &self.admission.spec;
        let cells = spec.questions.len().saturating_mul(spec.repetitions as usize);
        // an arm of fewer cells is asked to its end
        let expected = u32::try_from(cells).unwrap_or(u32::MAX);
        let counts = |arm: &ArmProgress| arm.over.max(expected) >= FAILURES_AFTER;
        // graders are no arm: what they failed to grade is told, and can be asked again
        let is_arm = |arm: &ArmProgress| arm.name != GRADERS && arm.name != SCORER;
        let too_many = |arm: &&ArmProgress| is_arm(arm) && counts(arm) && fails_too_often(arm.failed, arm.over);
        let ArmProgress { name, failed, over, .. } = self.tally.arms().find(too_many)?;
        let why = self.causes(|closed| super::cell_arm(&closed.cell.work) == *name);
        Some(format!("{name}: {failed} of {over} cells failed ({why})"))
    }

    /// How often graders failed, where that was too often and they are still asked.
    pub(super) fn too_many_ungraded(&self) -> Option<String> {
        let GradingRun { over, failed, stopped } = self.graders;
        let too_many = !stopped && fails_too_often(failed, over);
        too_many.then(|| {
            let why = self.causes(|closed| closed.cell.is_grading());
            format!("{failed} of {over} gradings failed ({why}); nothing more is graded until a retry")
        })
    }

    /// Why cells failed, the most frequent cause first.
    fn causes(&self, of: impl Fn(&CellClosed) -> bool) -> String {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for closed in self.closed().filter(|closed| of(closed)) {
            if let CellEnding::Failed { reason } = &closed.facts.ending {
                *counts.entry(reason).or_default() += 1;
            }
        }
        let mut counts: Vec<(&str, u32)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let counts: Vec<String> = counts.into_iter().map(|(cause, count)| format!("{count} x {cause}")).collect();
        counts.join(", ")
    }

    /// Whether nothing more is graded.
    pub(super) fn is_grading_stopped(&self) -> bool {
        self.graders.stopped
    }

    /// Nothing more is opened or, where graders fail, graded.
    pub(super) fn stop_for(&mut self, reason: &str, detail: Option<String>) {
        self.stopped = Some(EvalStop { reason: reason.to_owned(), detail });
        if reason == GRADINGS {
            self.graders.stopped = true;
            self.stand_anew();
        }
    }
}
