use super::*;
use proptest::prelude::*;
use serde_json::json;

fn compile(schema: &Value) -> Result<Schema, SchemaError> {
    Schema::compile(schema, MAX_NODES)
}

fn check(schema: &Value) -> Result<u64, SchemaError> {
    super::check(schema, MAX_NODES)
}

fn why(schema: &Value) -> SchemaRefusal {
    compile(schema).unwrap_err().why
}

/// `allOf` twice over, so many times.
fn doubled(keyword: &str, times: usize) -> Value {
    let level = |n: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        (format!("d{n}"), json!({keyword: [next, next]}))
    };
    let mut definitions: serde_json::Map<String, Value> = (0..times).map(level).collect();
    definitions.insert(format!("d{times}"), json!({"type": "string"}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn references_are_counted_as_often_as_they_are_used() {
    for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
        assert_eq!(why(&doubled(keyword, 18)), SchemaRefusal::TooLarge(MAX_NODES), "{keyword}");
        assert_eq!(why(&doubled(keyword, 31)), SchemaRefusal::TooDeep, "{keyword}");
        assert!(compile(&doubled(keyword, 8)).is_ok(), "{keyword}");
    }
}

#[test]
fn definitions_cost_only_where_they_are_used() {
    let definitions: serde_json::Map<String, Value> =
        (0..4_000).map(|n| (format!("d{n}"), json!({"type": "string", "minLength": n}))).collect();
    assert_eq!(check(&json!({"$ref": "#/$defs/d7", "$defs": definitions})), Ok(4));
}

#[test]
fn chains_of_references_and_deep_nesting_are_bounded() {
    let link = |n: usize| (format!("d{n}"), json!({"$ref": format!("#/$defs/d{}", n + 1)}));
    let mut chain: serde_json::Map<String, Value> = (0..4_000).map(link).collect();
    chain.insert("d4000".to_owned(), json!(true));
    assert_eq!(why(&json!({"$ref": "#/$defs/d0", "$defs": chain})), SchemaRefusal::TooDeep);
    let deep = (0..100).fold(json!({}), |inner, _| json!({"not": inner}));
    assert_eq!(why(&deep), SchemaRefusal::TooDeep);
    // What a reference leads to is as deep where it is known already.
    let half = (0..40).fold(json!({}), |inner, _| json!({"not": inner}));
    let nested = (0..40).fold(json!({"$ref": "#/$defs/half"}), |inner, _| json!({"not": inner}));
    let schema = json!({"allOf": [{"$ref": "#/$defs/half"}, nested], "$defs": {"half": half}});
    assert_eq!(why(&schema), SchemaRefusal::TooDeep);
}

#[test]
fn references_back_and_elsewhere_are_refused_with_their_place() {
    let tree = json!({"properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}});
    let error = compile(&tree).unwrap_err();
    assert_eq!((error.at.as_str(), error.why), ("/properties/next/anyOf/0", SchemaRefusal::Recursive));
    for reference in ["http://127.0.0.1:9/schema", "file:///etc/passwd", "other.json#/a", "#name"] {
        assert!(matches!(why(&json!({"items": {"$ref": reference}})), SchemaRefusal::Foreign(_)), "{reference}");
    }
    assert!(matches!(why(&json!({"$ref": "#/$defs/none"})), SchemaRefusal::Nowhere(_)));
    let spaced = json!({"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": {"type": "string"}}});
    assert_eq!(compile(&spaced).unwrap().problems(&json!(1), 9).len(), 1);
}

#[test]
fn keywords_that_rename_places_are_refused_and_properties_of_those_names_are_not() {
    for schema in [
        json!({"items": {"$id": "http://a/", "$ref": "#/x"}}),
        json!({"$anchor": "a"}),
        json!({"$dynamicRef": "#a"}),
        json!({"$recursiveRef": "#"}),
        json!({"$recursiveAnchor": true}),
        json!({"$defs": {"a": {"$dynamicAnchor": "a"}}}),
    ] {
        assert!(matches!(why(&schema), SchemaRefusal::Keyword(_)), "{schema}");
    }
    let named = json!({"$id": "https://a.example/s", "properties": {
        "$ref": {"type": "string"}, "id": {"type": "integer"}, "enum": {"const": 1}, "pattern": {"type": "string"}
    }, "enum": [{"$ref": "https://a.example/"}], "default": {"id": "a"}});
    assert!(compile(&named).is_ok());
}

#[test]
fn patterns_are_short_few_and_linear() {
    assert_eq!(why(&json!({"pattern": "a".repeat(501)})), SchemaRefusal::Pattern(501));
    assert_eq!(why(&json!({"patternProperties": {"a".repeat(501): {}}})), SchemaRefusal::Pattern(501));
    assert_eq!(why(&json!({"pattern": "(((a{99}){99}){99}){99}"})), SchemaRefusal::Regex(RegexFault::TooLarge));
    let said = |pattern: &str| why(&json!({"properties": {"a": {"pattern": pattern}}})).to_string();
    assert!(said("^(a)\\1$").contains("backreferences are not supported"), "{}", said("^(a)\\1$"));
    assert!(said("^(?!a)b$").contains("look-around"), "{}", said("^(?!a)b$"));
    assert!(said("^(a$").contains("unclosed group"), "{}", said("^(a$"));
    let by_name = why(&json!({"patternProperties": {"(?=a)": {}}})).to_string();
    assert!(by_name.contains("look-around"), "{by_name}");
    let many: Vec<Value> = (0..200).map(|n| json!({"pattern": format!("a{n}")})).collect();
    assert_eq!(why(&json!({"anyOf": many})), SchemaRefusal::TooLarge(MAX_NODES));
    let slow = compile(&json!({"pattern": "^(a+)+$"})).unwrap();
    assert_eq!(slow.problems(&json!(format!("{}!", "a".repeat(50_000))), 9).len(), 1);
}

#[test]
fn long_enumerations_are_counted() {
    let numbers: Vec<u32> = (0..6_000).collect();
    assert_eq!(why(&json!({"enum": numbers})), SchemaRefusal::TooLarge(MAX_NODES));
    assert!(compile(&json!({"enum": numbers.get(..4_000)})).is_ok());
}

#[test]
fn values_that_would_take_too_many_checks_are_refused_unchecked() {
    let branches: Vec<Value> = (0..2_000).map(|n| json!({"const": n})).collect();
    let schema = compile(&json!({"items": {"anyOf": branches}})).unwrap();
    let list = |length: usize| Value::from(vec![json!("x"); length]);
    assert!(schema.problems(&list(100_000), 9)[0].message.contains("at most"));
    assert_eq!(schema.problems(&list(1_000), 9).len(), 1);
    assert_eq!(schema.problems(&list(20), 9).len(), 9);
}

#[test]
fn huge_numbers_in_a_schema_cost_nothing() {
    let schema = json!({"type": "array", "minItems": 1e18, "items": {"minLength": 1e18, "multipleOf": 1e-300}});
    assert_eq!(compile(&schema).unwrap().problems(&json!(["a", 1e300]), 9).len(), 2);
}

fn any_schema() -> impl Strategy<Value = Value> {
    let reference = (0..6_usize).prop_map(|n| json!({"$ref": format!("#/$defs/d{n}")}));
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!(true)),
        Just(json!({"pattern": "^a+$"})),
        Just(json!({"enum": [1, "a", null]})),
        reference,
    ];
    let schema = leaf.prop_recursive(4, 30, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        let keyword = prop::sample::select(vec!["allOf", "anyOf", "oneOf", "prefixItems"]);
        prop_oneof![
            (keyword, list).prop_map(|(keyword, list)| json!({keyword: list})),
            inner.clone().prop_map(|inner| json!({"properties": {"a": inner}})),
            inner.clone().prop_map(|inner| json!({"items": inner})),
            inner.prop_map(|inner| json!({"not": inner})),
        ]
    });
    (schema.clone(), prop::collection::vec(schema, 6)).prop_map(|(root, definitions)| {
        let named: serde_json::Map<String, Value> =
            definitions.into_iter().enumerate().map(|(n, schema)| (format!("d{n}"), schema)).collect();
        json!({"allOf": [root], "$defs": named})
    })
}

