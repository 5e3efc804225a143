//! Values that satisfy a JSON schema and come as near to a wished value as it allows.
//!
//! Understood: booleans as schemas, `type` (also a list), `const`, `enum`, `$ref` within the document, `allOf`, `anyOf`, `oneOf`,
//! `properties`, `required`, `additionalProperties`, `minProperties`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`,
//! `minLength`, `maxLength`, the bounds of numbers and `multipleOf`. Not understood: `pattern`, `not`, `if`, `contains`, `dependent*`.

mod accept;
mod fit;
mod flatten;

use serde_json::Value;

use crate::dice::Dice;

/// A value for `schema`, after `wish` where that is allowed; `texts` fill strings nobody wished for.
pub fn fit(schema: &Value, wish: &Value, dice: Dice, texts: Vec<String>) -> Value {
    let mut fitter = fit::Fitter::new(schema, dice, texts);
    let value = fitter.fit(schema, Some(wish), 0);
    if accept::accepts(schema, schema, &value) { value } else { fitter.fit(schema, None, 0) }
}

/// The strings a property may be, looked for through references, unions and list items; empty when it is free.
pub fn options(schema: &Value, property: &str) -> Vec<String> {
    let mut found = Vec::new();
    let object = flatten::flatten(schema, schema);
    if let Some(property) = object.get("properties").and_then(|properties| properties.get(property)) {
        collect(schema, property, &mut found, 0);
    }
    found
}

fn collect(root: &Value, schema: &Value, found: &mut Vec<String>, depth: u8) {
    if depth > 8 {
        return;
    }
    let flat = flatten::flatten(root, schema);
    let listed = flat.get("enum").and_then(Value::as_array).into_iter().flatten().chain(flat.get("const"));
    found.extend(listed.filter_map(Value::as_str).map(str::to_owned));
    for union in ["anyOf", "oneOf"] {
        for branch in flat.get(union).and_then(Value::as_array).into_iter().flatten() {
            collect(root, branch, found, depth + 1);
        }
    }
    if let Some(items) = flat.get("items") {
        collect(root, items, found, depth + 1);
    }
}

#[cfg(test)]
mod tests;
