use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn fitted(schema: &Value, wish: &Value) -> Value {
    fit(schema, wish, KeyedDice::new(3, &["test"]), vec!["A sentence about the matter.".into(), "Another.".into()])
}

/// The judge of these tests is the `jsonschema` crate, not our own check.
fn is_valid(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::new(schema).unwrap().is_valid(value)
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..20_u32, 0..30_u32)
            .prop_map(|(least, more)| json!({ "type": "string", "minLength": least, "maxLength": least + more })),
        (-50..50_i64, 0..40_i64)
            .prop_map(|(least, more)| json!({ "type": "integer", "minimum": least, "maximum": least + more })),
        (-50..50_i64, 2..40_i64).prop_map(
            |(least, more)| json!({ "type": "integer", "exclusiveMinimum": least, "exclusiveMaximum": least + more })
        ),
        (-50..50_i64, 2..9_i64)
            .prop_map(|(least, step)| json!({ "type": "integer", "minimum": least, "multipleOf": step })),
        (-5.0..5.0_f64, 0.5..4.0_f64)
            .prop_map(|(least, more)| json!({ "type": "number", "minimum": least, "exclusiveMaximum": least + more })),
        prop_oneof![
            Just("^[A-Z]{2}-[0-9]{3}$"),
            Just(r"^\d{4}-\d{2}$"),
            Just("^(draft|final|withdrawn)$"),
            Just("^[a-z][a-z0-9_]*$"),
            Just("[0-9]+ percent"),
        ]
        .prop_map(|pattern| json!({ "type": "string", "pattern": pattern, "maxLength": 60 })),
        (0..5_u32, 1..9_u32).prop_map(|(least, step)| {
            json!({ "type": "number", "minimum": least, "maximum": least + 30, "multipleOf": f64::from(step) / 4.0 })
        }),
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": "null" })),
        Just(json!({ "type": ["string", "null"] })),
        Just(json!({ "type": ["null", "integer"], "maximum": 3 })),
        Just(json!({ "$ref": "#/$defs/tree" })),
        Just(json!({ "$ref": "#/$defs/name" })),
        Just(json!({})),
        Just(json!(true)),
        prop::collection::vec("[a-z]{1,6}", 1..4).prop_map(|names| json!({ "type": "string", "enum": names })),
        prop::collection::vec(-3..3_i32, 1..4).prop_map(|numbers| json!({ "enum": numbers })),
        any::<i32>().prop_map(|number| json!({ "const": number })),
    ]
}

fn object(properties: Vec<(String, Value, bool)>, closed: bool) -> Value {
    let required: Vec<&String> = properties.iter().filter(|(_, _, must)| *must).map(|(name, _, _)| name).collect();
    let required = json!(required);
    let properties: Map<String, Value> =
        properties.iter().map(|(name, schema, _)| (name.clone(), schema.clone())).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "required": required });
    if closed {
        schema["additionalProperties"] = json!(false);
    }
    schema
}

pub fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let property = ("[a-d]", inner.clone(), any::<bool>());
        prop_oneof![
            (prop::collection::vec(property, 0..4), any::<bool>()).prop_map(|(mut properties, closed)| {
                properties.sort_by(|a, b| a.0.cmp(&b.0));
                properties.dedup_by(|a, b| a.0 == b.0);
                object(properties, closed)
            }),
            (inner.clone(), 0..3_u32, 0..3_u32)
                .prop_map(|(items, least, more)| json!({ "type": "array", "items": items, "minItems": least, "maxItems": least + more })),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|branches| json!({ "anyOf": branches })),
            inner.clone().prop_map(|branch| json!({ "anyOf": [branch, { "type": "null" }] })),
            inner.clone().prop_map(|item| json!({ "oneOf": [
                { "type": "array", "items": item, "minItems": 1 }, { "type": "string" }, { "type": "integer" }, { "type": "null" }
            ] })),
            inner.clone().prop_map(|a| json!({ "allOf": [a, { "description": "no matter" }] })),
            (inner.clone(), inner).prop_map(|(a, b)| json!({ "type": "array", "prefixItems": [a, b], "minItems": 2, "items": false })),
        ]
    })
}

pub fn with_defs(mut schema: Value) -> Value {
    if !schema.is_object() {
        schema = json!({ "allOf": [schema] });
    }
    schema["$defs"] = json!({
        "name": { "type": "string", "minLength": 3 },
        "tree": {
            "type": "object",
            "properties": {
                "name": { "$ref": "#/$defs/name" },
                "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } },
                "next": { "anyOf": [{ "$ref": "#/$defs/tree" }, { "type": "null" }] },
            },
            "required": ["name", "next"],
            "additionalProperties": false,
        },
    });
    schema
}

