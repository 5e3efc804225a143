//! One comparison: difference, interval and test, by the shape of the scores.
use super::{PairedCounts, mcnemar_exact, mcnemar_mid_p, sign_flips, studentised, tango};
use crate::{Interval, IntervalMethod};
use std::collections::BTreeMap;

/// Scores of both arms on one question in one repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePair {
    /// Index of its cluster: the question's group, else the question.
    pub cluster: usize,
    /// Of the arm, 0 to 1.
    pub arm: f64,
    /// Of its rival, 0 to 1.
    pub rival: f64,
}

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Resamples of a bootstrap.
    pub draws: usize,
    /// Patterns of signs, where there are too many to try all.
    pub flips: usize,
    /// All draws follow from it.
    pub seed: u64,
}
impl Effort {
    /// What evals use.
    pub fn full(seed: u64) -> Self {
        Self { draws: 9_999, flips: 99_999, seed }
    }
}

/// What the scores of two arms say.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Mean over clusters of the arm's score minus the rival's.
    pub difference: f64,
    /// Of the difference; absent under 10 clusters, or where clusters of several questions do not differ in their differences.
    pub interval: Option<Interval>,
    /// How it was computed.
    pub method: Option<IntervalMethod>,
    /// The two-sided p-value: McNemar's exact test for single yes-or-no answers, else sign flips.
    pub p: f64,
    /// McNemar's mid-p and the counts behind it, for single yes-or-no answers.
    pub mid_p: Option<(f64, PairedCounts)>,
    /// Share of clusters in which the two differ.
    pub discordance: f64,
    /// How many clusters.
    pub clusters: usize,
}

/// The mean difference of each cluster, by its index.
pub fn clustered(pairs: &[ScorePair]) -> BTreeMap<usize, f64> {
    let mut sums: BTreeMap<usize, (f64, u32)> = BTreeMap::new();
    for pair in pairs {
        let (sum, n) = sums.entry(pair.cluster).or_default();
        *sum += pair.arm - pair.rival;
        *n += 1;
    }
    sums.into_iter().map(|(cluster, (sum, n))| (cluster, sum / f64::from(n))).collect()
}

/// Compares two arms. Single yes-or-no answers get Tango's interval and McNemar's test; all else the studentised bootstrap and sign flips.
/// `None` without pairs, with a score outside 0 to 1, without flips, or with a level outside 0 to 1.
pub fn compare(pairs: &[ScorePair], level: f64, effort: Effort) -> Option<Compared> {
    let sound = pairs.iter().all(|pair| (0.0..=1.0).contains(&pair.arm) && (0.0..=1.0).contains(&pair.rival));
    if pairs.is_empty() || !sound || !(level > 0.0 && level < 1.0) {
        return None;
    }
    let differences: Vec<f64> = clustered(pairs).into_values().collect();
    let n = differences.len();
    let difference = differences.iter().sum::<f64>() / n as f64;
    let discordance = differences.iter().filter(|difference| difference.abs() > 1e-12).count() as f64 / n as f64;
    let plain = |score: f64| score == 0.0 || score == 1.0;
    let single = n == pairs.len() && pairs.iter().all(|pair| plain(pair.arm) && plain(pair.rival));
    if single {
        let won = |sign: f64| differences.iter().filter(|difference| **difference == sign).count() as u64;
        let counts = PairedCounts { arm_only: won(1.0), rival_only: won(-1.0), n: n as u64 };
        let interval = tango(counts, level).filter(|_| n >= super::FEWEST_CLUSTERS);
        return Some(Compared {
            difference,
            interval,
            method: interval.map(|_| IntervalMethod::Tango),
            p: mcnemar_exact(counts.arm_only, counts.rival_only),
            mid_p: Some((mcnemar_mid_p(counts.arm_only, counts.rival_only), counts)),
            discordance,
            clusters: n,
        });
    }
    let found = difference_interval(&differences, level, effort);
    Some(Compared {
        difference,
        interval: found.map(|(interval, _)| interval),
        method: found.map(|(_, method)| method),
        p: sign_flips(&differences, effort.flips, effort.seed)?,
        mid_p: None,
        discordance,
        clusters: n,
    })
}

