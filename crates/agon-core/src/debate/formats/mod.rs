//! What happens in a round, format by format. Each is a pure function of what became of the round's seats so far, and
//! knows no other.
mod bp_style;
mod critique_revision;
pub(super) mod fishbowl;
mod open_fight;
mod reactions;
mod socratic;
pub mod steps;

use super::control::{Heard, Turned};
use crate::answer::Bid;
use crate::ids::ParticipantId;
use crate::spec::{DebateFormat, DebateSpec, TurnMode};
use crate::task::BidPurpose;
use crate::work::{Seat, Work};

/// What a format looks at.
pub(super) struct Floor<'a> {
    pub spec: &'a DebateSpec,
    pub seed: u64,
    pub round: u32,
    /// Who is to speak in this round, in turn order.
    pub speakers: &'a [ParticipantId],
    /// What became of this round's seats, in the order in which that was known.
    pub turned: &'a [Turned],
    /// Whose proposals were heard.
    pub proposed: &'a [ParticipantId],
}

/// What comes next in a round.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// These seats.
    Stage { seats: Vec<Seat>, parallel: bool },
    /// Nothing: the round's speeches are over.
    Over,
}
impl Next {
    fn one(participant: &ParticipantId, work: Work) -> Self {
        Self::in_turn(vec![Seat { participant: participant.clone(), work }])
    }
    fn in_turn(seats: Vec<Seat>) -> Self {
        if seats.is_empty() { Self::Over } else { Self::Stage { seats, parallel: false } }
    }
    fn at_once(seats: Vec<Seat>) -> Self {
        if seats.is_empty() { Self::Over } else { Self::Stage { seats, parallel: true } }
    }
}

/// Whether a round is one speech of each speaker, in an order that is known when it opens.
pub(super) fn speaks_in_order(spec: &DebateSpec) -> bool {
    spec.debate_format.traits().by_turn_order && spec.turn_mode != TurnMode::ReactionTriggered
}

/// What comes next in the round.
pub(super) fn next(floor: &Floor<'_>) -> Next {
    match floor.spec.debate_format {
        // the seats are opened with the round
        _ if speaks_in_order(floor.spec) => Next::Over,
        DebateFormat::RoundRobin | DebateFormat::ChainOfThought | DebateFormat::Fishbowl => reactions::next(floor),
        DebateFormat::Socratic => socratic::next(floor),
        DebateFormat::BpStyle => bp_style::next(floor),
        DebateFormat::OpenFight => open_fight::next(floor),
        DebateFormat::CritiqueRevision => critique_revision::next(floor),
        // a poll has no rounds
        DebateFormat::Poll => Next::Over,
    }
}

impl Floor<'_> {
    /// The seats that speeches were wanted from, whatever became of them, in order.
    fn speeches(&self) -> impl DoubleEndedIterator<Item = &Turned> {
        self.turned.iter().filter(|turned| matches!(turned.work, Work::Argument { .. } | Work::Statement { .. }))
    }
    /// How often somebody had the floor in this round.
    fn turns_of(&self, who: &ParticipantId) -> usize {
        self.speeches().filter(|turned| turned.participant == *who).count()
    }
    /// The last speech of the round that was heard.
    fn last_heard(&self) -> Option<&Turned> {
        self.speeches().rfind(|turned| matches!(turned.heard, Heard::Speech(..)))
    }
    /// The bids of this kind since the last speech, in seat order; those that were not to be had are left out.
    fn bids(&self, purpose: BidPurpose) -> Vec<(&ParticipantId, &Bid)> {
        let mut bids: Vec<_> = self
            .asked_since_speech(purpose)
            .filter_map(|turned| match &turned.heard {
                Heard::Bid(bid) => Some((turned.seat, &turned.participant, bid)),
                Heard::Nothing
                | Heard::Skipped
                | Heard::Something
                | Heard::Speech(..)
                | Heard::Critique(_)
                | Heard::Requests(_) => None,
            })
            .collect();
        bids.sort_by_key(|(seat, ..)| *seat);
        bids.into_iter().map(|(_, who, bid)| (who, bid)).collect()
    }
    /// Whether bids of this kind were asked for since the last speech.
    fn has_bid(&self, purpose: BidPurpose) -> bool {
        self.asked_since_speech(purpose).next().is_some()
    }
    fn asked_since_speech(&self, purpose: BidPurpose) -> impl Iterator<Item = &Turned> {
        let since = self.turned.iter().rev().take_while(|turned| matches!(turned.work, Work::Bid { .. }));
        since.filter(move |turned| matches!(turned.work, Work::Bid { purpose: known, .. } if known == purpose))
    }
    /// The strongest of some bids: the highest urgency, then who has spoken least, then declared order. Nobody with 0.
    fn strongest<'b>(
        &self,
        bids: impl IntoIterator<Item = (&'b ParticipantId, &'b Bid)>,
    ) -> Option<(&'b ParticipantId, &'b Bid)> {
        let declared = |who: &ParticipantId| self.spec.personas.iter().position(|persona| persona.name == *who);
        let willing = bids.into_iter().filter(|(_, bid)| bid.urgency > 0);
        willing.min_by_key(|(who, bid)| (std::cmp::Reverse(bid.urgency), self.turns_of(who), declared(who)))
    }
}
