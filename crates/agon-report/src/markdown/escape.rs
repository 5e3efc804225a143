//! Text and speeches inside Markdown, such that they cannot forge what surrounds them.
use crate::speech;
use crate::text::{one_line, plain};
use agon_core::fence::without_checks;
use pulldown_cmark::{Event, Tag, TagEnd};

/// Text on one line in which nothing is markup: for headings, table cells and list items.
pub(crate) fn inline(text: &str) -> String {
    escaped(&one_line(text), true)
}

/// A model's Markdown as blocks of safe Markdown, without a line feed at the end.
pub(crate) fn blocks(text: &str) -> String {
    let text = plain(text);
    let text = without_checks(&text);
    let mut writer = BlockWriter::default();
    speech::events(&text).into_iter().for_each(|event| writer.take(event));
    writer.finish()
}

/// Puts `> ` before every line.
pub(crate) fn quoted(blocks: &str) -> String {
    prefixed(blocks, "> ", "> ")
}

fn prefixed(text: &str, first: &str, rest: &str) -> String {
    let mut out = String::new();
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.push('\n');
        }
        out.push_str(format!("{}{line}", if n == 0 { first } else { rest }).trim_end());
    }
    out
}

/// Escapes what Markdown could take for markup; at the start of a line also what would begin a block.
fn escaped(text: &str, line_start: bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let rest = if line_start { block_start(text, &mut out) } else { text };
    let mut before = if line_start { ' ' } else { 'x' };
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let mark = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' | '$' => true,
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
            '&' => next.is_alphanumeric() || next == '#',
            '!' => next == '[',
            _ => false,
        };
        if mark {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// Writes the escaped opener of a block, if `text` begins with one, and gives the rest.
fn block_start<'t>(text: &'t str, out: &mut String) -> &'t str {
    let trimmed = text.trim_start();
    let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = trimmed.split_at(digits);
    let opens = match rest.strip_prefix(['.', ')']) {
        Some(rest) if digits > 0 => rest.is_empty() || rest.starts_with(char::is_whitespace),
        _ => digits == 0 && rest.starts_with(['#', '>', '-', '+', '=', ':']),
    };
    if !opens {
        return trimmed;
    }
    let mut rest = rest.chars();
    out.push_str(number);
    out.push('\\');
    out.extend(rest.next());
    rest.as_str()
}

/// Writes Markdown events as Markdown: every block in its own frame, all text escaped.
#[derive(Default)]
struct BlockWriter {
    frames: Vec<Frame>,
    /// The frame of the whole text.
    root: Frame,
}

/// An open block: what it holds so far.
#[derive(Default)]
struct Frame {
    blocks: Vec<String>,
    line: String,
    kind: FrameKind,
}
#[derive(Default)]
enum FrameKind {
    #[default]
    Plain,
    Heading,
    Quote,
    Code,
    List(Option<u64>),
    Item,
    Table,
    Row {
        head: bool,
        cells: Vec<String>,
    },
}

impl BlockWriter {
    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap_or(&mut self.root)
    }
    fn open(&mut self, kind: FrameKind) {
        self.top().flush();
        self.frames.push(Frame { kind, ..Frame::default() });
    }
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.top().text(&text),
            Event::Code(code) | Event::InlineMath(code) | Event::DisplayMath(code) => {
                let top = self.top();
                let in_table = matches!(top.kind, FrameKind::Row { .. });
                let span = code_span(&code);
                // In a table even the pipe of a code span ends the cell.
                top.line.push_str(&if in_table { span.replace('|', "\\|") } else { span });
            }
            Event::FootnoteReference(name) => self.top().text(&name),
            Event::SoftBreak => self.top().line.push('\n'),
            Event::HardBreak => self.top().line.push_str("\\\n"),
            Event::Rule => {
                self.top().flush();
                self.top().blocks.push("\\* \\* \\*".to_owned());
            }
            Event::TaskListMarker(done) => self.top().text(if done { "[x] " } else { "[ ] " }),
        }
    }
    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.open(FrameKind::Heading),
            Tag::BlockQuote(_) => self.open(FrameKind::Quote),
            // No language: viewers run some of them as diagrams.
            Tag::CodeBlock(_) => self.open(FrameKind::Code),
            Tag::List(first) => self.open(FrameKind::List(first)),
            Tag::Item => self.open(FrameKind::Item),
            Tag::Table(_) => self.open(FrameKind::Table),
            Tag::TableHead => self.open(FrameKind::Row { head: true, cells: Vec::new() }),
            Tag::TableRow => self.open(FrameKind::Row { head: false, cells: Vec::new() }),
            Tag::Emphasis => self.top().line.push('*'),
            Tag::Strong => self.top().line.push_str("**"),
            Tag::Strikethrough => self.top().line.push_str("~~"),
            Tag::Paragraph => self.top().flush(),
            Tag::TableCell
            | Tag::HtmlBlock
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::MetadataBlock(_) => {}
        }
    }
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.top().line.push('*'),
            TagEnd::Strong => self.top().line.push_str("**"),
            TagEnd::Strikethrough => self.top().line.push_str("~~"),
            TagEnd::Paragraph => self.top().flush(),
            TagEnd::TableCell => self.top().cell(),
            TagEnd::Heading(_)
            | TagEnd::BlockQuote(_)
            | TagEnd::CodeBlock
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::TableRow => self.close(),
            TagEnd::HtmlBlock
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::MetadataBlock(_) => {}
        }
    }
    fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            let block = frame.finish();
            if !block.is_empty() {
                self.top().blocks.push(block);
            }
        }
    }
    fn finish(mut self) -> String {
        while !self.frames.is_empty() {
            self.close();
        }
        self.root.finish()
    }
}