/// The interval of a mean of differences from -1 to 1, one of each cluster: the studentised bootstrap; Tango's where fewer than 10 of
/// them are other than 0, of which resamples say too little. None under 10 clusters.
pub fn difference_interval(differences: &[f64], level: f64, effort: Effort) -> Option<(Interval, IntervalMethod)> {
    if differences.len() < super::FEWEST_CLUSTERS {
        return None;
    }
    if differences.iter().filter(|difference| difference.abs() > 1e-12).count() < super::FEWEST_CLUSTERS {
        let sum = |sign: f64| differences.iter().map(|difference| (sign * difference).max(0.0)).sum::<f64>();
        let interval = super::tango_of_sums(sum(1.0), sum(-1.0), differences.len() as u64, level)?;
        return Some((interval, IntervalMethod::Tango));
    }
    let range = Interval { low: -1.0, high: 1.0 };
    let interval = studentised(differences, level, effort.draws, range, effort.seed)?;
    Some((interval, IntervalMethod::Bootstrap))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effort() -> Effort {
        Effort { draws: 999, flips: 999, seed: 1 }
    }
    fn pairs(of: impl Fn(usize) -> (usize, f64, f64), n: usize) -> Vec<ScorePair> {
        (0..n).map(of).map(|(cluster, arm, rival)| ScorePair { cluster, arm, rival }).collect()
    }

    #[test]
    fn single_yes_or_no_answers_get_tango_and_mcnemar() {
        let all = pairs(
            |n| (n, f64::from(u8::from(n % 4 != 0)), f64::from(u8::from(n % 4 == 0 && n % 3 == 0 || n % 4 == 1))),
            60,
        );
        let seen = compare(&all, 0.95, effort()).unwrap();
        let (_, counts) = seen.mid_p.unwrap();
        assert_eq!((counts.arm_only, counts.rival_only, counts.n), (30, 5, 60));
        assert_eq!(seen.method, Some(IntervalMethod::Tango));
        assert_eq!(seen.interval, tango(counts, 0.95));
        assert_eq!(seen.p, mcnemar_exact(30, 5));
        assert!((seen.difference - 25.0 / 60.0).abs() < 1e-12 && (seen.discordance - 35.0 / 60.0).abs() < 1e-12);
    }

    #[test]
    fn groups_fractions_and_repetitions_get_bootstrap_and_sign_flips() {
        let grouped = compare(&pairs(|n| (n / 2, f64::from(u8::from(n % 3 == 0)), 0.0), 60), 0.95, effort()).unwrap();
        assert_eq!((grouped.method, grouped.clusters, grouped.mid_p), (Some(IntervalMethod::Bootstrap), 30, None));
        let fractions = compare(&pairs(|n| (n, (n % 3) as f64 / 2.0, 0.5), 60), 0.95, effort()).unwrap();
        assert_eq!(fractions.method, Some(IntervalMethod::Bootstrap));
        assert!(fractions.difference.abs() < 1e-12 && fractions.p > 0.9);
    }

    #[test]
    fn few_differences_leave_an_interval_that_covers_and_is_no_wider_than_it_has_to_be() {
        let mut dice = crate::stats::ResampleDice::new(11, "few differences");
        // of 40 questions an arm wins 12 % and loses 4 %, a third of them by half a point
        let truth = 0.08 * (2.0 + 0.5) / 3.0;
        let (mut few, mut covered) = (0_u32, 0_u32);
        for _ in 0..1_000 {
            let mut one = || {
                let (where_, size) = (dice.unit(), if dice.unit() < 1.0 / 3.0 { 0.5 } else { 1.0 });
                match () {
                    () if where_ < 0.12 => size,
                    () if where_ < 0.16 => -size,
                    () => 0.0,
                }
            };
            let differences: Vec<f64> = (0..40).map(|_| one()).collect();
            let (interval, method) = difference_interval(&differences, 0.95, effort()).unwrap();
            if method == IntervalMethod::Tango {
                few += 1;
                covered += u32::from(interval.low <= truth && truth <= interval.high);
                assert!(interval.high - interval.low < 0.5, "{interval:?}");
            }
        }
        assert!(few > 800 && f64::from(covered) > 0.94 * f64::from(few), "{covered} of {few}");
    }

    #[test]
    fn clusters_weigh_the_same_whatever_their_size() {
        let all = pairs(|n| (usize::from(n == 0), f64::from(u8::from(n == 0)), 0.0), 10);
        assert_eq!(compare(&all, 0.95, effort()).unwrap().difference, 0.5);
        assert_eq!(compare(&all, 0.95, effort()).unwrap().interval, None);
    }

    #[test]
    fn nothing_and_impossible_scores_give_nothing() {
        assert_eq!(compare(&[], 0.95, effort()), None);
        assert_eq!(compare(&pairs(|n| (n, 1.5, 0.0), 20), 0.95, effort()), None);
        assert_eq!(compare(&pairs(|n| (n, f64::NAN, 0.0), 20), 0.95, effort()), None);
    }
}
