//! Rates by a judge who errs, corrected by labels of people.
use super::binomial::two_sided;
use crate::Interval;

/// Below so much sensitivity and specificity together, grades say too little.
pub const LEAST_RELIABILITY: f64 = 1.2;

/// How a judge graded what people had labelled. Numbers of answers; fractions where labels are weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeLabels {
    /// Answers that people call right.
    pub right: f64,
    /// Of these, graded right.
    pub right_accepted: f64,
    /// Answers that people call wrong.
    pub wrong: f64,
    /// Of these, graded wrong.
    pub wrong_rejected: f64,
}

/// A rate that labels corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectedShare {
    /// The share of right answers.
    pub rate: f64,
    /// Over both samples.
    pub interval: Interval,
    /// The share of right answers that the judge accepts.
    pub sensitivity: f64,
    /// The share of wrong answers that the judge rejects.
    pub specificity: f64,
    /// Sensitivity and specificity are [`LEAST_RELIABILITY`] together, at least.
    pub reliable: bool,
}

/// The share (p + q0 - 1) / (q0 + q1 - 1) of right answers, with the interval over both samples, each count adjusted (Lee et al. 2025,
/// arXiv 2511.21140; Rogan and Gladen 1978; Lang and Reiczigel 2014). `accepted` of n answers were graded right. `None` without answers, without labels
/// of both kinds, with impossible counts, or where the judge is no better than chance.
pub fn corrected(accepted: u64, n: u64, labels: JudgeLabels, level: f64) -> Option<CorrectedShare> {
    let possible = accepted <= n && labels.right_accepted <= labels.right && labels.wrong_rejected <= labels.wrong;
    if n == 0 || labels.right <= 0.0 || labels.wrong <= 0.0 || !possible {
        return None;
    }
    let z = two_sided(level)?;
    let (sensitivity, specificity) = (labels.right_accepted / labels.right, labels.wrong_rejected / labels.wrong);
    let rate = inverted(accepted as f64 / n as f64, specificity, sensitivity)?;
    // adjusted as for a single rate (Agresti and Coull 1998): z^2/2 more of each outcome, and one more for the labels
    let size = n as f64 + z * z;
    let p = (accepted as f64 + z * z / 2.0) / size;
    let (rights, wrongs) = (labels.right + 2.0, labels.wrong + 2.0);
    let (q1, q0) = ((labels.right_accepted + 1.0) / rights, (labels.wrong_rejected + 1.0) / wrongs);
    let middle = inverted(p, q0, q1)?;
    let (v0, v1) = (q0 * (1.0 - q0) / wrongs, q1 * (1.0 - q1) / rights);
    let variance = p * (1.0 - p) / size + (1.0 - middle).powi(2) * v0 + middle.powi(2) * v1;
    let half = z * variance.sqrt() / (q0 + q1 - 1.0);
    let shift = 2.0 * z * z * (middle * v1 - (1.0 - middle) * v0);
    let (low, high) = ((middle + shift - half).clamp(0.0, 1.0), (middle + shift + half).clamp(0.0, 1.0));
    let reliable = sensitivity + specificity >= LEAST_RELIABILITY;
    Some(CorrectedShare {
        rate,
        interval: Interval { low: low.min(rate), high: high.max(rate) },
        sensitivity,
        specificity,
        reliable,
    })
}

fn inverted(p: f64, q0: f64, q1: f64) -> Option<f64> {
    let trust = q0 + q1 - 1.0;
    (trust > 1e-9).then(|| ((p + q0 - 1.0) / trust).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::super::ResampleDice;
    use super::*;

    #[test]
    fn a_perfect_judge_is_not_corrected_and_a_random_one_cannot_be() {
        let perfect = JudgeLabels { right: 50.0, right_accepted: 50.0, wrong: 50.0, wrong_rejected: 50.0 };
        let seen = corrected(140, 200, perfect, 0.95).unwrap();
        assert_eq!((seen.rate, seen.reliable), (0.7, true));
        assert!(seen.interval.low < 0.66 && seen.interval.high > 0.74, "{seen:?}");
        let random = JudgeLabels { right: 50.0, right_accepted: 25.0, wrong: 50.0, wrong_rejected: 25.0 };
        assert_eq!(corrected(140, 200, random, 0.95), None);
        assert_eq!(corrected(140, 200, JudgeLabels { wrong: 0.0, wrong_rejected: 0.0, ..perfect }, 0.95), None);
        assert!(
            !corrected(140, 200, JudgeLabels { right_accepted: 30.0, wrong_rejected: 29.0, ..perfect }, 0.95)
                .unwrap()
                .reliable
        );
    }

    #[test]
    fn the_interval_covers_the_rate_that_was_planted() {
        let mut dice = ResampleDice::new(1, "correction");
        let mut count = |n: u32, p: f64| (0..n).filter(|_| dice.unit() < p).count() as u64;
        for (rate, q1, q0) in [(0.6, 0.9, 0.8), (0.3, 0.85, 0.95), (0.8, 0.75, 0.7)] {
            let mut covered = 0;
            for _ in 0..2_000 {
                let accepted = count(300, rate * q1 + (1.0 - rate) * (1.0 - q0));
                let (right_accepted, wrong_rejected) = (count(50, q1) as f64, count(50, q0) as f64);
                let labels = JudgeLabels { right: 50.0, right_accepted, wrong: 50.0, wrong_rejected };
                let seen = corrected(accepted, 300, labels, 0.95).unwrap();
                covered += u32::from(seen.interval.low <= rate && rate <= seen.interval.high);
            }
            assert!((1_860..=1_960).contains(&covered), "{rate} {q1} {q0}: {covered} of 2000");
        }
    }
}
