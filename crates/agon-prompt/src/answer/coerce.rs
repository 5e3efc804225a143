//! Values that are not among the allowed ones and clearly mean one of them.
//!
//! Only what leaves no doubt is read as something else: letter case, white space, quotation marks, Markdown and punctuation
//! around a value, a lead-in such as `Option` or `my choice is`, and numbers and truth values that are written as text.
//! Nothing is guessed from similar letters or from a part of a value, because `not close it` is close to `close it`.
use agon_core::Coercion;
use agon_core::tally::same_answer;
use serde_json::{Map, Value};

/// Nouns that may stand before a value, in the answer or in the list.
const NOUNS: [&str; 9] =
    ["option", "answer", "choice", "candidate", "position", "stance", "speaker", "team", "proposal"];
/// What may lead to a value.
const LEAD_INS: [&str; 9] = [
    "i vote for",
    "i choose",
    "my vote is",
    "my answer is",
    "my choice is",
    "the answer is",
    "the winner is",
    "vote for",
    "winner",
];

/// Reads the members of an object as their schema allows, and returns what was changed.
pub(super) fn fit(schema: &Value, object: &mut Map<String, Value>) -> Vec<Coercion> {
    let mut coerced = Vec::new();
    members(schema, object, "", &mut coerced);
    coerced
}

fn members(schema: &Value, object: &mut Map<String, Value>, at: &str, coerced: &mut Vec<Coercion>) {
    for (name, member) in object {
        if let Some(schema) = schema.get("properties").and_then(|known| known.get(name)) {
            let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            value(schema, member, at, coerced);
        }
    }
}

fn value(schema: &Value, value: &mut Value, at: String, coerced: &mut Vec<Coercion>) {
    match value {
        Value::Object(object) => members(schema, object, &at, coerced),
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (number, item) in items.iter_mut().enumerate() {
                self::value(schema, item, format!("{at}.{number}"), coerced);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            if let Some(meant) = meant(schema, value) {
                coerced.push(Coercion { field: at, from: value.to_string(), to: meant.to_string() });
                *value = meant;
            }
        }
    }
}

/// The one allowed value that this clearly means; nothing where it is allowed as it is, or where there is a doubt.
fn meant(schema: &Value, value: &Value) -> Option<Value> {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return if allowed.contains(value) { None } else { one_of(allowed, value) };
    }
    let text = value.as_str()?;
    match schema.get("type").and_then(Value::as_str)? {
        "integer" => whole_number(text, schema.get("maximum").and_then(Value::as_u64)).map(Value::from),
        "boolean" => truth(text).map(Value::Bool),
        _ => None,
    }
}

fn one_of(allowed: &[Value], value: &Value) -> Option<Value> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let as_text = |known: &Value| match known {
        Value::String(known) => known.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => known.to_string(),
    };
    let only = |same: &dyn Fn(&str) -> bool| {
        let mut found = allowed.iter().filter(|known| same(&as_text(known)));
        found.next().filter(|_| found.next().is_none()).cloned()
    };
    let plain = bare(&text);
    let short = without_noun(without_lead_in(plain));
    only(&|known| same_answer(bare(known), plain))
        .or_else(|| only(&|known| same_answer(without_noun(bare(known)), short)))
}

/// The text without the quotation marks, brackets, Markdown and punctuation around it.
fn bare(text: &str) -> &str {
    let around = |c: char| c.is_whitespace() || "\"'`*_“”‘’«».,;:!()[]{}<>#".contains(c);
    let bare = text.trim_matches(around);
    if bare.is_empty() { text.trim() } else { bare }
}

fn without_lead_in(text: &str) -> &str {
    LEAD_INS.iter().find_map(|lead_in| after(text, lead_in)).unwrap_or(text)
}

fn without_noun(text: &str) -> &str {
    NOUNS.iter().find_map(|noun| after(text, noun)).unwrap_or(text)
}

/// What follows after these words, where something does.
fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(words.len())?;
    let follows = head.eq_ignore_ascii_case(words) && rest.starts_with([' ', ':', '\t', '\n']);
    let rest = bare(rest);
    (follows && rest.contains(char::is_alphanumeric)).then_some(rest)
}

