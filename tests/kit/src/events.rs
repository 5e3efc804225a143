//! Logs as the program prints them, one event in JSON a line.
use serde_json::Value;
use std::collections::BTreeMap;

/// The turns that the log says are answered, each with how often: every event of a call that did not fail.
pub fn answered(events: &[Value]) -> BTreeMap<String, u64> {
    let is_answer =
        |event: &&Value| event.get("call").is_some() && event.get("type").is_some_and(|kind| kind != "turn_failed");
    let mut turns = BTreeMap::new();
    for turn in events.iter().filter(is_answer).filter_map(|event| event.get("turn")) {
        let part = |name: &str| turn.get(name).and_then(Value::as_u64).unwrap_or_default();
        *turns.entry(format!("round {} seat {}", part("round"), part("seat"))).or_default() += 1;
    }
    turns
}
