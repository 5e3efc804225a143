//! The sign-flip test of a mean of 0.
use super::ResampleDice;

/// Up to so many clusters with a difference every pattern of signs is tried.
const EXACT: usize = 20;

/// The two-sided p-value of the sign-flip test that differences are even around 0: all patterns of signs up to 20 clusters that
/// differ, else `flips` random ones with one added (Phipson and Smyth 2010). 1 where none differs; `None` where one is no number,
/// or no flips are drawn.
pub fn sign_flips(differences: &[f64], flips: usize, seed: u64) -> Option<f64> {
    if differences.iter().any(|value| !value.is_finite()) || flips == 0 {
        return None;
    }
    let sizes: Vec<f64> = differences.iter().map(|value| value.abs()).filter(|size| *size > 0.0).collect();
    if sizes.is_empty() {
        return Some(1.0);
    }
    let sum: f64 = differences.iter().sum();
    // sums that differ by rounding alone are equal
    let least = sum.abs() - 1e-9 * sizes.iter().sum::<f64>();
    Some(if sizes.len() <= EXACT { all(&sizes, least) } else { some(&sizes, least, flips, seed) })
}

/// Share of all patterns, by the Gray code; the first sign is kept, for a pattern and its opposite have the same size.
fn all(sizes: &[f64], least: f64) -> f64 {
    let patterns = 1_u32 << (sizes.len() - 1);
    let mut signs = vec![1.0; sizes.len()];
    let mut sum: f64 = sizes.iter().sum();
    let mut extreme = 0_u32;
    for pattern in 1..=patterns {
        extreme += u32::from(sum.abs() >= least);
        let at = pattern.trailing_zeros() as usize + 1;
        if let (Some(sign), Some(size)) = (signs.get_mut(at), sizes.get(at)) {
            sum -= 2.0 * *sign * size;
            *sign = -*sign;
        }
    }
    f64::from(extreme) / f64::from(patterns)
}

/// Share of random patterns, with the one that was seen.
fn some(sizes: &[f64], least: f64, flips: usize, seed: u64) -> f64 {
    let mut dice = ResampleDice::new(seed, "sign flips");
    let mut extreme = 1_usize;
    for _ in 0..flips {
        let mut sum = 0.0;
        for block in sizes.chunks(64) {
            let mut bits = dice.bits();
            for size in block {
                // the lowest bit becomes the sign
                sum += f64::from_bits(size.to_bits() | (bits << 63));
                bits >>= 1;
            }
        }
        extreme += usize::from(sum.abs() >= least);
    }
    extreme as f64 / (flips + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::mcnemar_exact;
    use super::*;
    use proptest::prelude::*;

    /// Every pattern by itself.
    fn brute(differences: &[f64]) -> f64 {
        let size = differences.iter().sum::<f64>().abs();
        let patterns = 1_u32 << differences.len();
        let extreme = (0..patterns).filter(|pattern| {
            let sum: f64 = differences
                .iter()
                .enumerate()
                .map(|(at, value)| if pattern >> at & 1 == 1 { -value } else { *value })
                .sum();
            sum.abs() >= size - 1e-9
        });
        extreme.count() as f64 / f64::from(patterns)
    }

    proptest! {
        #[test]
        fn few_clusters_give_the_share_of_all_patterns(values in prop::collection::vec(-8_i8..=8, 0..12)) {
            let values: Vec<f64> = values.into_iter().map(|value| f64::from(value) / 8.0).collect();
            prop_assert!((sign_flips(&values, 99, 1).unwrap() - brute(&values)).abs() < 1e-12);
        }
        #[test]
        fn yes_or_no_answers_give_mcnemars_exact_test(b in 0_u64..10, c in 0_u64..10, same in 0_usize..5) {
            let values: Vec<f64> = (0..b).map(|_| 1.0).chain((0..c).map(|_| -1.0)).chain((0..same).map(|_| 0.0)).collect();
            prop_assert!((sign_flips(&values, 99, 1).unwrap() - mcnemar_exact(b, c)).abs() < 1e-12);
        }
    }

    #[test]
    fn many_clusters_give_almost_the_exact_share() {
        let values: Vec<f64> = (0..60).map(|n| if n % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let (seen, exact) = (sign_flips(&values, 99_999, 1).unwrap(), mcnemar_exact(40, 20));
        assert!((seen - exact).abs() < 0.0015, "{seen} {exact}");
    }

    #[test]
    fn nothing_that_differs_is_no_evidence() {
        assert_eq!(sign_flips(&[0.0; 30], 99, 1), Some(1.0));
        assert_eq!(sign_flips(&[], 99, 1), Some(1.0));
        assert_eq!(sign_flips(&[f64::NAN], 99, 1), None);
    }
}
