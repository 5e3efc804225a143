//! The order of a round's speakers, and that each of them is asked in it, once.
use super::rounds::Round;
use crate::require;
use agon_core::*;
use std::cmp::Reverse;

/// Speakers stand in the order that the spec asks for. One that is drawn cannot be foretold, and one that the moderator names
/// is compared with its word elsewhere.
pub fn opened(spec: &DebateSpec, round: &Round<'_>) -> Result<(), String> {
    let mut personas: Vec<&Persona> = spec.personas.iter().collect();
    match spec.turn_mode {
        TurnMode::RoundRobin | TurnMode::ReactionTriggered => {}
        TurnMode::PriorityOrder => personas.sort_by_key(|persona| Reverse(persona.priority)),
        TurnMode::Random | TurnMode::Moderator => return Ok(()),
    }
    let circle = spec.debate_format == DebateFormat::Fishbowl;
    let due = personas.iter().map(|persona| &persona.name).filter(|name| !circle || round.speakers.contains(name));
    require!(round.speakers.iter().eq(due), "{:?} are to speak in round {}", round.speakers, round.number);
    Ok(())
}

/// Where a round is one speech of each speaker, they are asked in the order in which it was opened, and none is left out.
pub fn asked(spec: &DebateSpec, round: &Round<'_>) -> Result<(), String> {
    let one_each = match spec.debate_format {
        DebateFormat::RoundRobin | DebateFormat::ChainOfThought | DebateFormat::Fishbowl => {
            spec.turn_mode != TurnMode::ReactionTriggered
        }
        DebateFormat::Socratic | DebateFormat::BpStyle | DebateFormat::OpenFight | DebateFormat::CritiqueRevision => {
            false
        }
        DebateFormat::Poll => false,
    };
    if !one_each {
        return Ok(());
    }
    let closes = |event: &Event| match event {
        Event::StageOpened { .. } => true,
        Event::TurnAsked(ask) => ask.task.work == Work::CloseRound,
        _ => false,
    };
    let mut seats: Vec<(u32, &ParticipantId)> = Vec::new();
    for event in round.events.iter().take_while(|event| !closes(event)) {
        match event {
            Event::TurnAsked(ask) if ask.turn.attempt == 1 && ask.turn.round == round.number => {
                seats.push((ask.turn.seat, &ask.participant))
            }
            Event::SeatSkipped { round: of, seat, participant, .. } if *of == round.number => {
                seats.push((*seat, participant))
            }
            _ => {}
        }
    }
    seats.sort_unstable();
    let asked: Vec<&ParticipantId> = seats.into_iter().map(|(_, who)| who).collect();
    let due: Vec<&ParticipantId> = round.speakers.iter().collect();
    require!(due.starts_with(&asked), "{asked:?} are asked in round {}, due are {due:?}", round.number);
    require!(!round.complete || due == asked, "only {asked:?} are asked in round {}, due are {due:?}", round.number);
    Ok(())
}
