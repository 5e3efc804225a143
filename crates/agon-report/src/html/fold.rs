//! Which speeches are long enough to be folded.
use crate::speech;
use crate::text::plain;
use crate::tree::{PARTS, columns};
use pulldown_cmark::{Event, TagEnd};

/// Lines that a folded speech shows.
const LINES: usize = 2;
/// Columns of a line on a wide screen. On a narrow one a speech that is not folded takes a few more lines.
const COLUMNS: usize = 80;

/// Whether a speech is longer than what a folded one shows.
pub(super) fn folds(markdown: &str) -> bool {
    let text = plain(markdown);
    let (mut lines, mut parts) = (0_usize, 0_usize);
    for event in speech::events(&text) {
        match event {
            Event::Text(text) | Event::Code(text) => {
                let mut rest = text.trim_end_matches('\n').split('\n');
                parts = parts.saturating_add(rest.next().map_or(0, width));
                for line in rest {
                    lines = lines.saturating_add(taken(parts));
                    parts = width(line).max(1);
                }
            }
            Event::SoftBreak => parts = parts.saturating_add(PARTS),
            Event::HardBreak | Event::Rule => lines = lines.saturating_add(taken(std::mem::take(&mut parts)).max(1)),
            Event::End(end) if ends_a_line(end) => lines = lines.saturating_add(taken(std::mem::take(&mut parts))),
            _ => {}
        }
    }
    lines.saturating_add(taken(parts)) > LINES
}

fn width(line: &str) -> usize {
    line.chars().map(columns).sum()
}
/// The lines of so many parts of a column.
fn taken(parts: usize) -> usize {
    parts.div_ceil(COLUMNS * PARTS)
}

fn ends_a_line(end: TagEnd) -> bool {
    let inline = matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::TableCell);
    !inline
}

#[cfg(test)]
mod tests {
    use super::folds;

    #[test]
    fn what_fits_into_two_lines_is_not_folded() {
        for text in
            ["", "Short.", "One.\n\nTwo.", "a\nb\nc\nd", "We turn away **forty** people every *Saturday*.", "- a\n- b"]
        {
            assert!(!folds(text), "{text}");
        }
        assert!(!folds(&"loaf ".repeat(30)), "150 columns are two lines");
    }

    #[test]
    fn more_is() {
        for text in [
            "One.\n\nTwo.\n\nThree.",
            "1. a\n2. b\n3. c",
            "```\na\nb\nc\n```",
            "a  \nb  \nc",
            "| a |\n|-|\n| b |\n| c |",
        ] {
            assert!(folds(text), "{text}");
        }
        assert!(folds(&"loaf ".repeat(40)) && folds(&"字".repeat(90)), "by columns, not by characters");
    }
}
