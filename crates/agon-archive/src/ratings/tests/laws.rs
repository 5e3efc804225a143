//! What holds of any debates.
use super::super::{K, Ledger, MomentKind, START, expected};
use agon_core::{Card, CardSeat};
use agon_core::{DebateId, Timestamp};
use agon_core::{MajorityShift, Outcome};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

const NAMES: [&str; 5] = ["Ada", "Bo", "Cy", "Di", "Eve"];
const ANSWERS: [&str; 4] = ["tea", "Coffee.", "coffee", "water"];

fn answer() -> impl Strategy<Value = Option<String>> {
    prop::option::of(select(&ANSWERS[..]).prop_map(str::to_owned))
}

fn seats() -> impl Strategy<Value = Vec<CardSeat>> {
    let seat = |name: &'static str| {
        let parts = (select(&["m", "n"][..]), answer(), answer(), answer());
        parts.prop_map(move |(model, stance, first, last)| CardSeat {
            persona: name.into(),
            model: model.into(),
            stance,
            first,
            last,
        })
    };
    subsequence(&NAMES[..], 2..=5).prop_flat_map(move |names| names.into_iter().map(seat).collect::<Vec<_>>())
}

fn card() -> impl Strategy<Value = Card> {
    let outcome = select(&[Outcome::Decided, Outcome::Degraded, Outcome::Tie, Outcome::Inconclusive][..]);
    let winner = prop::option::weighted(0.9, select(&["tea", "coffee", "water", "Ada", "Bo"][..]));
    let majority = select(&[MajorityShift::Kept, MajorityShift::Overturned, MajorityShift::None][..]);
    let proposals = prop::bool::weighted(0.2);
    (outcome, winner, majority, seats(), proposals).prop_map(|(outcome, winner, majority, mut seats, proposals)| {
        let names: Vec<String> = seats.iter().map(|seat| seat.persona.to_string()).collect();
        let named = names.iter().rev().cycle();
        for (seat, name) in seats.iter_mut().zip(named).filter(|_| proposals) {
            (seat.first, seat.last) = (seat.first.as_ref().map(|_| name.clone()), Some(name.clone()));
        }
        let winner = winner.map(str::to_owned).filter(|_| matches!(outcome, Outcome::Decided | Outcome::Degraded));
        Card { outcome, verdict: None, winner, majority, seats, course: None }
    })
}

type DatedCard = (DebateId, Timestamp, &'static str, Card);

fn history() -> impl Strategy<Value = Vec<DatedCard>> {
    let one = (0..6_u64, select(&["Tea?", " tea? ", "Milk?"][..]), card());
    vec(one, 0..12).prop_map(|debates| {
        let number = |(n, (at, topic, card))| (super::debate(n), Timestamp(at), topic, card);
        debates.into_iter().enumerate().map(number).collect()
    })
}

fn fold(debates: &[DatedCard]) -> Ledger {
    Ledger::fold(debates.iter().map(|(id, at, topic, card)| (id.clone(), *at, *topic, card)))
}

proptest! {
    #[test]
    fn the_order_of_seats_does_not_matter(debates in history(), turn in any::<Index>()) {
        let mut turned = debates.clone();
        for (.., card) in &mut turned {
            let by = turn.index(card.seats.len());
            card.seats.rotate_left(by);
        }
        prop_assert_eq!(fold(&turned), fold(&debates));
    }

    #[test]
    fn the_order_in_which_debates_are_found_does_not_matter(debates in history()) {
        let backwards: Vec<DatedCard> = debates.iter().rev().cloned().collect();
        prop_assert_eq!(fold(&backwards), fold(&debates));
    }

    #[test]
    fn debates_one_by_one_come_to_what_all_at_once_come_to(debates in history()) {
        let mut in_order = debates.clone();
        in_order.sort_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
        let mut ledger = Ledger::default();
        for (id, at, topic, card) in &in_order {
            ledger.add(id.clone(), *at, topic, card);
        }
        prop_assert_eq!(ledger, fold(&debates));
    }

    #[test]
    fn the_expectations_of_a_pair_sum_to_one(one in -4_000.0..6_000.0_f64, other in -4_000.0..6_000.0_f64) {
        let (own, its) = (expected(one, other), expected(other, one));
        prop_assert!((0.0..=1.0).contains(&own) && (own + its - 1.0).abs() < 1e-12, "{} and {}", own, its);
        prop_assert!(one < other || own >= 0.5);
    }

    #[test]
    fn a_win_lowers_no_rating_a_loss_raises_none_and_nothing_else_than_a_pair_moves_one(debates in history()) {
        let mut in_order = debates;
        in_order.sort_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
        let mut ledger = Ledger::default();
        for (id, at, topic, card) in &in_order {
            let before = ledger.clone();
            ledger.add(id.clone(), *at, topic, card);
            for standing in ledger.standings() {
                let known = before.rating(&standing.debater).unwrap_or_default();
                let (now, change) = (standing.rating, standing.rating.elo - known.elo);
                prop_assert!(change.abs() <= K);
                prop_assert!(now.won == known.won || change >= 0.0, "a win cost {}", change);
                prop_assert!(now.lost == known.lost || change <= 0.0, "a loss brought {}", change);
                prop_assert!(now.rated() > known.rated() || change == 0.0, "{} for nothing", change);
                prop_assert_eq!(now.won + now.lost + now.drawn + now.undecided, now.debates);
            }
        }
    }

    #[test]
    fn what_is_counted_fits_together(debates in history()) {
        let ledger = fold(&debates);
        prop_assert_eq!(ledger.debates(), debates.len() as u64);
        let seats: usize = debates.iter().map(|(.., card)| card.seats.len()).sum();
        prop_assert_eq!(ledger.positions().len(), seats);
        for standing in ledger.standings() {
            let movement = standing.movement;
            prop_assert!(movement.moved_to_winner + movement.moved_from_winner <= movement.moved);
            prop_assert!(movement.moved <= movement.balloted && movement.balloted <= standing.rating.debates);
            prop_assert!(movement.agreed <= movement.compared && movement.compared <= standing.rating.debates);
        }
        for model in ledger.models() {
            prop_assert!(model.rating.rated() > 0 || model.rating.elo == START);
        }
        for pair in ledger.relationships() {
            prop_assert!(pair.one < pair.other && pair.agreed <= pair.compared && pair.compared <= pair.debates);
        }
        let alone = |kind| matches!(kind, MomentKind::Upset | MomentKind::Streak | MomentKind::Breakthrough);
        prop_assert!(ledger.moments().iter().all(|moment| !alone(moment.kind) || moment.debaters.len() == 1));
    }
}
