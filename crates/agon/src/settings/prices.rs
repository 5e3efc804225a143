//! What the tokens of models cost.
use agon_core::ModelName;
use agon_report::{Price, Prices};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a model's tokens cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceSettings {
    /// A million tokens of prompts.
    pub prompt: f64,
    /// A million generated tokens.
    pub generated: f64,
    /// In which currency.
    pub currency: String,
}

/// The prices as the reports read them.
pub(super) fn of(prices: &BTreeMap<String, PriceSettings>) -> Prices {
    let price = |(model, price): (&String, &PriceSettings)| {
        let PriceSettings { prompt, generated, currency } = price.clone();
        (ModelName::from(model.as_str()), Price { prompt, generated, currency })
    };
    prices.iter().map(price).collect()
}

/// What is wrong with them, each with its key.
pub(super) fn problems(prices: &BTreeMap<String, PriceSettings>) -> Vec<String> {
    let mut problems = Vec::new();
    for (model, price) in prices {
        for (key, value) in [("prompt", price.prompt), ("generated", price.generated)] {
            if !value.is_finite() || value < 0.0 {
                problems
                    .push(format!("prices.{model:?}.{key}: {value} is no price; give 0 or more per million tokens"));
            }
        }
        if price.currency.trim().is_empty() {
            problems.push(format!("prices.{model:?}.currency: empty; give one such as \"EUR\""));
        }
    }
    problems
}
