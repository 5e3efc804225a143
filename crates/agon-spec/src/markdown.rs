//! Markdown: a front matter block, and a body that holds topic, context and materials.
use crate::diagnostic::{Code, Problems, SpecFinding};
use crate::place::{Place, Span};
use crate::source::Text;
use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Where the front matter lies, and where the body begins, in bytes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Parts {
    pub front: Option<Range<usize>>,
    pub body: usize,
}

/// A piece of the body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Passage {
    pub text: String,
    pub span: Span,
}

/// What the body says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Body {
    pub topic: Option<Passage>,
    pub context: Option<Passage>,
    pub materials: Option<Passage>,
}

/// Splits the front matter off.
pub(crate) fn split(text: &Text) -> Result<Parts, SpecFinding> {
    let Some(rest) = text.all.strip_prefix("---") else { return Ok(Parts::default()) };
    let Some((marker, _)) = rest.split_once('\n') else { return Ok(Parts::default()) };
    if !marker.trim().is_empty() {
        return Ok(Parts::default());
    }
    let start = 3 + marker.len() + 1;
    let mut at = start;
    for line in text.all.get(start..).unwrap_or_default().split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok(Parts { front: Some(start..at), body: at + line.len() });
        }
        at += line.len();
    }
    let place = Place::default();
    let span = Span { start: place, end: Place { column: 4, ..place } };
    let message = "the front matter that begins here is not closed";
    Err(SpecFinding::new(Code::FrontMatterOpen, span, message).help("close it with a line that contains only ---"))
}

/// Reads the body, which begins at byte `start`.
///
/// Where the front matter names the topic already, only a first-level heading is taken for a topic of the body.
pub(crate) fn body(text: &Text, start: usize, topic_is_set: bool, problems: &mut Problems<'_>) -> Body {
    let blocks = blocks(text, start);
    let reader = MarkdownReader { text, blocks: &blocks };
    let topic = reader.topic(topic_is_set);
    let from = topic.map_or(start, |block| block.range.end);
    let until = reader.end(topic);
    let mut body = Body { topic: topic.map(|block| reader.passage(block)), ..Body::default() };
    reader.sections(from..until, topic, &mut body);
    reader.report_ignored(start, topic, until, problems);
    reader.report_addresses(topic, problems);
    body
}

