//! Whether a value satisfies a schema, for the keywords that [`super::fit`] understands.

use serde_json::{Map, Value};

use super::{pattern::Pattern, root::SchemaRoot};

/// Whether `value` satisfies `schema`, whose references point into `root`; true where that takes too many steps.
pub fn accepts(root: &SchemaRoot<'_>, schema: &Value, value: &Value) -> bool {
    let flat = root.flatten(schema);
    if flat.is_empty() || root.is_spent() {
        return true;
    }
    let never = flat.get("not").is_some_and(|not| not.as_object().is_some_and(Map::is_empty));
    !never
        && flat.get("const").is_none_or(|constant| same(constant, value))
        && list(&flat, "enum").is_none_or(|options| options.iter().any(|option| same(option, value)))
        && flat.get("type").is_none_or(|types| has_type(types, value))
        && list(&flat, "anyOf").is_none_or(|branches| branches.iter().any(|branch| accepts(root, branch, value)))
        && list(&flat, "oneOf").is_none_or(|branches| branches.iter().filter(|b| accepts(root, b, value)).count() == 1)
        && match value {
            Value::Object(object) => accepts_object(root, &flat, object),
            Value::Array(items) => accepts_array(root, &flat, items),
            Value::String(text) => within(&flat, "Length", text.chars().count()) && accepts_pattern(&flat, text),
            Value::Number(number) => accepts_number(&flat, number.as_f64().unwrap_or(f64::NAN)),
            Value::Null | Value::Bool(_) => true,
        }
}

fn list<'a>(flat: &'a Map<String, Value>, key: &str) -> Option<&'a Vec<Value>> {
    flat.get(key).and_then(Value::as_array)
}

/// Equality as JSON schema has it: `1` and `1.0` are the same number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn has_type(types: &Value, value: &Value) -> bool {
    match types {
        Value::Array(types) => types.iter().any(|one| has_type(one, value)),
        one => match one.as_str().unwrap_or_default() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
            _ => true,
        },
    }
}

/// Checks `min{what}` and `max{what}`.
fn within(flat: &Map<String, Value>, what: &str, size: usize) -> bool {
    let bound = |side: &str| flat.get(&format!("{side}{what}")).and_then(Value::as_f64);
    let size = size as f64;
    bound("min").is_none_or(|least| size >= least) && bound("max").is_none_or(|most| size <= most)
}

/// A pattern that is not understood forbids nothing.
fn accepts_pattern(flat: &Map<String, Value>, text: &str) -> bool {
    let pattern = flat.get("pattern").and_then(Value::as_str).and_then(Pattern::read);
    pattern.is_none_or(|pattern| pattern.matches(text))
}

fn accepts_object(root: &SchemaRoot<'_>, flat: &Map<String, Value>, object: &Map<String, Value>) -> bool {
    let properties = flat.get("properties").and_then(Value::as_object);
    let known = |name: &str| properties.and_then(|properties| properties.get(name));
    let additional = flat.get("additionalProperties");
    within(flat, "Properties", object.len())
        && list(flat, "required").into_iter().flatten().filter_map(Value::as_str).all(|name| object.contains_key(name))
        && object.iter().all(|(name, value)| match known(name).or(additional) {
            Some(schema) => accepts(root, schema, value),
            None => true,
        })
}

fn accepts_array(root: &SchemaRoot<'_>, flat: &Map<String, Value>, items: &[Value]) -> bool {
    let prefix = list(flat, "prefixItems").map(Vec::as_slice).unwrap_or_default();
    let rest = flat.get("items");
    let repeats = |at: usize, item: &Value| {
        root.charge(at);
        !root.is_spent() && items.iter().take(at).any(|other| same(other, item))
    };
    let unique = flat.get("uniqueItems") == Some(&Value::Bool(true));
    within(flat, "Items", items.len())
        && items.iter().enumerate().all(|(at, item)| {
            (!unique || !repeats(at, item)) && prefix.get(at).or(rest).is_none_or(|schema| accepts(root, schema, item))
        })
}

fn accepts_number(flat: &Map<String, Value>, number: f64) -> bool {
    let bound = |key: &str| flat.get(key).and_then(Value::as_f64);
    bound("minimum").is_none_or(|least| number >= least)
        && bound("exclusiveMinimum").is_none_or(|least| number > least)
        && bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMaximum").is_none_or(|most| number < most)
        && bound("multipleOf").is_none_or(|step| step > 0.0 && (number / step).fract() == 0.0)
}
