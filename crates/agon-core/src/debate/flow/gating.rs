//! The gate: whether the first ballots make the rounds worth their tokens.
use super::super::draft::Draft;
use crate::event::{Event, PhaseName};
use crate::gate::{GateDecision, GateReason, GateRule, eligible};
use crate::outcome::StopRule;
use crate::seed::{Dice, Purpose};

/// The grain of the share that is explored.
const DRAWS: u64 = 1 << 53;

impl Draft<'_> {
    /// Goes on after a phase before the rounds: where the gate decides here, by its decision.
    pub(super) fn after_first(&mut self, done: PhaseName) {
        if self.spec().gate_phase() == Some(done) && self.control.gated.is_none() {
            self.decide_gate();
        }
        match self.control.gated {
            Some(true) => self.skip_rounds(),
            Some(false) | None if self.spec().is_poll() => self.decide_or_fail(),
            Some(false) | None => self.enter_after(Some(done)),
        }
    }

    fn decide_gate(&mut self) {
        let spec = self.spec();
        let (eligible, cast) = (eligible(spec), self.control.first.cast());
        let features = self.control.first.features(spec);
        let usual = GateRule::unanimous();
        let rule = spec.gate.rule.as_ref().unwrap_or(&usual);
        let decided = rule.decide(&features, eligible, cast);
        let decided = match decided.skip && self.explores() {
            true => GateDecision { skip: false, reason: GateReason::Explored, ..decided },
            false => decided,
        };
        let GateDecision { score, skip, reason } = decided;
        self.emit(Event::GateDecided { features, eligible, cast, score, skip, reason });
    }

    /// Whether this is one of the debates that are held although the rule would skip them.
    fn explores(&self) -> bool {
        let share = self.spec().gate.explore;
        let draw = Dice::new(self.admission.seed, Purpose::Gate, 0).below(DRAWS);
        share > 0.0 && (draw as f64) < share * DRAWS as f64
    }

    /// No round is held and no judge is asked: the first ballots decide.
    fn skip_rounds(&mut self) {
        if !self.spec().is_poll() {
            self.emit(Event::LoopEnded { rule: StopRule::NotContested, round: 0, warning: None });
        }
        self.conclude();
    }
}
