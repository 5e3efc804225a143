//! Our own documents as HTML: headings that can be linked to, tables that fold up, links that lead to pages of the help alone.
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::{BTreeMap, BTreeSet};

/// A document, drawn.
#[derive(Debug, Default)]
pub(super) struct RenderedText {
    pub html: String,
    /// Headings of the second level: where they are, and their words.
    pub contents: Vec<(String, String)>,
    /// The options that have rows, such as `personas.stance`.
    pub options: BTreeSet<String>,
    /// Other names of options, and the first ones.
    pub aliases: BTreeMap<String, String>,
}

impl RenderedText {
    /// The place of an option, also where its block has another name.
    pub fn option(&self, path: &str) -> Option<String> {
        let (block, rest) = path.split_once('.').unwrap_or((path, ""));
        let first = self.aliases.get(block).filter(|_| !rest.is_empty());
        let path = first.map_or_else(|| path.to_owned(), |first| format!("{first}.{rest}"));
        Some(path).filter(|path| self.options.contains(path))
    }
}

/// Draws a document. `place` is where the repository has it, below `docs`; `address` knows the pages that links may lead to.
pub(super) fn render(text: &str, place: &str, address: fn(&str) -> Option<String>) -> RenderedText {
    let mut drawing =
        Drawing { place, address, out: RenderedText::default(), table: None, dropped: false, links: vec![] };
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let mut section = String::new();
    let mut at = 0;
    let mut shown = Vec::new();
    while let Some(event) = events.get(at) {
        at += 1;
        if let Event::Start(Tag::Heading { level, .. }) = event {
            let words = words_until_end(events.get(at..).unwrap_or_default());
            section = words.clone();
            shown.push(drawing.heading(*level, &words));
            continue;
        }
        shown.extend(drawing.event(event.clone(), &section));
    }
    html::push_html(&mut drawing.out.html, shown.into_iter());
    drawing.out
}

/// The words of a heading, as they stand in its text.
fn words_until_end(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let words = inside.filter_map(|event| match event {
        Event::Text(text) => Some(text.to_string()),
        Event::Code(code) => Some(format!("`{code}`")),
        _ => None,
    });
    words.collect()
}

/// A table while it is drawn.
#[derive(Default)]
struct TableState {
    head: Vec<String>,
    in_head: bool,
    /// Cells of this row that were begun.
    column: usize,
    /// The paths of the key whose row it is.
    key: Option<Vec<String>>,
}

struct Drawing<'d> {
    place: &'d str,
    address: fn(&str) -> Option<String>,
    out: RenderedText,
    table: Option<TableState>,
    /// Inside of something that is not shown.
    dropped: bool,
    /// Whether each open link leads anywhere.
    links: Vec<bool>,
}

