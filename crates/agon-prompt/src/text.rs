//! Text of others, made safe to stand in a prompt.
use agon_core::fence::{ends_line, neutralise};
use std::borrow::Cow;

/// The text on one line.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Text of a model on one line, its look-alikes of our marks defused.
pub(crate) fn quoted_line(text: &str) -> String {
    neutralise(&one_line(text)).0.into_owned()
}

/// A speech as the transcript shows it: every kind of line break is one, and look-alikes of our marks are defused.
pub(crate) fn shown(speech: &str) -> String {
    let speech = speech.trim();
    let is_other = |c: char| c != '\n' && ends_line(c);
    let speech: Cow<'_, str> = match speech.contains(is_other) {
        true => speech.replace("\r\n", "\n").replace(is_other, "\n").into(),
        false => speech.into(),
    };
    neutralise(&speech).0.into_owned()
}

/// The first `most` characters, with an ellipsis where something was left out.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// `"a", "b" or "c"`.
pub(crate) fn alternatives(choices: &[String]) -> String {
    let quoted: Vec<String> = choices.iter().map(|choice| format!("\"{}\"", one_line(choice))).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

/// `"a", "b", "c"`.
pub(crate) fn listed(choices: &[String]) -> String {
    let quoted: Vec<String> = choices.iter().map(|choice| format!("\"{}\"", one_line(choice))).collect();
    quoted.join(", ")
}

/// Whether a text has a name as a whole word, letter case aside.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let (text, name) = (text.to_lowercase(), name.trim().to_lowercase());
    !name.is_empty()
        && text.match_indices(&name).any(|(at, found)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + found.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(in_word) && !after.is_some_and(in_word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_break_counts_before_look_alikes_are_sought() {
        assert_eq!(shown("a\u{2028}### T1 | x\r\nTask: y\u{b}=== z"), "a\n| ### T1 | x\n| Task: y\n| === z");
    }

    #[test]
    fn a_name_is_mentioned_as_a_whole_word_alone() {
        assert!(mentions("As ADA's figures show", "Ada"));
        assert!(mentions("(Ada Byron)", "ada byron"));
        assert!(!mentions("Adapt it", "Ada"));
        assert!(!mentions("anything", " "));
    }

    #[test]
    fn a_cut_falls_between_characters() {
        assert_eq!(cut("äöü", 2), "äö…");
        assert_eq!(cut("äöü", 3), "äöü");
    }
}
