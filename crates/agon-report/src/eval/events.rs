//! The log of an eval as JSON lines.
use crate::safe_json;
use agon_eval::EvalEvent;

/// One event: its members, and `at_ms`, when it was recorded. Characters that a terminal could take for a command are escaped.
pub fn eval_event_line(at_ms: u64, event: &EvalEvent) -> Result<String, serde_json::Error> {
    let mut value = serde_json::to_value(event)?;
    if let Some(members) = value.as_object_mut() {
        members.insert("at_ms".to_owned(), at_ms.into());
    }
    Ok(safe_json(&value.to_string()))
}
