//! Small questions about text.
use crate::view::View;
use agon_core::fence::Written;
pub(crate) use agon_core::fence::{cut, one_line};

/// `"a", "b" or "c"`.
pub(crate) fn alternatives(choices: &[Written]) -> Written {
    let quoted: Vec<Written> = choices.iter().map(quoted).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => Written::joined([&Written::joined(before, ", "), last], " or "),
        None => Written::default(),
    }
}

/// `"a", "b", "c"`.
pub(crate) fn listed(choices: &[Written]) -> Written {
    Written::joined(choices.iter().map(quoted), ", ")
}

fn quoted(choice: &Written) -> Written {
    let mut quoted = Written::default();
    quoted.push("\"");
    quoted.push(choice);
    quoted.push("\"");
    quoted
}

/// The choices as the prompt may name them outside a fence; none where one of them is an answer that a voter wrote.
pub(crate) fn known_choices(view: &View, choices: &[String]) -> Option<Vec<Written>> {
    choices.iter().map(|choice| Written::known(&view.spec, view.seed, choice)).collect()
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
