//! Agreement of graders.
use std::collections::BTreeMap;

/// Krippendorff's alpha for nominal grades (Krippendorff 2011): each unit holds the grades that it got, missing ones left out.
/// 1 is perfect, 0 is chance. `None` where no unit has two grades, or all grades are the same.
pub fn krippendorff<T: Ord>(units: &[Vec<T>]) -> Option<f64> {
    let mut totals: BTreeMap<&T, f64> = BTreeMap::new();
    let (mut n, mut observed) = (0.0, 0.0);
    for unit in units.iter().filter(|unit| unit.len() >= 2) {
        let mut counts: BTreeMap<&T, f64> = BTreeMap::new();
        for grade in unit {
            *counts.entry(grade).or_default() += 1.0;
            *totals.entry(grade).or_default() += 1.0;
        }
        let m = unit.len() as f64;
        n += m;
        let same: f64 = counts.values().map(|count| count * (count - 1.0)).sum();
        observed += (m * (m - 1.0) - same) / (m - 1.0);
    }
    let expected: f64 = n * n - totals.values().map(|count| count * count).sum::<f64>();
    (n > 0.0 && expected > 0.0).then(|| 1.0 - (n - 1.0) * observed / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_example_comes_out() {
        // Krippendorff 2011, example C (nominal, 4 observers, missing data): 0.743
        let units: Vec<Vec<u8>> =
            ["111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3"]
                .iter()
                .map(|unit| unit.bytes().collect())
                .collect();
        let alpha = krippendorff(&units).unwrap();
        assert!((alpha - 0.743).abs() < 5e-4, "{alpha}");
        assert_eq!(krippendorff(&[vec![1, 1], vec![1, 1]]), None);
        assert_eq!(krippendorff(&[vec![1], vec![2]]), None);
        assert_eq!(krippendorff(&[vec![1, 1], vec![2, 2]]), Some(1.0));
    }
}
