//! Lines of text with a meaning per span; what a meaning looks like is the caller's affair.
use crate::text::one_line;
use crate::words::REHEARSAL;
use std::fmt;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextStyle {
    /// Running text.
    Plain,
    /// Beside the point: figures, hints.
    Dim,
    /// Stressed.
    Strong,
    /// A heading.
    Title,
    /// A debater's name, by its place in the debate file.
    Speaker(usize),
    /// The moderator or the judge.
    Office,
    /// It went well.
    Good,
    /// Worth a look.
    Warn,
    /// It failed.
    Bad,
}

/// A piece of text of one style, on one line, without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledSpan {
    /// The text.
    pub text: String,
    /// What it is.
    pub style: TextStyle,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledLine {
    /// From left to right.
    pub spans: Vec<StyledSpan>,
    /// How far in the line goes on where it is too long for the screen.
    pub hang: usize,
    /// It is data, which a file gets as it is.
    pub data: bool,
}

impl StyledLine {
    /// An empty line.
    pub fn empty() -> Self {
        Self::default()
    }
    /// A line of one style.
    pub fn of(style: TextStyle, text: impl AsRef<str>) -> Self {
        Self::default().and(style, text)
    }
    /// The line with more text at its end.
    #[must_use]
    pub fn and(mut self, style: TextStyle, text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        // The ends keep their blanks: they part this span from its neighbours.
        let (before, after) = (text.starts_with(' '), text.ends_with(' ') && text.len() > 1);
        let text = format!("{}{}{}", if before { " " } else { "" }, one_line(text), if after { " " } else { "" });
        self.spans.push(StyledSpan { text, style });
        self
    }
    /// A line whose inner blanks matter, a little in from the edge; the caller has taken control characters out.
    pub(crate) fn indented(style: TextStyle, text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::empty();
        }
        Self {
            spans: vec![StyledSpan { text: format!("  {}", text.replace('\t', "    ")), style }],
            hang: 2,
            ..Self::default()
        }
    }
    /// A label, and a value that goes on below its own beginning. Both are on one line, without control characters.
    pub(crate) fn hanging(style: TextStyle, label: &str, value_style: TextStyle, value: &str) -> Self {
        let hang = label.chars().count();
        let spans = vec![
            StyledSpan { text: label.to_owned(), style },
            StyledSpan { text: one_line(value), style: value_style },
        ];
        Self { spans, hang, ..Self::default() }
    }
}
/// Says that scripted speakers said all of it.
pub(crate) fn rehearsal_mark() -> StyledLine {
    StyledLine::of(TextStyle::Warn, format!("*** {REHEARSAL}. ***"))
}

impl fmt::Display for StyledLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spans.iter().try_for_each(|span| f.write_str(&span.text))
    }
}
