//! The file as it comes in, and the door where its bytes become text.
use crate::diagnostic::{Code, Problems, SpecFinding};
use crate::place::{Place, Span};

/// No debate file is longer, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// A debate file: its name for messages, its bytes, and how to read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that diagnostics begin with, as the user typed it.
    pub name: String,
    /// What the file holds; UTF-8 is checked when it is parsed.
    pub bytes: Vec<u8>,
    /// How to read it.
    pub syntax: Syntax,
}
impl Source {
    /// A source whose syntax follows from its name and content.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), syntax: Syntax::Auto }
    }
    /// The same source, read as `syntax`.
    pub fn with_syntax(self, syntax: Syntax) -> Self {
        Self { syntax, ..self }
    }
}

/// How a debate file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// By the extension of the name, else by the content.
    #[default]
    Auto,
    /// Markdown, with or without a front matter block; plain text is Markdown without one.
    Markdown,
    /// One YAML document.
    Yaml,
    /// One JSON object.
    Json,
}

/// Decoded text: no byte order mark, every line end a single `\n`.
#[derive(Debug, Default)]
pub struct Text {
    /// The whole of it.
    pub all: String,
    starts: Vec<usize>,
}
impl Text {
    /// A text whose lines end with `\n`.
    pub fn new(all: String) -> Self {
        let breaks = all.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { all, starts }
    }
    /// The line with that number, from 1, without its end.
    pub fn line(&self, number: usize) -> &str {
        let start = number.checked_sub(1).and_then(|at| self.starts.get(at));
        let rest = start.and_then(|start| self.all.get(*start..)).unwrap_or_default();
        rest.split('\n').next().unwrap_or_default()
    }
    /// Where a byte offset lies.
    pub fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or_default();
        let before = self.all.get(start..offset).unwrap_or_default();
        Place { line: line.max(1), column: before.chars().count() + 1 }
    }
    /// The byte offset of a place, or the nearest one after it.
    pub fn offset(&self, place: Place) -> usize {
        let Some(start) = place.line.checked_sub(1).and_then(|at| self.starts.get(at)) else { return self.all.len() };
        let line = self.line(place.line);
        let within = line.char_indices().nth(place.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
        start + within
    }
    /// The place itself, or the last one of its line or of the text where it lies beyond.
    pub fn clamp(&self, place: Place) -> Place {
        if place.line > self.starts.len() {
            return self.place(self.all.len());
        }
        let last = self.line(place.line).chars().count() + 1;
        Place { column: place.column.min(last), ..place }
    }
    /// The text between two places.
    pub fn slice(&self, span: Span) -> &str {
        self.all.get(self.offset(span.start)..self.offset(span.end)).unwrap_or_default()
    }
}

/// Decodes the bytes; whatever prevents that is reported.
pub(crate) fn decode(source: &Source, problems: &mut Problems<'_>) -> Option<Text> {
    decode_within(source, MAX_BYTES, "a debate file", problems)
}

/// Decodes the bytes of a file that may have `most` of them; whatever prevents that is reported. `what` names such files.
pub fn decode_within(source: &Source, most: usize, what: &str, problems: &mut Problems<'_>) -> Option<Text> {
    if source.bytes.len() > most {
        let found = source.bytes.len();
        let message = format!("the file has {found} bytes; {what} has at most {most}");
        problems.error(SpecFinding::new(Code::FileTooLarge, Span::default(), message));
        return None;
    }
    match std::str::from_utf8(&source.bytes) {
        Ok(text) => Some(Text::new(one_line_end(text.strip_prefix('\u{feff}').unwrap_or(text)))),
        Err(error) => {
            report_bad_bytes(&source.bytes, error.valid_up_to(), problems);
            None
        }
    }
}

fn one_line_end(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

fn report_bad_bytes(bytes: &[u8], valid: usize, problems: &mut Problems<'_>) {
    let before = String::from_utf8_lossy(bytes.get(..valid).unwrap_or_default());
    let text = Text::new(one_line_end(before.strip_prefix('\u{feff}').unwrap_or(&before)));
    let place = text.place(text.all.len());
    let byte = bytes.get(valid).copied().unwrap_or_default();
    let utf16 = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let help = if utf16 { "the file looks like UTF-16; save it as UTF-8" } else { "save the file as UTF-8" };
    let message = format!("the byte 0x{byte:02x} is not UTF-8");
    let mut local = problems.with_text(&text, problems.limits);
    local.error(SpecFinding::new(Code::NotUtf8, Span::at(place), message).help(help));
    let found = local.into_list();
    problems.extend(found);
}

/// Decides how to read `text`.
pub(crate) fn detect(source: &Source, text: &Text) -> Syntax {
    if source.syntax != Syntax::Auto {
        return source.syntax;
    }
    let name = source.name.rsplit(['/', '\\']).next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
        Some("json") => Syntax::Json,
        Some("yaml" | "yml") => Syntax::Yaml,
        Some("md" | "markdown" | "txt") => Syntax::Markdown,
        _ => by_content(&text.all),
    }
}

fn by_content(text: &str) -> Syntax {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let key = first.split_once(':').map(|(key, _)| key);
    if first.trim_start().starts_with('{') {
        Syntax::Json
    } else if key.is_some_and(|key| crate::keys::DEBATE.key(key).is_some()) {
        Syntax::Yaml
    } else {
        Syntax::Markdown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn syntax(name: &str, text: &str) -> Syntax {
        detect(&Source::new(name, text), &Text::new(text.to_owned()))
    }

    #[test]
    fn the_extension_decides_before_the_content() {
        assert_eq!(syntax("a/b.MD", "{}"), Syntax::Markdown);
        assert_eq!(syntax("b.yml", "# x"), Syntax::Yaml);
        assert_eq!(syntax("b.json", "topic: x"), Syntax::Json);
    }

    #[test]
    fn without_an_extension_the_content_decides() {
        assert_eq!(syntax("-", " {\"topic\": 1}"), Syntax::Json);
        assert_eq!(syntax("-", "\ntopic: x\n"), Syntax::Yaml);
        assert_eq!(syntax("-", "---\nmode: adversarial\n---\n# x"), Syntax::Markdown);
        assert_eq!(syntax("-", "Decide: tea or coffee?"), Syntax::Markdown);
    }

    #[test]
    fn offsets_and_places_are_inverse_in_text_beyond_ascii() {
        let text = Text::new("aé\nßx\n".to_owned());
        assert_eq!(text.place(4), Place { line: 2, column: 1 });
        assert_eq!(text.place(6), Place { line: 2, column: 2 });
        assert_eq!(text.offset(Place { line: 2, column: 2 }), 6);
        assert_eq!(text.line(2), "ßx");
        assert_eq!(text.line(9), "");
    }
}
