//! Rounds and other phases, as a trace shows them.
use crate::context::SpanPlace;
use agon_core::{Measures, PhaseName, Step, Timestamp};

/// A round, or a phase beside the rounds.
pub(crate) struct TraceSection<'a> {
    pub(crate) place: SpanPlace,
    pub(crate) phase: &'static str,
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) turns: u64,
    pub(crate) failures: u64,
    pub(crate) stages: Vec<SeatStage>,
    pub(crate) measures: Option<&'a Measures>,
}

/// Seats that were opened together inside a section.
#[derive(Clone, Copy)]
pub(crate) struct SeatStage {
    pub(crate) at: Timestamp,
    pub(crate) step: Step,
    pub(crate) seats: u64,
    pub(crate) parallel: bool,
}

impl TraceSection<'_> {
    pub(crate) fn new(place: SpanPlace, phase: &'static str, at: Timestamp) -> Self {
        Self { place, phase, from: at, to: at, turns: 0, failures: 0, stages: Vec::new(), measures: None }
    }
    pub(crate) fn name(&self) -> String {
        match self.place {
            SpanPlace::Round(_) => "debate.round".to_owned(),
            SpanPlace::Debate | SpanPlace::Accepted | SpanPlace::Phase(_) | SpanPlace::Turn(_)
                if self.is_decision() =>
            {
                "debate.decide".to_owned()
            }
            SpanPlace::Debate | SpanPlace::Accepted | SpanPlace::Phase(_) | SpanPlace::Turn(_) => {
                format!("debate.{}", self.phase)
            }
        }
    }
    pub(crate) fn is_decision(&self) -> bool {
        self.phase == PhaseName::Decision.as_str()
    }
}
