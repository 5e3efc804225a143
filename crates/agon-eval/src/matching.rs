//! Equal tokens: how many samples of a pool cost what a debate cost.
//!
//! After the first [`FIRST_SAMPLES`] samples of a question, of mean cost m, a budget B is worth floor(B/m) samples, and one more with
//! the chance frac(B/m), by the seed. So every question is matched by itself, and the mean ratio is right.
//!
//! That holds for all tokens, of which prompts are most. By other counts the mean of four says too little: what is generated varies from
//! sample to sample, and where a prompt cache counts, the first samples cost more than later ones. By these, samples are used until
//! what they cost themselves has come to the budget.
use crate::{ArmName, CellCost, Count, ModelPrice, draw};
use std::collections::BTreeMap;

/// Samples whose mean cost says how many more a budget is worth.
pub const FIRST_SAMPLES: u32 = 4;

/// How many samples a budget is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedSamples {
    /// How many are used; at least 1.
    pub samples: u32,
    /// How many it would be without the limit `max_samples`.
    pub wanted: u64,
}

impl MatchedSamples {
    /// Whether the limit holds the method down.
    pub fn is_cut(self) -> bool {
        self.wanted > u64::from(self.samples)
    }
}

/// Which samples are matched: what the lot of a fraction depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchKey<'a> {
    /// The eval's seed.
    pub seed: u64,
    /// Index of the question in the eval's list.
    pub question: u32,
    /// From 0.
    pub repetition: u32,
    /// The debate that is matched.
    pub arm: &'a ArmName,
    /// What is counted.
    pub count: Count,
}

impl MatchKey<'_> {
    /// A number from 0 to below 1, the same for the same key.
    pub fn lot(&self) -> f64 {
        let count = count_name(self.count);
        draw::share(self.seed, "match", &[&self.question, &self.repetition, &self.arm, &count])
    }
}

/// How many samples `budget` is worth, where the first samples cost `first` each; only the first [`FIRST_SAMPLES`] of them are looked
/// at. Nothing where no first sample has a cost above 0, or the budget is no number.
pub fn samples_for(budget: f64, first: &[f64], key: &MatchKey<'_>, max_samples: u32) -> Option<MatchedSamples> {
    let mean = mean_of(first)?;
    let worth = budget / mean;
    if !worth.is_finite() {
        return None;
    }
    Some(whole(worth.max(0.0), key.lot(), 1, max_samples))
}

/// Whether samples are matched by what each of them cost by this count, and not by the mean of the first ones.
pub fn is_paid_each(count: Count) -> bool {
    match count {
        Count::Total => false,
        Count::Generated | Count::New | Count::Seconds | Count::Money => true,
    }
}

