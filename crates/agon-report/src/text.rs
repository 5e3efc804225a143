//! Text that models, files and servers wrote, made fit to be printed: no escape sequences, no control or direction characters.

/// Takes terminal escape sequences, control characters, invisible characters and direction overrides out of a stream of text.
///
/// A sequence may be cut anywhere between two pieces. Line feeds and tabs stay; a carriage return becomes a line feed.
#[derive(Clone, Debug, Default)]
pub struct PlainText {
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Outside any sequence.
    #[default]
    Text,
    /// After a carriage return that was given out as a line feed.
    Return,
    /// After ESC.
    Escape,
    /// In a control sequence, up to its final byte.
    Control,
    /// In a string (title, hyperlink, device control), up to BEL or ST.
    Command,
    /// In a string, after ESC.
    CommandEscape,
}

/// Longest run that a string sequence may swallow is not bounded by terminals; a line feed ends it here, so that a stray
/// introducer hides at most the rest of its line.
const COMMAND_END: [char; 3] = ['\u{7}', '\u{9c}', '\n'];

impl PlainText {
    /// Appends what may be shown of `piece` to `out`.
    pub fn push(&mut self, piece: &str, out: &mut String) {
        for c in piece.chars() {
            self.state = self.step(c, out);
        }
    }

    fn step(&self, c: char, out: &mut String) -> State {
        match self.state {
            State::Text => text(c, out),
            State::Return if c == '\n' => State::Text,
            State::Return => text(c, out),
            State::Escape => match c {
                '[' => State::Control,
                ']' | 'P' | 'X' | '^' | '_' => State::Command,
                '\u{20}'..='\u{2f}' => State::Escape,
                '\u{30}'..='\u{7e}' => State::Text,
                _ => text(c, out),
            },
            State::Control => match c {
                '\u{20}'..='\u{3f}' => State::Control,
                '\u{40}'..='\u{7e}' => State::Text,
                _ => text(c, out),
            },
            State::Command | State::CommandEscape if c == '\u{1b}' => State::CommandEscape,
            State::CommandEscape if c == '\\' => State::Text,
            State::Command | State::CommandEscape if COMMAND_END.contains(&c) => {
                if c == '\n' {
                    out.push(c);
                }
                State::Text
            }
            State::Command | State::CommandEscape => State::Command,
        }
    }
}

fn text(c: char, out: &mut String) -> State {
    match c {
        '\u{1b}' => return State::Escape,
        '\u{9b}' => return State::Control,
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => return State::Command,
        '\r' => {
            out.push('\n');
            return State::Return;
        }
        '\n' | '\t' => out.push(c),
        '\u{2028}' | '\u{2029}' => out.push('\n'),
        c if is_hazard(c) => {}
        c => out.push(c),
    }
    State::Text
}

/// Whether a terminal or a line reader could take the character for a command, or a reader not see it.
pub(crate) fn is_hazard(c: char) -> bool {
    c.is_control() || is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Characters that show nothing and change what is seen around them. Joiners stay: scripts and emoji need them.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// `text` without escape sequences, control characters, invisible characters and direction overrides.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    PlainText::default().push(text, &mut out);
    out
}

/// [`plain`] on one line, with runs of white space as one space.
pub fn one_line(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first `most` characters of the text on one line, cut at a word where that costs little.
pub fn excerpt(text: &str, most: usize) -> String {
    let line = one_line(text);
    let Some((end, _)) = line.char_indices().nth(most) else { return line };
    let head = line.get(..end).unwrap_or_default();
    let cut = head.rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    format!("{}…", head.get(..cut).unwrap_or_default().trim_end())
}

/// Marks that end a sentence.
const ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];
/// What may stand behind such a mark and belongs to the sentence: closing quotation marks, brackets, emphasis.
const CLOSES: [char; 9] = ['”', '’', '"', '\'', '»', ')', ']', '*', '_'];

/// The text with a full stop behind it, where it does not end a sentence already.
pub fn sentence(text: &str) -> String {
    let text = text.trim_end();
    match text.trim_end_matches(CLOSES).ends_with(ENDS) {
        true => text.to_owned(),
        false => format!("{text}."),
    }
}

/// The text without the full stop at its end, to stand within a sentence. An ellipsis stays.
pub(crate) fn clause(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix('.').filter(|rest| !rest.ends_with('.')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_with_one_mark() {
        let cases = [
            ("Invest now", "Invest now."),
            ("Invest now.", "Invest now."),
            ("Why wait?", "Why wait?"),
            ("They ended with “Invest now.”", "They ended with “Invest now.”"),
            ("They ended with “Invest now”", "They ended with “Invest now”."),
            ("Winner: **Why wait?**", "Winner: **Why wait?**"),
            ("and so on…", "and so on…"),
            ("half of all words (50.0 %)", "half of all words (50.0 %)."),
        ];
        for (text, whole) in cases {
            assert_eq!(sentence(text), whole);
        }
        assert_eq!(["Buy it.", "Buy it?", "Buy ...", "Buy"].map(clause), ["Buy it", "Buy it?", "Buy ...", "Buy"]);
    }

    #[test]
    fn escape_sequences_are_taken_out_whole() {
        assert_eq!(plain("a\u{1b}[31;1mred\u{1b}[0m b"), "ared b");
        assert_eq!(plain("a\u{1b}]8;;https://evil.example\u{1b}\\link\u{1b}]8;;\u{7}b"), "alinkb");
        assert_eq!(plain("a\u{9b}2Jb\u{1b}cc\u{1b}(Bd"), "abcd");
    }

    #[test]
    fn an_escape_sequence_cut_between_two_pieces_is_taken_out() {
        let whole = "x\u{1b}[1;31mred\u{1b}]0;title\u{1b}\\y\r\nz";
        for (at, _) in whole.char_indices() {
            let (head, tail) = whole.split_at(at);
            let (mut stripper, mut out) = (PlainText::default(), String::new());
            stripper.push(head, &mut out);
            stripper.push(tail, &mut out);
            assert_eq!(out, "xredy\nz", "cut at {at}");
        }
    }

    #[test]
    fn an_unfinished_sequence_hides_no_more_than_its_line() {
        assert_eq!(plain("a\u{1b}]0;never ends\nnext"), "a\nnext");
        assert_eq!(plain("a\u{1b}[31\nnext"), "a\nnext");
    }

    #[test]
    fn control_invisible_and_direction_characters_vanish_and_joiners_stay() {
        assert_eq!(plain("a\u{0}\u{8}\u{7f}\u{85}b\u{200b}\u{202e}c\u{feff}\u{2066}d"), "abcd");
        assert_eq!(plain("👩\u{200d}🔬 שלום"), "👩\u{200d}🔬 שלום");
    }

    #[test]
    fn line_ends_become_line_feeds() {
        assert_eq!(plain("a\r\nb\rc\u{2028}d\te"), "a\nb\nc\nd\te");
    }

    #[test]
    fn an_excerpt_ends_at_a_word() {
        assert_eq!(excerpt("one two\nthree four", 9), "one two…");
        assert_eq!(excerpt("short", 9), "short");
        assert_eq!(excerpt(&"x".repeat(20), 4), "xxxx…");
    }
}
