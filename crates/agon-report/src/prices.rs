//! What calls cost, by the prices that the caller knows.
use agon_core::{Call, ModelName, UsageTotals};
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
    /// How much, for the calls whose price and tokens are known.
    pub amount: f64,
}

/// What all calls cost, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expenses {
    by_currency: BTreeMap<String, f64>,
    priced: u32,
    unknown: u32,
}

impl Expenses {
    /// Adds a call.
    pub(crate) fn add(&mut self, prices: &Prices, call: &Call) {
        let mut reported = UsageTotals::default();
        reported.add(&call.usage);
        if reported.calls == 0 {
            return;
        }
        let price = call.model.as_ref().and_then(|model| prices.get(model));
        let tokens = call.usage.prompt_tokens.zip(call.usage.completion_tokens);
        let Some((price, (prompt, generated))) = price.zip(tokens) else {
            self.unknown = self.unknown.saturating_add(1);
            return;
        };
        self.priced = self.priced.saturating_add(1);
        let amount = (prompt as f64 * price.prompt + generated as f64 * price.generated) / MILLION;
        *self.by_currency.entry(price.currency.clone()).or_default() += amount;
    }

    /// By currency; nothing where no call has a known price.
    pub(crate) fn known(&self) -> Vec<Expense> {
        let one = |(currency, amount): (&String, &f64)| Expense { currency: currency.clone(), amount: *amount };
        self.by_currency.iter().map(one).collect()
    }

    /// Calls whose price or tokens are unknown.
    pub(crate) fn unknown(&self) -> u32 {
        self.unknown
    }

    /// `0.042 EUR`, `at least 0.042 EUR`; nothing where nothing is known.
    pub(crate) fn told(&self) -> Option<String> {
        if self.priced == 0 {
            return None;
        }
        let sums: Vec<String> =
            self.known().iter().map(|cost| format!("{} {}", money(cost.amount), cost.currency)).collect();
        let least = if self.unknown > 0 { "at least " } else { "" };
        Some(format!("{least}{}", sums.join(" + ")))
    }
}

/// Two places after the point for sums that are worth it, more for small ones.
fn money(amount: f64) -> String {
    if amount == 0.0 || amount >= 1.0 {
        format!("{amount:.2}")
    } else {
        // three digits that count
        let places = (2.0 - amount.log10().floor()).clamp(2.0, 8.0);
        format!("{amount:.*}", places as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Usage;

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
        assert_eq!(costs.told().as_deref(), Some("at least 0.00250 EUR"));
        assert_eq!(costs.unknown(), 2);
    }
}
