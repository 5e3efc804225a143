//! What a debate leaves for later ones.
use super::Debate;
use super::control::Phase;
use crate::archive::{Card, CardSeat};
use crate::ids::ParticipantId;
use crate::outcome::DebateState;
use crate::spec::Persona;
use crate::task::BallotStage;

impl Debate {
    /// What it leaves for later debates: nothing unless it has ended with a result that its file lets count, and nothing where it only
    /// judges another debate again.
    pub fn card(&self) -> Option<Card> {
        let Phase::Ended(DebateState::Succeeded, Some(outcome)) = self.control.phase else { return None };
        if !self.spec().phases.feedback || self.admission.rejudges.is_some() {
            return None;
        }
        let reached = self.control.verdict.as_deref()?;
        Some(Card {
            outcome,
            verdict: reached.verdict.clone(),
            winner: reached.winner.clone(),
            majority: reached.majority,
            seats: self.spec().personas.iter().map(|persona| self.card_seat(persona)).collect(),
            course: Some(Box::new(self.conduct.course(self.spec(), &self.transcript))),
        })
    }

    fn card_seat(&self, persona: &Persona) -> CardSeat {
        CardSeat {
            persona: persona.name.clone(),
            model: persona.voice.model.clone(),
            stance: persona.stance.clone(),
            first: self.ballot(&persona.name, BallotStage::Initial),
            last: self.ballot(&persona.name, BallotStage::Final),
        }
    }

    fn ballot(&self, who: &ParticipantId, stage: BallotStage) -> Option<String> {
        let ballots = &self.control.ballots;
        let cast = ballots.iter().rev().find(|ballot| ballot.stage == stage && ballot.participant == *who)?;
        Some(cast.choice.clone())
    }
}
