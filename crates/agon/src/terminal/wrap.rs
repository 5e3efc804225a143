//! Lines cut to the width of the terminal, between words, with the indent kept.
use agon_report::{Style, StyledLine};
use ratatui::text::{Line, Span};

const INDENT: usize = 2;

/// The line as lines no wider than `width` columns.
pub fn wrap(line: &StyledLine, width: usize) -> Vec<Line<'static>> {
    let mut page = Page { width: width.max(8), lines: Vec::new(), current: Vec::new(), used: 0 };
    for span in &line.spans {
        for word in words(&span.text) {
            page.add(word, span.style);
        }
    }
    page.finish()
}

/// Pieces that are kept together: a word with the blanks before it.
fn words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut in_word) = (0, false);
    for (at, c) in text.char_indices() {
        if c == ' ' && in_word {
            pieces.push(text.get(start..at).unwrap_or_default());
            start = at;
        }
        in_word = c != ' ';
    }
    pieces.push(text.get(start..).unwrap_or_default());
    pieces
}

struct Page {
    width: usize,
    lines: Vec<Line<'static>>,
    current: Vec<Span<'static>>,
    used: usize,
}

impl Page {
    fn add(&mut self, word: &str, style: Style) {
        let columns = Span::raw(word).width();
        if self.used + columns <= self.width {
            self.put(word, columns, style);
            return;
        }
        let word = word.trim_start_matches(' ');
        if self.used > INDENT {
            self.turn();
        }
        self.add_long(word, style);
    }

    /// A word that may be wider than a line is cut between characters.
    fn add_long(&mut self, word: &str, style: Style) {
        let mut piece = String::new();
        let mut columns = 0;
        for c in word.chars() {
            let wide = Span::raw(c.to_string()).width();
            if self.used + columns + wide > self.width {
                self.put(&std::mem::take(&mut piece), columns, style);
                self.turn();
                columns = 0;
            }
            piece.push(c);
            columns += wide;
        }
        self.put(&piece, columns, style);
    }

    fn put(&mut self, text: &str, columns: usize, style: Style) {
        if !text.is_empty() {
            self.current.push(Span::styled(text.to_owned(), super::paint::look(style)));
            self.used += columns;
        }
    }

    fn turn(&mut self) {
        self.lines.push(Line::from(std::mem::take(&mut self.current)));
        self.current.push(Span::raw(" ".repeat(INDENT)));
        self.used = INDENT;
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        self.lines.push(Line::from(self.current));
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        wrap(&StyledLine::of(Style::Plain, text), width).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_break_between_words_and_keep_an_indent() {
        assert_eq!(wrapped("one two three four", 10), ["one two", "  three", "  four"]);
        assert_eq!(wrapped("", 10), [""]);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_whatever_the_text() {
        for text in ["abcdefghijklmnopqrstuvwxyz abc", "中文字符很宽很宽很宽很宽", "a b c d e f g h i j k l m n o p"]
        {
            for width in 8..30 {
                for line in wrap(&StyledLine::of(Style::Plain, text), width) {
                    assert!(line.width() <= width, "{width}: {line}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_lost() {
        let text = "the quick brown fox jumps over the lazy dog";
        let joined = wrapped(text, 12).iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>().join(" ");
        assert_eq!(joined, text);
    }
}
