//! Speeches of a given length.

use crate::{prompt::MY_ANSWER, token};

/// A speech of so many words, and of no more tokens than `budget`. What stands from the answer's line on stays as it is.
pub(crate) fn of_length(text: &str, words: usize, budget: Option<u64>) -> String {
    let end = text.rfind(MY_ANSWER).unwrap_or(text.len());
    if text.contains("```") {
        return text.to_owned(); // a block has lines of its own
    }
    let (body, ending) = text.split_at_checked(end).unwrap_or((text, ""));
    let said: Vec<&str> = body.split_whitespace().collect();
    let mut kept: Vec<&str> = said.iter().copied().cycle().take(if said.is_empty() { 0 } else { words }).collect();
    let left = budget.map(|budget| budget.saturating_sub(token::count(ending) + 2));
    let tokens = |kept: &[&str]| token::count(&kept.join(" "));
    while left.is_some_and(|left| tokens(&kept) > left) && !kept.is_empty() {
        kept.truncate(kept.len() * 9 / 10);
    }
    let body = kept.join(" ");
    if ending.is_empty() { body } else { format!("{body}\n\n{ending}") }
}