/// A heading, or the first paragraph.
#[derive(Debug)]
struct Block {
    kind: BlockKind,
    title: String,
    range: Range<usize>,
    /// Links and images, of which the title has the words alone.
    links: Vec<Range<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Heading(u8),
    Paragraph,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodySection {
    Context,
    Materials,
}

impl Block {
    fn level(&self) -> Option<u8> {
        match self.kind {
            BlockKind::Heading(level) => Some(level),
            BlockKind::Paragraph => None,
        }
    }
    /// The section that this heading opens, below a topic of `level`.
    fn section(&self, level: u8) -> Option<BodySection> {
        let deep_enough = self.level().is_some_and(|own| own <= 2.max(level + 1));
        match self.title.to_lowercase().as_str() {
            "context" if deep_enough => Some(BodySection::Context),
            "materials" if deep_enough => Some(BodySection::Materials),
            _ => None,
        }
    }
}

struct MarkdownReader<'a> {
    text: &'a Text,
    blocks: &'a [Block],
}
impl<'a> MarkdownReader<'a> {
    fn headings(&self) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(|block| block.level().is_some())
    }
    fn topic(&self, is_set: bool) -> Option<&'a Block> {
        let heading = self.headings().find(|block| block.section(0).is_none());
        if is_set {
            return self.headings().next().filter(|block| block.level() == Some(1) && block.section(0).is_none());
        }
        heading.or_else(|| self.blocks.first().filter(|block| block.kind == BlockKind::Paragraph))
    }
    /// Where the text that belongs to the topic ends: at the next heading of its level, known sections apart.
    fn end(&self, topic: Option<&Block>) -> usize {
        let whole = self.text.all.len();
        let Some((level, after)) = topic.and_then(|topic| Some((topic.level()?, topic.range.end))) else {
            return whole;
        };
        let next = self.headings().find(|block| {
            block.range.start >= after
                && block.level().is_some_and(|own| own <= level)
                && block.section(level).is_none()
        });
        next.map_or(whole, |block| block.range.start)
    }
    fn sections(&self, range: Range<usize>, topic: Option<&Block>, body: &mut Body) {
        let level = topic.and_then(Block::level).unwrap_or(1);
        let (mut at, mut open) = (range.start, (BodySection::Context, 0));
        for heading in self.headings().filter(|block| range.contains(&block.range.start)) {
            let own = heading.level().unwrap_or(u8::MAX);
            let next = match heading.section(level) {
                Some(section) => Some((section, own)),
                None if open.0 == BodySection::Materials && own <= open.1 => Some((BodySection::Context, 0)),
                None => None,
            };
            let Some(next) = next else { continue };
            self.append(at..heading.range.start, open.0, body);
            at = if heading.section(level).is_some() { heading.range.end } else { heading.range.start };
            open = next;
        }
        self.append(at..range.end, open.0, body);
    }
    fn append(&self, range: Range<usize>, section: BodySection, body: &mut Body) {
        let whole = self.text.all.get(range.clone()).unwrap_or_default();
        let text = whole.trim();
        if text.is_empty() {
            return;
        }
        let start = range.start + (whole.len() - whole.trim_start().len());
        let span = self.span(start..start + text.len());
        let target = match section {
            BodySection::Context => &mut body.context,
            BodySection::Materials => &mut body.materials,
        };
        match target {
            Some(passage) => passage.text = format!("{}\n\n{text}", passage.text),
            None => *target = Some(Passage { text: text.to_owned(), span }),
        }
    }
    fn report_ignored(&self, start: usize, topic: Option<&Block>, until: usize, problems: &mut Problems<'_>) {
        let before = start..topic.map_or(start, |topic| topic.range.start);
        let help = "text counts if it is below the topic, or under `## Context` or `## Materials`";
        for range in [before, until..self.text.all.len()] {
            let whole = self.text.all.get(range.clone()).unwrap_or_default();
            if whole.trim().is_empty() {
                continue;
            }
            let from = range.start + (whole.len() - whole.trim_start().len());
            let span = self.span(from..range.start + whole.trim_end().len());
            let message = "the text from here on is not part of the debate";
            problems.warning(SpecFinding::new(Code::IgnoredText, span, message).help(help));
        }
    }
    fn report_addresses(&self, topic: Option<&Block>, problems: &mut Problems<'_>) {
        for range in topic.iter().flat_map(|topic| &topic.links) {
            let message = "the topic has the words of this link, and not its address";
            let help = "write the address below the topic, or in the topic as text";
            problems.warning(SpecFinding::new(Code::IgnoredText, self.span(range.clone()), message).help(help));
        }
    }
    fn passage(&self, block: &Block) -> Passage {
        let end = block.range.start + self.text.all.get(block.range.clone()).map_or(0, |text| text.trim_end().len());
        Passage { text: block.title.clone(), span: self.span(block.range.start..end) }
    }
    fn span(&self, range: Range<usize>) -> Span {
        Span { start: self.text.place(range.start), end: self.text.place(range.end) }
    }
}

