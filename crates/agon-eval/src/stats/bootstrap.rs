//! The studentised bootstrap of a mean over clusters.
use super::ResampleDice;
use crate::Interval;

/// Under so many clusters there is no interval.
pub const FEWEST_CLUSTERS: usize = 10;

/// The studentised bootstrap interval of a mean (Davison and Hinkley 1997, section 5.2.1), clipped to `range`. `values` are the
/// means of clusters: of scores, or of paired differences. `None` under 10 clusters, without spread, with a value that is no
/// number, under 99 draws, or with a level outside 0 to 1.
pub fn studentised(values: &[f64], level: f64, draws: usize, range: Interval, seed: u64) -> Option<Interval> {
    let n = values.len();
    if n < FEWEST_CLUSTERS
        || draws < 99
        || !(level > 0.0 && level < 1.0)
        || values.iter().any(|value| !value.is_finite())
    {
        return None;
    }
    let (mean, error) = mean_and_error(values.iter().copied(), n)?;
    if error <= f64::EPSILON * (1.0 + mean.abs()) {
        return None;
    }
    let mut dice = ResampleDice::new(seed, "bootstrap");
    let mut scores: Vec<f64> = (0..draws).map(|_| one_score(values, mean, error, &mut dice)).collect();
    scores.sort_by(f64::total_cmp);
    let tail = (1.0 - level) / 2.0;
    // the k-th of B draws estimates the quantile k / (B + 1)
    let at = |share: f64| {
        let rank = (share * (draws + 1) as f64).round().clamp(1.0, draws as f64) as usize;
        scores.get(rank - 1).copied()
    };
    let low = (mean - at(1.0 - tail)? * error).clamp(range.low, range.high);
    let high = (mean - at(tail)? * error).clamp(range.low, range.high);
    Some(Interval { low: low.min(mean), high: high.max(mean) })
}

/// The score of one resample; one without spread lies beyond all others, on its side.
fn one_score(values: &[f64], mean: f64, error: f64, dice: &mut ResampleDice) -> f64 {
    let n = values.len();
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..n {
        let off = values.get(dice.below(n)).copied().unwrap_or(mean) - mean;
        sum += off;
        squares += off * off;
    }
    let count = n as f64;
    let shift = sum / count;
    let spread = ((squares / count - shift * shift).max(0.0) / (count - 1.0)).sqrt();
    if spread > error * 1e-7 {
        shift / spread
    } else if shift.abs() <= error * 1e-9 {
        0.0
    } else {
        shift.signum() * 1e12
    }
}

/// Mean and standard error.
fn mean_and_error(values: impl Iterator<Item = f64> + Clone, n: usize) -> Option<(f64, f64)> {
    if n < 2 {
        return None;
    }
    let count = n as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
    Some((mean, (variance / count).sqrt())).filter(|(mean, error)| mean.is_finite() && error.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFFERENCE: Interval = Interval { low: -1.0, high: 1.0 };

    #[test]
    fn many_even_clusters_give_almost_the_normal_interval() {
        let values: Vec<f64> = (0..400).map(|n| f64::from(n % 5) / 10.0 - 0.1).collect();
        let seen = studentised(&values, 0.95, 9_999, DIFFERENCE, 1).unwrap();
        let (mean, error) = mean_and_error(values.iter().copied(), 400).unwrap();
        assert!((seen.low - (mean - 1.966 * error)).abs() < 0.06 * error, "{seen:?}");
        assert!((seen.high - (mean + 1.966 * error)).abs() < 0.06 * error, "{seen:?}");
        assert_eq!(Some(seen), studentised(&values, 0.95, 9_999, DIFFERENCE, 1));
        assert_ne!(Some(seen), studentised(&values, 0.95, 9_999, DIFFERENCE, 2));
    }

    #[test]
    fn few_clusters_or_none_that_differ_give_no_interval() {
        assert_eq!(studentised(&[0.1; 40], 0.95, 999, DIFFERENCE, 1), None);
        let nine: Vec<f64> = (0..9).map(f64::from).collect();
        assert_eq!(studentised(&nine, 0.95, 999, DIFFERENCE, 1), None);
        assert_eq!(studentised(&[f64::NAN; 12], 0.95, 999, DIFFERENCE, 1), None);
    }

    #[test]
    fn one_cluster_that_differs_leaves_the_interval_wide_and_in_range() {
        let mut values = vec![0.0; 12];
        values[0] = 1.0;
        let seen = studentised(&values, 0.95, 999, DIFFERENCE, 1).unwrap();
        assert_eq!(seen.high, 1.0);
        assert!((-1.0..0.0).contains(&seen.low), "{seen:?}");
    }
}
