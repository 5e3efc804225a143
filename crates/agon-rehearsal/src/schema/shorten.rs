//! Shorter texts in an answer that has become too long for the tokens it may have.

use serde_json::Value;

use super::{accept::accepts, root::SchemaRoot};

/// So often an answer is measured between two cuts; one of few texts after each text.
const MEASURES: usize = 16;

/// The longest texts that are left, in characters, from the mildest cut to the last.
const CUTS: [usize; 5] = [160, 80, 40, 20, 10];

/// Shortens free texts until `fits` holds or nothing is left to shorten; what the schema does not allow to be cut stays whole.
pub fn shorten(schema: &Value, mut value: Value, fits: impl Fn(&Value) -> bool) -> Value {
    let root = SchemaRoot::new(schema);
    for longest in CUTS {
        let mut paths = Vec::new();
        texts(&value, &mut String::new(), &mut paths, longest);
        let step = paths.len().div_ceil(MEASURES).max(1);
        for (at, path) in paths.into_iter().enumerate() {
            if at % step == 0 && fits(&value) {
                return value;
            }
            cut((&root, schema), &mut value, &path, longest);
        }
    }
    value
}

/// The pointers of all texts longer than `longest`, the last first: what comes first matters most.
fn texts(value: &Value, at: &mut String, paths: &mut Vec<String>, longest: usize) {
    let mut enter = |key: &str, inner: &Value| {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        texts(inner, at, paths, longest);
        at.truncate(length);
    };
    match value {
        Value::Array(items) => {
            items.iter().enumerate().rev().for_each(|(index, item)| enter(&index.to_string(), item));
        }
        Value::Object(members) => members.iter().rev().for_each(|(name, member)| enter(name, member)),
        Value::String(text) if text.chars().count() > longest => paths.push(at.clone()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn cut((root, schema): (&SchemaRoot<'_>, &Value), value: &mut Value, path: &str, longest: usize) {
    let Some(place) = value.pointer_mut(path) else { return };
    let whole = place.take();
    let kept: String = whole.as_str().unwrap_or_default().chars().take(longest).collect();
    // at a word's end, so that a quotation stays one
    let short = kept.rsplit_once(char::is_whitespace).map_or(kept.as_str(), |(before, _)| before).trim_end().to_owned();
    *place = Value::String(if short.is_empty() { kept } else { short });
    if !accepts(root, schema, value)
        && let Some(place) = value.pointer_mut(path)
    {
        *place = whole;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn free_texts_are_cut_at_words_and_names_are_kept() {
        let schema = json!({ "type": "object", "properties": {
            "name": { "enum": ["a name that is rather long for a name"] },
            "texts": { "type": "array", "items": { "type": "string", "minLength": 6 } } } });
        let text = "many words that say little and take their time over it";
        let value = json!({ "name": "a name that is rather long for a name", "texts": [text, text, text] });
        let short = shorten(&schema, value.clone(), |value| value.to_string().len() < 160);
        assert!(short.to_string().len() < 160 && short["name"] == value["name"], "{short}");
        let words = |at: usize| short["texts"][at].as_str().unwrap().to_owned();
        assert!(
            text.starts_with(&words(0)) && text.starts_with(&words(2)) && words(0).len() >= words(2).len(),
            "{short}"
        );
        assert_eq!(shorten(&schema, value.clone(), |_| true), value);
    }
}