fn wish() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(Value::Null),
        Just(json!({ "a": "text", "b": [1, 2, 3], "c": null, "d": { "a": 7 } })),
        Just(json!(["x", 5, null])),
        Just(json!("a wish")),
        Just(json!(4)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn whatever_schema_is_given_the_answer_is_valid(schema in schema().prop_map(with_defs), wish in wish()) {
        let value = fitted(&schema, &wish);
        prop_assert!(is_valid(&schema, &value), "{schema:#}\n{value:#}");
    }
}

#[test]
fn a_wish_that_the_schema_allows_is_granted() {
    let schema = json!({
        "type": "object",
        "properties": {
            "choice": { "enum": ["Keep it", "Leave it"] },
            "winner": { "anyOf": [{ "enum": ["Keep it", "Leave it"] }, { "type": "null" }] },
            "reasons": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3 },
        },
        "required": ["choice", "winner", "reasons"],
    });
    let wish = json!({ "choice": "leave it", "winner": null, "reasons": ["one", "two"] });
    assert_eq!(fitted(&schema, &wish), json!({ "choice": "Leave it", "winner": null, "reasons": ["one", "two"] }));
}

#[test]
fn a_wish_that_the_schema_forbids_is_bent_until_it_fits() {
    let schema = json!({
        "type": "object",
        "properties": {
            "short": { "type": "string", "maxLength": 5 },
            "few": { "type": "array", "items": { "type": "string" }, "maxItems": 1 },
            "unique": { "type": "array", "items": { "enum": ["a", "b", "c"] }, "minItems": 3, "uniqueItems": true },
        },
        "required": ["short", "few", "unique", "unheard_of"],
    });
    let value = fitted(&schema, &json!({ "short": "much too long", "few": ["x", "y"], "unique": ["a", "a", "a"] }));
    assert!(is_valid(&schema, &value), "{value}");
    assert_eq!((&value["short"], &value["few"]), (&json!("much "), &json!(["x"])));
}

#[test]
fn overlapping_branches_of_a_one_of_are_told_apart() {
    let schema = json!({ "oneOf": [{ "type": "integer" }, { "type": "number" }] });
    assert!(is_valid(&schema, &fitted(&schema, &json!(3))));
}

#[test]
fn options_are_found_through_references_unions_and_lists() {
    let schema = json!({
        "type": "object",
        "properties": {
            "winner": { "anyOf": [{ "$ref": "#/$defs/stance" }, { "type": "null" }] },
            "next_speakers": { "type": "array", "items": { "enum": ["Ada", "Ben"] } },
            "free": { "type": "string" },
        },
        "$defs": { "stance": { "enum": ["for", "against"] } },
    });
    assert_eq!(options(&schema, "winner"), ["for", "against"]);
    assert_eq!(options(&schema, "next_speakers"), ["Ada", "Ben"]);
    assert!(options(&schema, "free").is_empty() && options(&schema, "absent").is_empty());
}

#[test]
fn a_schema_that_asks_for_more_than_an_answer_can_be_is_given_up() {
    let nested = (0..24).fold(json!({ "const": 1, "type": "string" }), |inner, _| json!({ "anyOf": [inner] }));
    let wide = (0..12).fold(json!({ "minLength": 9, "maxLength": 3 }), |inner, _| json!({ "oneOf": [inner, inner] }));
    let endless = json!({ "type": "array", "minItems": 1e18, "items": { "type": "array", "minItems": 1e18 } });
    let filled = json!({ "type": "object", "minProperties": 1e18 });
    let texts = json!({ "type": "array", "minItems": 1000, "items": { "type": "string", "minLength": 100_000 } });
    let many = json!({ "type": "array", "minItems": 1e9, "items": { "type": "array", "minItems": 1e6, "items": { "type": "string" } } });
    let unlike = json!({ "type": "array", "minItems": 100_000, "uniqueItems": true, "items": { "type": "integer" } });
    for schema in [nested, wide, endless, filled, texts, many, unlike] {
        let value = fitted(&schema, &json!({}));
        assert!(value.to_string().len() < 20_000_000, "{schema}");
        shorten(&schema, value, |value| value.to_string().len() < 100);
    }
}
