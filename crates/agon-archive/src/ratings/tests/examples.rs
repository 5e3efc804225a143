//! Each figure, by an example that can be done by hand.
use super::super::{Moment, MomentKind, Resolution};
use super::*;

#[test]
fn a_win_between_equals_moves_sixteen_points() {
    let ledger = on_tea(vec![duel("tea")]);
    assert_eq!((elo(&ledger, "Ada"), elo(&ledger, "Bo")), (1_516.0, 1_484.0));
    let second = on_tea(vec![duel("tea"), duel("tea")]);
    assert!((elo(&second, "Ada") - 1_530.530).abs() < 0.001, "{}", elo(&second, "Ada"));
}

#[test]
fn who_wins_over_two_changes_by_the_mean_and_those_who_lose_do_not_play_each_other() {
    let seats = vec![for_stance("Ada", "tea"), for_stance("Bo", "coffee"), for_stance("Cy", "water")];
    let ledger = on_tea(vec![decided("tea", seats)]);
    let after = ["Ada", "Bo", "Cy"].map(|name| elo(&ledger, name));
    assert_eq!(after, [1_516.0, 1_484.0, 1_484.0]);
    assert!(after.iter().sum::<f64>() < 4_500.0);
}

#[test]
fn a_tie_draws_different_sides_only() {
    let seats = vec![for_stance("Ada", "tea"), for_stance("Bo", "coffee"), for_stance("Cy", "coffee")];
    let ledger = on_tea(vec![duel("tea"), without_winner(Outcome::Tie, seats)]);
    let rating = |name| ledger.rating(&debater(name)).unwrap();
    assert_eq!((rating("Ada").drawn, rating("Bo").drawn, rating("Cy").drawn), (1, 1, 1));
    assert!(rating("Ada").elo < 1_516.0 && rating("Bo").elo > 1_484.0);
    let allies = vec![for_stance("Bo", "coffee"), for_stance("Cy", "coffee")];
    let ledger = on_tea(vec![without_winner(Outcome::Tie, allies)]);
    assert_eq!(ledger.rating(&debater("Bo")).unwrap().undecided, 1);
}

#[test]
fn without_a_winner_nothing_is_rated() {
    let inconclusive = without_winner(Outcome::Inconclusive, duel("tea").seats);
    let synthesis = without_winner(Outcome::Decided, duel("tea").seats);
    let of_nobody = decided("water", duel("tea").seats);
    let ledger = on_tea(vec![inconclusive, synthesis, of_nobody]);
    let rating = ledger.rating(&debater("Ada")).unwrap();
    assert_eq!((rating.debates, rating.undecided, rating.elo), (3, 3, 1_500.0));
    assert!(ledger.positions().iter().all(|taken| taken.resolution == Resolution::Undecided));
}

#[test]
fn an_elected_debater_wins_over_those_who_argued_the_same() {
    let seats = vec![for_stance("Ada", "tea"), for_stance("Bo", "tea"), for_stance("Cy", "coffee")];
    let ledger = on_tea(vec![decided("Ada", seats)]);
    assert_eq!(["Ada", "Bo", "Cy"].map(|name| elo(&ledger, name)), [1_516.0, 1_484.0, 1_484.0]);
    let agreed = ledger.standings().into_iter().map(|standing| (standing.debater.persona, standing.movement.agreed));
    let agreed: Vec<(String, u32)> = agreed.map(|(name, agreed)| (name.to_string(), agreed)).collect();
    assert_eq!(agreed, [("Ada".into(), 1), ("Bo".into(), 1), ("Cy".into(), 0)]);
}

#[test]
fn without_stances_the_first_ballot_is_the_side() {
    let own = |name, first, last| seat(name, "m", None, (first, last));
    let seats = vec![
        own("Ada", Some("Tea."), Some("tea")),
        own("Bo", Some("coffee"), Some("tea")),
        own("Cy", None, Some("tea")),
    ];
    let ledger = on_tea(vec![decided("tea", seats)]);
    let rating = |name| ledger.rating(&debater(name)).unwrap();
    assert_eq!((rating("Ada").won, rating("Bo").lost), (1, 1));
    assert_eq!((rating("Cy").undecided, rating("Cy").elo), (1, 1_500.0), "its side is unknown");
}

#[test]
fn what_somebody_held_in_private_does_not_make_an_assigned_stance_win() {
    let secretly = seat("Bo", "m", Some("coffee"), (Some("tea"), Some("tea")));
    let ledger = on_tea(vec![decided("tea", vec![for_stance("Ada", "tea"), secretly])]);
    assert_eq!(ledger.rating(&debater("Bo")).unwrap().lost, 1);
}

