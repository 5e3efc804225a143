//! The binomial and the normal distribution, as far as the tests need them.
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::factorial::ln_binomial;

/// The quantile of the standard normal distribution; `None` outside 0 to 1, both ends excluded.
pub fn normal_quantile(p: f64) -> Option<f64> {
    (p > 0.0 && p < 1.0).then(|| Normal::standard().inverse_cdf(p)).filter(|quantile| quantile.is_finite())
}

/// The quantile that leaves half of what is outside `level` above it: 1.96 for 0.95.
pub(super) fn two_sided(level: f64) -> Option<f64> {
    (level > 0.0 && level < 1.0).then_some(0.5 + level / 2.0).and_then(normal_quantile)
}

/// P(X = k) of n draws with chance p.
pub(super) fn point(n: u64, k: u64, p: f64) -> f64 {
    if k > n {
        return 0.0;
    }
    if p <= 0.0 || p >= 1.0 {
        return f64::from(u8::from(k == if p <= 0.0 { 0 } else { n }));
    }
    (ln_binomial(n, k) + k as f64 * p.ln() + (n - k) as f64 * (-p).ln_1p()).exp()
}

/// P(X <= k) of n draws with chance 1/2, summed from its largest term down; 1 where k >= n.
pub fn binomial_tail_half(n: u64, k: u64) -> f64 {
    below(n, k, 0.5)
}

/// P(X <= k) of n draws with chance p.
pub(super) fn below(n: u64, k: u64, p: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    if k as f64 > n as f64 * p {
        return (1.0 - below(n, n - k - 1, 1.0 - p)).clamp(0.0, 1.0);
    }
    let odds = (1.0 - p) / p;
    let mut term = point(n, k, p);
    let mut sum = 0.0;
    for at in (0..=k).rev() {
        sum += term;
        if term < sum * 1e-18 {
            break;
        }
        term *= at as f64 / (n - at + 1) as f64 * odds;
    }
    if sum.is_finite() { sum.min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_the_sums_of_their_points() {
        for n in [1_u64, 2, 7, 40] {
            for p in [0.0, 0.1, 0.5, 0.83, 1.0] {
                let mut sum = 0.0;
                for k in 0..=n {
                    sum += point(n, k, p);
                    assert!((below(n, k, p) - sum).abs() < 1e-12, "{n} {k} {p}: {} {sum}", below(n, k, p));
                }
                assert!((sum - 1.0).abs() < 1e-12);
            }
        }
    }
    #[test]
    fn quantiles_exist_inside_0_to_1_alone() {
        assert!((two_sided(0.95).unwrap() - 1.959_963_984_540_054).abs() < 1e-12);
        assert_eq!([0.0, 1.0, -1.0, f64::NAN].map(normal_quantile), [None; 4]);
        assert_eq!(two_sided(1.0), None);
    }
}
