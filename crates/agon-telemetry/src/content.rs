//! What was said, in the form that trace viewers show. Only where the operator has asked for it.
use crate::names::attribute;
use crate::observer::Content;
use crate::span::SpanDraft;
use serde_json::{Value, json};

/// So many bytes of messages an attribute holds; collectors refuse batches above 4 MiB.
pub(crate) const LIMIT: usize = 8 * 1024;

/// Adds what was said.
pub(crate) fn attach(draft: SpanDraft, content: &Content<'_>, finish_reason: Option<&str>) -> SpanDraft {
    let lengths: Vec<usize> = content.input.iter().map(|said| said.text.len()).collect();
    let shares = shares(&lengths);
    let messages = content.input.iter().zip(shares).map(|(said, share)| message(said.role, said.text, share));
    let draft = draft.set(attribute::INPUT_MESSAGES, Value::Array(messages.collect()).to_string());
    let Some(output) = content.output else { return draft };
    let mut answer = message("assistant", output, LIMIT);
    if let (Some(fields), Some(reason)) = (answer.as_object_mut(), finish_reason) {
        fields.insert("finish_reason".to_owned(), json!(reason));
    }
    draft.set(attribute::OUTPUT_MESSAGES, json!([answer]).to_string())
}

fn message(role: &str, text: &str, limit: usize) -> Value {
    json!({ "role": role, "parts": [{ "type": "text", "content": truncated(text, limit) }] })
}

/// How much of each message is kept: the last ones first, because they hold the task; a share for each in any case.
fn shares(lengths: &[usize]) -> Vec<usize> {
    let floor = LIMIT / (4 * lengths.len().max(1));
    let kept = lengths.iter().map(|length| (*length).min(floor)).sum::<usize>();
    let mut left = LIMIT.saturating_sub(kept);
    let mut shares: Vec<usize> = Vec::with_capacity(lengths.len());
    for length in lengths.iter().rev() {
        let more = length.saturating_sub(floor).min(left);
        left = left.saturating_sub(more);
        shares.push((*length).min(floor).saturating_add(more));
    }
    shares.reverse();
    shares
}

/// The head of a text, and how many bytes are missing.
pub(crate) fn truncated(text: &str, limit: usize) -> String {
    let end = text.floor_char_boundary(limit);
    match text.split_at_checked(end) {
        Some((head, tail)) if !tail.is_empty() => format!("{head}...[truncated {}]", tail.len()),
        Some(_) | None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        let text = format!("{}ü{}", "x".repeat(9), "y".repeat(5));

        assert_eq!(truncated(&text, 10), format!("{}...[truncated 7]", "x".repeat(9)));
        assert_eq!(truncated("short", 5), "short");
    }

    #[test]
    fn the_last_message_keeps_most_and_every_message_keeps_something() {
        let shares = shares(&[20_000, 20_000, 6_000]);

        assert_eq!(shares.iter().sum::<usize>(), LIMIT);
        assert_eq!(shares[2], 6_000);
        assert!(shares.iter().all(|share| *share >= LIMIT / 12), "{shares:?}");
    }

    #[test]
    fn messages_that_fit_are_whole() {
        assert_eq!(shares(&[100, 0, 300]), [100, 0, 300]);
        assert_eq!(shares(&[]), Vec::<usize>::new());
    }
}
