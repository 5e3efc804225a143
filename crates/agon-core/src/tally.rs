//! Counting ballots and votes. Whole numbers only; the denominator is the eligible voters, so a failed voter stays in it.
use crate::event::VoterWeight;
use crate::ids::ParticipantId;
use crate::names::normal_form;
use crate::outcome::Strength;
use crate::spec::{Persona, VoteRule};

/// Whether two names or answers are the same in their [normal form](normal_form).
pub fn same_answer(a: &str, b: &str) -> bool {
    a == b || normal_form(a) == normal_form(b)
}

/// The different answers in order of first appearance, each with its count, the most votes first.
pub fn count<'a>(
    candidates: impl IntoIterator<Item = &'a str>,
    votes: impl IntoIterator<Item = &'a str>,
) -> Vec<(String, u32)> {
    count_by(candidates, votes, same_answer)
}

/// The same where `same` says which answers are one: a vote counts for the first that it is the same as.
pub fn count_by<'a>(
    candidates: impl IntoIterator<Item = &'a str>,
    votes: impl IntoIterator<Item = &'a str>,
    same: impl Fn(&str, &str) -> bool,
) -> Vec<(String, u32)> {
    weighted_by(candidates, votes.into_iter().map(|vote| (vote, 1)), same)
}

/// Borda points: with m candidates on a ballot the first gets m - 1, the next one less, the last none. Where one's own
/// side is not on one's ballot, it gets nothing from it.
pub fn borda(candidates: &[String], rankings: &[Vec<String>]) -> Vec<(String, u32)> {
    let points = rankings.iter().flat_map(|ranking| {
        let points = (0..ranking.len()).rev().map(|points| u32::try_from(points).unwrap_or(u32::MAX));
        ranking.iter().map(String::as_str).zip(points)
    });
    weighted(candidates.iter().map(String::as_str), points)
}

/// Sums of weighted votes, most first, ties in candidate order.
pub fn weighted<'a>(
    candidates: impl IntoIterator<Item = &'a str>,
    votes: impl IntoIterator<Item = (&'a str, u32)>,
) -> Vec<(String, u32)> {
    weighted_by(candidates, votes, same_answer)
}

fn weighted_by<'a>(
    candidates: impl IntoIterator<Item = &'a str>,
    votes: impl IntoIterator<Item = (&'a str, u32)>,
    same: impl Fn(&str, &str) -> bool,
) -> Vec<(String, u32)> {
    let mut sums: Vec<(String, u32)> = Vec::new();
    for candidate in candidates {
        if !sums.iter().any(|(known, _)| same(known, candidate)) {
            sums.push((candidate.to_owned(), 0));
        }
    }
    for (vote, weight) in votes {
        match sums.iter_mut().find(|(known, _)| same(known, vote)) {
            Some((_, sum)) => *sum = sum.saturating_add(weight),
            None => sums.push((vote.to_owned(), weight)),
        }
    }
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    sums
}

/// The mean of the totals, 0 to 40, that each debater was scored with, in thousandths. Who was not scored at all has none.
pub fn mean_totals<'a>(
    candidates: impl IntoIterator<Item = &'a str>,
    totals: impl IntoIterator<Item = (&'a str, u32)>,
) -> Vec<(String, u32)> {
    let mut sums: Vec<(String, u64, u64)> = candidates.into_iter().map(|name| (name.to_owned(), 0, 0)).collect();
    for (name, total) in totals {
        if let Some((_, sum, scores)) = sums.iter_mut().find(|(known, ..)| same_answer(known, name)) {
            *sum += u64::from(total) * 1_000;
            *scores += 1;
        }
    }
    let mean = |sum: u64, scores: u64| Some(u32::try_from(sum.checked_div(scores)?).unwrap_or(u32::MAX));
    let means = sums.into_iter().filter_map(|(name, sum, scores)| Some((name, mean(sum, scores)?)));
    let mut means: Vec<(String, u32)> = means.collect();
    means.sort_by_key(|(_, mean)| std::cmp::Reverse(*mean));
    means
}

/// What a vote weighs where neither weight nor rating is given: 1.
pub const USUAL_ELO: f64 = 1_500.0;
/// See [`USUAL_ELO`].
pub const USUAL_CALIBRATION: f64 = 0.5;

