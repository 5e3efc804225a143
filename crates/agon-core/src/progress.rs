//! How far a debate is: the calls that are done, and about how many it will take.
use crate::event::{Admission, Event, PhaseName};
use crate::plan::CallPlan;

/// Calls that are done, and about how many the debate takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Turns that were answered, or lost for good.
    pub done: u64,
    /// The same for the whole debate: from the plan, and, once a round is over, from what the rounds so far took.
    pub planned: u64,
}

/// Counts calls, event by event. Begins with the admission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallProgress {
    before: StageCalls,
    rounds: StageCalls,
    after: StageCalls,
    max_rounds: u64,
    stage: PlanStage,
    /// The debate judges the speeches of another one: these were paid for there.
    borrowed: bool,
}

/// Calls of a part of the debate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct StageCalls {
    done: u64,
    planned: u64,
}

/// Which part the debate is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PlanStage {
    #[default]
    Before,
    Rounds,
    After,
    Over,
}

impl CallProgress {
    /// The progress after these events.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut progress = Self::default();
        events.into_iter().for_each(|event| progress.take(event));
        progress
    }

    /// Takes the next event in.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::DebateAdmitted(admission) => self.begin(admission, &CallPlan::of_admission(admission)),
            Event::PhaseEntered { phase } => self.enter(stage(*phase)),
            Event::RoundOpened { round, .. } => self.round_opened(u64::from(*round)),
            Event::LoopEnded { .. } => self.rounds.planned = self.rounds.done,
            Event::DebateEnded { .. } => self.enter(PlanStage::Over),
            Event::TurnFailed { retry_at: None, .. } => self.one_more(),
            event if event.answered().is_some() => self.one_more(),
            _ => {}
        }
    }

    /// Takes the admission in, with the plan of its calls.
    pub(crate) fn begin(&mut self, admission: &Admission, plan: &CallPlan) {
        self.borrowed = admission.rejudges.is_some();
        self.max_rounds = admission.spec.max_rounds.into();
        for (phase, calls) in &plan.phases {
            self.part(stage(*phase)).planned += calls;
        }
    }

    /// Calls so far, and about how many there will be.
    pub fn calls(&self) -> CallCounts {
        let parts = [self.before, self.rounds, self.after];
        let done = parts.iter().map(|part| part.done).sum();
        CallCounts { done, planned: parts.iter().map(|part| part.planned.max(part.done)).sum() }
    }

    fn enter(&mut self, stage: PlanStage) {
        self.borrowed &= stage != PlanStage::After;
        let (before, rounds) = (stage != PlanStage::Before, matches!(stage, PlanStage::After | PlanStage::Over));
        for (over, part) in
            [(before, &mut self.before), (rounds, &mut self.rounds), (stage == PlanStage::Over, &mut self.after)]
        {
            if over {
                part.planned = part.done;
            }
        }
        self.stage = stage;
    }

    /// Where bids or the moderator decide who speaks, the plan counts the most that is possible: the rounds so far tell more.
    fn round_opened(&mut self, round: u64) {
        let over = round.saturating_sub(1);
        if let Some(each) = self.rounds.done.checked_div(over).filter(|each| *each > 0) {
            self.rounds.planned = self.rounds.done + each * (self.max_rounds.saturating_sub(over));
        }
    }

    fn one_more(&mut self) {
        if !self.borrowed && self.stage != PlanStage::Over {
            self.part(self.stage).done += 1;
        }
    }

    fn part(&mut self, stage: PlanStage) -> &mut StageCalls {
        match stage {
            PlanStage::Before => &mut self.before,
            PlanStage::Rounds => &mut self.rounds,
            PlanStage::After | PlanStage::Over => &mut self.after,
        }
    }
}

fn stage(phase: PhaseName) -> PlanStage {
    match phase {
        PhaseName::InitialBallots | PhaseName::OpeningStatements => PlanStage::Before,
        PhaseName::Rounds => PlanStage::Rounds,
        PhaseName::FinalStatements
        | PhaseName::Rebuttals
        | PhaseName::FinalBallots
        | PhaseName::Decision
        | PhaseName::Synthesis => PlanStage::After,
    }
}
