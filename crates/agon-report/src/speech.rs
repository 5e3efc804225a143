//! Markdown that a model wrote, reduced to what a report may show: no HTML, no images, no links, no headings of its own.
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;

/// The Markdown events of `text`: HTML as text, links as their text and address, images as their description, headings two
/// levels below anything that the report itself uses.
pub(crate) fn events(text: &str) -> Vec<Event<'_>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut links: Vec<OpenLink> = Vec::new();
    let mut out = WholeTexts::default();
    for event in Parser::new_ext(text, options) {
        if let Some(link) = links.last_mut()
            && let Event::Text(text) | Event::Code(text) = &event
        {
            link.shown.push_str(text);
        }
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => links.push(OpenLink::to(&dest_url, false)),
            Event::Start(Tag::Image { dest_url, .. }) => {
                links.push(OpenLink::to(&dest_url, true));
                out.push(Event::Text("[image: ".into()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some(address) = links.pop().and_then(OpenLink::address) {
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
    out.done()
}

/// How deep quotes, lists and emphasis may stand in one another. What is nested deeper stands there without its marks: no reader follows it,
/// and writers of pages take a time that grows with the square of the depth.
const MOST_NESTED: usize = 16;

/// Events in which no text follows a text, so that a writer sees a whole line's text at once, and nothing is nested too deep.
#[derive(Default)]
struct WholeTexts<'a> {
    events: Vec<Event<'a>>,
    text: Option<Cow<'a, str>>,
    /// Of each mark that is open, whether it stands there.
    open: Vec<bool>,
}
impl<'a> WholeTexts<'a> {
    fn push(&mut self, event: Event<'a>) {
        match event {
            Event::Text(text) => match &mut self.text {
                Some(before) => before.to_mut().push_str(&text),
                None => self.text = Some(text.into()),
            },
            Event::Start(tag) => {
                let shown = match tag {
                    // A table stands there whole or not at all.
                    Tag::TableHead | Tag::TableRow | Tag::TableCell => self.open.last() == Some(&true),
                    _ => self.open.len() < MOST_NESTED,
                };
                self.open.push(shown);
                self.whole(if shown { Event::Start(tag) } else { Event::SoftBreak });
            }
            Event::End(tag) => {
                let shown = self.open.pop().unwrap_or(true);
                self.whole(if shown { Event::End(tag) } else { Event::SoftBreak });
            }
            event => self.whole(event),
        }
    }
    /// Takes in what is no text. A line that is empty already is not ended again.
    fn whole(&mut self, event: Event<'a>) {
        self.flush();
        if !matches!((self.events.last(), &event), (Some(Event::SoftBreak), Event::SoftBreak)) {
            self.events.push(event);
        }
    }
    fn flush(&mut self) {
        self.events.extend(self.text.take().map(|text| Event::Text(text.into())));
    }
    fn done(mut self) -> Vec<Event<'a>> {
        self.flush();
        self.events
    }
}

/// A link or image that is open.
struct OpenLink {
    address: String,
    shown: String,
    image: bool,
}
impl OpenLink {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn depth_and_words(text: &str) -> (usize, Vec<String>) {
        let (mut open, mut deepest, mut words) = (0_usize, 0, Vec::new());
        for event in events(text) {
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Text(text) => words.extend(text.split_whitespace().map(str::to_owned)),
                _ => {}
            }
            deepest = deepest.max(open);
        }
        assert_eq!(open, 0, "marks that are opened are closed");
        (deepest, words)
    }

    #[test]
    fn nothing_is_nested_deeper_than_a_reader_follows_and_every_word_stays() {
        let deep = format!("first\n\n{}quoted\n\n{}listed\n\nlast", "> ".repeat(2_000), "- ".repeat(2_000));
        let (depth, words) = depth_and_words(&deep);
        assert_eq!((depth, words), (MOST_NESTED, ["first", "quoted", "listed", "last"].map(str::to_owned).to_vec()));
        let flat = depth_and_words("> one\n>\n> - two\n> - *three*");
        assert_eq!(flat, (4, ["one", "two", "three"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn texts_that_follow_each_other_are_one() {
        let brackets = "[".repeat(3_000);
        let texts: Vec<_> = events(&brackets).into_iter().filter(|event| matches!(event, Event::Text(_))).collect();
        assert_eq!(texts, [Event::Text(brackets.as_str().into())]);
    }
}
