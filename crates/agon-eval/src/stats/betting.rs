//! A test that may be looked at as often as one likes: bets on a mean of 0, and the confidence sequence from the same bets.
use crate::Interval;
use std::sync::LazyLock;

/// Bets: a share of the wealth from -0.98 to 0.98, and the weight of the wealth that is bet so.
static BETS: LazyLock<[(f64, f64); 99]> = LazyLock::new(|| {
    // Beta(5, 5) on the grid p = 0.01 to 0.99, the bet is 2 p - 1
    let mut bets = [(0.0, 0.0); 99];
    let mut total = 0.0;
    for (at, (bet, weight)) in (1_u32..).zip(bets.iter_mut()) {
        let p = f64::from(at) / 100.0;
        (*bet, *weight) = (2.0 * p - 1.0, (p * (1.0 - p)).powi(4));
        total += *weight;
    }
    bets.iter_mut().for_each(|(_, weight)| *weight /= total);
    bets
});

/// The wealth of each bet against one supposed mean.
#[derive(Clone, Debug)]
struct Wealth {
    mean: f64,
    by_bet: [f64; 99],
}
impl Wealth {
    fn new(mean: f64) -> Self {
        Self { mean, by_bet: [1.0; 99] }
    }
    fn bet(&mut self, difference: f64) {
        // differences from the supposed mean are brought back into -1 to 1, so that no bet loses all
        let off = (difference - self.mean) / (1.0 + self.mean.abs());
        self.by_bet.iter_mut().zip(BETS.iter()).for_each(|(wealth, (bet, _))| *wealth *= 1.0 + bet * off);
    }
    /// The mean wealth; infinite where it is beyond all numbers.
    fn sum(&self) -> f64 {
        self.by_bet.iter().zip(BETS.iter()).map(|(wealth, (_, weight))| wealth * weight).sum()
    }
}

/// E after all differences, against a mean of `mean`: the mean over bets of the product of 1 + bet x difference (Waudby-Smith and
/// Ramdas 2024). Differences and mean lie in -1 to 1; what lies outside is brought to the edge, what is no number counts as 0.
pub fn wealth(differences: &[f64], mean: f64) -> f64 {
    let mut wealth = Wealth::new(bounded(mean));
    differences.iter().for_each(|difference| wealth.bet(bounded(*difference)));
    wealth.sum().min(f64::MAX)
}

fn bounded(difference: f64) -> f64 {
    if difference.is_finite() { difference.clamp(-1.0, 1.0) } else { 0.0 }
}

