//! What calls cost, by the prices that the caller knows.
use agon_core::{Call, ModelName, SummaryFigures, UsageTotals, money};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tokens that a price is for.
const MILLION: f64 = 1_000_000.0;

/// What a model's tokens cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// A million tokens of prompts.
    pub prompt: f64,
    /// A million cached tokens of prompts; absent is `prompt`.
    pub cached: Option<f64>,
    /// A million generated tokens.
    pub generated: f64,
    /// In which currency.
    pub currency: String,
    /// Of which day and from where it is, where nobody has set it: a list price.
    pub list: Option<Arc<str>>,
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
    /// Of which day and from where the prices are, where they are list prices that nobody has set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_prices: Option<String>,
}

impl Expense {
    /// What follows an amount: `USD`, `USD (list prices of 2026-11-20, pi-ai 1.6.0)`.
    pub fn unit(currency: &str, list_prices: Option<&str>) -> String {
        list_prices.map_or_else(|| currency.to_owned(), |of| format!("{currency} (list prices of {of})"))
    }
}

/// What all calls cost, as far as that is known. Of a call that reports some of its tokens, these are paid, and the call is one of
/// unknown cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expenses {
    /// By currency and by what list prices, if any.
    by_currency: BTreeMap<(String, Option<Arc<str>>), f64>,
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
        let Some(price) = model.and_then(|model| price_of(prices, model)) else {
            self.unknown = self.unknown.saturating_add(usage.calls);
            return;
        };
        self.unknown = self.unknown.saturating_add(usage.unknown_calls);
        if usage.calls == usage.unknown_calls && usage.tokens() == 0 {
            return;
        }
        let cached = usage.cached_tokens.unwrap_or(0).min(usage.prompt_tokens);
        let (new, cached, generated) =
            ((usage.prompt_tokens - cached) as f64, cached as f64, usage.completion_tokens as f64);
        let prompts = new * price.prompt + cached * price.cached.unwrap_or(price.prompt);
        let amount = (prompts + generated * price.generated) / MILLION;
        *self.by_currency.entry((price.currency.clone(), price.list.clone())).or_default() += amount;
    }

    /// By currency; nothing where no call has a known price.
    pub fn known(&self) -> Vec<Expense> {
        let one = |((currency, list), amount): (&(String, Option<Arc<str>>), &f64)| Expense {
            currency: currency.clone(),
            amount: *amount,
            list_prices: list.as_deref().map(str::to_owned),
        };
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
        let sum = |cost: &Expense| {
            let unit = Expense::unit(&cost.currency, cost.list_prices.as_deref());
            format!("{} {unit}", money(cost.amount, at_least))
        };
        let sums: Vec<String> = self.known().iter().map(sum).collect();
        let least = if at_least { "at least " } else { "" };
        Some(format!("{least}{}", sums.join(" + ")))
    }
}

/// What a model costs. A dated name has the list price of the undated one, unless it has its own.
fn price_of<'p>(prices: &'p Prices, model: &ModelName) -> Option<&'p Price> {
    let undated = || prices.get(&ModelName::from(ModelName::undated(model.as_str())?)).filter(|one| one.list.is_some());
    prices.get(model).or_else(undated)
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
        let price = Price { prompt: 0.5, cached: None, generated: 2.0, currency: "EUR".to_owned(), list: None };
        [(ModelName::from("m"), price)].into()
    }

    #[test]
    fn tokens_are_paid_by_the_million() {
        let mut costs = Expenses::default();
        costs.add(&prices(), &call("m", Some(1_000_000), Some(500_000)));
        assert_eq!(costs.told().as_deref(), Some("1.50 EUR"));
        assert_eq!(costs.known(), [Expense { currency: "EUR".into(), amount: 1.5, list_prices: None }]);
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
    fn list_prices_are_summed_apart_named_and_hold_for_dated_names_and_cached_tokens_have_their_own() {
        let list = |cached| Price {
            prompt: 2.0,
            cached,
            generated: 8.0,
            currency: "EUR".to_owned(),
            list: Some("2026-11-20, x 1".into()),
        };
        let mut prices = prices();
        prices.extend([("a".into(), list(Some(0.5))), ("b".into(), list(None))]);
        let paid = |model: &str, cached| {
            let usage = Usage { prompt_tokens: Some(1_000_000), cached_tokens: cached, completion_tokens: Some(0) };
            let mut costs = Expenses::default();
            costs.add(&prices, &Call { model: Some(model.into()), usage, ..Call::default() });
            costs.told()
        };
        let listed = |amount: &str| Some(format!("{amount} EUR (list prices of 2026-11-20, x 1)"));
        assert_eq!(paid("a", None), listed("2.00"));
        assert_eq!(paid("a", Some(600_000)), listed("1.10"));
        assert_eq!(paid("a-2025-08-07", Some(2_000_000)), listed("0.500"));
        assert_eq!(paid("b-20250807", Some(600_000)), listed("2.00"));
        assert_eq!(paid("m", Some(600_000)).as_deref(), Some("0.500 EUR"));
        assert_eq!(paid("m-2025-08-07", None), None, "a price of the settings is for the name that it names");
        let mut costs = Expenses::default();
        ["a", "m"].iter().for_each(|model| costs.add(&prices, &call(model, Some(1_000_000), Some(0))));
        assert_eq!(costs.told().as_deref(), Some("0.500 EUR + 2.00 EUR (list prices of 2026-11-20, x 1)"));
        assert_eq!(costs.known()[1].list_prices.as_deref(), Some("2026-11-20, x 1"));
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