/// The headings outside quotes and lists, and the first paragraph if it stands before all of them.
fn blocks(text: &Text, start: usize) -> Vec<Block> {
    let source = text.all.get(start..).unwrap_or_default();
    let mut blocks: Vec<Block> = Vec::new();
    let (mut depth, mut open) = (0_usize, None::<Block>);
    for (event, range) in Parser::new_ext(source, Options::empty()).into_offset_iter() {
        let range = start + range.start..start + range.end;
        match event {
            Event::Start(tag) => {
                match &mut open {
                    Some(block) if has_address(&tag) => block.links.push(range),
                    None if depth == 0 => {
                        let kind = kind(&tag, blocks.is_empty());
                        open = kind.map(|kind| Block { kind, title: String::new(), range, links: Vec::new() });
                    }
                    Some(_) | None => {}
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if depth == 0 && matches!(end, TagEnd::Heading(_) | TagEnd::Paragraph) {
                    blocks.extend(open.take().map(finished));
                }
            }
            // what looks like a tag is as likely a type, a placeholder or an operator: it counts as written
            Event::Text(piece) | Event::Code(piece) | Event::InlineHtml(piece) => {
                open.iter_mut().for_each(|block| block.title.push_str(&piece));
            }
            Event::SoftBreak | Event::HardBreak => open.iter_mut().for_each(|block| block.title.push(' ')),
            _ => {}
        }
    }
    blocks
}

fn finished(block: Block) -> Block {
    Block { title: block.title.split_whitespace().collect::<Vec<_>>().join(" "), ..block }
}

fn kind(tag: &Tag<'_>, first: bool) -> Option<BlockKind> {
    match tag {
        Tag::Heading { level, .. } => Some(BlockKind::Heading(depth_of(*level))),
        Tag::Paragraph if first => Some(BlockKind::Paragraph),
        _ => None,
    }
}

/// Whether a reader of the words alone misses where it leads.
fn has_address(tag: &Tag<'_>) -> bool {
    match tag {
        Tag::Link { link_type, .. } => !matches!(link_type, LinkType::Autolink | LinkType::Email),
        Tag::Image { .. } => true,
        _ => false,
    }
}

fn depth_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str, topic_is_set: bool) -> (Option<String>, Option<String>, Option<String>, usize) {
        let text = Text::new(source.to_owned());
        let mut problems = Problems::new("a.md");
        let parts = split(&text).unwrap();
        let body = body(&text, parts.body, topic_is_set, &mut problems);
        let text = |passage: Option<Passage>| passage.map(|passage| passage.text);
        (text(body.topic), text(body.context), text(body.materials), problems.into_list().len())
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn the_first_heading_is_the_topic_and_the_text_below_is_the_context() {
        assert_eq!(
            read("# Tea `or` *coffee*?\n\nWe drink.\n\n## More\nx\n", false),
            (some("Tea or coffee?"), some("We drink.\n\n## More\nx"), None, 0)
        );
    }

    #[test]
    fn no_words_of_a_topic_vanish() {
        for (written, topic) in [
            ("Should we use <T> or Box<dyn Error>?", "Should we use <T> or Box<dyn Error>?"),
            (
                "Is <main> *better* than </div>, <br/> or <!-- x -->?",
                "Is <main> better than </div>, <br/> or <!-- x -->?",
            ),
            ("Is `a < b` or &lt;b&gt; &amp; a \\< b shown?", "Is a < b or <b> & a < b shown?"),
            ("Should <https://a.example> or <a@b.example> answer?", "Should https://a.example or a@b.example answer?"),
            ("Is {{name}} or <name> the [placeholder]?", "Is {{name}} or <name> the [placeholder]?"),
        ] {
            assert_eq!(read(&format!("# {written}\n"), false), (some(topic), None, None, 0));
            assert_eq!(read(&format!("{written}\n"), false), (some(topic), None, None, 0));
        }
        assert_eq!(read("Use <T>\\\nor  \n<U>?\n", false), (some("Use <T> or <U>?"), None, None, 0));
    }

    #[test]
    fn addresses_that_a_topic_drops_cause_a_warning() {
        let body = "Is [RFC 9110][r] or ![a chart](b.png) right?\n\n[r]: https://a.example\n";
        assert_eq!(read(body, false).0, some("Is RFC 9110 or a chart right?"));
        assert_eq!(read(body, false).3, 2);
        assert_eq!(read("# T\n\nWe read [it](https://a.example).\n\n## [U](b)\n", false).3, 0);
    }

    #[test]
    fn plain_text_has_its_first_paragraph_as_topic() {
        assert_eq!(read("Tea or\ncoffee?\n\nWe drink.\n", false), (some("Tea or coffee?"), some("We drink."), None, 0));
    }

    #[test]
    fn context_and_materials_are_known_sections() {
        let text = "# T\nintro\n## Materials\n- a\n### b\n## Context\nc\n## Else\nd\n";
        assert_eq!(read(text, false), (some("T"), some("intro\n\nc\n## Else\nd"), some("- a\n### b"), 0));
    }

    #[test]
    fn the_context_ends_at_the_next_heading_of_the_same_level_with_a_warning() {
        assert_eq!(read("# T\na\n# U\nb\n", false), (some("T"), some("a"), None, 1));
    }

    #[test]
    fn with_a_topic_in_front_the_whole_body_is_context() {
        assert_eq!(read("---\ntopic: x\n---\na\n\n## Costs\nb\n", true), (None, some("a\n\n## Costs\nb"), None, 0));
    }

    #[test]
    fn a_heading_inside_a_code_block_or_a_quote_is_text() {
        assert_eq!(read("```\n# no\n```\n> # no\n\n# yes\n", false).0, some("yes"));
    }

    #[test]
    fn an_open_front_matter_block_is_refused() {
        assert!(split(&Text::new("---\ntopic: x\n".to_owned())).is_err());
        assert_eq!(split(&Text::new("---\na: 1\n---\nx".to_owned())).unwrap(), Parts { front: Some(4..9), body: 13 });
    }
}
