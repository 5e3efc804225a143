//! Values from flags that stand in place of what the file says.
use crate::keys::{self, KeyTable};
use crate::place::Span;
use crate::section::{CheckedValue, Field, Section};
use agon_core::DebateWhen;
use agon_core::gate::GateRule;

/// Values that go before those of the file. What follows from them is checked as if the file said so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// The hard cap on rounds, 1 to 100.
    pub max_rounds: Option<u32>,
    /// The model of every role, whatever the roles name for themselves.
    pub model: Option<String>,
    /// The number that every random choice derives from.
    pub seed: Option<u64>,
    /// The gate.
    pub gate: Option<GateOverride>,
}

/// What stands in place of the file's gate.
#[derive(Clone, Debug, PartialEq)]
pub enum GateOverride {
    /// This rule decides whether the debate is held.
    Rule(Box<GateRule>),
    /// The debate is held whatever its first ballots say.
    Off,
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
        match &self.gate {
            Some(GateOverride::Rule(rule)) => gate(root, rule),
            Some(GateOverride::Off) => {
                root.fields.retain(|field| field.key.name != "gate");
                put(root, "debate", CheckedValue::Choice(DebateWhen::Always.as_str()));
            }
            None => {}
        }
        if let Some(model) = &self.model {
            put(root, "model", CheckedValue::Text(model.clone()));
            root.fields.iter_mut().for_each(forget_models);
        }
    }
}

/// The rule in place of the file's own; what the file says besides of its gate holds.
fn gate(root: &mut Section, rule: &GateRule) {
    put(root, "debate", CheckedValue::Choice(DebateWhen::IfContested.as_str()));
    let Ok(rule) = serde_json::to_value(rule) else { return };
    if !root.fields.iter().any(|field| field.key.name == "gate") {
        put(root, "gate", CheckedValue::Section(Section { path: "gate".to_owned(), ..Section::default() }));
    }
    let written = root.fields.iter_mut().find(|field| field.key.name == "gate");
    let sections = written.map(|field| field.value.sections_mut()).unwrap_or_default();
    for section in sections {
        put_into(&keys::GATE, section, "rule", CheckedValue::Data(rule.clone()));
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
    put_into(&keys::DEBATE, root, name, value);
}

fn put_into(table: &KeyTable, section: &mut Section, name: &str, value: CheckedValue) {
    if let Some(field) = section.fields.iter_mut().find(|field| field.key.name == name) {
        field.value = value;
        return;
    }
    let Some(key) = table.key(name) else { return };
    let (written, path, span) = (name.to_owned(), section.path_of(name), Span::default());
    section.fields.push(Field { key, written, path, key_span: span, span, value });
}