/// The count without a memory of what is known: a plain unfolding that gives up at the limit.
fn unfolded(root: &Value, schema: &Value, depth: usize) -> Option<u64> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut nodes = 1_u64;
    let Value::Object(keywords) = schema else { return Some(nodes) };
    for (name, value) in keywords {
        nodes += match (name.as_str(), value) {
            ("$ref", value) => {
                unfolded(root, root.pointer(value.as_str().unwrap().strip_prefix('#').unwrap()).unwrap(), depth + 1)?
            }
            ("$defs", _) => 0,
            ("pattern", _) => NODES_PER_PATTERN,
            ("enum", values) => 1 + values.as_array().unwrap().len() as u64,
            ("properties", value) => unfolded(root, &value["a"], depth + 1)?,
            (_, Value::Array(schemas)) => {
                let mut sum = 1;
                for schema in schemas {
                    sum += unfolded(root, schema, depth + 2)?;
                    if sum > MAX_NODES {
                        return None;
                    }
                }
                sum
            }
            (_, value) => unfolded(root, value, depth + 1)?,
        };
        if nodes > MAX_NODES {
            return None;
        }
    }
    Some(nodes)
}

proptest! {
    #[test]
    fn the_count_is_that_of_a_plain_unfolding(schema in any_schema()) {
        match check(&schema) {
            Ok(nodes) => prop_assert_eq!(unfolded(&schema, &schema, 1), Some(nodes)),
            Err(SchemaError { why: SchemaRefusal::Recursive | SchemaRefusal::TooLarge(_) | SchemaRefusal::TooDeep, .. }) => {}
            Err(error) => prop_assert!(false, "{error:?}"),
        }
    }
}