#[test]
fn a_model_does_not_play_itself() {
    let seats = |other| vec![for_stance("Ada", "tea"), seat("Bo", other, Some("coffee"), (None, None))];
    let ledger = on_tea(vec![decided("tea", seats("m"))]);
    let alone = ledger.models();
    assert_eq!((alone.len(), alone[0].rating.debates, alone[0].rating.undecided), (1, 1, 2));
    assert_eq!(alone[0].rating.elo, 1_500.0);
    let ledger = on_tea(vec![decided("tea", seats("n"))]);
    let models: Vec<(String, f64)> =
        ledger.models().into_iter().map(|model| (model.model.to_string(), model.rating.elo)).collect();
    assert_eq!(models, [("m".into(), 1_516.0), ("n".into(), 1_484.0)]);
}

#[test]
fn the_same_persona_by_another_model_is_somebody_else() {
    let seats = vec![seat("Ada", "n", Some("tea"), (None, None)), for_stance("Bo", "coffee")];
    let ledger = on_tea(vec![duel("tea"), decided("coffee", seats)]);
    assert_eq!(ledger.standings().len(), 3);
    let persona = ledger.persona(&"Ada".into()).unwrap();
    let models: Vec<&str> = persona.standings.iter().map(|standing| standing.debater.model.as_str()).collect();
    assert_eq!(models, ["m", "n"]);
    assert!(ledger.persona(&"Nobody".into()).is_none());
}

#[test]
fn ballots_move_towards_the_winner_and_away_from_it() {
    let held = |first, last| seat("Ada", "m", Some("tea"), (Some(first), Some(last)));
    let with = |ada| decided("tea", vec![ada, for_stance("Bo", "coffee")]);
    let ledger = on_tea(vec![with(held("coffee", "tea")), with(held("tea", "coffee")), with(held("tea", "tea"))]);
    let ada = ledger.standings().into_iter().find(|standing| standing.debater == debater("Ada")).unwrap().movement;
    assert_eq!((ada.balloted, ada.moved, ada.moved_to_winner, ada.moved_from_winner), (3, 2, 1, 1));
    assert_eq!((ada.compared, ada.agreed), (3, 2));
}

#[test]
fn a_flip_is_another_start_than_the_last_end_on_the_same_topic() {
    let own = |first, last| decided("x", vec![seat("Ada", "m", None, (Some(first), Some(last)))]);
    let ledger = on_topics(&[
        ("Tea or  coffee?", own("tea", "Coffee.")),
        ("Milk?", own("tea", "tea")),
        (" tea or COFFEE?", own("coffee", "coffee")),
        ("Tea or coffee?", own("tea", "tea")),
    ]);
    let flips = ledger.flips();
    assert_eq!(flips.len(), 1);
    assert_eq!((flips[0].from.as_str(), flips[0].to.as_str(), flips[0].assigned), ("coffee", "tea", false));
    assert_eq!((flips[0].earlier.as_str(), flips[0].later.as_str()), ("debate-2", "debate-3"));
}

#[test]
fn a_stance_that_the_file_gives_is_told_as_such() {
    let other = decided("tea", vec![for_stance("Ada", "coffee"), for_stance("Bo", "tea")]);
    let ledger = on_tea(vec![duel("tea"), other]);
    assert!(ledger.flips().iter().all(|flip| flip.assigned) && ledger.flips().len() == 2);
    assert!(ledger.positions().iter().all(|taken| taken.assigned));
}

fn of_kind(ledger: &Ledger, kind: MomentKind) -> Vec<&Moment> {
    ledger.moments().iter().filter(|moment| moment.kind == kind).collect()
}

#[test]
fn the_third_the_fifth_and_the_tenth_win_in_a_row_make_a_streak() {
    let mut cards = vec![duel("tea"); 11];
    cards.insert(2, without_winner(Outcome::Inconclusive, duel("tea").seats));
    let ledger = on_tea(cards);
    let counts: Vec<Option<u32>> = of_kind(&ledger, MomentKind::Streak).iter().map(|moment| moment.count).collect();
    assert_eq!(counts, [Some(3), Some(5), Some(10)]);
    let broken = on_tea(vec![duel("tea"), duel("tea"), duel("coffee"), duel("tea")]);
    assert!(of_kind(&broken, MomentKind::Streak).is_empty());
}

