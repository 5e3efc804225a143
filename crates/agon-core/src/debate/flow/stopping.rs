//! The stop rules, in their fixed order.
use super::super::control::Heard;
use super::super::draft::Draft;
use crate::answer::{Figure, MILD_SEVERITY, Measures, Method};
use crate::ids::ParticipantId;
use crate::outcome::{Reason, ReasonCode, StopRule};
use crate::spec::{DebateFormat, EndCondition, Mode};
use crate::stop::terminates;

/// For how many rounds nobody may move until an impasse is one.
pub(in crate::debate) const IMPASSE_ROUNDS: usize = 2;

impl Draft<'_> {
    /// The first rule that ends the rounds now; an error where `terminate_when` cannot be evaluated.
    pub(super) fn stop_rule(&self) -> Result<Option<StopRule>, Reason> {
        if self.is_mathematically_decided() {
            return Ok(Some(StopRule::MathematicallyDecided));
        }
        if let Some(rule) = self.similarity_rule() {
            return Ok(Some(rule));
        }
        let (closed, opened) = match self.control.moderator_stop {
            Some(StopRule::ModeratorDone) => (None, Some(StopRule::ModeratorDone)),
            closed => (closed, None),
        };
        let over = self.control.rounds_held >= self.spec().max_rounds;
        let rounds = over.then_some(StopRule::MaxRounds);
        let enough = self.control.enough.then_some(StopRule::JudgeEnough);
        if let Some(rule) = closed.or(rounds).or(opened).or(enough) {
            return Ok(Some(rule));
        }
        let next = self.spec().personas.first().map_or(0, |persona| u64::from(persona.voice.max_tokens));
        let budget = self.budget_rule(next);
        match self.predicate() {
            Ok(true) => Ok(Some(StopRule::TerminateWhen)),
            // Where no round follows anyway, an error in the predicate has nothing to spoil.
            Err(problem) if budget.is_none() => Err(Reason::with(ReasonCode::TerminateWhen, problem)),
            Ok(false) | Err(_) => Ok(budget),
        }
    }

    /// Whether `terminate_when` holds; false where there is none.
    fn predicate(&self) -> Result<bool, String> {
        let Some(expression) = &self.spec().terminate_when else { return Ok(false) };
        terminates(expression, &self.figures()).map_err(|error| format!("{expression}: {error}"))
    }

    /// What is wrong with `terminate_when`, where the rounds ended without it.
    pub(super) fn predicate_problem(&self) -> Option<String> {
        self.predicate().err().map(|problem| format!("terminate_when could not be evaluated: {problem}"))
    }

    /// Consensus, convergence, impasse, nothing new: by the measures of this round and the one before.
    fn similarity_rule(&self) -> Option<StopRule> {
        let last = self.control.measures.last()?;
        let on = |condition| self.spec().end_condition.contains(&condition);
        if on(EndCondition::ConsensusReached) && self.agrees(last) && self.are_sure() {
            return Some(StopRule::ConsensusReached);
        }
        if self.spec().debate_format == DebateFormat::CritiqueRevision && self.has_converged(last) {
            return Some(StopRule::Converged);
        }
        let stuck = self
            .control
            .measures
            .iter()
            // Whether one who spoke alone agrees with anybody is not known.
            .filter(|measures| self.stands_still(measures) && measures.agreement.is_some())
            .filter(|measures| !self.rests_on_words(measures) && !self.agrees(measures))
            .count();
        if on(EndCondition::Impasse) && stuck == IMPASSE_ROUNDS {
            return Some(StopRule::Impasse);
        }
        (on(EndCondition::NoNewArguments) && self.brings_nothing_new(last)).then_some(StopRule::NoNewArguments)
    }

    /// Whether everybody who spoke in this round is as sure of its answer as the file asks for; who did not say so is not.
    fn are_sure(&self) -> bool {
        let Some(least) = self.spec().answers.confidence_at_least else { return true };
        let sure = |who: &&ParticipantId| self.control.sure.get(*who).is_some_and(|percent| *percent >= least);
        self.control.attendance().spoke.iter().all(sure)
    }
    fn threshold(&self) -> f64 {
        self.spec().similarity.similarity_threshold
    }
    fn agrees(&self, measures: &Measures) -> bool {
        let wanted = if measures.by_answers { 1.0 } else { self.threshold() };
        !self.rests_on_words(measures) && measures.agreement.is_some_and(|agreement| agreement >= wanted)
    }
    /// Whether stances are assigned, and nothing but the words of speeches was compared: no ground for a stop rule, because one
    /// who denies something uses its words.
    fn rests_on_words(&self, measures: &Measures) -> bool {
        self.spec().mode == Mode::Adversarial && !measures.by_answers && measures.method != Method::Embeddings
    }
    /// Whether every speech is like an earlier one, and nobody states another answer than before. Words are ground enough where they are
    /// the very same.
    fn brings_nothing_new(&self, measures: &Measures) -> bool {
        let repeats = |figure: &Figure| figure.value >= self.threshold();
        let repeated = !measures.known.is_empty() && measures.known.iter().all(repeats);
        let the_same = measures.known.iter().all(|figure| figure.value >= 1.0);
        repeated
            && (the_same || !self.rests_on_words(measures))
            && (!measures.by_answers || self.stands_still(measures))
    }
    fn stands_still(&self, measures: &Measures) -> bool {
        !measures.stable.is_empty() && measures.stable.iter().all(|figure| figure.value >= self.threshold())
    }

    /// Whether no critique of this round asks for more than a touch, or no revision changed its proposal.
    fn has_converged(&self, last: &Measures) -> bool {
        let severities = || {
            self.control.turned.iter().filter_map(|turned| match turned.heard {
                Heard::Critique(severity) => Some(severity),
                Heard::Nothing
                | Heard::Skipped
                | Heard::Something
                | Heard::Speech(..)
                | Heard::Bid(_)
                | Heard::Requests(_) => None,
            })
        };
        let mild = severities().next().is_some() && severities().all(|severity| severity <= MILD_SEVERITY);
        mild || self.stands_still(last)
    }
}
