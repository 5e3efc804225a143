//! The interval of one rate.
use super::binomial::two_sided;
use crate::Interval;

/// Wilson's score interval of a rate (Wilson 1927). `None` without observations, with more hits than observations, or with a level outside 0 to 1.
pub fn wilson(hits: u64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 || hits > n { None } else { wilson_of_mean(hits as f64 / n as f64, n, level) }
}

/// The same of a mean of `n` scores from 0 to 1. Scores between the ends vary less than hits and misses of the same mean, so that the
/// interval is as wide as it has to be or wider. `None` without scores, with a mean outside 0 to 1, or with a level outside 0 to 1.
pub fn wilson_of_mean(rate: f64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 || !(0.0..=1.0).contains(&rate) {
        return None;
    }
    let z = two_sided(level)?;
    let count = n as f64;
    let square = z * z;
    let middle = (rate + square / (2.0 * count)) / (1.0 + square / count);
    let half = z / (1.0 + square / count) * (rate * (1.0 - rate) / count + square / (4.0 * count * count)).sqrt();
    Some(Interval {
        low: if rate == 0.0 { 0.0 } else { (middle - half).max(0.0) },
        high: if rate == 1.0 { 1.0 } else { (middle + half).min(1.0) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_its_rate_and_ends_at_the_edges() {
        let none = wilson(0, 10, 0.95).unwrap();
        assert_eq!(none.low, 0.0);
        assert!((none.high - 0.277_532_8).abs() < 1e-6, "{none:?}");
        assert_eq!(wilson(10, 10, 0.95).unwrap().high, 1.0);
        assert_eq!(wilson(0, 0, 0.95), None);
        assert_eq!(wilson(3, 2, 0.95), None);
        assert_eq!(wilson(1, 2, 1.0), None);
    }
}
