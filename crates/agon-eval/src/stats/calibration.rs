//! Whether what is said with a chance of p is right with a chance of p.
use super::{ResampleDice, wilson_of_mean};
use crate::Interval;
use std::collections::BTreeMap;

/// An answer with the chance that it is right, as its speaker says or its backers show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// 0 to 1.
    pub chance: f64,
    /// How right it was: 1, 0, or the share of a tie that has a right answer.
    pub right: f64,
    /// Index of its cluster.
    pub cluster: usize,
}

/// The Brier score and its parts: score = reliability - resolution + uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrierParts {
    /// The mean squared error; 0 is perfect.
    pub score: f64,
    /// How far chances are from rates; 0 is perfect.
    pub reliability: f64,
    /// How far rates at different chances are apart; more is better.
    pub resolution: f64,
    /// The variance of being right.
    pub uncertainty: f64,
}

/// A bin of a reliability diagram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForecastBin {
    /// The smallest chance in it.
    pub low: f64,
    /// The largest chance in it.
    pub high: f64,
    /// The mean chance.
    pub chance: f64,
    /// The share that was right.
    pub right: f64,
    /// Wilson's interval of that.
    pub interval: Option<Interval>,
    /// How many.
    pub n: u32,
}

/// The expected calibration error: the mean distance of chance and rate over bins of equal count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationError {
    /// The figure, 0 to 1.
    pub error: f64,
    /// Its percentile bootstrap interval over clusters; absent under 10 clusters.
    pub interval: Option<Interval>,
    /// What a perfectly calibrated arm with the same chances would show in the mean, for the figure is above 0 by chance.
    pub by_chance: f64,
}

const BINS: usize = 10;

/// Forecasts by their chance; `None` without any, or with a chance outside 0 to 1.
fn sorted(forecasts: &[Forecast]) -> Option<Vec<Forecast>> {
    let is_share = |value: f64| (0.0..=1.0).contains(&value);
    let sound =
        !forecasts.is_empty() && forecasts.iter().all(|forecast| is_share(forecast.chance) && is_share(forecast.right));
    let mut all = forecasts.to_vec();
    all.sort_by(|a, b| a.chance.total_cmp(&b.chance));
    sound.then_some(all)
}

/// The Brier score (Brier 1950) with Murphy's parts (Murphy 1973), over the distinct chances, so that they add up exactly.
/// `None` without forecasts, or with a chance outside 0 to 1.
pub fn brier(forecasts: &[Forecast]) -> Option<BrierParts> {
    let all = sorted(forecasts)?;
    let n = all.len() as f64;
    let hits = |part: &[Forecast]| part.iter().map(|forecast| forecast.right).sum::<f64>();
    let base = hits(&all) / n;
    let (mut reliability, mut resolution) = (0.0, 0.0);
    for group in all.chunk_by(|a, b| a.chance == b.chance) {
        let (count, chance) = (group.len() as f64, group.first()?.chance);
        let rate = hits(group) / count;
        reliability += count * (chance - rate) * (chance - rate);
        resolution += count * (rate - base) * (rate - base);
    }
    // the mean over what may be drawn of a tie
    let squared = |of: &Forecast| of.right * (of.chance - 1.0).powi(2) + (1.0 - of.right) * of.chance.powi(2);
    let score = all.iter().map(squared).sum::<f64>() / n;
    Some(BrierParts {
        score,
        reliability: reliability / n,
        resolution: resolution / n,
        uncertainty: base * (1.0 - base),
    })
}

/// Sums of one bin.
#[derive(Clone, Copy, Default)]
struct BinSums {
    weight: f64,
    chance: f64,
    right: f64,
    low: f64,
    high: f64,
}

