//! Markdown that a model wrote, reduced to what a report may show: no HTML, no images, no links, no headings of its own.
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The Markdown events of `text`: HTML as text, links as their text and address, images as their description, headings two
/// levels below anything that the report itself uses.
pub(crate) fn events(text: &str) -> Vec<Event<'_>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut links: Vec<Link> = Vec::new();
    let mut out = Texts::default();
    for event in Parser::new_ext(text, options) {
        if let Some(link) = links.last_mut()
            && let Event::Text(text) | Event::Code(text) = &event
        {
            link.shown.push_str(text);
        }
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => links.push(Link::to(&dest_url, false)),
            Event::Start(Tag::Image { dest_url, .. }) => {
                links.push(Link::to(&dest_url, true));
                out.push(Event::Text("[image: ".into()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some(address) = links.pop().and_then(Link::address) {
                    out.push(Event::Text(address));
                }
            }
            Event::Html(text) | Event::InlineHtml(text) => out.push(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) => out.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => out.push(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Heading { level, .. }) => out.push(Event::Start(heading(demoted(level)))),
            Event::End(TagEnd::Heading(level)) => out.push(Event::End(TagEnd::Heading(demoted(level)))),
            event => out.push(event),
        }
    }
    out.events
}

/// Events in which no text follows a text, so that a writer sees a whole line's text at once.
#[derive(Default)]
struct Texts<'a> {
    events: Vec<Event<'a>>,
}
impl<'a> Texts<'a> {
    fn push(&mut self, event: Event<'a>) {
        match (self.events.last_mut(), event) {
            (Some(Event::Text(before)), Event::Text(text)) => *before = format!("{before}{text}").into(),
            (_, event) => self.events.push(event),
        }
    }
}

/// A link or image that is open.
struct Link {
    address: String,
    shown: String,
    image: bool,
}
impl Link {
    fn to(address: &str, image: bool) -> Self {
        Self { address: address.to_owned(), shown: String::new(), image }
    }
    /// What follows the text: the address, unless it is the text, so that a link cannot say that it leads elsewhere.
    fn address(self) -> Option<CowStr<'static>> {
        let known = self.address.is_empty() || self.address == self.shown;
        match (self.image, known) {
            (true, true) => Some("]".into()),
            (true, false) => Some(format!("] ({})", self.address).into()),
            (false, true) => None,
            (false, false) => Some(format!(" ({})", self.address).into()),
        }
    }
}

fn demoted(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => HeadingLevel::H5,
        HeadingLevel::H3 | HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}
fn heading<'a>(level: HeadingLevel) -> Tag<'a> {
    Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }
}
