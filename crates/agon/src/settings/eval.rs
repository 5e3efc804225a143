//! How evals are held, and what their tokens cost.
use agon_eval::ModelPrice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// How evals are held.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvalSettings {
    /// Cells at once; absent: 8 here, and 64 at a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<NonZeroUsize>,
    /// The model that grades what no pattern can score, where neither a flag nor the eval file names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grader_model: Option<String>,
    /// What a million tokens for a question are worth to a gate, in points of accuracy; absent: the fewest tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_price: Option<f64>,
    /// Prices by model, per million tokens.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, EvalPriceSettings>,
}

/// The price of a model, in one currency for all models.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalPriceSettings {
    /// A million prompt tokens that were not cached.
    pub prompt: f64,
    /// A million cached prompt tokens; absent is `prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// A million generated tokens.
    pub generated: f64,
}

impl EvalSettings {
    /// Cells that are held at once, where so many are if the settings do not say.
    pub fn at_once(&self, otherwise: NonZeroUsize) -> NonZeroUsize {
        self.concurrency.unwrap_or(otherwise)
    }

    /// The prices as evals record them.
    pub fn model_prices(&self) -> BTreeMap<String, ModelPrice> {
        let price = |(model, price): (&String, &EvalPriceSettings)| {
            let EvalPriceSettings { prompt, cached, generated } = *price;
            (model.clone(), ModelPrice { prompt, cached, generated })
        };
        self.prices.iter().map(price).collect()
    }

    /// What is wrong, each with its key.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if let Some(price) = self.gate_price.filter(|price| !price.is_finite() || *price < 0.0) {
            problems.push(format!("gate_price: {price} is no price; give 0 or more points per million tokens"));
        }
        for (model, price) in &self.prices {
            let figures =
                [("prompt", Some(price.prompt)), ("cached", price.cached), ("generated", Some(price.generated))];
            for (key, value) in figures.into_iter().filter_map(|(key, value)| Some((key, value?))) {
                if !value.is_finite() || value < 0.0 {
                    problems.push(format!(
                        "prices.{model:?}.{key}: {value} is no price; give 0 or more per million tokens"
                    ));
                }
            }
        }
        problems
    }
}
