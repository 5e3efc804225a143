//! Values that satisfy a JSON schema and come as near to a wished value as it allows.
//!
//! Understood: booleans as schemas, `type` (also a list), `const`, `enum`, `$ref` within the document, `allOf`, `anyOf`, `oneOf`,
//! `properties`, `required`, `additionalProperties`, `minProperties`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`,
//! `minLength`, `maxLength`, `pattern` (see [`pattern`]), the bounds of numbers and `multipleOf`. Not understood: `not`, `if`, `contains`,
//! `dependent*`.

mod accept;
mod fit;
pub mod flatten;
mod pattern;
mod root;
mod shorten;

use serde_json::{Map, Value};

pub use fit::implied_kind;
pub use shorten::shorten;

use crate::dice::KeyedDice;

/// A value for `schema`, after `wish` where that is allowed; `texts` fill strings nobody wished for.
pub fn fit(schema: &Value, wish: &Value, dice: KeyedDice, texts: Vec<String>) -> Value {
    let mut fitter = fit::Fitter::new(schema, dice, texts);
    let value = fitter.fit(schema, Some(wish), 0);
    if fitter.accepts(schema, &value) { value } else { fitter.fit(schema, None, 0) }
}

/// The strings a property may be, looked for through references, unions and list items; empty when it is free.
pub fn options(schema: &Value, property: &str) -> Vec<String> {
    options_at(schema, &[property])
}

/// The strings that the member at the end of a path of property names may be; lists on the way are entered.
pub fn options_at(schema: &Value, path: &[&str]) -> Vec<String> {
    choices_at(schema, path).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The values of any type that the member at the end of a path may be, each once.
pub fn choices_at(schema: &Value, path: &[&str]) -> Vec<Value> {
    let mut found = Vec::new();
    for member in members_at(schema, path) {
        collect(schema, &member, &mut found, 0);
    }
    found
}

/// The bounds of the number at the end of a path, if it has both.
pub fn bounds_at(schema: &Value, path: &[&str]) -> Option<(f64, f64)> {
    members_at(schema, path).iter().find_map(|member| {
        let flat = flatten::flatten(schema, member);
        let bound = |key: &str| flat.get(key).and_then(Value::as_f64);
        Some((bound("minimum")?, bound("maximum")?))
    })
}

/// The schemas that a path of property names leads to.
fn members_at(schema: &Value, path: &[&str]) -> Vec<Value> {
    let mut here = vec![schema.clone()];
    for name in path {
        let mut next = Vec::new();
        here.iter().for_each(|at| enter(schema, at, name, &mut next, 0));
        here = next;
    }
    here
}

/// Finds a property in an object, in the items of a list, or in the branches of a union.
fn enter(root: &Value, schema: &Value, name: &str, found: &mut Vec<Value>, depth: u8) {
    if depth > DEEPEST {
        return;
    }
    let flat = flatten::flatten(root, schema);
    found.extend(flat.get("properties").and_then(|properties| properties.get(name)).cloned());
    for inner in parts(&flat) {
        enter(root, inner, name, found, depth + 1);
    }
}

fn collect(root: &Value, schema: &Value, found: &mut Vec<Value>, depth: u8) {
    if depth > DEEPEST {
        return;
    }
    let flat = flatten::flatten(root, schema);
    let listed = flat.get("enum").and_then(Value::as_array).into_iter().flatten().chain(flat.get("const"));
    for option in listed {
        if !option.is_null() && !found.contains(option) {
            found.push(option.clone());
        }
    }
    for inner in parts(&flat) {
        collect(root, inner, found, depth + 1);
    }
}

/// What a schema is made of without being an object: branches and items.
fn parts(flat: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let lists = ["anyOf", "oneOf", "prefixItems"].into_iter().filter_map(|key| flat.get(key).and_then(Value::as_array));
    lists.flatten().chain(flat.get("items"))
}

/// Deepest nesting of branches and lists that is searched.
const DEEPEST: u8 = 8;

#[cfg(test)]
pub mod tests;
