//! The reference says what the code does.
use crate::shown::minutes;
use crate::{formats, scenes};
use agon_report::{DebateResult, events_jsonl};
use serde_json::Value;
use std::collections::BTreeSet;

const EVENTS: &str = include_str!("../../../../docs/reference/events.md");
const RESULT: &str = include_str!("../../../../docs/reference/result.md");
const EVENT_SOURCE: &str = include_str!("../../../agon-core/src/event.rs");
const ANSWER_SOURCE: &str = include_str!("../../../agon-core/src/event/answered/kind.rs");
/// Answers have the types of their kinds, and what nobody was asked for has the type of the answer in whose place it is.
const TYPED_OTHERWISE: [&str; 3] = ["answered", "fallback_decided", "round_compared"];

/// The types of all events as they stand in the source, in the form that the log uses.
fn event_types() -> BTreeSet<String> {
    let answers = ["own(\"", "moderators(\"", "judges(\"", "services(\""]
        .into_iter()
        .flat_map(|row| ANSWER_SOURCE.split(row).skip(1))
        .map(|rest| rest.split('"').next().unwrap().to_owned());
    let others = variants().into_iter().filter(|name| !TYPED_OTHERWISE.contains(&name.as_str()));
    others.chain(answers).collect()
}
/// The names of the variants of `Event`.
fn variants() -> Vec<String> {
    let (_, body) = EVENT_SOURCE.split_once("pub enum Event {").unwrap();
    let (body, _) = body.split_once("\n}").unwrap();
    let variants = body
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    variants.map(|line| snake(line.split([' ', '(', '{', ',']).next().unwrap())).collect()
}
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
/// The part of the reference under the heading of an event.
fn section(name: &str) -> &'static str {
    let (_, rest) = EVENTS
        .split_once(&format!("\n### `{name}`\n"))
        .unwrap_or_else(|| panic!("events.md has no heading for {name}"));
    rest.split("\n##").next().unwrap()
}
/// The names of all members of a value, however deep.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => {
            members.iter().flat_map(|(name, value)| std::iter::once(name.clone()).chain(names(value))).collect()
        }
        Value::Array(values) => values.iter().flat_map(names).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
fn all_lines() -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    for log in [
        scenes::grand(true),
        scenes::failed(),
        scenes::voted(),
        scenes::cancelled(),
        scenes::resumed(),
        scenes::synthesis(),
        scenes::decided(),
        crate::gates::skipped(),
    ]
    .into_iter()
    .chain(formats::all())
    {
        lines.extend(events_jsonl(&log.records).lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    lines
}

#[test]
fn every_event_type_has_its_heading_and_no_heading_is_about_another() {
    let documented: Vec<String> =
        EVENTS.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`')).map(str::to_owned).collect();
    assert_eq!(documented.iter().cloned().collect::<BTreeSet<String>>(), event_types());
    assert_eq!(documented.len(), event_types().len(), "no type has two headings");
}

#[test]
fn every_event_type_occurs_in_the_scenes_of_these_tests() {
    let seen: BTreeSet<String> = all_lines().iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(seen, event_types());
}

#[test]
fn every_member_of_every_event_is_documented_under_its_type() {
    for line in all_lines() {
        let name = line["type"].as_str().unwrap();
        for member in line.as_object().unwrap().keys().filter(|key| !["seq", "at", "type"].contains(&key.as_str())) {
            assert!(section(name).contains(&format!("`{member}`")), "{name} lacks {member}");
        }
    }
}

#[test]
fn every_member_of_the_result_is_documented() {
    let logs = [scenes::grand(true), scenes::voted(), scenes::failed(), scenes::order_sensitive()];
    for log in logs.into_iter().chain(formats::all()) {
        let minutes = minutes(&log).with_log_head("00");
        let Value::Object(members) = serde_json::to_value(DebateResult::of(&minutes)).unwrap() else {
            panic!("an object")
        };
        for member in members.keys() {
            assert!(RESULT.contains(&format!("| `{member}` |")), "result.md lacks {member}");
        }
        let (_, analysis) = RESULT.split_once("## `analysis`").unwrap();
        let analysis = analysis.split("\n## ").next().unwrap();
        for member in members.get("analysis").into_iter().flat_map(names) {
            assert!(analysis.contains(&format!("`{member}`")), "result.md lacks {member} of analysis");
        }
        let (_, judgements) = RESULT.split_once("## `judgements`").unwrap();
        for member in
            members["judgements"].as_array().unwrap().iter().flat_map(|judged| judged.as_object().unwrap().keys())
        {
            assert!(judgements.contains(&format!("| `{member}` |")), "result.md lacks {member} of judgements");
        }
    }
}
