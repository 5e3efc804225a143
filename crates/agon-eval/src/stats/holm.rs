//! Several tests at once.

/// P-values adjusted by Holm's step-down method (Holm 1979), in the order given; what is no number counts as 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> =
        p.iter().enumerate().map(|(at, &p)| (at, if p.is_finite() { p.clamp(0.0, 1.0) } else { 1.0 })).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let tests = order.len();
    let mut largest: f64 = 0.0;
    for (rank, (_, p)) in order.iter_mut().enumerate() {
        largest = largest.max((*p * (tests - rank) as f64).min(1.0));
        *p = largest;
    }
    order.sort_by_key(|(at, _)| *at);
    order.into_iter().map(|(_, p)| p).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_counts_for_all_and_later_ones_never_fall_below_it() {
        let adjusted = holm(&[0.01, 0.04, 0.03, f64::NAN]);
        for (seen, wanted) in adjusted.iter().zip([0.04, 0.09, 0.09, 1.0]) {
            assert!((seen - wanted).abs() < 1e-12, "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.2]), [0.2]);
    }
}