/// How many samples `budget` is worth where samples cost `costs`, in their order: as many as it pays for, and the next one with the
/// chance of what is left of it. Where it pays for more than there are, those to come are taken to cost as much as the ones after the
/// first did in the mean. Nothing where no sample has a cost above 0, or the budget is no number.
pub fn samples_paid(budget: f64, costs: &[f64], key: &MatchKey<'_>, max_samples: u32) -> Option<MatchedSamples> {
    let mut left = budget;
    let mut worth = 0.0;
    for cost in costs {
        if *cost > left {
            worth += left / cost;
            return Some(whole(worth.max(0.0), key.lot(), 1, max_samples));
        }
        left -= cost;
        worth += 1.0;
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let warm = costs.get(1..).map(mean).filter(|mean| *mean > 0.0).unwrap_or_else(|| mean(costs));
    worth += left / warm;
    worth.is_finite().then(|| whole(worth.max(0.0), key.lot(), 1, max_samples))
}

/// How many samples `budget` is worth where a judge reads all of them and picks one.
///
/// Each of its `judge_calls` calls costs what a sample's prompt costs, the samples' generated text as prompt, and its own answer, which is
/// counted like a sample's: for n samples of mean cost m, of which `generated` tokens are text, n·m + calls·(m + n·generated). At
/// least 2, because a judge of one answer picks nothing.
pub fn best_of_for(
    budget: f64,
    first: &[f64],
    (judge_calls, generated): (u64, f64),
    key: &MatchKey<'_>,
    max_samples: u32,
) -> Option<MatchedSamples> {
    let mean = mean_of(first)?;
    let calls = judge_calls as f64;
    let worth = (budget - calls * mean) / (mean + calls * generated.max(0.0));
    if !worth.is_finite() {
        return None;
    }
    Some(whole(worth.max(0.0), key.lot(), 2, max_samples))
}

fn mean_of(first: &[f64]) -> Option<f64> {
    let first: Vec<f64> = first.iter().copied().take(FIRST_SAMPLES as usize).collect();
    let mean = first.iter().sum::<f64>() / first.len() as f64;
    (mean.is_finite() && mean > 0.0).then_some(mean)
}

/// `worth` as a whole number, the next one with the chance of its fraction.
fn whole(worth: f64, lot: f64, least: u32, most: u32) -> MatchedSamples {
    let more = u64::from(lot < worth.fract());
    // a conversion of a float saturates
    let wanted = (worth.floor() as u64).saturating_add(more).max(u64::from(least));
    let samples = u32::try_from(wanted).unwrap_or(u32::MAX).min(most.max(least));
    MatchedSamples { samples, wanted }
}

/// What a cost comes to in one count: tokens, seconds or money. Nothing where no call of it is known or estimated.
///
/// Unknown calls cost what the plan's token rule says; where nothing is estimated, as for seconds, what a known one did in the mean.
/// `unknown_calls` marks both.
pub fn cost_in(cost: &CellCost, count: Count, prices: &BTreeMap<String, ModelPrice>) -> Option<f64> {
    // without any price, not even nothing has a price
    if count == Count::Money && prices.is_empty() {
        return None;
    }
    let known = cost.calls.saturating_sub(cost.unknown_calls);
    if cost.estimated() > 0 && count != Count::Seconds {
        return match count {
            Count::Total => Some(cost.tokens() as f64),
            Count::Generated => Some((cost.generated + cost.estimated_generated) as f64),
            Count::New => Some(cost.tokens().saturating_sub(cost.cached?) as f64),
            Count::Money => money(cost, prices),
            Count::Seconds => None,
        };
    }
    if known == 0 {
        return (cost.calls == 0).then_some(0.0);
    }
    let reported = match count {
        Count::Total => (cost.prompt + cost.generated) as f64,
        Count::Generated => cost.generated as f64,
        Count::New => (cost.prompt + cost.generated).saturating_sub(cost.cached?) as f64,
        Count::Seconds => cost.seconds?,
        Count::Money => money(cost, prices)?,
    };
    Some(reported * f64::from(cost.calls) / f64::from(known))
}

/// Money by the prices of the models; nothing where one of them has no price.
fn money(cost: &CellCost, prices: &BTreeMap<String, ModelPrice>) -> Option<f64> {
    let of = |(model, cost): (&String, &CellCost)| {
        let price = prices.get(model)?;
        let cached = cost.cached.unwrap_or(0).min(cost.prompt);
        let millions = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        let prompt = millions(cost.prompt - cached + cost.estimated_prompt, price.prompt);
        Some(
            prompt
                + millions(cached, price.cached.unwrap_or(price.prompt))
                + millions(cost.generated + cost.estimated_generated, price.generated),
        )
    };
    if cost.by_model.is_empty() {
        return None;
    }
    cost.by_model.iter().map(of).sum()
}

/// The name of a count in files.
pub fn count_name(count: Count) -> &'static str {
    match count {
        Count::Total => "total",
        Count::Generated => "generated",
        Count::New => "new",
        Count::Seconds => "seconds",
        Count::Money => "money",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> ArmName {
        ArmName("panel".to_owned())
    }

    fn key(arm: &ArmName, question: u32) -> MatchKey<'_> {
        MatchKey { seed: 7, question, repetition: 0, arm, count: Count::Total }
    }

    #[test]
    fn a_budget_of_whole_samples_is_worth_so_many() {
        let arm = arm();
        let of = |budget: f64| samples_for(budget, &[90.0, 110.0, 100.0, 100.0, 5.0], &key(&arm, 1), 64).unwrap();
        assert_eq!(of(700.0), MatchedSamples { samples: 7, wanted: 7 });
        assert_eq!(of(0.0), MatchedSamples { samples: 1, wanted: 1 });
        assert_eq!(of(10_000.0), MatchedSamples { samples: 64, wanted: 100 });
        assert!(of(10_000.0).is_cut() && !of(700.0).is_cut());
    }

    #[test]
    fn fractions_are_drawn_so_that_the_mean_is_right_and_the_same_key_draws_the_same() {
        let arm = arm();
        let of = |question| samples_for(725.0, &[100.0; 4], &key(&arm, question), 64).unwrap().samples;
        let all: Vec<u32> = (0..2_000).map(of).collect();
        assert!(all.iter().all(|samples| *samples == 7 || *samples == 8));
        let mean = f64::from(all.iter().sum::<u32>()) / 2_000.0;
        // 0.25 of 2,000 has a standard error of 0.0097
        assert!((mean - 7.25).abs() < 0.03, "{mean}");
        assert_eq!(of(5), of(5));
    }

    #[test]
    fn the_mean_spent_is_the_budget_where_samples_differ_in_cost() {
        let arm = arm();
        let (mut spent, mut budgets) = (0.0, 0.0);
        for question in 0..2_000_u32 {
            let cost = |n: u32| {
                80.0 + f64::from(blake3::hash(&[question.to_le_bytes(), n.to_le_bytes()].concat()).as_bytes()[0]) / 6.0
            };
            let first: Vec<f64> = (0..4).map(cost).collect();
            let budget = 600.0 + f64::from(question % 400);
            let samples = samples_for(budget, &first, &key(&arm, question), 64).unwrap().samples;
            spent += (0..samples).map(cost).sum::<f64>();
            budgets += budget;
        }
        let ratio = spent / budgets;
        assert!((0.98..=1.02).contains(&ratio), "{ratio}");
    }

    #[test]
    fn the_mean_spent_is_the_budget_where_the_first_samples_of_each_poll_are_dear() {
        let arm = arm();
        let (mut spent, mut budgets) = (0.0, 0.0);
        for question in 0..2_000 {
            let budget = 400.0 + f64::from(question % 300);
            let key = key(&arm, question);
            let mut costs: Vec<f64> = Vec::new();
            let mut wanted = FIRST_SAMPLES;
            // polls are held until the samples suffice
            while (costs.len() as u32) < wanted {
                costs.push(150.0);
                costs.resize(wanted as usize, 40.0 + f64::from(question % 7));
                wanted = samples_paid(budget, &costs, &key, 64).unwrap().samples;
            }
            spent += costs.iter().take(wanted as usize).sum::<f64>();
            budgets += budget;
        }
        let ratio = spent / budgets;
        assert!((0.99..=1.01).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_budget_pays_for_samples_by_what_each_of_them_cost() {
        let arm = arm();
        let of = |budget, costs: &[f64]| samples_paid(budget, costs, &key(&arm, 1), 64);
        let samples = |samples| Some(MatchedSamples { samples, wanted: u64::from(samples) });
        assert_eq!(of(190.0, &[100.0, 40.0, 50.0, 40.0]), samples(3));
        assert_eq!(of(0.0, &[100.0, 40.0]), samples(1));
        assert_eq!(of(220.0, &[100.0, 40.0]), samples(4));
        assert_eq!(of(300.0, &[100.0]), samples(3));
        for costs in [&[][..], &[0.0, 0.0]] {
            assert_eq!(of(100.0, costs), None);
        }
        assert_eq!(of(f64::NAN, &[1.0]), None);
    }

    #[test]
    fn what_has_no_known_cost_is_not_matched() {
        let arm = arm();
        assert_eq!(samples_for(100.0, &[], &key(&arm, 1), 64), None);
        assert_eq!(samples_for(100.0, &[0.0, 0.0], &key(&arm, 1), 64), None);
        assert_eq!(samples_for(f64::NAN, &[1.0], &key(&arm, 1), 64), None);
    }

    #[test]
    fn the_judges_calls_are_in_the_budget_of_best_of_n() {
        let arm = arm();
        let (mean, generated, calls) = (100.0, 20.0, 2);
        let matched = best_of_for(1_600.0, &[mean; 4], (calls, generated), &key(&arm, 3), 64).unwrap();
        assert_eq!(matched.samples, 10);
        assert_eq!(best_of_for(10.0, &[mean; 4], (calls, generated), &key(&arm, 3), 64).unwrap().samples, 2);
    }

    #[test]
    fn costs_are_counted_in_each_way_and_unknown_ones_are_absent() {
        let none = BTreeMap::new();
        let own = CellCost { calls: 2, prompt: 1_000, generated: 500, ..CellCost::default() };
        let cost = CellCost { by_model: BTreeMap::from([("m".to_owned(), own.clone())]), ..own };
        assert_eq!(cost_in(&cost, Count::Total, &none), Some(1_500.0));
        assert_eq!(cost_in(&cost, Count::Generated, &none), Some(500.0));
        assert_eq!(cost_in(&cost, Count::New, &none), None);
        assert_eq!(cost_in(&cost, Count::Seconds, &none), None);
        assert_eq!(cost_in(&cost, Count::Money, &none), None);
        let prices = BTreeMap::from([("m".to_owned(), ModelPrice { prompt: 2.0, cached: None, generated: 8.0 })]);
        assert_eq!(cost_in(&cost, Count::Money, &prices), Some(0.006));
        let cached = CellCost { cached: Some(600), ..cost.clone() };
        assert_eq!(cost_in(&cached, Count::New, &none), Some(900.0));
        let half = CellCost { unknown_calls: 1, ..cost };
        assert_eq!(cost_in(&half, Count::Total, &none), Some(3_000.0));
        assert_eq!(cost_in(&CellCost { calls: 1, unknown_calls: 1, ..CellCost::default() }, Count::Total, &none), None);
        assert_eq!(cost_in(&CellCost::default(), Count::Total, &none), Some(0.0));
    }

    #[test]
    fn unknown_calls_cost_what_the_token_rule_says() {
        let none = BTreeMap::new();
        let own = CellCost {
            calls: 1,
            unknown_calls: 1,
            estimated_prompt: 900,
            estimated_generated: 80,
            ..CellCost::default()
        };
        let unknown = CellCost { by_model: BTreeMap::from([("m".to_owned(), own.clone())]), ..own };
        assert_eq!(cost_in(&unknown, Count::Total, &none), Some(980.0));
        assert_eq!(cost_in(&unknown, Count::Generated, &none), Some(80.0));
        assert_eq!(cost_in(&unknown, Count::Seconds, &none), None);
        let prices = BTreeMap::from([("m".to_owned(), ModelPrice { prompt: 2.0, cached: None, generated: 10.0 })]);
        assert_eq!(cost_in(&unknown, Count::Money, &prices), Some(0.0026));
        let mut both = unknown;
        both.add(&CellCost { calls: 1, prompt: 1_000, generated: 20, cached: Some(400), ..CellCost::default() });
        assert_eq!(cost_in(&both, Count::Total, &none), Some(2_000.0));
        assert_eq!(cost_in(&both, Count::New, &none), Some(1_600.0));
    }
}
