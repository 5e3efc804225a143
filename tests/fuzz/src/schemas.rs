//! JSON Schemas that unfold, and values against them.
use crate::dice::{SplitMix, mutate};
use agon_schema::{MAX_NODES, Schema};
use serde_json::{Map, Value, json};

/// A schema, and a value on the next line.
pub fn make(dice: &mut SplitMix) -> Vec<u8> {
    let definitions = dice.size(40);
    let root = schema(dice, 5, definitions);
    let named: Map<String, Value> = (0..definitions).map(|n| (format!("d{n}"), schema(dice, 3, definitions))).collect();
    let whole = json!({"allOf": [root], "$defs": named}).to_string();
    let value = value(dice, 5).to_string();
    let text = if dice.once_in(4) { mutate(dice, whole.into_bytes()) } else { whole.into_bytes() };
    [text, b"\n".to_vec(), value.into_bytes()].concat()
}

fn schema(dice: &mut SplitMix, depth: usize, definitions: usize) -> Value {
    if depth == 0 || dice.once_in(3) {
        let number = dice.below(definitions);
        return match dice.below(9) {
            0 => json!({"type": dice.pick(&["string", "integer", "object", "array", "null", "boolean"])}),
            1 => {
                json!({"pattern": dice.pick(&["^(a+)+$", "(((a{99}){99}){99})", "\\p{L}{1,500}", "[a-z]*", "(?=a)", "("])})
            }
            2 => json!({"enum": vec![json!("a"); dice.size(300)]}),
            3 => json!({"minItems": 1e18, "minLength": 1e18, "multipleOf": 1e-300, "uniqueItems": true}),
            4 => json!({"const": value(dice, 3)}),
            5 => json!({"$id": "a", "$anchor": "b", "$dynamicRef": "#b"}),
            _ => json!({"$ref": format!("#/$defs/d{number}")}),
        };
    }
    let mut list =
        |most: usize| -> Value { (0..=dice.size(most)).map(|_| schema(dice, depth - 1, definitions)).collect() };
    match list(0).as_array().map_or(0, Vec::len) % 2 {
        0 => {}
        _ => {
            let many = list(6);
            let kind = dice.pick(&["allOf", "anyOf", "oneOf", "prefixItems"]);
            let inner = schema(dice, depth - 1, definitions);
            let one = dice.pick(&[
                "items",
                "not",
                "contains",
                "additionalProperties",
                "unevaluatedProperties",
                "unevaluatedItems",
                "if",
                "propertyNames",
                "then",
                "unknown",
            ]);
            return json!({kind: many, one: inner, "properties": {"a": inner}, "patternProperties": {"a|b": inner}});
        }
    }
    json!({})
}

fn value(dice: &mut SplitMix, depth: usize) -> Value {
    match dice.below(if depth == 0 { 4 } else { 6 }) {
        0 => json!(dice.any()),
        1 => json!("a".repeat(dice.size(2_000))),
        2 => Value::Null,
        3 => json!(dice.pick(&[1e308, 0.1, -0.0])),
        4 => (0..dice.size(200)).map(|_| value(dice, depth - 1)).collect(),
        _ => {
            (0..dice.size(40)).map(|n| (format!("{}{n}", dice.pick(&["a", "b", ""])), value(dice, depth - 1))).collect()
        }
    }
}

pub fn run(input: &[u8]) {
    let mut lines = input.split(|byte| *byte == b'\n');
    let mut next = || lines.next().and_then(|line| serde_json::from_slice::<Value>(line).ok());
    let Some(schema) = next() else { return };
    let value = next().unwrap_or_default();
    match Schema::compile(&schema, MAX_NODES) {
        Ok(ready) => {
            let problems = ready.problems(&value, 8);
            assert!(problems.len() <= 8, "{} problems", problems.len());
        }
        Err(error) => assert!(error.at.len() < 64 * 1024, "a place of {} bytes", error.at.len()),
    }
}
