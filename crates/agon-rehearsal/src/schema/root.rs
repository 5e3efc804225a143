//! The document of a schema, and how much may still be done with it.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::flatten::flatten;

/// The most nodes of schemas that are looked at for one answer: some tenths of a second. An answer needs some thousands.
const MOST_STEPS: u64 = 200_000;

/// The schema that references point into.
pub struct Root<'s> {
    schema: &'s Value,
    steps: Cell<u64>,
}

impl<'s> Root<'s> {
    /// A document that nothing was done with.
    pub fn new(schema: &'s Value) -> Self {
        Self { schema, steps: Cell::new(MOST_STEPS) }
    }

    /// The keywords of `schema`, references and conjunctions merged in; none once the steps are spent.
    pub fn flatten(&self, schema: &Value) -> Map<String, Value> {
        let left = self.steps.get().saturating_sub(nodes(schema));
        self.steps.set(left);
        if left == 0 { Map::new() } else { flatten(self.schema, schema) }
    }

    /// Whether no step is left.
    pub fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }
}

fn nodes(schema: &Value) -> u64 {
    match schema {
        Value::Array(items) => items.iter().map(nodes).sum::<u64>() + 1,
        Value::Object(fields) => fields.values().map(nodes).sum::<u64>() + 1,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}
