//! What is known of a server's models before it says anything.

use std::collections::BTreeMap;
use std::sync::Arc;

use agon_core::ModelName;
use serde::Deserialize;

use crate::OptionalField;

/// What is known of a model without asking its server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WellKnownModel {
    /// How long its context is, in tokens.
    pub context: Option<u64>,
    /// How long its answers may be, in tokens.
    pub output: Option<u32>,
    /// Whether it thinks before it answers.
    pub thinks: bool,
    /// Fields of a chat that it refuses.
    pub refuses: Vec<OptionalField>,
}

/// The known models of one server, as it calls them.
#[derive(Clone, Debug, Default)]
pub struct WellKnownModels(Arc<BTreeMap<String, WellKnownModel>>);

impl WellKnownModels {
    /// What is known of a model; of one that its name dates, what is known of the undated one.
    pub(crate) fn of(&self, model: &str) -> WellKnownModel {
        let undated = || ModelName::undated(model).and_then(|name| self.0.get(name));
        self.0.get(model).or_else(undated).cloned().unwrap_or_default()
    }
}

impl FromIterator<(String, WellKnownModel)> for WellKnownModels {
    fn from_iter<I: IntoIterator<Item = (String, WellKnownModel)>>(models: I) -> Self {
        Self(Arc::new(models.into_iter().collect()))
    }
}
