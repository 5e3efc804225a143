//! Cutting and cleaning text of strangers.

/// The first `max` characters of `text`, with a mark at the end that says how much is missing.
pub(crate) fn clip(text: &str, max: usize) -> (String, bool) {
    let Some((end, _)) = text.char_indices().nth(max) else { return (text.to_owned(), false) };
    let kept = text.get(..end).unwrap_or_default();
    let missing = text.chars().count() - max;
    (format!("{kept}\n[cut here: {missing} more characters]"), true)
}

/// `text` on one line without control characters, at most `max` characters long.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let visible = text.chars().map(|c| if c.is_control() || is_invisible(c) { ' ' } else { c }).collect::<String>();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(max) {
        Some((end, _)) => format!("{}...", words.get(..end).unwrap_or_default()),
        None => words,
    }
}

/// Characters that no reader sees but a model does: direction marks, zero widths, tags.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_stays_as_it_is() {
        assert_eq!(clip("äöü", 3), ("äöü".to_owned(), false));
    }

    #[test]
    fn a_cut_says_how_much_is_missing() {
        assert_eq!(clip("äöüß!", 2), ("äö\n[cut here: 3 more characters]".to_owned(), true));
    }

    #[test]
    fn one_line_has_no_breaks_and_no_hidden_characters() {
        assert_eq!(one_line("a\n\nb\u{202e}\tc\u{e0041}", 50), "a b c");
        assert_eq!(one_line("abcdef", 3), "abc...");
    }
}
