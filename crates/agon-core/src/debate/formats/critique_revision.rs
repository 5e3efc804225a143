//! `critique_revision`: critiques by topology, all at once; then revisions, all at once.
use super::{Floor, Next};
use crate::debate::control::{Heard, Turned};
use crate::ids::ParticipantId;
use crate::seed::{Dice, Purpose};
use crate::spec::{Direction, Topology};
use crate::work::{Seat, Work};

/// Those whose proposals were criticised revise them.
pub(super) fn next(floor: &Floor<'_>) -> Next {
    let critiques = |turned: &Turned| matches!(turned.work, Work::Critique { .. });
    if !floor.turned.iter().any(critiques) {
        let seat = |(by, of): (&ParticipantId, &ParticipantId)| Seat {
            participant: by.clone(),
            work: Work::Critique { of: of.clone() },
        };
        return Next::at_once(pairs(floor).into_iter().map(seat).collect());
    }
    if floor.turned.iter().any(|turned| turned.work == Work::Revise) {
        return Next::Over;
    }
    let criticised = |who: &&ParticipantId| {
        let heard = floor.turned.iter().filter(|turned| matches!(turned.heard, Heard::Critique(_)));
        heard.into_iter().any(|turned| matches!(&turned.work, Work::Critique { of } if of == *who))
    };
    let seat = |who: &ParticipantId| Seat { participant: who.clone(), work: Work::Revise };
    Next::at_once(floor.speakers.iter().filter(criticised).map(seat).collect())
}

/// Who criticises whom in this round, by critic and then by author, in declared order. A proposal that was lost is not criticised;
/// its author criticises as the others do.
fn pairs<'a>(floor: &Floor<'a>) -> Vec<(&'a ParticipantId, &'a ParticipantId)> {
    let mut drawn = drawn(floor);
    drawn.retain(|(_, of)| floor.proposed.contains(of));
    drawn
}

/// Who would criticise whom if all proposals had been heard.
fn drawn<'a>(floor: &Floor<'a>) -> Vec<(&'a ParticipantId, &'a ParticipantId)> {
    let names: Vec<&ParticipantId> = floor.spec.personas.iter().map(|persona| &persona.name).collect();
    let all = || names.iter().flat_map(|by| names.iter().map(move |of| (*by, *of))).filter(|(by, of)| by != of);
    match floor.spec.format.topology {
        Topology::AllToAll => all().collect(),
        Topology::Ring => shifted(&names, 1),
        Topology::RoundRobin => {
            let others = names.len().saturating_sub(1).max(1);
            shifted(&names, (floor.round.saturating_sub(1) as usize) % others + 1)
        }
        Topology::Star => {
            let hub = floor.spec.format.hub.as_ref().or_else(|| names.first().copied());
            // The first whose proposal was heard stands in for a hub whose own was lost.
            let stands_in =
                || floor.spec.personas.iter().map(|persona| &persona.name).find(|name| floor.proposed.contains(name));
            let criticised = hub.filter(|hub| floor.proposed.contains(hub)).or_else(stands_in);
            let spoke = |pair: &(&ParticipantId, &ParticipantId)| match floor.spec.format.direction {
                Direction::HubCritiques => Some(pair.0) == hub,
                Direction::CritiqueHub => Some(pair.1) == criticised,
            };
            all().filter(spoke).collect()
        }
        Topology::Sparse => sparse(floor, &names),
    }
}

fn shifted<'a>(names: &[&'a ParticipantId], by: usize) -> Vec<(&'a ParticipantId, &'a ParticipantId)> {
    let of = |at: usize| names.get((at + by).checked_rem(names.len())?).copied();
    names.iter().enumerate().filter_map(|(at, critic)| Some((*critic, of(at)?))).filter(|(by, of)| by != of).collect()
}

/// Every pair is drawn with the chance `density`; a proposal that nobody drew gets one critic, drawn too.
fn sparse<'a>(floor: &Floor<'_>, names: &[&'a ParticipantId]) -> Vec<(&'a ParticipantId, &'a ParticipantId)> {
    const SCALE: u64 = 1_000_000;
    let mut dice = Dice::new(floor.seed, Purpose::Topology, u64::from(floor.round));
    let chance = (floor.spec.format.density.clamp(0.0, 1.0) * SCALE as f64).round() as u64;
    let mut drawn: Vec<(usize, usize)> = Vec::new();
    for of in 0..names.len() {
        let critics: Vec<usize> = (0..names.len()).filter(|by| *by != of).collect();
        let before = drawn.len();
        drawn.extend(critics.iter().filter(|_| dice.below(SCALE) < chance).map(|by| (*by, of)));
        let at = usize::try_from(dice.below(critics.len() as u64)).unwrap_or_default();
        if drawn.len() == before {
            drawn.extend(critics.get(at).map(|by| (*by, of)));
        }
    }
    drawn.sort_unstable();
    let name = |at: usize| names.get(at).copied();
    drawn.into_iter().filter_map(|(by, of)| Some((name(by)?, name(of)?))).collect()
}