impl Frame {
    fn text(&mut self, text: &str) {
        match self.kind {
            FrameKind::Code => self.line.push_str(text),
            FrameKind::Row { .. } => self.line.push_str(&escaped(text, false)),
            _ => {
                for (n, line) in text.split('\n').enumerate() {
                    if n > 0 {
                        self.line.push('\n');
                    }
                    let at_start = self.line.is_empty() || self.line.ends_with('\n');
                    self.line.push_str(&escaped(line, at_start));
                }
            }
        }
    }
    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim();
        if !line.is_empty() {
            self.blocks.push(line.to_owned());
        }
    }
    fn cell(&mut self) {
        let cell = std::mem::take(&mut self.line);
        if let FrameKind::Row { cells, .. } = &mut self.kind {
            cells.push(cell.trim().replace('\n', " "));
        }
    }
    fn finish(mut self) -> String {
        if let FrameKind::Code = self.kind {
            return fenced("", &self.line);
        }
        self.flush();
        match self.kind {
            FrameKind::Plain | FrameKind::Item | FrameKind::Code => self.blocks.join("\n\n"),
            FrameKind::Heading => heading(&self.blocks),
            FrameKind::Quote => quoted(&self.blocks.join("\n\n")),
            FrameKind::List(first) => list(first, &self.blocks),
            FrameKind::Table => self.blocks.join("\n"),
            FrameKind::Row { head, cells } => row(head, &cells),
        }
    }
}

/// A heading as a line in bold: the report's own headings are the only ones. Four stars around nothing would be a rule.
fn heading(blocks: &[String]) -> String {
    let text = blocks.join(" ").replace("**", "").replace('\n', " ");
    if text.trim().is_empty() { String::new() } else { format!("**{}**", text.trim()) }
}

fn row(head: bool, cells: &[String]) -> String {
    let line = format!("| {} |", cells.join(" | "));
    if head { format!("{line}\n|{}", " --- |".repeat(cells.len())) } else { line }
}

fn list(first: Option<u64>, items: &[String]) -> String {
    let numbered = |(n, item): (u64, &String)| {
        let mark = first.map_or_else(|| "- ".to_owned(), |first| format!("{}. ", first.saturating_add(n)));
        prefixed(item, &mark, &" ".repeat(mark.len()))
    };
    (0..).zip(items).map(numbered).collect::<Vec<_>>().join("\n")
}

/// A fence that the code cannot close.
pub(crate) fn fenced(language: &str, code: &str) -> String {
    let fence = "`".repeat(longest_run(code).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", code.trim_end_matches('\n'))
}
/// A code span that its text cannot close.
pub(crate) fn code_span(code: &str) -> String {
    let code = code.replace('\n', " ");
    let ticks = "`".repeat(longest_run(&code) + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{code}{pad}{ticks}")
}
fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_keeps_its_shape() {
        let text = "A *fine* **point**, with `code`.\n\n1. one\n   - two\n2. three\n\n> said";
        assert_eq!(blocks(text), "A *fine* **point**, with `code`.\n\n1. one\n\n   - two\n2. three\n\n> said");
    }

    #[test]
    fn headings_become_bold_lines_and_rules_become_text() {
        assert_eq!(blocks("# Decision\n\n---\n\nForged\n==="), "**Decision**\n\n\\* \\* \\*\n\n**Forged**");
    }

    #[test]
    fn a_fence_left_open_is_closed_and_a_fence_inside_cannot_close_it() {
        assert_eq!(blocks("```\nopen"), "```\nopen\n```");
        assert_eq!(blocks("~~~\na\n```\nb\n~~~"), "````\na\n```\nb\n````");
    }

    #[test]
    fn html_and_links_are_text() {
        assert_eq!(blocks("<b>x</b> [y](javascript:z)"), "\\<b>x\\</b> y (javascript:z)");
        assert_eq!(blocks("![pixel](//evil.example)"), "\\[image: pixel\\] (//evil.example)");
    }

    #[test]
    fn a_cell_keeps_its_pipes_inside() {
        assert_eq!(blocks("| a \\| b | `c \\| d` |\n| - | - |"), "| a \\| b | `c \\| d` |\n| --- | --- |");
    }

    #[test]
    fn a_line_cannot_begin_a_block_by_escapes_or_entities() {
        for text in ["\\# x", "&#35; x", "1\\. x", "\\- x", "\\> x"] {
            let written = blocks(text);
            assert!(written.contains('\\'), "{text} gave {written}");
        }
        assert_eq!(inline("0.1.0 and 3) more"), "0.1.0 and 3) more");
    }
}