impl Drawing<'_> {
    fn heading<'e>(&mut self, level: HeadingLevel, words: &str) -> Event<'e> {
        let id = anchor(words);
        if level == HeadingLevel::H2 {
            self.out.contents.push((id.clone(), words.replace('`', "")));
        }
        raw(format!("<{level} id=\"{id}\">"))
    }

    fn event<'e>(&mut self, event: Event<'e>, section: &str) -> Vec<Event<'e>> {
        if self.dropped {
            self.dropped = !matches!(event, Event::End(TagEnd::CodeBlock | TagEnd::Image));
            return Vec::new();
        }
        match event {
            // pictures are drawn by other programs
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) if &*kind == "mermaid" => self.drop(),
            Event::Start(Tag::Image { .. }) => self.drop(),
            Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(text)],
            Event::Start(Tag::Link { dest_url, .. }) => self.link(&dest_url),
            Event::End(TagEnd::Link) => match self.links.pop() {
                Some(true) => vec![raw("</a>".to_owned())],
                Some(false) | None => Vec::new(),
            },
            Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell)
            | Event::End(TagEnd::Table | TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell) => {
                vec![raw(self.table(&event))]
            }
            Event::Code(key) => vec![raw(self.option_places(section, &key)), Event::Code(key)],
            Event::Text(text) => {
                self.name_column(&text);
                vec![Event::Text(text)]
            }
            other => vec![other],
        }
    }

    fn drop<'e>(&mut self) -> Vec<Event<'e>> {
        self.dropped = true;
        Vec::new()
    }

    /// A link to a page of the help; other links are words alone.
    fn link<'e>(&mut self, to: &str) -> Vec<Event<'e>> {
        let (file, anchor) = to.split_once('#').unwrap_or((to, ""));
        let page = if file.is_empty() { Some(String::new()) } else { (self.address)(&resolved(self.place, file)) };
        self.links.push(page.is_some());
        let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
        page.map(|page| raw(format!("<a href=\"{page}{anchor}\">"))).into_iter().collect()
    }

    /// The names of the columns stand in every cell, for narrow windows.
    fn name_column(&mut self, text: &str) {
        if let Some(table) = self.table.as_mut().filter(|table| table.in_head) {
            table.head.push(text.to_owned());
        }
    }

    fn table(&mut self, event: &Event<'_>) -> String {
        let table = self.table.get_or_insert_default();
        match event {
            Event::Start(Tag::Table(_)) => "<table class=\"list\">".to_owned(),
            Event::End(TagEnd::Table) => {
                self.table = None;
                "</tbody></table>".to_owned()
            }
            Event::Start(Tag::TableHead) => {
                table.in_head = true;
                "<thead><tr>".to_owned()
            }
            Event::End(TagEnd::TableHead) => {
                table.in_head = false;
                "</tr></thead><tbody>".to_owned()
            }
            Event::Start(Tag::TableRow) => {
                (table.column, table.key) = (0, None);
                "<tr>".to_owned()
            }
            Event::End(TagEnd::TableRow) => "</tr>".to_owned(),
            Event::Start(Tag::TableCell) if table.in_head => "<th scope=\"col\">".to_owned(),
            Event::Start(Tag::TableCell) => table.cell(),
            _ if table.in_head => "</th>".to_owned(),
            _ => "</td>".to_owned(),
        }
    }

    /// The places of a key: it stands in the first cell of its row, and its other names behind it.
    fn option_places(&mut self, section: &str, key: &str) -> String {
        let Some(table) = self.table.as_mut().filter(|table| !table.in_head && table.column == 1) else {
            return String::new();
        };
        let names = option_names(section, key);
        if let Some(first) = &table.key {
            let pairs = names.iter().zip(first);
            self.out.aliases.extend(pairs.map(|(alias, first)| (alias.clone(), first.clone())));
        } else {
            table.key = Some(names.clone());
        }
        let places = names.iter().map(|name| format!("<span id=\"{}\"></span>", escaped(name))).collect();
        self.out.options.extend(names);
        places
    }
}

impl TableState {
    /// A cell, under the name of its column.
    fn cell(&mut self) -> String {
        let label = self.head.get(self.column).filter(|_| self.column > 0);
        let cell = label.map_or_else(|| "<td>".to_owned(), |label| format!("<td data-label=\"{}\">", escaped(label)));
        self.column += 1;
        cell
    }
}

fn raw<'e>(html: String) -> Event<'e> {
    Event::InlineHtml(CowStr::from(html))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The paths of a key, by the heading of its table: "Keys of the debate", "Keys of `judge`".
fn option_names(section: &str, key: &str) -> Vec<String> {
    let Some(of) = section.strip_prefix("Keys of ") else { return Vec::new() };
    if of == "the debate" {
        return vec![key.to_owned()];
    }
    of.split(", ").map(|block| format!("{}.{key}", block.trim_matches('`'))).collect()
}

/// A file that a document names, from `docs` on.
fn resolved(place: &str, file: &str) -> String {
    let mut path: Vec<&str> = place.split('/').collect();
    path.pop();
    for part in file.split('/') {
        match part {
            ".." => drop(path.pop()),
            "." => {}
            part => path.push(part),
        }
    }
    path.join("/")
}

/// The anchor of a heading, as forges make it.
fn anchor(words: &str) -> String {
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(place: &str) -> Option<String> {
        (place == "guide/a.md").then(|| "/help/a".to_owned())
    }

    #[test]
    fn links_lead_to_pages_that_are_there_and_others_are_words() {
        let text = "# One\n\n[a](a.md#x) [b](../b.md) [c](#one) [d](https://example.com)";
        let html = render(text, "guide/z.md", pages).html;
        assert!(html.contains("<a href=\"/help/a#x\">a</a> b <a href=\"#one\">c</a> d"), "{html}");
    }

    #[test]
    fn pictures_and_tags_are_not_drawn() {
        let html = render("```mermaid\nflowchart\n```\n\n![x](y.png)<b onclick=x>z", "a.md", pages).html;
        assert_eq!(html, "<p>&lt;b onclick=x&gt;z</p>\n");
    }

    #[test]
    fn headings_and_options_have_places() {
        let drawn = render("## Keys of `a`, `b`\n\n| key | value |\n| --- | --- |\n| `c`, `e` | d |\n", "a.md", pages);
        assert_eq!(drawn.contents, [("keys-of-a-b".to_owned(), "Keys of a, b".to_owned())]);
        assert_eq!(drawn.options.iter().map(String::as_str).collect::<Vec<_>>(), ["a.c", "a.e", "b.c", "b.e"]);
        assert!(drawn.html.contains("<td data-label=\"value\">d</td>"), "{}", drawn.html);
    }
}
