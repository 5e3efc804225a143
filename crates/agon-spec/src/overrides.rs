//! Values from flags that stand in place of what the file says.
use crate::keys;
use crate::place::Span;
use crate::section::{CheckedValue, Field, Section};

/// Values that go before those of the file. What follows from them is checked as if the file said so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The hard cap on rounds, 1 to 100.
    pub max_rounds: Option<u32>,
    /// The model of every role, whatever the roles name for themselves.
    pub model: Option<String>,
    /// The number that every random choice derives from.
    pub seed: Option<u64>,
}

/// What a role says of its own model.
const OWN_MODEL: [&str; 4] = ["model", "endpoint", "fallback_models", "panel_models"];
const ROLES: [&str; 5] = ["moderator", "judge", "summarizer", "synthesizer", "personas"];

impl Overrides {
    pub(crate) fn apply(&self, root: &mut Section) {
        if let Some(rounds) = self.max_rounds {
            put(root, "max_rounds", CheckedValue::Integer(rounds.into()));
        }
        if let Some(seed) = self.seed {
            put(root, "seed", CheckedValue::Integer(seed.into()));
        }
        if let Some(model) = &self.model {
            put(root, "model", CheckedValue::Text(model.clone()));
            root.fields.iter_mut().for_each(forget_models);
        }
    }
}

/// Takes out what a role says of its own model, so that the general one holds.
fn forget_models(field: &mut Field) {
    if ROLES.contains(&field.key.name) {
        let forget = |section: &mut Section| section.fields.retain(|field| !OWN_MODEL.contains(&field.key.name));
        field.value.sections_mut().iter_mut().for_each(forget);
    }
}

/// The value in place of the file's own, at its place if it has one.
fn put(root: &mut Section, name: &str, value: CheckedValue) {
    if let Some(field) = root.fields.iter_mut().find(|field| field.key.name == name) {
        field.value = value;
        return;
    }
    let Some(key) = keys::DEBATE.key(name) else { return };
    let (written, path, span) = (name.to_owned(), name.to_owned(), Span::default());
    root.fields.push(Field { key, written, path, key_span: span, span, value });
}
