//! Who stood on which side of a debate, and which side won.
use super::model::{Debater, Movement, Resolution};
use agon_core::Outcome;
use agon_core::names::normal_form;
use agon_core::{Card, CardSeat};
use std::collections::BTreeSet;

/// The seats of a debate, by name, so that nothing depends on the order in which they were declared.
pub(super) struct Contest<'c> {
    pub seats: Vec<RatedSeat<'c>>,
    /// Who is compared with whom.
    pub pairs: Vec<Pair>,
    /// The ballots name the authors of proposals, so that each debater stands for its own.
    pub proposals: bool,
    /// What counts as holding what won: the winner, and where that is a debater, also what it stood for. Empty without winner.
    winning: BTreeSet<String>,
}

/// A debater in a debate, with what it held as it is compared.
pub(super) struct RatedSeat<'c> {
    pub debater: Debater,
    pub card: &'c CardSeat,
    pub resolution: Resolution,
    /// What it stood for from the start.
    pub start: Option<String>,
    pub first: Option<String>,
    pub last: Option<String>,
}

/// Two seats on different sides, by their places. The one beat the other, or it was a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub one: usize,
    pub other: usize,
    pub drawn: bool,
}
impl Pair {
    /// What it makes of both seats.
    pub fn resolutions(self) -> [(usize, Resolution); 2] {
        let (one, other) =
            if self.drawn { (Resolution::Drawn, Resolution::Drawn) } else { (Resolution::Won, Resolution::Lost) };
        [(self.one, one), (self.other, other)]
    }
}

/// What the sides of a debate are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    /// What each stood for from the start.
    Stances,
    /// Every debater for itself.
    Debaters,
    /// First ballots.
    Answers,
}

impl RatedSeat<'_> {
    fn of(card: &CardSeat, proposals: bool) -> RatedSeat<'_> {
        let key = |text: &Option<String>| text.as_deref().map(normal_form);
        let (stance, first, last) = (key(&card.stance), key(&card.first), key(&card.last));
        RatedSeat {
            debater: Debater { persona: card.persona.clone(), model: card.model.clone() },
            card,
            resolution: Resolution::Undecided,
            start: if proposals { Some(normal_form(card.persona.as_str())) } else { stance.or_else(|| first.clone()) },
            first,
            last,
        }
    }
    fn name(&self) -> String {
        normal_form(self.debater.persona.as_str())
    }
    fn side(&self, sides: Sides) -> Option<String> {
        match sides {
            Sides::Stances => self.start.clone(),
            Sides::Debaters => Some(self.name()),
            Sides::Answers => self.first.clone(),
        }
    }
    /// Whether the last ballot differs from the first; unknown without both.
    pub fn moved(&self) -> Option<bool> {
        self.first.as_ref().zip(self.last.as_ref()).map(|(first, last)| first != last)
    }
}

impl<'c> Contest<'c> {
    pub fn of(card: &'c Card) -> Self {
        let proposals = name_proposals(&card.seats);
        let mut seats: Vec<RatedSeat<'c>> = card.seats.iter().map(|seat| RatedSeat::of(seat, proposals)).collect();
        seats.sort_by(|one, other| one.debater.cmp(&other.debater));
        let winner = card.winner.as_deref().map(normal_form);
        let (pairs, winning) = match (card.outcome, winner) {
            (Outcome::Decided | Outcome::Degraded, Some(winner)) => won(&seats, winner),
            (Outcome::Tie, _) => (drawn(&seats), BTreeSet::new()),
            (Outcome::Decided | Outcome::Degraded, None) | (Outcome::Inconclusive, _) => (Vec::new(), BTreeSet::new()),
        };
        for (at, resolution) in pairs.iter().flat_map(|pair| pair.resolutions()) {
            if let Some(seat) = seats.get_mut(at) {
                seat.resolution = resolution;
            }
        }
        Self { seats, pairs, proposals, winning }
    }

    /// The seats that this became of.
    pub fn that(&self, resolution: Resolution) -> impl Iterator<Item = &RatedSeat<'c>> {
        self.seats.iter().filter(move |seat| seat.resolution == resolution)
    }

    pub fn wins(&self, choice: &str) -> bool {
        self.winning.contains(choice)
    }
}

/// Whether there are ballots, and each names a debater: those of debates over proposals, and no others, do.
fn name_proposals(seats: &[CardSeat]) -> bool {
    let names: BTreeSet<&str> = seats.iter().map(|seat| seat.persona.as_str()).collect();
    let mut ballots = seats.iter().flat_map(|seat| seat.first.iter().chain(&seat.last)).peekable();
    ballots.peek().is_some() && ballots.all(|ballot| names.contains(ballot.as_str()))
}

/// A winner is a stance where a seat has it; else a debater where one is called so; else an answer.
fn sides(seats: &[RatedSeat<'_>], winner: &str) -> Sides {
    let stance = |seat: &RatedSeat<'_>| seat.card.stance.as_deref().map(normal_form).as_deref() == Some(winner);
    if seats.iter().any(stance) {
        Sides::Stances
    } else if seats.iter().any(|seat| seat.name() == winner) {
        Sides::Debaters
    } else {
        Sides::Answers
    }
}

fn won(seats: &[RatedSeat<'_>], winner: String) -> (Vec<Pair>, BTreeSet<String>) {
    let sides = sides(seats, &winner);
    let known = seats.iter().enumerate().filter_map(|(at, seat)| Some((at, seat.side(sides)?)));
    let (winners, losers): (Vec<_>, Vec<_>) = known.partition(|(_, side)| *side == winner);
    let against = |one: usize| losers.iter().map(move |(other, _)| Pair { one, other: *other, drawn: false });
    let pairs = winners.iter().flat_map(|(one, _)| against(*one)).collect();
    let mut winning = BTreeSet::from([winner]);
    match sides {
        Sides::Debaters => {
            let elected = winners.iter().filter_map(|(at, _)| seats.get(*at));
            winning.extend(elected.filter_map(|seat| seat.start.clone()));
        }
        Sides::Stances | Sides::Answers => {}
    }
    (pairs, winning)
}

fn drawn(seats: &[RatedSeat<'_>]) -> Vec<Pair> {
    let known = |seat: &RatedSeat<'_>| seat.side(Sides::Stances);
    let mut pairs = Vec::new();
    for (one, seat) in seats.iter().enumerate() {
        let Some(side) = known(seat) else { continue };
        let others = seats.iter().enumerate().skip(one + 1);
        let rivals = others.filter(|(_, rival)| known(rival).is_some_and(|other| other != side));
        pairs.extend(rivals.map(|(other, _)| Pair { one, other, drawn: true }));
    }
    pairs
}

impl Movement {
    pub(super) fn add(&mut self, contest: &Contest<'_>, seat: &RatedSeat<'_>) {
        let count = |counter: &mut u32, holds: bool| *counter = counter.saturating_add(u32::from(holds));
        let winning = |choice: &Option<String>| choice.as_deref().is_some_and(|choice| contest.wins(choice));
        let (from, to, moved) = (winning(&seat.first), winning(&seat.last), seat.moved());
        count(&mut self.balloted, moved.is_some());
        count(&mut self.moved, moved == Some(true));
        count(&mut self.moved_to_winner, moved == Some(true) && to && !from);
        count(&mut self.moved_from_winner, moved == Some(true) && from && !to);
        let compared = !contest.winning.is_empty() && seat.last.is_some();
        count(&mut self.compared, compared);
        count(&mut self.agreed, compared && to);
    }
}
