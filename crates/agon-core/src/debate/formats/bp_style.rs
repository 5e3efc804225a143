//! `bp_style`: eight speeches in fixed order; after each the other bench offers points of information.
use super::{Floor, Next};
use crate::debate::control::Heard;
use crate::ids::ParticipantId;
use crate::spec::{Bench, TurnKind};
use crate::task::BidPurpose;
use crate::work::{Seat, Work};

/// A speech that was heard is followed by the offers of the other bench, and those by the speaker's reply.
pub(super) fn next(floor: &Floor<'_>) -> Next {
    let Some(last) = floor.speeches().next_back() else { return speech(floor, 0) };
    let Work::Argument { bench: Some(bench), .. } = &last.work else { return Next::Over };
    let held = floor.speeches().count();
    let since = floor.turned.last();
    let spoke =
        since.is_some_and(|turned| turned.work.traits().speech.is_some() && matches!(turned.heard, Heard::Speech(..)));
    let offers = if spoke { offers(floor, *bench, &last.participant) } else { Vec::new() };
    if !offers.is_empty() {
        return Next::at_once(offers);
    }
    let offered = floor.bids(BidPurpose::Point).iter().any(|(_, bid)| bid.urgency > 0 && bid.text.is_some());
    if offered {
        return Next::one(&last.participant, Work::AnswerPoints);
    }
    speech(floor, held)
}

fn speech(floor: &Floor<'_>, index: usize) -> Next {
    let Some(bench) = Bench::ALL.get(index).copied() else { return Next::Over };
    let personas = &floor.spec.personas;
    let Some(persona) = personas.get(bench.speaker(personas.len())) else { return Next::Over };
    Next::one(&persona.name, Work::Argument { to: None, bench: Some(bench) })
}

/// One seat for each speaker of the other bench whom masks let hear the speaker, and the speaker hear; none where there are no points.
fn offers(floor: &Floor<'_>, bench: Bench, speaker: &ParticipantId) -> Vec<Seat> {
    let personas = &floor.spec.personas;
    let hears = |reader: &crate::Persona, of: &ParticipantId| floor.spec.lets_see(reader, of, TurnKind::Arguments);
    let holder = floor.spec.persona(speaker).filter(|_| floor.spec.format.points_of_information);
    let hear_each_other =
        |rival: &&crate::Persona| holder.is_some_and(|holder| hears(rival, speaker) && hears(holder, &rival.name));
    let mut rivals: Vec<usize> = Bench::ALL
        .iter()
        .filter(|rival| rival.is_government() != bench.is_government())
        .map(|rival| rival.speaker(personas.len()))
        .collect();
    rivals.sort_unstable();
    rivals.dedup();
    let seat = |persona: &crate::Persona| Seat {
        participant: persona.name.clone(),
        work: Work::Bid { purpose: BidPurpose::Point, on: Some(speaker.clone()), heard: None },
    };
    rivals.into_iter().filter_map(|at| personas.get(at)).filter(hear_each_other).map(seat).collect()
}
