//! What the tokens of models cost.
use super::hosts::HostSettings;
use super::providers::{Provider, has_prefix};
use super::service_models::list_prices;
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
    /// A million cached prompt tokens; absent is `prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// A million generated tokens.
    pub generated: f64,
    /// In which currency.
    pub currency: String,
}

/// The prices as the reports read them: list prices of services where the settings have none, and no other server.
pub(super) fn of(prices: &BTreeMap<String, PriceSettings>, hosts: &[HostSettings]) -> Prices {
    let elsewhere = |model: &ModelName| {
        let mut claiming = hosts.iter().filter(|host| Provider::at(&host.url).is_none());
        claiming.any(|host| host.prefix.as_deref().is_some_and(|prefix| has_prefix(model.as_str(), prefix)))
    };
    let price = |(model, price): (&String, &PriceSettings)| {
        let PriceSettings { prompt, cached, generated, currency } = price.clone();
        (ModelName::from(model.as_str()), Price { prompt, cached, generated, currency, list: None })
    };
    list_prices().filter(|(model, _)| !elsewhere(model)).chain(prices.iter().map(price)).collect()
}

/// What is wrong with them, each with its key.
pub(super) fn problems(prices: &BTreeMap<String, PriceSettings>) -> Vec<String> {
    let mut problems = Vec::new();
    for (model, price) in prices {
        let figures = [("prompt", Some(price.prompt)), ("cached", price.cached), ("generated", Some(price.generated))];
        for (key, value) in figures.into_iter().filter_map(|(key, value)| Some((key, value?))) {
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
