//! Who speaks when.
use crate::ids::ParticipantId;
use crate::seed::{Dice, Purpose};
use crate::spec::{DebateSpec, TurnMode};

/// The debaters in the order of this round. The moderator's own choice, where it has one, is not in here.
pub(super) fn speaking_order(spec: &DebateSpec, seed: u64, round: u32) -> Vec<ParticipantId> {
    let mut personas: Vec<_> = spec.personas.iter().collect();
    match spec.turn_mode {
        TurnMode::RoundRobin | TurnMode::ReactionTriggered | TurnMode::Moderator => {}
        TurnMode::Random => Dice::new(seed, Purpose::Order, u64::from(round)).shuffle(&mut personas),
        TurnMode::PriorityOrder => personas.sort_by_key(|persona| std::cmp::Reverse(persona.priority)),
    }
    personas.into_iter().map(|persona| persona.name.clone()).collect()
}
