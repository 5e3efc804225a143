//! What the debaters held before and after the debate, by their private ballots.
use crate::minutes::Minutes;
use agon_core::BallotStage;
use agon_core::tally::same_answer;

/// What a debater held.
pub(super) struct HeldAnswers<'m> {
    pub(super) debater: &'m str,
    /// What it stood for from the start: its own proposal where the ballots name the authors of proposals, else its
    /// stance or, where it has none, its first ballot.
    pub(super) stood_for: Option<&'m str>,
    /// The ballot before round 1.
    pub(super) first: Option<&'m str>,
    /// The ballot after the last round.
    pub(super) last: Option<&'m str>,
}

impl<'m> HeldAnswers<'m> {
    /// From where to where the last ballot moved; nothing where it is what the first was. Unknown without both.
    pub(super) fn moved(&self) -> Option<Option<(&'m str, &'m str)>> {
        let (first, last) = self.first.zip(self.last)?;
        Some((!same_answer(first, last)).then_some((first, last)))
    }
}

/// What each debater held, in declared order.
pub(super) fn held<'m>(minutes: &'m Minutes<'_>) -> Vec<HeldAnswers<'m>> {
    let cast = |stage, name: &str| {
        minutes.ballots(stage).find(|(entry, _)| entry.participant == name).map(|(_, ballot)| ballot.choice)
    };
    let authors = minutes.admission.spec.ballots_on_proposals();
    let personas = minutes.admission.spec.personas.iter();
    personas
        .map(|persona| {
            let debater = persona.name.as_str();
            let (first, last) = (cast(BallotStage::Initial, debater), cast(BallotStage::Final, debater));
            let stood_for = if authors { Some(debater) } else { persona.stance.as_deref().or(first) };
            HeldAnswers { debater, stood_for, first, last }
        })
        .collect()
}