/// Ten bins of equal count; equal chances stay together, so there may be fewer. `all` is sorted; each item has its weight and share that was right.
fn bins(all: impl Iterator<Item = (f64, f64, f64)>, total: f64) -> ([BinSums; BINS], usize) {
    let mut bins = [BinSums::default(); BINS];
    let (mut at, mut before, mut last) = (0, 0.0, f64::NAN);
    for (chance, weight, right) in all {
        if weight <= 0.0 {
            continue;
        }
        // the next bin begins where the ones before hold their tenths, and chances differ
        let full = before >= total * (at + 1) as f64 / BINS as f64 - 1e-9;
        if full && chance != last {
            while at + 1 < BINS && before >= total * (at + 1) as f64 / BINS as f64 - 1e-9 {
                at += 1;
            }
        }
        if let Some(bin) = bins.get_mut(at) {
            if bin.weight == 0.0 {
                bin.low = chance;
            }
            bin.high = chance;
            bin.weight += weight;
            bin.chance += weight * chance;
            bin.right += weight * right;
        }
        before += weight;
        last = chance;
    }
    (bins, at + 1)
}

/// The distance over bins.
fn distance(bins: &[BinSums], total: f64) -> f64 {
    bins.iter().map(|bin| (bin.chance - bin.right).abs()).sum::<f64>() / total
}

fn share(right: bool) -> f64 {
    f64::from(u8::from(right))
}

/// A reliability diagram: ten bins of equal count, fewer where equal chances share one. Empty without forecasts, or with a chance outside 0 to 1.
pub fn calibration_bins(forecasts: &[Forecast], level: f64) -> Vec<ForecastBin> {
    let Some(all) = sorted(forecasts) else {
        return Vec::new();
    };
    let (sums, used) = bins(all.iter().map(|forecast| (forecast.chance, 1.0, forecast.right)), all.len() as f64);
    let filled = sums.iter().take(used).filter(|bin| bin.weight > 0.0);
    filled
        .map(|bin| ForecastBin {
            low: bin.low,
            high: bin.high,
            chance: bin.chance / bin.weight,
            right: bin.right / bin.weight,
            interval: wilson_of_mean(bin.right / bin.weight, bin.weight as u64, level),
            n: bin.weight as u32,
        })
        .collect()
}

