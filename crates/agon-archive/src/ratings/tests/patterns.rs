//! Objections, arguments that failed and habits, by cards that can be counted by hand.
use super::super::{Habit, HabitKind, LEAST_DEBATES, failed_arguments};
use super::*;
use agon_core::ConsensusStrategy;
use agon_core::ObjectionKind;
use agon_core::{Chances, Conceded, Conduct, Course, FailedArgument, Failing, Fates, Objections};

fn chances(did: u32, of: u32) -> Chances {
    Chances { of, did }
}

fn conduct(persona: &str) -> Conduct {
    let none = Chances::default();
    Conduct { persona: persona.into(), critiques: none, points: none, votes: none, proposal: None }
}

fn objections(by: &str, of: &str, kind: ObjectionKind, [raised, accepted, declined]: [u32; 3]) -> Objections {
    Objections { by: by.into(), of: of.into(), kind, fates: Fates { raised, accepted, declined } }
}

fn course(objections: Vec<Objections>) -> Course {
    let conduct = vec![conduct("Ada"), conduct("Bo")];
    Course { strategy: ConsensusStrategy::Judge, conduct, objections, conceded: Vec::new() }
}

fn with(card: Card, course: Course) -> Card {
    Card { course: Some(Box::new(course)), ..card }
}

/// Bo objects to Ada, who accepts so many of so many serious ones.
fn objected(accepted: u32, raised: u32) -> Card {
    with(duel("tea"), course(vec![objections("Bo", "Ada", ObjectionKind::Serious, [raised, accepted, 0])]))
}

fn fates([raised, accepted, declined]: [u32; 3]) -> Fates {
    Fates { raised, accepted, declined }
}

#[test]
fn objections_are_counted_by_debater_model_and_severity() {
    let both = |critical, serious| {
        let of_bo = objections("Bo", "Ada", ObjectionKind::Critical, critical);
        with(duel("tea"), course(vec![of_bo, objections("Ada", "Bo", ObjectionKind::Serious, serious)]))
    };
    let ledger = on_tea(vec![both([2, 1, 1], [3, 0, 1]), both([1, 1, 0], [1, 0, 0]), duel("tea")]);
    let rows = ledger.objections();
    let row = |persona: &str, kind| {
        let row = rows.iter().find(|row| row.debater == debater(persona) && row.kind == kind).unwrap();
        (row.counts.raised, row.counts.met)
    };
    let none = Fates::default();
    assert_eq!(row("Ada", ObjectionKind::Critical), (none, fates([3, 2, 1])));
    assert_eq!(row("Ada", ObjectionKind::Serious), (fates([4, 0, 1]), none));
    assert_eq!(row("Bo", ObjectionKind::Critical), (fates([3, 2, 1]), none));
    assert_eq!(row("Bo", ObjectionKind::Serious), (none, fates([4, 0, 1])));
    assert_eq!(rows.len(), 4);
    // both speak by one model, which raised and met all of them
    let models: Vec<_> = ledger.model_objections().into_iter().map(|row| (row.kind, row.counts)).collect();
    assert_eq!(models.len(), 2);
    assert!(models.iter().all(|(_, counts)| counts.raised == counts.met), "{models:?}");
    assert_eq!(ledger.without_course(), 1, "a card of an earlier version is unknown, and not without objections");
}

#[test]
fn objections_of_somebody_who_has_no_seat_are_left_out() {
    let card = with(duel("tea"), course(vec![objections("Eve", "Ada", ObjectionKind::Mild, [1, 1, 0])]));
    assert_eq!(on_tea(vec![card]).objections(), []);
}

fn failed(how: Failing, text: &str, persona: &str) -> FailedArgument {
    let (text, persona, model) = (text.to_owned(), persona.into(), "m".into());
    FailedArgument { how, text, persona, model, decided_by: None, raised_by: None }
}

#[test]
fn what_failed_is_what_was_conceded_left_and_lost() {
    let conceded = vec![Conceded { by: "Bo".into(), of: "Ada".into(), text: "No figure".into() }];
    let seats = vec![
        for_stance("Ada", "tea"),
        seat("Bo", "m", Some("coffee"), (Some("coffee"), Some("tea"))),
        for_stance("Cy", "water"),
    ];
    let card = with(decided("tea", seats), Course { conceded, ..course(Vec::new()) });
    let raised_by = Some("Bo".into());
    let decided_by = Some(ConsensusStrategy::Judge);
    assert_eq!(
        failed_arguments(&card),
        [
            FailedArgument { raised_by, ..failed(Failing::Conceded, "No figure", "Ada") },
            failed(Failing::Left, "coffee", "Bo"),
            FailedArgument { decided_by, ..failed(Failing::Lost, "water", "Cy") },
        ]
    );
}