/// How much a vote weighs: what the persona says, else `((elo - 1000) / 500) * (0.5 + calibration)`, between 0.1 and 5. The rating is
/// the persona's own, else the one that earlier debates have earned it: `rated`.
pub fn weight(voter: ParticipantId, persona: Option<&Persona>, rated: Option<f64>) -> VoterWeight {
    let thousandths = |weight: f64| (weight.clamp(0.1, 5.0) * 1_000.0).round() as u32;
    if let Some(given) = persona.and_then(|persona| persona.weight) {
        return VoterWeight { voter, elo: None, calibration: None, confidence: None, thousandths: thousandths(given) };
    }
    let elo = persona.and_then(|persona| persona.elo).or(rated).unwrap_or(USUAL_ELO);
    let calibration = persona.and_then(|persona| persona.calibration).unwrap_or(USUAL_CALIBRATION);
    let weight = ((elo - 1_000.0) / 500.0) * (0.5 + calibration);
    let (elo, calibration) = (Some(elo), Some(calibration));
    VoterWeight { voter, elo, calibration, confidence: None, thousandths: thousandths(weight) }
}

impl VoterWeight {
    /// The weight of a voter that is this sure, in per cent; without a figure, the whole weight.
    pub(crate) fn at(self, confidence: Option<u8>) -> Self {
        let Some(percent) = confidence else { return self };
        let thousandths = self.thousandths.saturating_mul(u32::from(percent)) / 100;
        Self { confidence: Some(percent), thousandths, ..self }
    }
}

/// What a count amounts to under a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tally {
    /// The top answer meets the rule.
    Winner(String),
    /// Two or more answers share the top, and the rule is not met.
    Tie,
    /// The top answer stands alone and does not meet the rule.
    RuleNotMet,
}

/// Applies a rule to counts that are sorted with the most votes first.
///
/// `majority`: more than one half of the eligible votes; `supermajority`: at least two thirds; `unanimous`: all;
/// `plurality`, `borda`, `approval`, `anonymous_scoring`: more than any other answer; `weighted`: more than one half of
/// the weight of all eligible votes, which `eligible` then is.
pub fn tally(rule: VoteRule, counts: &[(String, u32)], eligible: u32) -> Tally {
    let Some((top, votes)) = counts.first() else { return Tally::RuleNotMet };
    let (votes, eligible) = (u64::from(*votes), u64::from(eligible));
    let rival = counts.get(1).map_or(0, |(_, votes)| u64::from(*votes));
    let met = match rule {
        VoteRule::Majority | VoteRule::Weighted => 2 * votes > eligible,
        VoteRule::Supermajority => 3 * votes >= 2 * eligible && votes > rival,
        VoteRule::Unanimous => votes == eligible,
        VoteRule::Plurality | VoteRule::Borda | VoteRule::Approval | VoteRule::AnonymousScoring => votes > rival,
    };
    match (met && votes > 0, votes == rival && votes > 0) {
        (true, _) => Tally::Winner(top.clone()),
        (false, true) => Tally::Tie,
        (false, false) => Tally::RuleNotMet,
    }
}

/// How the votes stand after some of the rounds that vote.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// What the first has.
    pub top: u32,
    /// What the next has.
    pub second: u32,
    /// How many can be chosen from.
    pub candidates: usize,
    /// All votes, or all weight, of one round.
    pub once: u32,
    /// Rounds that voted.
    pub held: u32,
    /// Rounds that may still vote.
    pub left: u32,
}
impl Race {
    /// Whether the rounds that are left cannot change who wins under the rule, or that nobody does.
    pub fn is_decided(&self, rule: VoteRule) -> bool {
        let (top, whole) = (u64::from(self.top), self.once.saturating_mul(self.held.saturating_add(self.left)));
        let (lead, left) = (self.top.saturating_sub(self.second), self.once.saturating_mul(self.left));
        match rule {
            VoteRule::Majority | VoteRule::Weighted => 2 * top > u64::from(whole),
            VoteRule::Supermajority => 3 * top >= 2 * u64::from(whole),
            VoteRule::Plurality | VoteRule::Approval => lead > left,
            VoteRule::Borda => {
                let most = u32::try_from(self.candidates.saturating_sub(1)).unwrap_or(u32::MAX);
                lead > left.saturating_mul(most)
            }
            // One vote that is missing or for another answer is enough; without one there may still be one.
            VoteRule::Unanimous => top < u64::from(self.once) * u64::from(self.held),
            VoteRule::AnonymousScoring => false,
        }
    }
}

