//! `open_fight`: everybody bids to speak, and the highest bid speaks.
use super::{Floor, Next};
use crate::debate::control::Heard;
use crate::ids::ParticipantId;
use crate::spec::Interruptions;
use crate::task::{BidPurpose, SpeechKind};
use crate::work::{Seat, Work};

/// How many speeches a round has for each speaker, at most.
const TURNS: usize = 2;

/// Nobody has the floor twice in a row while others bid for it. The round ends when nobody bids, or after twice as many
/// speeches as there are speakers.
pub(super) fn next(floor: &Floor<'_>) -> Next {
    if floor.speeches().count() >= floor.speakers.len().saturating_mul(TURNS) {
        return Next::Over;
    }
    let last = floor.speeches().next_back();
    // Whoever cut a speech has the floor at once.
    if let Some(cut) = last.and_then(cut_by) {
        let to = last.map(|turned| turned.participant.clone());
        return Next::one(&cut, interjection(to));
    }
    // A bid to interrupt a speech that came to its end is no bid for the floor.
    if !floor.has_bid(BidPurpose::Floor) {
        return ask_all(floor, floor.last_heard().map(|turned| &turned.participant));
    }
    let bids = floor.bids(BidPurpose::Floor);
    let holder = last.map(|turned| &turned.participant);
    let others = bids.iter().copied().filter(|(who, _)| Some(*who) != holder);
    let chosen = floor.strongest(others).or_else(|| floor.strongest(bids.iter().copied()));
    let Some((who, bid)) = chosen else { return Next::Over };
    let to = bid.to.clone().filter(|to| to != who);
    let spoke = last.filter(|turned| matches!(turned.heard, Heard::Speech(..)) && !is_interjection(&turned.work));
    let spoke = spoke.map(|turned| &turned.participant).filter(|speaker| *speaker != who);
    let interrupts = floor.spec.format.interruptions != Interruptions::Off
        && bid.urgency >= floor.spec.format.interruption_threshold;
    // Where nothing was heard there is nothing to put in a word to.
    if let Some(speaker) = spoke.filter(|_| interrupts) {
        return Next::one(who, interjection(Some(speaker.clone())));
    }
    Next::one(who, Work::Argument { to, bench: None })
}

fn ask_all(floor: &Floor<'_>, on: Option<&ParticipantId>) -> Next {
    let bid = |who: &ParticipantId| Seat {
        participant: who.clone(),
        work: Work::Bid { purpose: BidPurpose::Floor, on: on.cloned(), heard: None },
    };
    Next::at_once(floor.speakers.iter().map(bid).collect())
}

fn cut_by(turned: &crate::debate::control::Turned) -> Option<ParticipantId> {
    match &turned.heard {
        Heard::Speech(_, by) => by.clone(),
        Heard::Nothing
        | Heard::Skipped
        | Heard::Something
        | Heard::Bid(_)
        | Heard::Critique(_)
        | Heard::Requests(_) => None,
    }
}

fn interjection(to: Option<ParticipantId>) -> Work {
    Work::Statement { speech: SpeechKind::Interjection, to, about: None }
}

fn is_interjection(work: &Work) -> bool {
    matches!(work, Work::Statement { speech: SpeechKind::Interjection, .. })
}