#[test]
fn a_card_of_an_earlier_version_knows_what_lost_and_not_by_whom_it_was_decided() {
    assert_eq!(failed_arguments(&duel("tea")), [failed(Failing::Lost, "coffee", "Bo")]);
    let tie = without_winner(Outcome::Tie, duel("tea").seats);
    assert_eq!(failed_arguments(&tie), []);
}

#[test]
fn a_position_that_won_for_somebody_else_has_not_failed() {
    let seats = vec![for_stance("Ada", "tea"), for_stance("Bo", "tea"), for_stance("Cy", "coffee")];
    assert_eq!(failed_arguments(&decided("Ada", seats)), [failed(Failing::Lost, "coffee", "Cy")]);
}

#[test]
fn a_proposal_fails_in_its_own_words_and_one_without_words_is_not_named() {
    let own = |name, last| seat(name, "m", None, (Some(name), Some(last)));
    let seats = vec![own("Ada", "Ada"), own("Bo", "Ada"), own("Cy", "Cy")];
    let bo = Conduct { proposal: Some("Build a ferry".into()), ..conduct("Bo") };
    let course = Course { conduct: vec![conduct("Ada"), bo, conduct("Cy")], ..course(Vec::new()) };
    assert_eq!(failed_arguments(&with(decided("Ada", seats), course)), [failed(Failing::Left, "Build a ferry", "Bo")]);
}

fn habits(cards: Vec<Card>, persona: &str) -> Vec<Habit> {
    let all = on_tea(cards).traits();
    all.into_iter().find(|traits| traits.debater == debater(persona)).unwrap().habits
}

#[test]
fn a_habit_is_counted_over_all_debates_and_over_their_earlier_and_later_half() {
    let cards = vec![objected(0, 2), objected(0, 1), objected(1, 1), objected(2, 3), objected(1, 1)];
    let habits = habits(cards, "Ada");
    let accepts = habits.iter().find(|habit| habit.kind == HabitKind::AcceptsObjections).unwrap();
    assert_eq!((accepts.all.debates, accepts.all.chances), (5, chances(4, 8)));
    assert_eq!((accepts.earlier.debates, accepts.earlier.chances), (2, chances(0, 3)));
    assert_eq!((accepts.later.debates, accepts.later.chances), (3, chances(4, 5)));
    assert_eq!((accepts.by_kind[0].kind, accepts.by_kind[0].chances), (ObjectionKind::Serious, chances(4, 8)));
}

#[test]
fn nothing_is_said_of_a_habit_where_there_were_too_few_debates_with_the_choice() {
    let few = LEAST_DEBATES as usize - 1;
    let without_choice = with(duel("tea"), course(Vec::new()));
    let cards = [vec![objected(0, 5); few], vec![without_choice.clone(), without_choice, duel("tea")]].concat();
    let kinds = |persona| habits(cards.clone(), persona).into_iter().map(|habit| habit.kind).collect::<Vec<_>>();
    assert_eq!(kinds("Ada"), [HabitKind::ChangesBallot], "both ballots were cast in every debate");
    let ledger = on_tea(cards.clone());
    let ada = ledger.traits().into_iter().find(|traits| traits.debater == debater("Ada")).unwrap();
    assert_eq!((ada.debates, ada.without_course), (few as u32 + 3, 1));
}

#[test]
fn every_habit_is_what_the_card_says_it_is() {
    let bo = Conduct { critiques: chances(1, 2), points: chances(0, 1), votes: chances(1, 1), ..conduct("Bo") };
    let course = Course { conduct: vec![conduct("Ada"), bo], ..course(Vec::new()) };
    let seats = vec![for_stance("Ada", "tea"), seat("Bo", "m", Some("coffee"), (Some("coffee"), Some("tea")))];
    let habits = habits(vec![with(decided("tea", seats), course); 4], "Bo");
    let of = |kind| habits.iter().find(|habit| habit.kind == kind).map(|habit| habit.all.chances);
    assert_eq!(of(HabitKind::FindsFault), Some(chances(4, 8)));
    assert_eq!(of(HabitKind::TakesPoints), Some(chances(0, 4)));
    assert_eq!(of(HabitKind::VotesForItself), Some(chances(4, 4)));
    assert_eq!(of(HabitKind::ChangesBallot), Some(chances(4, 4)));
    assert_eq!(of(HabitKind::AcceptsObjections), None);
}

#[test]
fn the_order_in_which_cards_come_does_not_change_the_halves() {
    let cards = [objected(0, 2), objected(0, 1), objected(1, 1), objected(2, 3)];
    let dated: Vec<_> = cards.iter().enumerate().collect();
    let fold = |order: Vec<(usize, &Card)>| {
        Ledger::fold(order.into_iter().map(|(n, card)| (debate(n), Timestamp(n as u64), "Tea?", card)))
    };
    assert_eq!(fold(dated.clone()), fold(dated.into_iter().rev().collect()));
}
