//! What the debaters held before and after the debate, by their private ballots.
use crate::minutes::Minutes;
use agon_core::BallotStage;
use agon_core::tally::same_answer;

/// What a debater held.
pub(super) struct Held<'m> {
    pub(super) debater: &'m str,
    pub(super) stance: Option<&'m str>,
    /// The ballot before round 1.
    pub(super) first: Option<&'m str>,
    /// The ballot after the last round.
    pub(super) last: Option<&'m str>,
}

impl<'m> Held<'m> {
    /// From where to where the last ballot moved; nothing where it is what the first was. Unknown without both.
    pub(super) fn moved(&self) -> Option<Option<(&'m str, &'m str)>> {
        let (first, last) = self.first.zip(self.last)?;
        Some((!same_answer(first, last)).then_some((first, last)))
    }
    /// What the debater stood for from the start: its stance or, where it has none, its first ballot.
    pub(super) fn stood_for(&self) -> Option<&'m str> {
        self.stance.or(self.first)
    }
}

/// What each debater held, in declared order.
pub(super) fn held<'m>(minutes: &'m Minutes<'_>) -> Vec<Held<'m>> {
    let cast = |stage, name: &str| {
        minutes.ballots(stage).find(|(entry, _)| entry.participant == name).map(|(_, ballot)| ballot.choice)
    };
    let personas = minutes.admission.spec.personas.iter();
    personas
        .map(|persona| Held {
            debater: persona.name.as_str(),
            stance: persona.stance.as_deref(),
            first: cast(BallotStage::Initial, persona.name.as_str()),
            last: cast(BallotStage::Final, persona.name.as_str()),
        })
        .collect()
}
