//! Means and ratios with standard errors by cluster.
use super::GateRow;
use crate::{Estimate, Interval};

/// The normal quantile of a 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// A mean with its standard error by cluster; without one under two clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeanError {
    pub mean: f64,
    pub error: Option<f64>,
}

/// The number of clusters among all rows, by their highest number.
pub(super) fn clusters_of(rows: &[&GateRow]) -> usize {
    rows.iter().map(|row| row.cluster as usize + 1).max().unwrap_or(0)
}

/// The mean of one value for each row. The error is that of a mean of clusters of unequal size: the root of
/// C / (C - 1) x the sum over clusters of (sum of value - mean)^2, divided by the rows.
pub(super) fn mean(rows: &[&GateRow], value: impl Fn(usize) -> f64) -> MeanError {
    ratio(rows, value, |_| 1.0).unwrap_or(MeanError { mean: 0.0, error: None })
}

/// The sum of one value over that of another, with the error of its linear approximation; none where the other sums to 0.
pub(super) fn ratio(rows: &[&GateRow], over: impl Fn(usize) -> f64, under: impl Fn(usize) -> f64) -> Option<MeanError> {
    let whole: f64 = (0..rows.len()).map(&under).sum();
    let part: f64 = (0..rows.len()).map(&over).sum();
    if whole <= 0.0 {
        return None;
    }
    let mean = part / whole;
    let mut sums = vec![(0.0f64, false); clusters_of(rows)];
    for (at, row) in rows.iter().enumerate() {
        if let Some((sum, seen)) = sums.get_mut(row.cluster as usize) {
            *sum += over(at) - mean * under(at);
            *seen = true;
        }
    }
    let clusters = sums.iter().filter(|(_, seen)| *seen).count() as f64;
    let squares: f64 = sums.iter().map(|(sum, _)| sum * sum).sum();
    let error = (clusters > 1.0).then(|| (squares * clusters / (clusters - 1.0)).sqrt() / whole);
    Some(MeanError { mean, error })
}

impl MeanError {
    /// With its 95 % interval, cut to what is possible.
    pub(super) fn estimate(self, n: usize, possible: (f64, f64)) -> Estimate {
        let (low, high) = possible;
        let interval = self.error.map(|error| Interval {
            low: (self.mean - Z95 * error).max(low),
            high: (self.mean + Z95 * error).min(high),
        });
        Estimate { value: self.mean, interval, n: u32::try_from(n).unwrap_or(u32::MAX) }
    }
}