#[test]
fn the_first_win_after_a_long_time_is_a_breakthrough_an_upset_and_a_vindication() {
    let mut cards = vec![duel("tea"); 5];
    cards.push(duel("coffee"));
    let ledger = on_tea(cards);
    let breakthroughs = of_kind(&ledger, MomentKind::Breakthrough);
    assert_eq!(breakthroughs.len(), 1);
    assert_eq!((breakthroughs[0].count, &breakthroughs[0].debaters), (Some(5), &vec![debater("Bo")]));
    assert_eq!(of_kind(&ledger, MomentKind::Upset).len(), 1);
    let vindicated = of_kind(&ledger, MomentKind::Vindication);
    assert_eq!(vindicated.len(), 1);
    assert_eq!(vindicated[0].position.as_deref(), Some("coffee"));
    let early = on_tea(vec![duel("tea"), duel("coffee")]);
    assert!(of_kind(&early, MomentKind::Upset).is_empty() && of_kind(&early, MomentKind::Breakthrough).is_empty());
}

#[test]
fn a_position_that_goes_on_winning_is_vindicated_once() {
    let ledger = on_tea(["tea", "coffee", "coffee", "tea"].map(duel).into());
    let vindicated = of_kind(&ledger, MomentKind::Vindication);
    let debates: Vec<&str> = vindicated.iter().map(|moment| moment.debate.as_str()).collect();
    assert_eq!(debates, ["debate-1", "debate-3"]);
}

#[test]
fn a_position_is_vindicated_on_its_own_topic_only() {
    let ledger = on_topics(&[("Tea?", duel("tea")), ("Milk?", duel("coffee"))]);
    assert!(of_kind(&ledger, MomentKind::Vindication).is_empty());
}

#[test]
fn an_overturned_majority_is_a_reversal_of_those_who_won() {
    let card = Card { majority: MajorityShift::Overturned, ..duel("tea") };
    let ledger = on_tea(vec![card, duel("tea")]);
    let reversals = of_kind(&ledger, MomentKind::Reversal);
    assert_eq!(reversals.len(), 1);
    assert_eq!(reversals[0].debaters, [debater("Ada")]);
    assert_eq!(ledger.persona(&"Ada".into()).unwrap().moments.len(), 1);
    assert!(ledger.persona(&"Bo".into()).unwrap().moments.is_empty());
}

#[test]
fn a_relationship_counts_debates_agreement_and_who_came_over() {
    let came_over = seat("Bo", "m", Some("coffee"), (Some("coffee"), Some("tea")));
    let unheard = seat("Bo", "m", Some("coffee"), (Some("coffee"), None));
    let cards = [came_over, unheard].map(|bo| decided("tea", vec![bo, for_stance("Ada", "tea")]));
    let ledger = on_tea(cards.into());
    let pairs = ledger.relationships();
    assert_eq!(pairs.len(), 1);
    let pair = &pairs[0];
    assert_eq!((&pair.one, &pair.other), (&debater("Ada"), &debater("Bo")));
    assert_eq!((pair.debates, pair.compared, pair.agreed), (2, 1, 1));
    assert_eq!((pair.convinced, pair.was_convinced), (1, 0));
}

#[test]
fn where_ballots_name_the_authors_of_proposals_each_debater_stands_for_its_own() {
    let own = |name, first, last| seat(name, "m", None, (Some(first), Some(last)));
    let seats = || vec![own("Ada", "Bo", "Bo"), own("Bo", "Bo", "Bo"), own("Cy", "Cy", "Bo")];
    let ledger = on_tea(vec![decided("Ada", seats()), decided("Bo", seats())]);
    let won = |name| ledger.rating(&debater(name)).unwrap().won;
    assert_eq!((won("Ada"), won("Bo"), won("Cy")), (1, 1, 0));
    assert_eq!(ledger.positions()[0].first.as_deref(), Some("Ada"));
    let tie = on_tea(vec![without_winner(Outcome::Tie, seats())]);
    assert_eq!(tie.rating(&debater("Ada")).unwrap().drawn, 1, "it chose what Bo proposed, and proposed something else");
    assert!(ledger.flips().is_empty() && of_kind(&ledger, MomentKind::Vindication).is_empty());
    let came_over: Vec<u32> = ledger.relationships().iter().map(|pair| pair.convinced).collect();
    assert_eq!(came_over, [0, 0, 2], "Cy chose what Bo proposed, after its own");
}
