//! What a page is sent: events of an event stream, with JSON in them.
use super::draw::DrawnDebate;
use agon_report::PagePart;
use axum::body::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;

/// Some of an event stream, ready to be sent to everybody.
pub(super) type StreamText = Bytes;

/// Pieces that have changed, and the order of all sections. Its id is where one goes on who loses the line.
pub(super) fn patch<'p>(drawn: &DrawnDebate, changed: impl Iterator<Item = &'p Arc<PagePart>>) -> String {
    let order: Vec<&str> = drawn.sections.iter().map(|part| part.id.as_str()).collect();
    let value = json!({"order": order, "parts": parts(changed), "over": drawn.over, "halted": drawn.halted});
    format!("id: {}\n{}", drawn.position.0, event("patch", &value))
}

/// A piece that has changed with the time alone.
pub(super) fn piece(part: &Arc<PagePart>) -> StreamText {
    event("piece", &json!({"parts": parts([part].into_iter())})).into()
}

/// The words of a running speech so far.
pub(super) fn speech(id: &str, text: &str) -> String {
    event("speech", &json!({"id": id, "text": text}))
}

/// More words of a running speech; `at` counts the UTF-16 units before them, as browsers do.
pub(super) fn words(id: &str, at: usize, text: &str) -> String {
    event("words", &json!({"id": id, "at": at, "text": text}))
}

/// Something that a person has to know.
pub(super) fn notice(text: &str) -> StreamText {
    event("notice", &json!({"text": agon_report::one_line(text)})).into()
}

/// The debate is gone.
pub(super) fn gone(text: &str) -> StreamText {
    event("gone", &json!({"text": agon_report::one_line(text)})).into()
}

/// A sign of life.
pub(super) const ALIVE: &str = ": \n\n";

fn parts<'p>(parts: impl Iterator<Item = &'p Arc<PagePart>>) -> Vec<Value> {
    parts.map(|part| json!({"id": part.id, "html": part.html})).collect()
}

fn event(name: &str, value: &Value) -> String {
    // JSON has no line breaks of its own
    format!("event: {name}\ndata: {value}\n\n")
}
