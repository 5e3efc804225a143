//! Rounds and other phases, as a trace shows them.
use crate::context::Place;
use agon_core::{Measures, PhaseName, Step, Timestamp};

/// A round, or a phase beside the rounds.
pub(crate) struct Section<'a> {
    pub(crate) place: Place,
    pub(crate) phase: &'static str,
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) turns: u64,
    pub(crate) failures: u64,
    pub(crate) stages: Vec<Stage>,
    pub(crate) measures: Option<&'a Measures>,
}

/// Seats that were opened together inside a section.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub(crate) at: Timestamp,
    pub(crate) step: Step,
    pub(crate) seats: u64,
    pub(crate) parallel: bool,
}

impl Section<'_> {
    pub(crate) fn new(place: Place, phase: &'static str, at: Timestamp) -> Self {
        Self { place, phase, from: at, to: at, turns: 0, failures: 0, stages: Vec::new(), measures: None }
    }
    pub(crate) fn name(&self) -> String {
        match self.place {
            Place::Round(_) => "debate.round".to_owned(),
            Place::Debate | Place::Accepted | Place::Phase(_) | Place::Turn(_) if self.is_decision() => {
                "debate.decide".to_owned()
            }
            Place::Debate | Place::Accepted | Place::Phase(_) | Place::Turn(_) => format!("debate.{}", self.phase),
        }
    }
    pub(crate) fn is_decision(&self) -> bool {
        self.phase == phase_name(PhaseName::Decision)
    }
}

/// A phase's name, as events have it.
pub(crate) fn phase_name(phase: PhaseName) -> &'static str {
    match phase {
        PhaseName::InitialBallots => "initial_ballots",
        PhaseName::OpeningStatements => "opening_statements",
        PhaseName::Rounds => "rounds",
        PhaseName::FinalStatements => "final_statements",
        PhaseName::Rebuttals => "rebuttals",
        PhaseName::FinalBallots => "final_ballots",
        PhaseName::Decision => "decision",
        PhaseName::Synthesis => "synthesis",
    }
}

/// A step's name, as events have it. Outside the rounds it is the name of a phase of its own.
pub(crate) fn step_name(step: Step) -> &'static str {
    match step {
        Step::Research => "research",
        Step::Admission => "admission",
        Step::Speaking => "speaking",
        Step::Interjection => "interjection",
        Step::Replies => "replies",
        Step::Scores => "scores",
        Step::Votes => "votes",
        Step::Measure => "measure",
        Step::Enough => "enough",
        Step::Notes => "notes",
        Step::Summary => "summary",
        Step::Reconciliation => "reconciliation",
        Step::Conclusion => "conclusion",
    }
}
