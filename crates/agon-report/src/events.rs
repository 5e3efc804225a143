//! The event log as JSON lines.
use crate::text::is_hazard;
use crate::words::rfc3339;
use agon_core::{Answered, Event, Given, Position, Record, Timestamp};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Members whose null says something: no winner means a synthesis.
const TELLING_NULL: &str = "winner";
/// Members that are moments, in milliseconds inside and RFC 3339 outside.
const MOMENTS: [&str; 2] = ["deadline", "retry_at"];

/// The log as JSON lines, one event a line.
pub fn events_jsonl<'a>(records: impl IntoIterator<Item = &'a Record>) -> String {
    let entries =
        records.into_iter().flat_map(|record| record.entries().map(|(position, event)| (position, record.at, event)));
    let mut out = String::new();
    for (position, at, event) in entries {
        out.push_str(&json_line(&event_json(position, at, event)));
        out.push('\n');
    }
    out
}

/// One event: `{"seq": 7, "at": "2026-01-02T03:04:05.678Z", "type": "speech_recorded", ...}`.
///
/// Unknown figures are absent. A judgement or verdict without a winner says `"winner": null`, which is a synthesis.
pub fn event_json(position: Position, at: Timestamp, event: &Event) -> Value {
    let mut line = Map::new();
    line.insert("seq".to_owned(), json!(position.0));
    line.insert("at".to_owned(), json!(rfc3339(at)));
    let telling = matches!(
        event,
        Event::Answered(Answered { given: Given::Judgement { .. }, .. })
            | Event::VerdictReached { verdict: Some(_), .. }
    );
    // An event is a plain data type with string keys: turning it into a value cannot fail.
    if let Ok(Value::Object(members)) = serde_json::to_value(event) {
        line.extend(members.into_iter().filter_map(|(name, value)| {
            let null = (telling && name == TELLING_NULL).then_some(Value::Null);
            member(&name, value).or(null).map(|value| (name, value))
        }));
    }
    if telling {
        line.entry(TELLING_NULL).or_insert(Value::Null);
    }
    Value::Object(line)
}

/// JSON on one line, with every character escaped that a terminal or a line reader could take for a command.
pub fn json_line(value: &Value) -> String {
    safe_json(&value.to_string())
}

/// The same for JSON that is written already; its own line feeds stay.
pub fn safe_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Such a character can only stand inside a JSON string, where an escape means the same.
        if is_hazard(c) && c != '\n' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The member without nulls, its moments spelt out; nothing when it is null itself.
fn member(name: &str, value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Number(n) if MOMENTS.contains(&name) => Some(json!(rfc3339(Timestamp(n.as_u64()?)))),
        Value::Object(members) => Some(Value::Object(
            members.into_iter().filter_map(|(name, value)| Some((name.clone(), member(&name, value)?))).collect(),
        )),
        Value::Array(items) => Some(Value::Array(items.into_iter().filter_map(|item| member("", item)).collect())),
        value @ (Value::Bool(_) | Value::Number(_) | Value::String(_)) => Some(value),
    }
}
