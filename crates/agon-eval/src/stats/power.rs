//! How many questions it takes: the power of McNemar's exact test by enumeration (Connor 1987 gives the formula that this replaces).
use super::binomial::{below, binomial_tail_half, point};

/// As many questions as an eval may have.
pub const MOST_QUESTIONS: u64 = 10_000;

/// How many times the questions of a fixed design a sequential one may need for the same power, by simulation with effects of 5 to 10
/// points; in the mean it ends after about as many as the fixed one.
pub const SEQUENTIAL_SIZE: f64 = 1.6;

/// The chance that McNemar's exact test at `alpha` finds `effect`, on n questions of which the share `discordance` differs between
/// the arms. `None` where the effect is larger than the discordance, or a figure is outside 0 to 1.
pub fn mcnemar_power(n: u64, discordance: f64, effect: f64, alpha: f64) -> Option<f64> {
    let sound = (0.0..=1.0).contains(&discordance) && effect.abs() <= discordance && alpha > 0.0 && alpha < 1.0;
    if !sound || n > 100 * MOST_QUESTIONS {
        return None;
    }
    if discordance == 0.0 {
        return Some(0.0);
    }
    let wins = ((1.0 + effect / discordance) / 2.0).clamp(0.0, 1.0);
    // what lies beyond 9 standard deviations is below 1e-16
    let (middle, reach) = (n as f64 * discordance, 9.0 * (n as f64 * discordance * (1.0 - discordance)).sqrt() + 2.0);
    let from = (middle - reach).max(0.0).floor() as u64;
    let to = ((middle + reach).ceil() as u64).min(n);
    let mut critical = critical_value(from, alpha);
    let mut power = 0.0;
    for differ in from..=to {
        // the largest number of losses that is significant grows by 1 at most with each answer that differs
        let next = critical.map_or(0, |losses| losses + 1);
        if 2.0 * binomial_tail_half(differ, next) <= alpha && 2 * next < differ {
            critical = Some(next);
        }
        if let Some(losses) = critical {
            let found = below(differ, losses, wins) + below(differ, losses, 1.0 - wins);
            power += point(n, differ, discordance) * found;
        }
    }
    Some(power.clamp(0.0, 1.0))
}

/// The largest number of losses among `differ` that is significant, if any.
fn critical_value(differ: u64, alpha: f64) -> Option<u64> {
    let significant = |losses: u64| 2.0 * binomial_tail_half(differ, losses) <= alpha && 2 * losses < differ;
    if !significant(0) {
        return None;
    }
    let (mut low, mut high) = (0, differ);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if significant(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// The fewest questions that show `effect` with the chance `power`. `None` where [`MOST_QUESTIONS`] times 100 are not enough, or a figure is
/// impossible. Around them power is not quite monotone: this is the smallest number within 64 of the crossing.
pub fn questions_needed(discordance: f64, effect: f64, alpha: f64, power: f64) -> Option<u64> {
    let enough = |n: u64| mcnemar_power(n, discordance, effect, alpha).is_some_and(|seen| seen >= power);
    if !(power > 0.0 && power < 1.0) || effect == 0.0 {
        return None;
    }
    let mut high = 8;
    while !enough(high) {
        high *= 2;
        if high > 100 * MOST_QUESTIONS {
            return None;
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (high.saturating_sub(64)..=high).find(|n| enough(*n))
}

/// The smallest effect that n questions show with the chance `power`, to 0.0001. `None` where they show none at this discordance.
pub fn smallest_effect(n: u64, discordance: f64, alpha: f64, power: f64) -> Option<f64> {
    let enough = |effect: f64| mcnemar_power(n, discordance, effect, alpha).is_some_and(|seen| seen >= power);
    if !enough(discordance) {
        return None;
    }
    let (mut low, mut high) = (0.0, discordance);
    while high - low > 1e-5 {
        let middle = (low + high) / 2.0;
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// How many times the questions clusters of `size` take, with a correlation of `rho` inside them: 1 + (m - 1) rho (Kish 1965); at least 1.
pub fn design_effect(size: f64, rho: f64) -> f64 {
    let effect = 1.0 + (size - 1.0).max(0.0) * rho.clamp(0.0, 1.0);
    if effect.is_finite() { effect.max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::mcnemar_exact;
    use super::*;
    use proptest::prelude::*;

    /// Over every outcome of n questions.
    fn brute(n: u64, discordance: f64, effect: f64) -> f64 {
        let (arm, rival) = ((discordance + effect) / 2.0, (discordance - effect) / 2.0);
        let fact = |k: u64| (1..=k).map(|k| k as f64).product::<f64>();
        let mut power = 0.0;
        for b in 0..=n {
            for c in (0..=n - b).filter(|c| mcnemar_exact(b, *c) <= 0.05) {
                let ways = fact(n) / fact(b) / fact(c) / fact(n - b - c);
                power +=
                    ways * arm.powi(b as i32) * rival.powi(c as i32) * (1.0 - discordance).powi((n - b - c) as i32);
            }
        }
        power
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn power_is_the_chance_of_all_significant_outcomes(n in 0_u64..40, discordance in 0.05_f64..0.95, part in -1.0_f64..1.0) {
            let seen = mcnemar_power(n, discordance, discordance * part, 0.05).unwrap();
            let wanted = brute(n, discordance, discordance * part);
            prop_assert!((seen - wanted).abs() < 1e-9, "{} {}", seen, wanted);
        }
    }

    #[test]
    fn the_table_of_questions_comes_out() {
        let row = |discordance| {
            [0.03, 0.05, 0.08, 0.10].map(|effect| questions_needed(discordance, effect, 0.05, 0.8).unwrap())
        };
        assert_eq!(row(0.15), [1_362, 498, 198, 122]);
        assert_eq!(row(0.25), [2_238, 817, 324, 207]);
        assert_eq!(row(0.35), [3_113, 1_133, 448, 289]);
    }

    #[test]
    fn the_smallest_effect_is_the_one_that_needs_so_many_questions() {
        let effect = smallest_effect(324, 0.25, 0.05, 0.8).unwrap();
        assert!((effect - 0.08).abs() < 0.0005, "{effect}");
        assert_eq!(smallest_effect(3, 0.25, 0.05, 0.8), None);
        assert_eq!(mcnemar_power(100, 0.1, 0.2, 0.05), None);
        assert_eq!(questions_needed(0.2, 0.0, 0.05, 0.8), None);
        assert_eq!(design_effect(4.0, 0.2), 1.6);
        assert_eq!(design_effect(0.5, 0.2), 1.0);
    }
}
