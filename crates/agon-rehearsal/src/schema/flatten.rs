//! One schema without references and conjunctions.

use serde_json::{Map, Value, json};

/// Most references followed in a row; a schema that refers to itself alone ends here.
const MOST_HOPS: u8 = 32;

/// The keywords of `schema` with `$ref` and `allOf` merged in; `true` has none, `false` becomes `not: {}`.
pub fn flatten(root: &Value, schema: &Value) -> Map<String, Value> {
    flatten_within(root, schema, MOST_HOPS)
}

fn flatten_within(root: &Value, schema: &Value, hops: u8) -> Map<String, Value> {
    let Value::Object(keywords) = schema else {
        let never = matches!(schema, Value::Bool(false));
        return if never { Map::from_iter([("not".to_owned(), json!({}))]) } else { Map::new() };
    };
    if hops == 0 || !(keywords.contains_key("$ref") || keywords.contains_key("allOf")) {
        return keywords.clone();
    }
    let mut flat = keywords.clone();
    let target = flat.remove("$ref").and_then(|to| to.as_str().and_then(|to| lookup(root, to)).cloned());
    let all = flat.remove("allOf");
    for part in target.iter().chain(all.as_ref().and_then(Value::as_array).into_iter().flatten()) {
        for (key, value) in flatten_within(root, part, hops - 1) {
            merge(&mut flat, key, value);
        }
    }
    flat
}

fn lookup<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    root.pointer(pointer)
}

/// Both `flat[key]` and `value` must hold afterwards.
pub fn merge(flat: &mut Map<String, Value>, key: String, value: Value) {
    let Some(held) = flat.get_mut(&key) else {
        flat.insert(key, value);
        return;
    };
    match (key.as_str(), held, value) {
        ("properties", Value::Object(held), Value::Object(more)) => {
            for (name, schema) in more {
                let both = match held.remove(&name) {
                    Some(other) => json!({ "allOf": [other, schema] }),
                    None => schema,
                };
                held.insert(name, both);
            }
        }
        ("required", Value::Array(held), Value::Array(more)) => {
            let new: Vec<Value> = more.into_iter().filter(|name| !held.contains(name)).collect();
            held.extend(new);
        }
        ("enum", Value::Array(held), Value::Array(more)) => held.retain(|option| more.contains(option)),
        ("type", held, more) => *held = common_types(held, &more),
        ("minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties", held, more) => {
            if more.as_f64() > held.as_f64() {
                *held = more;
            }
        }
        ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties", held, more) => {
            if more.as_f64() < held.as_f64() {
                *held = more;
            }
        }
        (_, held, more) => *held = more,
    }
}

fn common_types(a: &Value, b: &Value) -> Value {
    let names = |types: &Value| match types {
        Value::Array(names) => names.clone(),
        name => vec![name.clone()],
    };
    let (a, b) = (names(a), names(b));
    let narrow = |x: &Value, other: &[Value]| other.contains(x) || (x == "integer" && other.contains(&json!("number")));
    let mut common: Vec<Value> = a.iter().filter(|name| narrow(name, &b)).cloned().collect();
    common.extend(b.iter().filter(|name| narrow(name, &a) && !a.contains(name)).cloned());
    Value::Array(common)
}