/// `7`, `7.0`, `7/10` and `7 of 10` where 10 is the most.
fn whole_number(text: &str, most: Option<u64>) -> Option<u64> {
    let text = bare(text);
    let (number, of) =
        match text.split_once('/').or_else(|| text.split_once(" out of ")).or_else(|| text.split_once(" of ")) {
            Some((number, of)) => (number.trim(), Some(of.trim().parse::<u64>().ok()?)),
            None => (text, None),
        };
    let whole = number
        .split_once('.')
        .map_or(number, |(whole, zeros)| if zeros.bytes().all(|c| c == b'0') { whole } else { number });
    let number = whole.parse::<u64>().ok()?;
    (of.is_none() || of == most).then_some(number)
}

fn truth(text: &str) -> Option<bool> {
    match bare(text).to_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(allowed: &[&str], text: &str) -> Option<String> {
        meant(&json!({"type": "string", "enum": allowed}), &json!(text)).map(|meant| meant.as_str().unwrap().to_owned())
    }

    #[test]
    fn a_value_in_other_clothes_is_the_one_that_it_means() {
        let allowed = ["option A", "option B"];
        for text in
            ["Option A.", "\"option a\"", "**Option A**", "A", "my choice is A", "I vote for option A!", "Option: A"]
        {
            assert_eq!(of(&allowed, text).as_deref(), Some("option A"), "{text}");
        }
        assert_eq!(of(&["Speaker A", "Speaker B"], "b").as_deref(), Some("Speaker B"));
        assert_eq!(of(&["For", "Against"], "Answer: against").as_deref(), Some("Against"));
    }

    #[test]
    fn a_value_that_is_allowed_as_it_is_is_not_touched() {
        assert_eq!(of(&["option A", "Option A."], "Option A."), None);
    }

    #[test]
    fn where_there_is_a_doubt_nothing_is_guessed() {
        let allowed = ["Close it", "Keep it open"];
        for text in ["not close it", "Don't close it", "Close", "Close it or keep it open", "Clos it", "both", ""] {
            assert_eq!(of(&allowed, text), None, "{text}");
        }
        assert_eq!(of(&["option A", "choice A"], "A"), None);
        assert_eq!(of(&["a!", "A."], "\"a\""), None);
        assert_eq!(of(&["Option", "Choice"], "option choice"), Some("Choice".to_owned()));
    }

    #[test]
    fn numbers_and_truth_values_may_be_written_as_text() {
        let level = json!({"type": "integer", "minimum": 0, "maximum": 10});
        let read = |text: &str| meant(&level, &json!(text));
        assert_eq!(
            ["7", " 7.0 ", "7/10", "7 of 10", "7 out of 10."].map(read),
            [const { Some(7) }; 5].map(|n| n.map(Value::from))
        );
        assert_eq!(["7/5", "seven", "7.5", "-1", ""].map(read), [const { None }; 5]);
        let truth = json!({"type": "boolean"});
        assert_eq!(meant(&truth, &json!("Yes.")), Some(json!(true)));
        assert_eq!(meant(&truth, &json!("perhaps")), None);
        assert_eq!(meant(&json!({"type": "integer", "enum": [1, 2]}), &json!("2")), Some(json!(2)));
    }

    #[test]
    fn every_change_names_its_place() {
        let item = json!({"type": "object", "properties": {"candidate": {"type": "string", "enum": ["Ada", "Ben"]}}});
        let schema = json!({"type": "object", "properties": {"ranking": {"type": "array", "items": item}}});
        let mut object = json!({"ranking": [{"candidate": "Ben"}, {"candidate": "ADA"}], "other": "x"});
        let coerced = fit(&schema, object.as_object_mut().unwrap());
        let wanted = Coercion { field: "ranking.1.candidate".into(), from: "\"ADA\"".into(), to: "\"Ada\"".into() };
        assert_eq!(coerced, [wanted]);
        assert_eq!(object["ranking"][1]["candidate"], "Ada");
    }
}
