//! YAML as the tools behind it read it: anchors, aliases and merge keys (`<<`) included.
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The documents of a stream; those that are empty are left out.
pub fn yaml(text: &str) -> Vec<Value> {
    let mut reader = ValueReader { events: Parser::new_from_str(text), anchors: BTreeMap::new() };
    let mut documents = Vec::new();
    while let Some(event) = reader.next() {
        if matches!(event, Event::DocumentStart(_)) {
            documents.extend(reader.node().filter(|node| !node.is_null()));
        }
    }
    documents
}

struct ValueReader<'a> {
    events: Parser<'a, StrInput<'a>>,
    anchors: BTreeMap<usize, Value>,
}

impl<'a> ValueReader<'a> {
    fn next(&mut self) -> Option<Event<'a>> {
        self.events.next_event().map(|event| event.unwrap().0)
    }

    /// The next node; none where a list, a mapping or the document ends instead.
    fn node(&mut self) -> Option<Value> {
        let (node, anchor) = match self.next()? {
            Event::Scalar(text, style, anchor, _) => (scalar(&text, style), anchor),
            Event::Alias(anchor) => (self.anchors[&anchor].clone(), 0),
            Event::SequenceStart(anchor, _) => (Value::Array(std::iter::from_fn(|| self.node()).collect()), anchor),
            Event::MappingStart(anchor, _) => (Value::Object(self.mapping()), anchor),
            Event::SequenceEnd | Event::MappingEnd | Event::DocumentEnd | Event::StreamEnd => return None,
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => panic!("no node begins so"),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Some(node)
    }

    fn mapping(&mut self) -> Map<String, Value> {
        let (mut own, mut merged) = (Map::new(), Map::new());
        while let Some(key) = self.node() {
            let value = self.node().expect("each key has a value");
            let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
            match (key.as_str(), value) {
                ("<<", Value::Object(others)) => merged.extend(others),
                (_, value) => assert!(own.insert(key.clone(), value).is_none(), "{key} stands there twice"),
            }
        }
        for (key, value) in merged {
            own.entry(key).or_insert(value);
        }
        own
    }
}

/// A plain scalar may be more than a text; a number is what JSON takes for one.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    match (style, text) {
        (ScalarStyle::Plain, "" | "~" | "null") => Value::Null,
        (ScalarStyle::Plain, "true" | "false") => Value::Bool(text == "true"),
        (ScalarStyle::Plain, _) => match serde_json::from_str(text) {
            Ok(Value::Number(number)) => Value::Number(number),
            Ok(_) | Err(_) => Value::String(text.to_owned()),
        },
        (_, _) => Value::String(text.to_owned()),
    }
}

#[test]
fn merge_keys_give_what_a_mapping_does_not_say_itself() {
    let text = "a: &a {x: 1, y: [2, '3']}\nb: {<<: *a, x: true}\n--- \n---\n- &c text\n- *c\n";
    let wanted = [
        serde_json::json!({"a": {"x": 1, "y": [2, "3"]}, "b": {"x": true, "y": [2, "3"]}}),
        serde_json::json!(["text", "text"]),
    ];
    assert_eq!(yaml(text), wanted);
}