/// Bets on differences in the order in which they come.
#[derive(Clone, Debug)]
pub struct BettingSequence {
    alpha: f64,
    worth: f64,
    differences: Vec<f64>,
    sum: f64,
    none: Wealth,
    most: f64,
    gain: Wealth,
    below_worth: bool,
    winner: Option<bool>,
    looks: Vec<usize>,
}
impl BettingSequence {
    /// No difference yet. `worth` is the smallest gain worth having, as a share; `None` with an alpha outside 0 to 1.
    pub fn new(alpha: f64, worth: f64) -> Option<Self> {
        (alpha > 0.0 && alpha < 1.0 && (0.0..=1.0).contains(&worth)).then(|| Self {
            alpha,
            worth,
            differences: Vec::new(),
            sum: 0.0,
            none: Wealth::new(0.0),
            most: 1.0,
            gain: Wealth::new(worth),
            below_worth: false,
            winner: None,
            looks: Vec::new(),
        })
    }
    /// Takes in the difference of the next cluster, -1 to 1. It counts from the next look on.
    pub fn push(&mut self, difference: f64) {
        let difference = bounded(difference);
        self.differences.push(difference);
        self.sum += difference;
        self.none.bet(difference);
        self.gain.bet(difference);
    }
    /// Takes a look: p falls and the confidence sequence narrows at looks alone.
    pub fn look(&mut self) {
        let n = self.differences.len();
        if n == 0 || self.looks.last() == Some(&n) {
            return;
        }
        self.looks.push(n);
        let e = self.none.sum();
        self.most = self.most.max(e).min(f64::MAX);
        if self.winner.is_none() && e >= 1.0 / self.alpha {
            self.winner = Some(self.sum > 0.0);
        }
        // the wealth is convex in 1 / (1 + mean) and below 1 at the mean that was seen, so all above `worth` is excluded with it
        self.below_worth |= self.sum / (n as f64) < self.worth && self.gain.sum() >= 1.0 / self.alpha;
    }
    /// Differences so far.
    pub fn n(&self) -> usize {
        self.differences.len()
    }
    /// At some look a mean of 0 was excluded: `Some(true)` where the arm was ahead.
    pub fn winner(&self) -> Option<bool> {
        self.winner
    }
    /// The largest E at a look so far.
    pub fn e(&self) -> f64 {
        self.most
    }
    /// 1 / max E over looks: a p-value however often one looked.
    pub fn p(&self) -> f64 {
        1.0 / self.most
    }
    /// The mean so far; 0 without a difference.
    pub fn mean(&self) -> f64 {
        if self.differences.is_empty() { 0.0 } else { self.sum / self.differences.len() as f64 }
    }
    /// At some look the confidence sequence ended below `worth`.
    pub fn below_worth(&self) -> bool {
        self.below_worth
    }
    /// The confidence sequence at level 1 - alpha: what all looks left, rounded outwards by 0.0001; `None` before the first look, or
    /// where looks exclude each other.
    pub fn interval(&self) -> Option<Interval> {
        self.looks.last()?;
        let mut left = Interval { low: -1.0, high: 1.0 };
        for look in &self.looks {
            let seen = self.differences.get(..*look)?;
            let mean = seen.iter().sum::<f64>() / *look as f64;
            left.high = self.bound(seen, mean.min(left.high), left.high);
            left.low = self.bound(seen, mean.max(left.low), left.low);
        }
        // rounding outwards must not hide what looks excluded
        match self.winner {
            Some(true) => left.low = left.low.max(f64::EPSILON),
            Some(false) => left.high = left.high.min(-f64::EPSILON),
            None => {}
        }
        if self.below_worth {
            left.high = left.high.min(self.worth - f64::EPSILON);
        }
        (left.low <= left.high).then_some(left)
    }
    /// Between a mean that is kept and the outer bound, the last one that is kept.
    fn bound(&self, seen: &[f64], inside: f64, outer: f64) -> f64 {
        let excluded = |mean: f64| wealth(seen, mean) >= 1.0 / self.alpha;
        if !excluded(outer) {
            return outer;
        }
        let (mut kept, mut out) = (inside, outer);
        while (out - kept).abs() > 1e-4 {
            let middle = (kept + out) / 2.0;
            if excluded(middle) {
                out = middle;
            } else {
                kept = middle;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, bet by bet, in logarithms.
    fn brute(differences: &[f64], mean: f64) -> f64 {
        let grid: Vec<f64> = (1..100).map(|at| f64::from(at) / 100.0).collect();
        let weight = |p: f64| p.powi(4) * (1.0 - p).powi(4);
        let total: f64 = grid.iter().map(|p| weight(*p)).sum();
        let product = |p: f64| {
            differences.iter().map(|d| ((2.0 * p - 1.0) * (d - mean) / (1.0 + mean.abs())).ln_1p()).sum::<f64>().exp()
        };
        grid.iter().map(|p| weight(*p) / total * product(*p)).sum()
    }

    proptest! {
        #[test]
        fn e_is_the_mean_of_the_products(values in prop::collection::vec(-1.0_f64..=1.0, 0..40), mean in -0.9_f64..0.9) {
            let (seen, wanted) = (wealth(&values, mean), brute(&values, mean));
            prop_assert!((seen - wanted).abs() <= 1e-9 * wanted.max(1.0), "{} {}", seen, wanted);
        }
        #[test]
        fn e_is_1_in_the_mean_over_all_signs(sizes in prop::collection::vec(0.0_f64..=1.0, 0..9)) {
            let patterns = 1_u32 << sizes.len();
            let sum: f64 = (0..patterns).map(|pattern| {
                let values: Vec<f64> = sizes.iter().enumerate().map(|(at, s)| if pattern >> at & 1 == 1 { -s } else { *s }).collect();
                wealth(&values, 0.0)
            }).sum();
            prop_assert!((sum / f64::from(patterns) - 1.0).abs() < 1e-9);
        }
        #[test]
        fn what_is_excluded_is_excluded_by_the_definition(
            values in prop::collection::vec(prop::sample::select(vec![-1.0, -0.5, 0.0, 0.5, 1.0]), 10..120), at in -1.0_f64..1.0,
        ) {
            let mut bets = BettingSequence::new(0.05, 0.03).unwrap();
            for (n, value) in values.iter().enumerate() {
                bets.push(*value);
                if n % 10 == 9 {
                    bets.look();
                }
            }
            let Some(left) = bets.interval() else { return Ok(()) };
            let excluded = values.chunks(10).scan(0, |n, chunk| { *n += chunk.len(); Some(*n) })
                .filter(|n| n % 10 == 0).any(|n| wealth(&values[..n], at) >= 20.0);
            if at < left.low || at > left.high {
                prop_assert!(excluded, "{} outside {:?}", at, left);
            } else if left.low + 2e-4 < at && at < left.high - 2e-4 {
                prop_assert!(!excluded, "{} inside {:?}", at, left);
            }
            prop_assert_eq!(bets.below_worth(), left.high < 0.03);
            prop_assert_eq!(bets.winner().is_some(), bets.p() <= 0.05);
            prop_assert_eq!(bets.winner().is_some(), left.low > 0.0 || left.high < 0.0);
        }
    }

    #[test]
    fn p_never_rises_and_ends_small_where_one_arm_wins() {
        let mut bets = BettingSequence::new(0.05, 0.03).unwrap();
        assert_eq!((bets.p(), bets.interval()), (1.0, None));
        let mut last = 1.0;
        for n in 0..200 {
            bets.push(if n % 4 == 0 { -1.0 } else { 1.0 });
            bets.look();
            assert!(bets.p() <= last);
            last = bets.p();
        }
        assert_eq!(bets.winner(), Some(true));
        assert!(last < 1e-6);
        let left = bets.interval().unwrap();
        assert!(left.low > 0.2 && left.low < 0.5 && left.high > 0.5, "{left:?}");
        assert_eq!(BettingSequence::new(0.0, 0.03).map(|bets| bets.n()), None);
    }
}
