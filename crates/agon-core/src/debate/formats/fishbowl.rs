//! `fishbowl`: an inner circle speaks; before each round but the first, one who listens may come in by bid.
use super::Floor;
use crate::debate::control::Turned;
use crate::ids::ParticipantId;
use crate::spec::DebateSpec;
use crate::task::BidPurpose;
use crate::work::{Seat, Work};

/// Everybody outside the circle is asked whether it wants in.
pub(in crate::debate) fn bids(spec: &DebateSpec, circle: &[ParticipantId]) -> Vec<Seat> {
    let outside = spec.personas.iter().filter(|persona| !circle.contains(&persona.name));
    let seat = |persona: &crate::Persona| Seat {
        participant: persona.name.clone(),
        work: Work::Bid { purpose: BidPurpose::Circle, on: None, heard: None },
    };
    outside.map(seat).collect()
}

/// Who sits in the circle of the round that opens, in turn order. The strongest bid takes the place of whoever has sat
/// there longest; the first circle are the first in declared order.
pub(in crate::debate) fn seated(
    spec: &DebateSpec,
    circle: &[ParticipantId],
    turned: &[Turned],
    order: &[ParticipantId],
) -> Vec<ParticipantId> {
    let mut sitting: Vec<ParticipantId> = circle.to_vec();
    if sitting.is_empty() {
        let size = spec.format.inner_circle as usize;
        sitting = spec.personas.iter().take(size).map(|persona| persona.name.clone()).collect();
    } else {
        let floor = Floor { spec, seed: 0, round: 0, speakers: order, turned, proposed: &[] };
        if let Some((comes, _)) = floor.strongest(floor.bids(BidPurpose::Circle)) {
            sitting.remove(0);
            sitting.push(comes.clone());
        }
    }
    order.iter().filter(|name| sitting.contains(name)).cloned().collect()
}
