mod examples;
mod laws;
mod patterns;
mod weights;

use super::{Debater, Ledger};
use agon_core::{Card, CardSeat};
use agon_core::{DebateId, Timestamp};
use agon_core::{MajorityShift, Outcome};

/// Ballots of a seat: first, last.
type SeatBallots<'t> = (Option<&'t str>, Option<&'t str>);

fn seat(persona: &str, model: &str, stance: Option<&str>, (first, last): SeatBallots<'_>) -> CardSeat {
    CardSeat {
        persona: persona.into(),
        model: model.into(),
        stance: stance.map(str::to_owned),
        first: first.map(str::to_owned),
        last: last.map(str::to_owned),
    }
}

/// A seat with a stance, whose ballots are that stance.
fn for_stance(persona: &str, stance: &str) -> CardSeat {
    seat(persona, "m", Some(stance), (Some(stance), Some(stance)))
}

fn decided(winner: &str, seats: Vec<CardSeat>) -> Card {
    let winner = Some(winner.to_owned());
    Card { outcome: Outcome::Decided, verdict: None, winner, majority: MajorityShift::None, seats, course: None }
}

fn without_winner(outcome: Outcome, seats: Vec<CardSeat>) -> Card {
    Card { outcome, verdict: None, winner: None, majority: MajorityShift::None, seats, course: None }
}

/// Ada for tea against Bo for coffee.
fn duel(winner: &str) -> Card {
    decided(winner, vec![for_stance("Ada", "tea"), for_stance("Bo", "coffee")])
}

fn debater(persona: &str) -> Debater {
    Debater { persona: persona.into(), model: "m".into() }
}

fn debate(number: usize) -> DebateId {
    DebateId::parse(&format!("debate-{number}")).unwrap()
}

/// The cards in this order, each on its own topic.
fn on_topics(debates: &[(&str, Card)]) -> Ledger {
    let numbered = debates.iter().enumerate();
    Ledger::fold(numbered.map(|(n, (topic, card))| (debate(n), Timestamp(n as u64), *topic, card)))
}

/// The cards in this order, all on one topic.
fn on_tea(cards: Vec<Card>) -> Ledger {
    on_topics(&cards.into_iter().map(|card| ("Tea?", card)).collect::<Vec<_>>())
}

fn elo(ledger: &Ledger, persona: &str) -> f64 {
    ledger.rating(&debater(persona)).unwrap().elo
}
