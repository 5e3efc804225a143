//! What editors show of a value: each has a description in the schema.

use std::fs;

use serde_json::{Value, json};

const SCHEMAS: [&str; 2] = ["helm/agon/values.schema.json", "helm/agon/charts/nats/values.schema.json"];

/// All properties below `schema`: where each is, and whether it is described.
fn properties(at: &str, schema: &Value) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        let described = property["description"].as_str().is_some_and(|text| !text.trim().is_empty());
        found.extend(properties(&at, property));
        found.push((at, described));
    }
    if schema["items"].is_object() {
        found.extend(properties(&format!("{at}[]"), &schema["items"]));
    }
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        found.extend(properties(name, definition));
    }
    found
}

#[test]
fn every_value_of_the_charts_has_a_description() {
    let mut count = 0;
    for file in SCHEMAS {
        let text = fs::read_to_string(crate::process::root().join(file)).unwrap();
        let all = properties("", &serde_json::from_str(&text).unwrap());
        let silent: Vec<&String> = all.iter().filter(|(_, described)| !described).map(|(at, _)| at).collect();
        assert_eq!(silent, Vec::<&String>::new(), "{file}: these have no description");
        count += all.len();
    }
    assert!(count > 300, "only {count} values were found");
}

#[test]
fn a_value_without_a_description_is_found_wherever_it_is() {
    let schema = json!({
        "properties": { "a": { "description": "it", "properties": { "b": {} } } },
        "$defs": { "list": { "items": { "properties": { "c": { "description": " " } } } } },
    });
    let silent: Vec<String> = properties("", &schema).into_iter().filter(|(_, d)| !d).map(|(at, _)| at).collect();
    assert_eq!(silent, [".a.b", "list[].c"]);
}
