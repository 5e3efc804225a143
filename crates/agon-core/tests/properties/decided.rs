//! Rounds that end early because nothing can change the winner any more: proved by every continuation.
use crate::{events, world};
use agon_core::*;
use proptest::prelude::*;

const RULES: [VoteRule; 7] = [
    VoteRule::Majority,
    VoteRule::Supermajority,
    VoteRule::Unanimous,
    VoteRule::Plurality,
    VoteRule::Borda,
    VoteRule::Approval,
    VoteRule::Weighted,
];

fn admission(n: usize, rounds: u32, rule: VoteRule, weights: &[f64]) -> Admission {
    let weight = |at: usize| (rule == VoteRule::Weighted).then(|| weights[at]);
    let persona = |at: usize| {
        let (name, stance) = (format!("P{at}"), format!("s{at}"));
        Persona { weight: weight(at), ..testing::persona(&name, stance.as_str()) }
    };
    let spec = DebateSpec {
        max_rounds: rounds,
        personas: (0..n).map(persona).collect(),
        consensus_strategy: ConsensusStrategy::Vote,
        judge: None,
        voting: Some(Voting { every_round: true, ..testing::voting(rule) }),
        ..testing::spec()
    };
    Admission { seed: 1, ..testing::admission("debate-1", spec) }
}

/// What one vote can give: points to each candidate, or nothing where the voter fails.
fn possible(rule: VoteRule, n: usize, weight: u32) -> Vec<Vec<u32>> {
    let one = |at: usize| (0..n).map(|other| u32::from(other == at) * weight).collect::<Vec<_>>();
    let mut votes = vec![vec![0; n]];
    match rule {
        VoteRule::Borda => votes.extend(permutations(n)),
        VoteRule::Approval => votes.extend((1..1u32 << n).map(|set| (0..n).map(|at| set >> at & 1).collect())),
        _ => votes.extend((0..n).map(one)),
    }
    votes
}

fn permutations(n: usize) -> Vec<Vec<u32>> {
    if n == 0 {
        return vec![vec![]];
    }
    let shorter = permutations(n - 1);
    let top = n as u32 - 1;
    shorter.iter().flat_map(|one| (0..n).map(move |at| [&one[..at], &[top], &one[at..]].concat())).collect()
}

fn winner(rule: VoteRule, sums: &[u32], whole: u32) -> Option<usize> {
    let top = *sums.iter().max().unwrap();
    let alone = sums.iter().filter(|sum| **sum == top).count() == 1;
    let met = match rule {
        VoteRule::Majority | VoteRule::Weighted => top * 2 > whole,
        VoteRule::Supermajority => top * 3 >= whole * 2,
        VoteRule::Unanimous => top == whole,
        _ => alone && top > 0,
    };
    met.then(|| sums.iter().position(|sum| *sum == top).unwrap())
}

/// The winners of all ways in which votes can still be cast.
fn futures(rule: VoteRule, sums: Vec<u32>, whole: u32, left: &[u32]) -> Vec<Option<usize>> {
    let Some((weight, rest)) = left.split_first() else { return vec![winner(rule, &sums, whole)] };
    let add = |vote: Vec<u32>| sums.iter().zip(vote).map(|(sum, points)| sum + points).collect::<Vec<_>>();
    let votes = possible(rule, sums.len(), *weight).into_iter();
    let mut found: Vec<_> = votes.flat_map(|vote| futures(rule, add(vote), whole, rest)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The tally of the log, by declared order of the stances.
fn sums(log: &[Record], n: usize) -> Vec<u32> {
    let counts = events::all(log).find_map(|event| match event {
        Event::VoteTallied { counts, .. } => Some(counts),
        _ => None,
    });
    let of = |at: usize| counts.unwrap().iter().find(|(name, _)| *name == format!("s{at}")).unwrap().1;
    (0..n).map(of).collect()
}

#[test]
fn no_continuation_changes_the_winner_of_a_debate_that_is_mathematically_decided() {
    let mut proved = std::collections::BTreeMap::new();
    for seed in 0..400u64 {
        for rule in RULES {
            let mut dice = seed::Dice::new(seed, seed::Purpose::Order, rule as u64);
            let (n, rounds) = (2 + dice.below(2) as usize, 2 + dice.below(2) as u32);
            let weights = [[1.0, 1.0, 1.0], [3.0, 1.0, 1.0], [0.5, 2.0, 0.1]][dice.below(3) as usize];
            let log = world::play(admission(n, rounds, rule, &weights), &world::Script::smooth(seed)).unwrap();
            let ended = events::all(&log).find_map(|event| match event {
                Event::LoopEnded { rule: StopRule::MathematicallyDecided, round, .. } => Some(*round),
                _ => None,
            });
            let Some(held) = ended else { continue };
            let weight = |at: usize| if rule == VoteRule::Weighted { (weights[at] * 1_000.0) as u32 } else { 1 };
            let left: Vec<u32> = (held..rounds).flat_map(|_| (0..n).map(weight)).collect();
            let whole = (0..n).map(weight).sum::<u32>() * rounds;
            let now = sums(&log, n);
            let decided = events::all(&log).find_map(|event| match event {
                Event::VerdictReached { winner, .. } => winner.clone(),
                _ => None,
            });
            let futures = futures(rule, now, whole, &left);
            assert_eq!(futures.len(), 1, "{rule:?} {seed}: {futures:?}");
            assert_eq!(decided, futures[0].map(|at| format!("s{at}")), "{rule:?} {seed}");
            *proved.entry(rule).or_insert(0) += 1;
        }
    }
    assert_eq!(proved.len(), RULES.len(), "not every rule was decided early: {proved:?}");
}

proptest! {
    #[test]
    fn consensus_does_not_depend_on_who_voted_in_which_order_and_falls_with_every_failure(
        mut votes in proptest::collection::vec(0usize..4, 1..20), seed in any::<u64>(), lost in any::<usize>(),
    ) {
        let names = ["a", "b", "c", "d"];
        let eligible = votes.len() as u32;
        let strength = |votes: &[usize]| {
            let counts = tally::count([], votes.iter().map(|vote| names[*vote]));
            tally::strength(counts.first().map_or(0, |(_, top)| *top), eligible)
        };
        let before = strength(&votes);
        seed::Dice::new(seed, seed::Purpose::Order, 0).shuffle(&mut votes);
        prop_assert_eq!(strength(&votes), before);
        votes.remove(lost % votes.len());
        prop_assert!(strength(&votes) <= before);
    }
}
