//! Which ratings weigh votes.
use super::super::ratings_for;
use super::*;
use agon_core::{ConsensusStrategy, DebateSpec, Persona, VoteRule, Voters, Voting, testing};

fn spec(voting: Option<Voting>) -> DebateSpec {
    let persona = |name| testing::persona(name, name);
    let personas = vec![
        persona("Ada"),
        Persona { voice: testing::voice("n", 9), ..persona("Bo") },
        Persona { elo: Some(1_700.0), ..persona("Cy") },
        Persona { weight: Some(2.0), ..persona("Di") },
        Persona { calibration: Some(0.7), ..persona("Eve") },
        persona("Flo"),
    ];
    let consensus_strategy = if voting.is_some() { ConsensusStrategy::Vote } else { ConsensusStrategy::NoConsensus };
    DebateSpec { personas, consensus_strategy, judge: None, voting, ..testing::spec() }
}

/// Flo was in an undecided debate only.
fn ledger() -> Ledger {
    let all = ["Ada", "Bo", "Cy", "Di", "Eve"].map(|name| for_stance(name, name)).into();
    on_tea(vec![decided("Ada", all), without_winner(Outcome::Inconclusive, vec![for_stance("Flo", "tea")])])
}

#[test]
fn who_has_neither_weight_nor_rating_of_its_own_gets_the_one_that_it_has_earned() {
    let weighted = testing::voting(VoteRule::Weighted);
    let ratings = ratings_for(&spec(Some(weighted)), &ledger());
    let ratings: Vec<(&str, f64)> = ratings.iter().map(|(name, rating)| (name.as_str(), *rating)).collect();
    assert_eq!(ratings, [("Ada", 1_516.0), ("Eve", 1_484.0)]);
}

#[test]
fn other_rules_and_other_voters_have_no_use_for_ratings() {
    let of = |rule, voters| Voting { voters, ..testing::voting(rule) };
    for voting in [None, Some(of(VoteRule::Majority, Voters::Debaters)), Some(of(VoteRule::Weighted, Voters::Judges))] {
        assert!(ratings_for(&spec(voting), &ledger()).is_empty(), "{voting:?}");
    }
}
