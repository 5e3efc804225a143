//! The rule that turns figures of a comparison into a verdict.
use crate::{Interval, VerdictKind};

/// An arm that spends at most so many times its rival's tokens won at equal tokens.
pub const EQUAL_SPENDING: f64 = 1.05;

/// Whether both arms of this ratio spent about the same.
pub fn is_equal_spending(ratio: f64) -> bool {
    (1.0 / EQUAL_SPENDING..=EQUAL_SPENDING).contains(&ratio)
}

/// What the verdict of one comparison rests on. Differences are shares: 0.03 is 3 points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Of the paired difference; absent with fewer than 10 clusters, or without any spread.
    pub interval: Option<Interval>,
    /// The p-value by Holm over the comparisons of its family; absent where there is no test.
    pub p_adjusted: Option<f64>,
    /// The smallest gain worth having.
    pub worth: f64,
    /// The significance level.
    pub alpha: f64,
    /// What the arm spent over what the rival spent; absent where one of them is unknown.
    pub ratio: Option<f64>,
    /// The rival was kept from spending its budget, and had not reached its plateau.
    pub held_down: bool,
    /// Scorer and budget can be trusted.
    pub trusted: bool,
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgedComparison {
    /// Which.
    pub kind: VerdictKind,
    /// The arm won, but with more than [`EQUAL_SPENDING`] times the rival's spending: a win, but none at equal tokens.
    pub cost_only: bool,
}

/// The verdict of a comparison. Without an interval, a p-value or trust nothing can be told; an unknown ratio forbids `Helped` alone.
pub fn judge(evidence: &Evidence) -> JudgedComparison {
    let kind = |kind| JudgedComparison { kind, cost_only: false };
    let (Some(interval), Some(p)) = (evidence.interval, evidence.p_adjusted) else {
        return kind(VerdictKind::CannotTell);
    };
    let sound =
        [interval.low, interval.high, p, evidence.worth, evidence.alpha].iter().all(|figure| figure.is_finite());
    if !evidence.trusted || !sound {
        return kind(VerdictKind::CannotTell);
    }
    let significant = p <= evidence.alpha;
    if interval.high < 0.0 && significant {
        return kind(VerdictKind::Hurt);
    }
    if interval.high < evidence.worth {
        return kind(VerdictKind::NoGain);
    }
    if interval.low <= 0.0 || !significant {
        return kind(VerdictKind::CannotTell);
    }
    let equal = evidence.ratio.is_some_and(|ratio| ratio <= EQUAL_SPENDING);
    JudgedComparison {
        kind: if equal && !evidence.held_down { VerdictKind::Helped } else { VerdictKind::CannotTell },
        cost_only: evidence.ratio.is_some_and(|ratio| ratio > EQUAL_SPENDING),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(low: f64, high: f64, p: f64) -> Evidence {
        Evidence {
            interval: Some(Interval { low, high }),
            p_adjusted: Some(p),
            worth: 0.03,
            alpha: 0.05,
            ratio: Some(0.99),
            held_down: false,
            trusted: true,
        }
    }
    fn kind(evidence: Evidence) -> VerdictKind {
        judge(&evidence).kind
    }

    #[test]
    fn each_row_of_the_table_has_its_verdict() {
        assert_eq!(kind(evidence(-0.10, -0.01, 0.05)), VerdictKind::Hurt);
        assert_eq!(kind(evidence(-0.10, -0.01, 0.051)), VerdictKind::NoGain);
        assert_eq!(kind(evidence(0.001, 0.029, 0.01)), VerdictKind::NoGain);
        assert_eq!(kind(evidence(-0.02, 0.03, 0.5)), VerdictKind::CannotTell);
        assert_eq!(kind(evidence(0.01, 0.12, 0.05)), VerdictKind::Helped);
        assert_eq!(kind(evidence(0.01, 0.12, 0.06)), VerdictKind::CannotTell);
        assert_eq!(kind(evidence(0.0, 0.12, 0.01)), VerdictKind::CannotTell);
    }

    #[test]
    fn a_win_with_more_tokens_is_none_at_equal_tokens() {
        let dear = judge(&Evidence { ratio: Some(1.06), ..evidence(0.01, 0.12, 0.01) });
        assert_eq!(dear, JudgedComparison { kind: VerdictKind::CannotTell, cost_only: true });
        let edge = judge(&Evidence { ratio: Some(1.05), ..evidence(0.01, 0.12, 0.01) });
        assert_eq!(edge, JudgedComparison { kind: VerdictKind::Helped, cost_only: false });
        assert_eq!(kind(Evidence { ratio: None, ..evidence(0.01, 0.12, 0.01) }), VerdictKind::CannotTell);
        assert!(!judge(&Evidence { ratio: Some(3.0), ..evidence(-0.01, 0.12, 0.2) }).cost_only);
    }

    #[test]
    fn a_rival_that_was_held_down_forbids_a_gain_and_nothing_else() {
        let held = |low, high| kind(Evidence { held_down: true, ..evidence(low, high, 0.01) });
        assert_eq!(held(0.01, 0.12), VerdictKind::CannotTell);
        assert_eq!(held(-0.12, -0.01), VerdictKind::Hurt);
        assert_eq!(held(-0.01, 0.02), VerdictKind::NoGain);
    }

    #[test]
    fn without_trust_interval_or_test_nothing_can_be_told() {
        for low in [-0.2, 0.01] {
            let clear = evidence(low, low + 0.1, 0.001);
            assert_eq!(kind(Evidence { trusted: false, ..clear }), VerdictKind::CannotTell);
            assert_eq!(kind(Evidence { interval: None, ..clear }), VerdictKind::CannotTell);
            assert_eq!(kind(Evidence { p_adjusted: None, ..clear }), VerdictKind::CannotTell);
            assert_eq!(kind(Evidence { p_adjusted: Some(f64::NAN), ..clear }), VerdictKind::CannotTell);
        }
    }
}
