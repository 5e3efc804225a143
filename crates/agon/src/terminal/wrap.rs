//! Lines cut to the width of the terminal, between words, with the indent kept.
use agon_report::{StyledLine, StyledSpan, TextStyle};

/// Columns that text takes at most, however wide the terminal is: longer lines are hard to read.
const MOST_COLUMNS: usize = 100;
/// How far in a line goes on that says nothing else.
const INDENT: usize = 2;

/// The line as lines no wider than `width` columns, nor than a reader likes. Data that no terminal shows (`width` is the largest number) stays whole.
pub fn wrap(line: &StyledLine, width: usize) -> Vec<StyledLine> {
    if line.data && width == usize::MAX {
        return vec![line.clone()];
    }
    let width = width.clamp(8, MOST_COLUMNS);
    let hang = line.hang.max(INDENT).min(width / 2);
    let mut page = LineWrapper { width, hang, lines: Vec::new(), current: Vec::new(), used: 0 };
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

/// Columns that the text takes on a terminal.
pub fn columns(text: &str) -> usize {
    ratatui::text::Span::raw(text).width()
}

struct LineWrapper {
    width: usize,
    hang: usize,
    lines: Vec<StyledLine>,
    current: Vec<StyledSpan>,
    used: usize,
}

impl LineWrapper {
    fn add(&mut self, word: &str, style: TextStyle) {
        let columns = columns(word);
        if self.used + columns <= self.width {
            self.put(word, columns, style);
            return;
        }
        let word = word.trim_start_matches(' ');
        if self.used > self.hang {
            self.turn();
        }
        self.add_long(word, style);
    }

    /// A word that may be wider than a line is cut between characters.
    fn add_long(&mut self, word: &str, style: TextStyle) {
        let mut piece = String::new();
        let mut taken = 0;
        for c in word.chars() {
            let wide = columns(c.encode_utf8(&mut [0; 4]));
            if self.used + taken + wide > self.width {
                self.put(&std::mem::take(&mut piece), taken, style);
                self.turn();
                taken = 0;
            }
            piece.push(c);
            taken += wide;
        }
        self.put(&piece, taken, style);
    }

    fn put(&mut self, text: &str, columns: usize, style: TextStyle) {
        if !text.is_empty() {
            self.current.push(StyledSpan { text: text.to_owned(), style });
            self.used += columns;
        }
    }

    fn turn(&mut self) {
        self.lines.push(StyledLine { spans: std::mem::take(&mut self.current), hang: self.hang, data: false });
        self.current.push(StyledSpan { text: " ".repeat(self.hang), style: TextStyle::Plain });
        self.used = self.hang;
    }

    fn finish(mut self) -> Vec<StyledLine> {
        self.lines.push(StyledLine { spans: self.current, hang: self.hang, data: false });
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        wrap(&StyledLine::of(TextStyle::Plain, text), width).iter().map(ToString::to_string).collect()
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
                for line in wrap(&StyledLine::of(TextStyle::Plain, text), width) {
                    assert!(columns(&line.to_string()) <= width, "{width}: {line}");
                }
            }
        }
    }

    #[test]
    fn text_is_no_wider_than_a_reader_likes_however_wide_the_terminal_is() {
        let text = "word ".repeat(200);
        assert!(wrapped(&text, 400).iter().all(|line| columns(line) <= 100));
    }

    #[test]
    fn what_hangs_goes_on_below_its_own_beginning() {
        let span = |text: &str| StyledSpan { text: text.to_owned(), style: TextStyle::Plain };
        let line = StyledLine { spans: vec![span("For   "), span("Ada, Bruno, Chioma")], hang: 6, data: false };
        let lines: Vec<String> = wrap(&line, 18).iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["For   Ada, Bruno,", "      Chioma"]);
    }

    #[test]
    fn nothing_is_lost() {
        let text = "the quick brown fox jumps over the lazy dog";
        let joined = wrapped(text, 12).iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>().join(" ");
        assert_eq!(joined, text);
    }
}
