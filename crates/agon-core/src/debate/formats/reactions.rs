//! `turn_mode: reaction_triggered`: after each speech the others say whether they react, and the strongest speaks.
use super::{Floor, Next};
use crate::ids::ParticipantId;
use crate::task::BidPurpose;
use crate::work::{Seat, Work};

/// How often one may speak in a round.
const TURNS: usize = 2;

/// The first speaker rotates with the rounds; where it could not be heard, the next one begins. The round ends when nobody
/// wants to react, or everybody spoke twice.
pub(super) fn next(floor: &Floor<'_>) -> Next {
    let Some(last) = floor.last_heard() else { return first(floor) };
    if floor.has_bid(BidPurpose::Reaction) {
        let Some((who, bid)) = floor.strongest(floor.bids(BidPurpose::Reaction)) else { return Next::Over };
        let to = bid.to.clone().or_else(|| Some(last.participant.clone()));
        return Next::one(who, Work::Argument { to: to.filter(|to| to != who), bench: None });
    }
    let on = Some(last.participant.clone());
    let reacts = |who: &&ParticipantId| **who != last.participant && floor.turns_of(who) < TURNS;
    let bid = |who: &ParticipantId| Seat {
        participant: who.clone(),
        work: Work::Bid { purpose: BidPurpose::Reaction, on: on.clone(), heard: None },
    };
    Next::at_once(floor.speakers.iter().filter(reacts).map(bid).collect())
}

fn first(floor: &Floor<'_>) -> Next {
    let tried = floor.speeches().count();
    let after = (floor.round.saturating_sub(1) as usize).saturating_add(tried);
    let at = after.checked_rem(floor.speakers.len()).filter(|_| tried < floor.speakers.len());
    at.and_then(|at| floor.speakers.get(at)).map_or(Next::Over, |who| Next::one(who, Work::ARGUMENT))
}
