//! What calls cost, by the prices that the caller knows.
use agon_core::{Call, ModelName, SummaryFigures, UsageTotals, money};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tokens that a price is for.
const MILLION: f64 = 1_000_000.0;

/// What a model's tokens cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// A million tokens of prompts, cached ones included.
    pub prompt: f64,
    /// A million generated tokens.
    pub generated: f64,
    /// In which currency.
    pub currency: String,
}

/// Prices by model. A model that is not among them has an unknown price, which is not zero.
pub type Prices = BTreeMap<ModelName, Price>;

/// What was paid in one currency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expense {
    /// In which currency.
    pub currency: String,
    /// How much, for the tokens that were reported, of calls whose price is known.
    pub amount: f64,
}

/// What all calls cost, as far as that is known. Of a call that reports some of its tokens, these are paid, and the call is one of
/// unknown cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expenses {
    by_currency: BTreeMap<String, f64>,
    unknown: u32,
}

impl Expenses {
    /// What the calls of a debate cost that lists show.
    pub fn of(prices: &Prices, figures: &SummaryFigures) -> Self {
        let mut expenses = Self::default();
        figures.models.iter().for_each(|one| expenses.add_calls(prices, Some(&one.model), &one.usage));
        figures.other_calls.iter().for_each(|usage| expenses.add_calls(prices, None, usage));
        expenses
    }

    /// Adds a call.
    pub(crate) fn add(&mut self, prices: &Prices, call: &Call) {
        let mut usage = UsageTotals::default();
        usage.add(&call.usage);
        self.add_calls(prices, call.model.as_ref(), &usage);
    }

    fn add_calls(&mut self, prices: &Prices, model: Option<&ModelName>, usage: &UsageTotals) {
        let Some(price) = model.and_then(|model| prices.get(model)) else {
            self.unknown = self.unknown.saturating_add(usage.calls);
            return;
        };
        self.unknown = self.unknown.saturating_add(usage.unknown_calls);
        if usage.calls == usage.unknown_calls && usage.tokens() == 0 {
            return;
        }
        let (prompt, generated) = (usage.prompt_tokens as f64, usage.completion_tokens as f64);
        let amount = (prompt * price.prompt + generated * price.generated) / MILLION;
        *self.by_currency.entry(price.currency.clone()).or_default() += amount;
    }

    /// By currency; nothing where no call has a known price.
    pub fn known(&self) -> Vec<Expense> {
        let one = |(currency, amount): (&String, &f64)| Expense { currency: currency.clone(), amount: *amount };
        self.by_currency.iter().map(one).collect()
    }

    /// Calls whose price or some of whose tokens are unknown.
    pub fn unknown(&self) -> u32 {
        self.unknown
    }

    /// `0.042 EUR`, `at least 0.042 EUR`; nothing where nothing is known.
    pub(crate) fn told(&self) -> Option<String> {
        if self.by_currency.is_empty() {
            return None;
        }
        let at_least = self.unknown > 0;
        let sums: Vec<String> =
            self.known().iter().map(|cost| format!("{} {}", money(cost.amount, at_least), cost.currency)).collect();
        let least = if at_least { "at least " } else { "" };
        Some(format!("{least}{}", sums.join(" + ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{ModelUsage, Usage};

    fn call(model: &str, prompt: Option<u64>, generated: Option<u64>) -> Call {
        let usage = Usage { prompt_tokens: prompt, cached_tokens: None, completion_tokens: generated };
        Call { model: Some(model.into()), usage, ..Call::default() }
    }

    fn prices() -> Prices {
        let price = Price { prompt: 0.5, generated: 2.0, currency: "EUR".to_owned() };
        [(ModelName::from("m"), price)].into()
    }

    #[test]
    fn tokens_are_paid_by_the_million() {
        let mut costs = Expenses::default();
        costs.add(&prices(), &call("m", Some(1_000_000), Some(500_000)));
        assert_eq!(costs.told().as_deref(), Some("1.50 EUR"));
        assert_eq!(costs.known(), [Expense { currency: "EUR".into(), amount: 1.5 }]);
    }

    #[test]
    fn what_is_unknown_is_absent_and_said_to_be_missing() {
        let mut costs = Expenses::default();
        costs.add(&prices(), &call("other", Some(10), Some(10)));
        assert_eq!(costs.told(), None, "no price is known");
        costs.add(&prices(), &call("m", Some(1_000), Some(1_000)));
        costs.add(&prices(), &call("m", None, Some(10)));
        assert_eq!(costs.told().as_deref(), Some("at least 0.00252 EUR"));
        assert_eq!(costs.unknown(), 2);
        let mut costs = Expenses::default();
        costs.add(&prices(), &call("m", None, None));
        assert_eq!((costs.told(), costs.unknown()), (None, 1), "unknown tokens are not free");
    }

    #[test]
    fn the_sums_of_models_cost_what_their_calls_do() {
        let calls = [
            call("m", Some(1_000), Some(70)),
            call("m", None, Some(10)),
            call("m", None, None),
            call("other", Some(10), Some(10)),
            Call { model: None, ..call("m", Some(5), Some(5)) },
        ];
        let (mut one_by_one, mut figures) = (Expenses::default(), SummaryFigures::default());
        let of = |model: Option<ModelName>| {
            let mut sum = UsageTotals::default();
            calls.iter().filter(|call| call.model == model).for_each(|call| sum.add(&call.usage));
            sum
        };
        for model in ["m", "other", "planned"].map(ModelName::from) {
            figures.models.push(ModelUsage { usage: of(Some(model.clone())), model });
        }
        figures.other_calls = Some(of(None));
        calls.iter().for_each(|call| one_by_one.add(&prices(), call));
        let together = Expenses::of(&prices(), &figures);
        assert_eq!(together.told().as_deref(), Some("at least 0.000660 EUR"));
        assert_eq!((together.told(), together.unknown()), (one_by_one.told(), 4));
        assert_eq!(Expenses::of(&prices(), &SummaryFigures::default()), Expenses::default());
    }
}