/// The expected calibration error (Guo 2017, bins of equal count: Nguyen and O'Connor 2015), with `draws` resamples of clusters and as many
/// of a perfectly calibrated arm. `None` without forecasts, with a chance outside 0 to 1, under 99 draws, or with a level outside 0 to 1.
pub fn calibration_error(forecasts: &[Forecast], level: f64, draws: usize, seed: u64) -> Option<CalibrationError> {
    let all = sorted(forecasts)?;
    if draws < 99 || !(level > 0.0 && level < 1.0) {
        return None;
    }
    let n = all.len() as f64;
    let of = |items: &mut dyn Iterator<Item = (f64, f64, f64)>, total: f64| distance(&bins(items, total).0, total);
    let error = of(&mut all.iter().map(|forecast| (forecast.chance, 1.0, forecast.right)), n);
    let mut dice = ResampleDice::new(seed, "calibrated by chance");
    let mut by_chance = 0.0;
    for _ in 0..draws {
        by_chance +=
            of(&mut all.iter().map(|forecast| (forecast.chance, 1.0, share(dice.unit() < forecast.chance))), n);
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for forecast in &all {
        let next = numbers.len();
        numbers.entry(forecast.cluster).or_insert(next);
    }
    let mut dice = ResampleDice::new(seed, "calibration error");
    let mut seen: Vec<f64> = Vec::new();
    for _ in 0..if numbers.len() >= super::FEWEST_CLUSTERS { draws } else { 0 } {
        let mut weights = vec![0.0; numbers.len()];
        for _ in 0..numbers.len() {
            if let Some(weight) = weights.get_mut(dice.below(numbers.len())) {
                *weight += 1.0;
            }
        }
        let weight = |cluster: usize| numbers.get(&cluster).and_then(|at| weights.get(*at)).copied().unwrap_or(0.0);
        let total: f64 = all.iter().map(|forecast| weight(forecast.cluster)).sum();
        if total > 0.0 {
            seen.push(of(
                &mut all.iter().map(|forecast| (forecast.chance, weight(forecast.cluster), forecast.right)),
                total,
            ));
        }
    }
    seen.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let rank = (share * (seen.len() + 1) as f64).round().clamp(1.0, seen.len().max(1) as f64) as usize;
        seen.get(rank - 1).copied()
    };
    let tail = (1.0 - level) / 2.0;
    let interval = at(tail).zip(at(1.0 - tail)).map(|(low, high)| Interval { low, high });
    Some(CalibrationError { error, interval, by_chance: by_chance / draws as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forecast(chance: f64, right: bool, cluster: usize) -> Forecast {
        Forecast { chance, right: share(right), cluster }
    }

    proptest! {
        #[test]
        fn the_parts_add_up(items in prop::collection::vec((0_u8..=4, any::<bool>()), 1..60)) {
            let all: Vec<Forecast> = items.iter().map(|(c, right)| forecast(f64::from(*c) / 4.0, *right, 0)).collect();
            let parts = brier(&all).unwrap();
            prop_assert!((parts.score - (parts.reliability - parts.resolution + parts.uncertainty)).abs() < 1e-12);
        }
        #[test]
        fn bins_hold_everything_once_and_keep_equal_chances_together(items in prop::collection::vec((0_u8..=20, any::<bool>()), 1..90)) {
            let all: Vec<Forecast> = items.iter().map(|(c, right)| forecast(f64::from(*c) / 20.0, *right, 0)).collect();
            let bins = calibration_bins(&all, 0.95);
            prop_assert_eq!(bins.iter().map(|bin| bin.n as usize).sum::<usize>(), all.len());
            prop_assert!(bins.windows(2).all(|pair| pair[0].high < pair[1].low));
            prop_assert!(bins.len() <= 10);
        }
    }

    #[test]
    fn a_sure_and_wrong_arm_has_all_of_the_error_and_a_calibrated_one_what_chance_gives() {
        let wrong: Vec<Forecast> = (0..50).map(|n| forecast(1.0, false, n)).collect();
        let seen = calibration_error(&wrong, 0.95, 199, 1).unwrap();
        assert_eq!((seen.error, seen.by_chance), (1.0, 0.0));
        let even: Vec<Forecast> = (0..400)
            .map(|n| forecast(0.05 + 0.9 * (n % 10) as f64 / 9.0, (n / 10 * 37 + n) % 40 < n % 10 * 4 + 2, n))
            .collect();
        let seen = calibration_error(&even, 0.95, 199, 1).unwrap();
        assert!(seen.by_chance > 0.02 && seen.by_chance < 0.08, "{seen:?}");
        let interval = seen.interval.unwrap();
        assert!(interval.low < interval.high && interval.low >= 0.0);
    }

    #[test]
    fn a_tie_is_right_by_its_share_and_the_parts_still_add_up() {
        let tie = Forecast { chance: 0.5, right: 0.5, cluster: 0 };
        let parts = brier(&[tie, forecast(1.0, true, 1), forecast(0.5, false, 2)]).unwrap();
        assert!((parts.score - 0.5 / 3.0).abs() < 1e-12, "{parts:?}");
        assert!((parts.score - (parts.reliability - parts.resolution + parts.uncertainty)).abs() < 1e-12);
        let bins = calibration_bins(&[tie, tie], 0.95);
        assert_eq!((bins[0].right, bins[0].n), (0.5, 2));
    }

    #[test]
    fn nothing_and_impossible_chances_give_nothing() {
        assert_eq!(brier(&[]), None);
        assert_eq!(brier(&[forecast(1.1, true, 0)]), None);
        assert_eq!(calibration_error(&[forecast(f64::NAN, true, 0)], 0.95, 199, 1), None);
        assert_eq!(calibration_error(&[forecast(0.5, true, 0)], 0.95, 199, 1).unwrap().interval, None);
    }
}
