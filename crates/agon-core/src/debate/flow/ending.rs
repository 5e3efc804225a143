//! From the end of the rounds to the decision, and what follows it.
use super::super::apply::{deciders, scorers};
use super::super::control::SlotState;
use super::super::draft::Draft;
use crate::event::{Event, Given, PhaseName, Step};
use crate::outcome::{DebateState, Outcome, Reason, ReasonCode, StopRule};
use crate::spec::{Ballots, ConsensusStrategy, Interject};
use crate::task::Conclusion;
use crate::work::Work;

impl Draft<'_> {
    pub(super) fn end_rounds(&mut self, rule: StopRule) {
        let (round, warning) = (self.control.rounds_held, self.predicate_problem());
        self.emit(Event::LoopEnded { rule, round, warning });
        let last_word = self.spec().moderator.as_ref();
        let last_word = last_word.filter(|moderator| moderator.interject == Interject::FinalOnly);
        if last_word.is_some_and(crate::Moderator::has_interjections) {
            return self.open_stage(Step::Interjection, super::moderator(Work::Interject), false);
        }
        self.state_finally();
    }

    /// The next step of the ending after this one.
    pub(super) fn ending_from(&mut self, step: Step) {
        match step {
            Step::Interjection => {
                let replies = self.replies();
                if !replies.is_empty() {
                    return self.open_stage(Step::Replies, replies, false);
                }
                self.state_finally();
            }
            Step::Replies => self.state_finally(),
            Step::Reconciliation => self.sum_up(),
            Step::Conclusion
            | Step::Research
            | Step::Admission
            | Step::Speaking
            | Step::Scores
            | Step::Votes
            | Step::Measure
            | Step::Enough
            | Step::Notes
            | Step::Summary => self.cast_final_ballots(),
        }
    }

    /// Final statements, and what follows them; where the moderator called the vote, the vote.
    fn state_finally(&mut self) {
        if self.control.vote_called {
            return self.cast_final_ballots();
        }
        if self.spec().phases.final_statements {
            self.enter(PhaseName::FinalStatements);
        } else {
            self.after_statements();
        }
    }

    pub(super) fn after_statements(&mut self) {
        if self.spec().phases.rebuttals { self.enter(PhaseName::Rebuttals) } else { self.after_rebuttals() }
    }

    pub(super) fn after_rebuttals(&mut self) {
        if self.spec().moderator.as_ref().is_some_and(|moderator| moderator.reconciles) {
            let seats = self.conclusion(Conclusion::Reconciliation);
            return self.open_stage(Step::Reconciliation, seats, false);
        }
        self.sum_up();
    }

    fn sum_up(&mut self) {
        if self.spec().moderator.as_ref().is_some_and(|moderator| moderator.concludes) {
            let seats = self.conclusion(Conclusion::Summary);
            return self.open_stage(Step::Conclusion, seats, false);
        }
        self.cast_final_ballots();
    }

    fn cast_final_ballots(&mut self) {
        match self.spec().ballots {
            Ballots::Both | Ballots::FinalOnly => self.enter(PhaseName::FinalBallots),
            Ballots::None => self.decide_or_fail(),
        }
    }

    pub(super) fn decide_or_fail(&mut self) {
        if self.control.speeches == 0 {
            let detail = self.speech_rule().map(|rule| rule.label().to_owned());
            return self.end_failed(Reason { code: ReasonCode::EmptyTranscript, detail });
        }
        let voted = self.spec().voting.filter(|_| self.strategy() == ConsensusStrategy::Vote);
        let needs_candidates = voted.is_some_and(|voting| !voting.rule.is_scored());
        if needs_candidates && self.candidates().is_empty() {
            let detail = "no private ballot named an answer to vote on";
            return self.end_failed(Reason::with(ReasonCode::NoVotes, detail));
        }
        // nobody is asked where nothing is decided, or where it was voted on already
        let asks = !deciders(self.spec()).is_empty() || scorers(self.spec()).next().is_some();
        if asks { self.enter(PhaseName::Decision) } else { self.conclude() }
    }

    /// Ends the debate after its verdict, at once or after the synthesis.
    pub fn after_verdict(&mut self, outcome: Outcome, reason: Option<Reason>) {
        if self.spec().synthesizer.is_some() && self.admission.rejudges.is_none() {
            return self.enter(PhaseName::Synthesis);
        }
        self.end(DebateState::Succeeded, Some(outcome), reason);
    }

    /// Ends the debate after the synthesis. One that failed, or does not fit its schema, degrades it.
    pub(super) fn synthesised(&mut self) {
        let (outcome, reason) = match &self.control.verdict {
            Some(reached) => (reached.outcome, reached.reason.clone()),
            None => (Outcome::Inconclusive, None),
        };
        let lost = self.control.stage.slots.iter().any(|slot| slot.state != SlotState::Done);
        let given = self.events().iter().filter_map(Event::answered).map(|answered| &answered.given);
        let unfit =
            given.into_iter().any(|given| matches!(given, Given::Synthesis(found) if !found.problems.is_empty()));
        let reason = match (lost || unfit, reason) {
            (true, None) => {
                let detail = if lost { "it could not be had" } else { "it does not fit its schema" };
                Some(Reason::with(ReasonCode::SynthesisFailed, detail))
            }
            (_, reason) => reason,
        };
        let degraded = (lost || unfit) && outcome == Outcome::Decided;
        self.end(DebateState::Succeeded, Some(if degraded { Outcome::Degraded } else { outcome }), reason);
    }
}
