//! Who held what, and who came back with something else.
use super::Played;
use super::contest::RatedSeat;
use super::model::{Debater, Flip, PositionTaken, Resolution};
use agon_core::DebateId;
use agon_core::tally::same_answer;
use std::collections::{BTreeMap, BTreeSet};

/// The ledger of positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Positions {
    pub taken: Vec<PositionTaken>,
    pub flips: Vec<Flip>,
    /// By debater and topic what it held last, and in which debate.
    left: BTreeMap<Debater, BTreeMap<String, (DebateId, String)>>,
    /// By topic the positions that have lost a debate and have not won since.
    lost: BTreeMap<String, BTreeSet<String>>,
}

impl Positions {
    pub fn add(&mut self, played: &Played<'_>) {
        for seat in &played.contest.seats {
            let taken = taken(played, seat);
            // Proposals of the same debater in two debates are two proposals.
            let comparable = taken.last.as_ref().filter(|_| !played.contest.proposals);
            if let Some(last) = comparable {
                self.flips.extend(self.flip(played, &taken));
                let left = self.left.entry(taken.debater.clone()).or_default();
                left.insert(played.question.clone(), (played.id.clone(), last.clone()));
            }
            self.taken.push(taken);
        }
        if !played.contest.proposals {
            self.resolve(played);
        }
    }

    fn resolve(&mut self, played: &Played<'_>) {
        let of = |resolution| played.contest.that(resolution).filter_map(|seat| seat.start.as_ref());
        let won: BTreeSet<&String> = of(Resolution::Won).collect();
        if won.is_empty() {
            return;
        }
        let lost = self.lost.entry(played.question.clone()).or_default();
        lost.retain(|position| !won.contains(position));
        lost.extend(of(Resolution::Lost).filter(|position| !won.contains(position)).cloned());
    }

    /// Whether a position has lost a debate on this topic and has not won since.
    pub fn has_lost(&self, question: &str, position: &str) -> bool {
        self.lost.get(question).is_some_and(|lost| lost.contains(position))
    }

    fn flip(&self, played: &Played<'_>, taken: &PositionTaken) -> Option<Flip> {
        let (earlier, from) = self.left.get(&taken.debater)?.get(&played.question)?;
        let to = taken.first.as_ref().filter(|to| !same_answer(from, to))?;
        Some(Flip {
            debater: taken.debater.clone(),
            topic: taken.topic.clone(),
            from: from.clone(),
            to: to.clone(),
            assigned: taken.assigned,
            earlier: earlier.clone(),
            later: played.id.clone(),
        })
    }
}

fn taken(played: &Played<'_>, seat: &RatedSeat<'_>) -> PositionTaken {
    let own = || seat.card.persona.as_str().to_owned();
    let chosen = || if played.contest.proposals { Some(own()) } else { seat.card.first.clone() };
    let first = seat.card.stance.clone().or_else(chosen);
    PositionTaken {
        debater: seat.debater.clone(),
        topic: played.topic.to_owned(),
        last: seat.card.last.clone().or_else(|| first.clone()),
        first,
        assigned: seat.card.stance.is_some(),
        resolution: seat.resolution,
        debate: played.id.clone(),
        admitted: played.admitted,
    }
}
