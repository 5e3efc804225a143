//! The calibration error without the part that chance alone makes.
use super::Forecast;
use std::collections::BTreeMap;

/// Answers that a bin has at least, where there are so many.
const LEAST_IN_BIN: f64 = 10.0;
/// Bins at most.
const MOST_BINS: f64 = 10.0;

/// The root mean squared distance of chances from rates over bins of equal count, where each bin's squared distance is lowered by the
/// variance of its own noise, so that the mean square is unbiased for these bins (Kumar, Liang and Ma 2019, after Bröcker 2012 and
/// Ferro and Fricker 2012). The noise is that of clusters, because answers to one question go together. 0 where nothing is left.
/// `None` without forecasts, or with a chance outside 0 to 1.
pub fn debiased_calibration_error(forecasts: &[Forecast]) -> Option<f64> {
    let is_share = |value: f64| (0.0..=1.0).contains(&value);
    if forecasts.is_empty() || !forecasts.iter().all(|one| is_share(one.chance) && is_share(one.right)) {
        return None;
    }
    let n = forecasts.len() as f64;
    let squared: f64 = bins(forecasts).iter().map(|bin| bin.len() as f64 / n * squared_distance(bin)).sum();
    Some(squared.max(0.0).sqrt())
}

/// Bins of about equal count, of 10 answers at least; equal chances stay together.
fn bins(forecasts: &[Forecast]) -> Vec<Vec<Forecast>> {
    let mut all = forecasts.to_vec();
    all.sort_by(|a, b| a.chance.total_cmp(&b.chance));
    let size = (all.len() as f64 / MOST_BINS).max(LEAST_IN_BIN);
    let mut bins: Vec<Vec<Forecast>> = Vec::new();
    for equal in all.chunk_by(|a, b| a.chance == b.chance) {
        match bins.last_mut().filter(|bin| (bin.len() as f64) < size) {
            Some(bin) => bin.extend(equal),
            None => bins.push(equal.to_vec()),
        }
    }
    if bins.len() > 1
        && let Some(rest) = bins.pop_if(|bin| (bin.len() as f64) < size)
        && let Some(last) = bins.last_mut()
    {
        last.extend(rest);
    }
    bins
}

/// The squared distance of a bin without the variance of its noise; one cluster alone says nothing of its noise.
fn squared_distance(bin: &[Forecast]) -> f64 {
    let n = bin.len() as f64;
    let distance = bin.iter().map(|one| one.chance - one.right).sum::<f64>() / n;
    let mut residuals: BTreeMap<usize, f64> = BTreeMap::new();
    for one in bin {
        *residuals.entry(one.cluster).or_default() += one.chance - one.right - distance;
    }
    let clusters = residuals.len() as f64;
    let noise = residuals.values().map(|sum| sum * sum).sum::<f64>() / (n * n) * clusters / (clusters - 1.0);
    distance * distance - if clusters > 1.0 { noise } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::ResampleDice;
    use super::*;

    fn forecast(chance: f64, right: bool, cluster: usize) -> Forecast {
        Forecast { chance, right: f64::from(u8::from(right)), cluster }
    }

    /// The mean of 1 minus the error over so many speakers, each with `n` answers, who are right with the chance `rate` of what they say.
    fn mean_calibration(n: usize, said: impl Fn(f64) -> f64, rate: impl Fn(f64) -> f64) -> f64 {
        const SPEAKERS: usize = 800;
        let mut dice = ResampleDice::new(n as u64, "planted calibration");
        let mut sum = 0.0;
        for _ in 0..SPEAKERS {
            let answers: Vec<Forecast> = (0..n)
                .map(|cluster| {
                    let chance = said(dice.unit());
                    forecast(chance, dice.unit() < rate(chance), cluster)
                })
                .collect();
            sum += 1.0 - debiased_calibration_error(&answers).unwrap();
        }
        sum / SPEAKERS as f64
    }

    /// 50 to 100, as people and models say it.
    fn spread(draw: f64) -> f64 {
        (50.0 + 51.0 * draw).floor() / 100.0
    }

    #[test]
    fn a_perfectly_calibrated_speaker_is_near_1() {
        for (n, least) in [(30, 0.95), (60, 0.955), (200, 0.97)] {
            for seen in [mean_calibration(n, spread, |chance| chance), mean_calibration(n, |_| 0.9, |chance| chance)] {
                assert!(seen >= least, "{n} answers: {seen}");
            }
        }
    }

    #[test]
    fn a_planted_error_comes_out() {
        for (n, within) in [(30, 0.04), (60, 0.02), (200, 0.01)] {
            let low = |chance: f64| if chance > 0.75 { 0.7 } else { 0.8 };
            for (seen, wanted, of) in [
                (mean_calibration(n, |_| 1.0, |_| 0.5), 0.5, "always certain, right half of the time"),
                (mean_calibration(n, |_| 0.9, |_| 0.7), 0.8, "says 90, right in 70"),
                (mean_calibration(n, spread, |chance| chance - 0.2), 0.8, "20 too sure everywhere"),
                (mean_calibration(n, |draw| if draw < 0.5 { 0.6 } else { 0.9 }, low), 0.8, "errs both ways"),
            ] {
                assert!((seen - wanted).abs() < within, "{n} answers, {of}: {seen}");
            }
        }
    }

    #[test]
    fn a_bin_loses_the_variance_of_its_noise() {
        // by hand: distance 0.9 - 0.7, variance 0.7 * 0.3 / 9
        let answers: Vec<Forecast> = (0..10).map(|at| forecast(0.9, at < 7, at)).collect();
        let wanted: f64 = (0.04_f64 - 0.21 / 9.0).sqrt();
        assert!((debiased_calibration_error(&answers).unwrap() - wanted).abs() < 1e-12);
    }

    #[test]
    fn answers_of_one_cluster_count_as_one_for_the_noise() {
        let once: Vec<Forecast> = (0..20).map(|at| forecast(0.9, at % 2 == 0, at)).collect();
        let thrice: Vec<Forecast> = once.iter().flat_map(|one| [*one; 3]).collect();
        let (one, other) = (debiased_calibration_error(&once).unwrap(), debiased_calibration_error(&thrice).unwrap());
        assert!((one - other).abs() < 1e-12, "{one} {other}");
    }

    #[test]
    fn nothing_and_impossible_chances_give_nothing() {
        assert_eq!(debiased_calibration_error(&[]), None);
        assert_eq!(debiased_calibration_error(&[forecast(f64::NAN, true, 0)]), None);
        assert_eq!(debiased_calibration_error(&[forecast(1.5, true, 0)]), None);
    }
}
