//! The document of a schema, and how much may still be done with it.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::flatten::flatten;

/// The most nodes of schemas that are looked at for one answer, texts and comparisons included. An answer needs some thousands.
const MOST_STEPS: u64 = 50_000;

/// So many bytes of a text, or comparisons of values, are a step.
const PIECES_PER_STEP: usize = 16;

/// The schema that references point into.
pub struct SchemaRoot<'s> {
    schema: &'s Value,
    steps: Cell<u64>,
}

impl<'s> SchemaRoot<'s> {
    /// A document that nothing was done with.
    pub fn new(schema: &'s Value) -> Self {
        Self { schema, steps: Cell::new(MOST_STEPS) }
    }

    /// The keywords of `schema`, references and conjunctions merged in; none once the steps are spent.
    pub fn flatten(&self, schema: &Value) -> Map<String, Value> {
        self.spend(nodes(schema));
        if self.is_spent() { Map::new() } else { flatten(self.schema, schema) }
    }

    /// Takes as many steps for bytes that are made or values that are compared as they are worth.
    pub fn charge(&self, pieces: usize) {
        self.spend(u64::try_from(pieces / PIECES_PER_STEP).unwrap_or(u64::MAX));
    }

    fn spend(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_sub(steps));
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
