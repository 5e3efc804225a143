//! What pairs of debaters were to each other.
use super::contest::{Contest, RatedSeat};
use super::model::{Debater, Relationship};
use std::collections::BTreeMap;

/// By pair, the one whose name comes first before the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Relations(BTreeMap<(Debater, Debater), Counts>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    debates: u32,
    compared: u32,
    agreed: u32,
    convinced: u32,
    was_convinced: u32,
}

impl Relations {
    pub fn add(&mut self, contest: &Contest<'_>) {
        for (at, one) in contest.seats.iter().enumerate() {
            for other in contest.seats.iter().skip(at + 1) {
                self.0.entry((one.debater.clone(), other.debater.clone())).or_default().add(one, other);
            }
        }
    }

    pub fn all(&self) -> Vec<Relationship> {
        let pair = |((one, other), counts): (&(Debater, Debater), &Counts)| Relationship {
            one: one.clone(),
            other: other.clone(),
            debates: counts.debates,
            compared: counts.compared,
            agreed: counts.agreed,
            convinced: counts.convinced,
            was_convinced: counts.was_convinced,
        };
        self.0.iter().map(pair).collect()
    }
}

impl Counts {
    fn add(&mut self, one: &RatedSeat<'_>, other: &RatedSeat<'_>) {
        let count = |counter: &mut u32, holds: bool| *counter = counter.saturating_add(u32::from(holds));
        let same = one.last.as_ref().zip(other.last.as_ref()).map(|(one, other)| one == other);
        count(&mut self.debates, true);
        count(&mut self.compared, same.is_some());
        count(&mut self.agreed, same == Some(true));
        count(&mut self.convinced, convinced(one, other));
        count(&mut self.was_convinced, convinced(other, one));
    }
}

/// Whether the last ballot of `to` differs from its first and is what `from` stood for from the start, and `to` did not.
fn convinced(from: &RatedSeat<'_>, to: &RatedSeat<'_>) -> bool {
    let wanted = from.start.is_some() && from.start == to.last;
    to.moved() == Some(true) && wanted && to.start != from.start
}
