//! `critique_revision`: who criticises whom, and who revises.
use super::rounds::Round;
use crate::events::all;
use crate::require;
use agon_core::*;
use std::collections::BTreeSet;

type CritiquePair = (usize, usize);

/// Whose proposals were heard.
pub fn proposed(log: &[Record]) -> BTreeSet<ParticipantId> {
    let proposal = |event: &Event| match event {
        Event::Answered(Answered { participant, given: Given::Speech(speech), .. })
            if speech.kind == SpeechKind::Proposal =>
        {
            Some(participant.clone())
        }
        _ => None,
    };
    all(log).filter_map(proposal).collect()
}

/// Nobody is elected, or named on a ballot, for a proposal that was lost.
pub fn elected(spec: &DebateSpec, log: &[Record], proposed: &BTreeSet<ParticipantId>) -> Result<(), String> {
    if spec.debate_format != DebateFormat::CritiqueRevision {
        return Ok(());
    }
    for event in all(log) {
        let named = match event {
            Event::VerdictReached { winner: Some(name), .. }
            | Event::Answered(Answered { given: Given::Ballot { choice: name, .. }, .. }) => name,
            _ => continue,
        };
        require!(
            proposed.contains(&ParticipantId::from(named.as_str())),
            "{named} was chosen, whose proposal was lost"
        );
    }
    Ok(())
}

pub fn check(spec: &DebateSpec, round: &Round<'_>, proposed: &BTreeSet<ParticipantId>) -> Result<(), String> {
    let stages = round.speaking();
    require!(stages.len() <= 2, "{} stages in round {}", stages.len(), round.number);
    let place = |name: &ParticipantId| spec.personas.iter().position(|persona| persona.name == *name).unwrap();
    let proposed: BTreeSet<usize> = proposed.iter().map(place).collect();
    let Some(first) = stages.first() else { return topology(spec, round.number, (&[], &proposed)) };
    let mut pairs: Vec<CritiquePair> = Vec::new();
    for seat in &first.seats {
        let Work::Critique { of } = &seat.work else { return Err("critiques come first".into()) };
        pairs.push((place(&seat.participant), place(of)));
    }
    topology(spec, round.number, (&pairs, &proposed))?;
    let criticised: BTreeSet<&ParticipantId> = round
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Answered(Answered { given: Given::Critique { of, .. }, .. }) => Some(of),
            _ => None,
        })
        .collect();
    let Some(second) = stages.get(1) else {
        require!(criticised.is_empty() || !round.complete, "nobody revises what was criticised");
        return Ok(());
    };
    let revise: BTreeSet<&ParticipantId> = second.seats.iter().map(|seat| &seat.participant).collect();
    require!(second.seats.iter().all(|seat| seat.work == Work::Revise), "revisions come second");
    require!(revise == criticised, "{revise:?} revise, {criticised:?} were criticised");
    for (said, speech) in &second.speeches {
        let critics: BTreeSet<&ParticipantId> = round
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Answered(Answered { participant, given: Given::Critique { of, .. }, .. })
                    if *of == said.participant =>
                {
                    Some(participant)
                }
                _ => None,
            })
            .collect();
        let met = speech.accepted.iter().chain(speech.declined.iter().map(|declined| &declined.critic));
        require!(met.into_iter().all(|name| critics.contains(name)), "{} met a critique that is none", said.turn);
    }
    Ok(())
}

fn topology(
    spec: &DebateSpec,
    round: u32,
    (pairs, proposed): (&[CritiquePair], &BTreeSet<usize>),
) -> Result<(), String> {
    let n = spec.personas.len();
    let all: BTreeSet<CritiquePair> = (0..n)
        .flat_map(|by| (0..n).map(move |of| (by, of)))
        .filter(|(by, of)| by != of && proposed.contains(of))
        .collect();
    let found: BTreeSet<CritiquePair> = pairs.iter().copied().collect();
    require!(found.len() == pairs.len() && found.is_subset(&all), "a pair twice, or with itself: {pairs:?}");
    let hub = spec.format.hub.as_ref().map_or(0, |hub| spec.personas.iter().position(|one| one.name == *hub).unwrap());
    let wanted: BTreeSet<CritiquePair> = match (spec.format.topology, spec.format.direction) {
        (Topology::AllToAll, _) => all,
        (Topology::Ring, _) => all.into_iter().filter(|(by, of)| *of == (by + 1) % n).collect(),
        (Topology::RoundRobin, _) => {
            let by_round = (round as usize - 1) % (n - 1) + 1;
            all.into_iter().filter(|(by, of)| *of == (by + by_round) % n).collect()
        }
        (Topology::Star, Direction::HubCritiques) => all.into_iter().filter(|(by, _)| *by == hub).collect(),
        (Topology::Star, Direction::CritiqueHub) => {
            let criticised = if proposed.contains(&hub) { Some(&hub) } else { proposed.first() };
            all.into_iter().filter(|(_, of)| Some(of) == criticised).collect()
        }
        (Topology::Sparse, _) => {
            require!(
                proposed.iter().all(|of| found.iter().any(|(_, other)| other == of)),
                "a proposal without a critic"
            );
            require!(spec.format.density < 1.0 || found == all, "a pair is missing at density 1");
            return Ok(());
        }
    };
    require!(found == wanted, "critiques {found:?}, wanted {wanted:?}");
    Ok(())
}