/// The name of a share of the eligible voters.
pub fn strength(top: u32, eligible: u32) -> Strength {
    let (top, eligible) = (u64::from(top), u64::from(eligible.max(1)));
    if top >= eligible {
        Strength::Unanimous
    } else if 5 * top > 4 * eligible {
        Strength::Strong
    } else if 5 * top >= 3 * eligible {
        Strength::Moderate
    } else if 2 * top > eligible {
        Strength::Weak
    } else {
        Strength::Split
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(votes: &[u32]) -> Vec<(String, u32)> {
        votes.iter().zip('a'..).map(|(votes, name)| (name.to_string(), *votes)).collect()
    }

    #[test]
    fn each_rule_draws_its_line_at_its_own_share() {
        let cases = [
            (VoteRule::Majority, vec![2, 1], 3, true),
            (VoteRule::Majority, vec![2, 1], 4, false),
            (VoteRule::Supermajority, vec![2, 1], 3, true),
            (VoteRule::Supermajority, vec![3, 2], 5, false),
            (VoteRule::Unanimous, vec![3], 3, true),
            (VoteRule::Unanimous, vec![3], 4, false),
            (VoteRule::Plurality, vec![2, 1, 1], 9, true),
        ];
        for (rule, votes, eligible, won) in cases {
            let tally = tally(rule, &counts(&votes), eligible);
            assert_eq!(tally == Tally::Winner("a".into()), won, "{rule:?} {votes:?} of {eligible}");
        }
    }

    #[test]
    fn a_shared_top_is_a_tie_and_no_votes_are_not() {
        for rule in [VoteRule::Majority, VoteRule::Supermajority, VoteRule::Unanimous, VoteRule::Plurality] {
            assert_eq!(tally(rule, &counts(&[2, 2]), 4), Tally::Tie, "{rule:?}");
            assert_eq!(tally(rule, &counts(&[0, 0]), 4), Tally::RuleNotMet, "{rule:?}");
        }
    }

    #[test]
    fn strength_has_the_documented_lines() {
        let cases = [
            (5, 5, Strength::Unanimous),
            (9, 10, Strength::Strong),
            (4, 5, Strength::Moderate),
            (3, 5, Strength::Moderate),
            (11, 20, Strength::Weak),
            (1, 2, Strength::Split),
            (0, 0, Strength::Split),
        ];
        for (top, eligible, name) in cases {
            assert_eq!(strength(top, eligible), name, "{top} of {eligible}");
        }
    }

    proptest::proptest! {
        #[test]
        fn strength_never_falls_when_votes_rise_nor_rises_when_a_voter_fails(top in 0u32..50, eligible in 1u32..50) {
            let top = top.min(eligible);
            if top < eligible {
                proptest::prop_assert!(strength(top, eligible) <= strength(top + 1, eligible));
            }
            // The same ballots with one more voter who failed.
            proptest::prop_assert!(strength(top, eligible + 1) <= strength(top, eligible));
        }

        #[test]
        fn counting_does_not_depend_on_the_order_of_votes(mut votes in proptest::collection::vec("[abc]", 0..12)) {
            let before = count(["a", "b", "c"], votes.iter().map(String::as_str));
            votes.reverse();
            proptest::prop_assert_eq!(before, count(["a", "b", "c"], votes.iter().map(String::as_str)));
        }
    }

    #[test]
    fn answers_are_the_same_in_one_normal_form() {
        assert!(same_answer("Buy  it.", "buy it"));
        assert!(same_answer("\u{201c}Yes\u{201d}!", "yes"));
        assert!(!same_answer("Option A", "Option B"));
        assert_eq!(count(["Yes"], ["yes", "No", "YES."]), vec![("Yes".to_owned(), 2), ("No".to_owned(), 1)]);
    }
}
