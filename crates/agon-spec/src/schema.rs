//! The JSON Schema of the debate file, made from the table of keys.
use crate::keys::{Choice, DEBATE, Fixed, Key, Shape, Table, supported};
use serde_json::{Map, Value, json};

/// The schema (draft 2020-12) of a debate file in YAML or JSON.
///
/// It accepts the shapes that [`crate::parse`] accepts. What holds between values (unique names, stances, models)
/// and inside texts (expressions, variables) is beyond it. In Markdown the topic may stand in the body.
pub fn schema() -> Value {
    let mut whole = table(&DEBATE);
    let head = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Agon debate file",
    });
    if let (Value::Object(head), Value::Object(body)) = (head, &mut whole) {
        let body = std::mem::replace(body, head);
        if let Value::Object(whole) = &mut whole {
            whole.extend(body);
        }
    }
    whole
}

fn table(table: &Table) -> Value {
    let mut properties = Map::new();
    for key in table.keys {
        for name in std::iter::once(&key.name).chain(key.aliases) {
            properties.insert((*name).to_owned(), property(key));
        }
    }
    let required: Vec<_> = table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if let Value::Object(schema) = &mut schema {
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        let pairs = exclusive(table);
        if !pairs.is_empty() {
            let never = |pair: &[&str; 2]| json!({"not": {"required": pair}});
            schema.insert("allOf".to_owned(), pairs.iter().map(never).collect());
        }
    }
    schema
}

/// Pairs of names that say the same thing.
fn exclusive(table: &Table) -> Vec<[&'static str; 2]> {
    let aliases = table.keys.iter().flat_map(|key| key.aliases.iter().map(|alias| [key.name, *alias]));
    let others = table.keys.iter().filter_map(|key| Some([key.instead_of?, key.name]));
    aliases.chain(others).collect()
}

fn property(key: &Key) -> Value {
    let mut value = shape(&key.shape);
    if let Value::Object(value) = &mut value {
        value.insert("description".to_owned(), key.meaning.into());
        if !key.default.is_empty() {
            value.insert("x-default".to_owned(), key.default.into());
        }
    }
    value
}

fn shape(of: &Shape) -> Value {
    match of {
        Shape::Text | Shape::Template | Shape::Expression => json!({"type": "string", "pattern": r"\S"}),
        Shape::Line => json!({"type": "string", "pattern": r"\S", "maxLength": 200}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Integer { min, max } => integer(*min, *max),
        Shape::Number { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
        Shape::Duration => json!({"anyOf": [
            {"type": "number", "minimum": 0.001, "maximum": crate::duration::MAX_MILLIS / 1_000.0},
            {"type": "string", "pattern": crate::duration::PATTERN},
        ]}),
        Shape::Choice(choices) => choice(choices),
        Shape::Choices { of, min } => {
            json!({"type": "array", "items": choice(of), "minItems": min, "uniqueItems": true})
        }
        Shape::Lines => json!({"type": "array", "items": shape(&Shape::Line), "uniqueItems": true}),
        Shape::Labels => json!({"type": "object", "additionalProperties": shape(&Shape::Text)}),
        Shape::List { of, min, max } => {
            json!({"type": "array", "items": table(of), "minItems": min, "maxItems": max})
        }
        Shape::Map(of) => table(of),
        Shape::Switch(of) => json!({"anyOf": [{"type": "boolean"}, table(of)]}),
        Shape::Either(shapes) => json!({"anyOf": shapes.iter().map(shape).collect::<Vec<_>>()}),
        Shape::Only(Fixed::False) => json!({"const": false}),
        Shape::Only(Fixed::One) => json!({"const": 1}),
        Shape::Only(Fixed::EmptyList) => json!({"const": []}),
    }
}

fn choice(choices: &[Choice]) -> Value {
    json!({"enum": supported(choices)})
}

fn integer(min: i128, max: i128) -> Value {
    // Every bound of the table fits one of the two.
    let bound =
        |number: i128| i64::try_from(number).map(Value::from).or_else(|_| u64::try_from(number).map(Value::from));
    json!({"type": "integer", "minimum": bound(min).unwrap_or_default(), "maximum": bound(max).unwrap_or_default()})
}
