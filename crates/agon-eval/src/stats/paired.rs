//! Paired yes-or-no answers: Tango's interval and McNemar's test.
use super::binomial::{binomial_tail_half, point, two_sided};
use crate::Interval;

/// Questions by who has them right; each asked once of both arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairedCounts {
    /// The arm alone.
    pub arm_only: u64,
    /// The rival alone.
    pub rival_only: u64,
    /// All questions.
    pub n: u64,
}

/// Tango's score interval of the difference of two paired rates, arm minus rival (Tango 1998, equations 8 to 12), by bisection.
/// `None` without questions, with more discordant ones than questions, or with a level outside 0 to 1.
pub fn tango(counts: PairedCounts, level: f64) -> Option<Interval> {
    tango_of_sums(counts.arm_only as f64, counts.rival_only as f64, counts.n, level)
}

/// The same of `n` differences from -1 to 1, by the sum of those above 0 and the sum of those below, without its sign. Differences
/// between the ends vary less than whole ones of the same sums, so that the interval is as wide as it has to be or wider.
pub fn tango_of_sums(gains: f64, losses: f64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 || !(0.0..=n as f64).contains(&(gains + losses)) {
        return None;
    }
    let z = two_sided(level)?;
    let counts = (gains, losses, n as f64);
    let difference = (gains - losses) / n as f64;
    // the score falls as the supposed difference grows
    let bound = |mut low: f64, mut high: f64, wanted: f64| {
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if score(counts, middle) > wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low + high) / 2.0
    };
    let low = if difference <= -1.0 { -1.0 } else { bound(-1.0, difference, z) };
    let high = if difference >= 1.0 { 1.0 } else { bound(difference, 1.0, -z) };
    Some(Interval { low, high })
}

/// The score statistic of a supposed difference.
fn score((b, c, n): (f64, f64, f64), supposed: f64) -> f64 {
    let first = 2.0 * n;
    let second = -b - c + (2.0 * n - b + c) * supposed;
    let third = -c * supposed * (1.0 - supposed);
    let root = (second * second - 4.0 * first * third).max(0.0).sqrt();
    // the form without cancellation
    let rival = if second <= 0.0 { (root - second) / (2.0 * first) } else { -2.0 * third / (root + second) };
    let above = b - c - n * supposed;
    let variance = n * (2.0 * rival + supposed * (1.0 - supposed));
    if above == 0.0 {
        0.0
    } else if variance <= 0.0 {
        above.signum() * f64::MAX
    } else {
        above / variance.sqrt()
    }
}

/// The two-sided p-value of McNemar's exact test (McNemar 1947, binomial form); 1 where no answer differs.
pub fn mcnemar_exact(arm_only: u64, rival_only: u64) -> f64 {
    let n = arm_only.saturating_add(rival_only);
    (2.0 * binomial_tail_half(n, arm_only.min(rival_only))).min(1.0)
}

/// The mid-p of McNemar's test (Fagerland, Lydersen and Laake 2013); 1 where no answer differs.
pub fn mcnemar_mid_p(arm_only: u64, rival_only: u64) -> f64 {
    let (n, least) = (arm_only.saturating_add(rival_only), arm_only.min(rival_only));
    if n == 0 {
        return 1.0;
    }
    let here = point(n, least, 0.5);
    let p = if arm_only == rival_only { 1.0 - here / 2.0 } else { 2.0 * binomial_tail_half(n, least) - here };
    p.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_differing_answer_still_leaves_an_interval_around_0() {
        let same = tango(PairedCounts { arm_only: 0, rival_only: 0, n: 100 }, 0.95).unwrap();
        let z = 1.959_963_984_540_054_f64;
        let wanted = z * z / (100.0 + z * z);
        assert!((same.high - wanted).abs() < 1e-9 && (same.low + wanted).abs() < 1e-9, "{same:?}");
        assert_eq!(mcnemar_exact(0, 0), 1.0);
        assert_eq!(mcnemar_mid_p(0, 0), 1.0);
    }

    #[test]
    fn the_interval_is_odd_in_its_arms_and_ends_at_1() {
        let of = |arm_only, rival_only, n| tango(PairedCounts { arm_only, rival_only, n }, 0.95).unwrap();
        for (b, c, n) in [(3, 1, 10), (40, 22, 324), (0, 7, 20), (10, 0, 10)] {
            let (one, other) = (of(b, c, n), of(c, b, n));
            assert!((one.low + other.high).abs() < 1e-9 && (one.high + other.low).abs() < 1e-9, "{one:?} {other:?}");
            let difference = (b as f64 - c as f64) / n as f64;
            assert!(one.low <= difference && difference <= one.high);
        }
        assert_eq!(of(10, 0, 10).high, 1.0);
        assert_eq!(tango(PairedCounts { arm_only: 3, rival_only: 3, n: 5 }, 0.95), None);
        assert_eq!(tango(PairedCounts { arm_only: 0, rival_only: 0, n: 0 }, 0.95), None);
    }
}
