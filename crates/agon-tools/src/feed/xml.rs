//! RSS 2.0 and Atom.

use agon_core::FeedItem;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use super::items::Raw;
use crate::rag::plain_text;

/// The first items of a document. Entities that it declares are not read, so that none can grow.
///
/// # Errors
/// What is wrong with the document up to the last item that is wanted.
pub(super) fn items(document: &str, most: usize) -> Result<Vec<FeedItem>, String> {
    let mut reader = Reader::from_str(document.trim_start_matches('\u{feff}'));
    reader.config_mut().allow_dangling_amp = true;
    let mut walk = FeedWalk::default();
    while walk.items.len() < most {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) => walk.open(&tag)?,
            Event::Empty(tag) => {
                walk.open(&tag)?;
                walk.close();
            }
            Event::End(_) => walk.close(),
            Event::Text(text) => walk.read(&text.decode().map_err(|error| error.to_string())?),
            Event::CData(text) => walk.read(&text.decode().map_err(|error| error.to_string())?),
            Event::GeneralRef(entity) => walk.read(&meaning(&entity)),
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
            Event::Eof => return walk.end(),
        }
    }
    Ok(walk.items)
}

/// The characters that `&...;` stands for; an entity that is not XML's own stays as it is written.
fn meaning(entity: &BytesRef<'_>) -> String {
    if let Ok(Some(char)) = entity.resolve_char_ref() {
        return char.to_string();
    }
    let name = entity.decode().unwrap_or_default();
    resolve_xml_entity(&name).map_or_else(|| format!("&{name};"), str::to_owned)
}

#[derive(Clone, Copy)]
enum ItemPart {
    Title,
    Date,
    Link,
    Text,
}

#[derive(Default)]
struct FeedWalk {
    /// Whether the document has begun.
    begun: bool,
    /// What stands before the names of the document's own elements.
    prefix: Option<Vec<u8>>,
    /// How many elements are open.
    depth: usize,
    /// The item that is open, and how deep it stands.
    item: Option<(usize, Raw)>,
    part: Option<ItemPart>,
    items: Vec<FeedItem>,
}

impl FeedWalk {
    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), String> {
        self.depth += 1;
        self.begun = true;
        let qualified = tag.name();
        if self.depth == 1 {
            self.prefix = qualified.prefix().map(|prefix| prefix.as_ref().to_vec());
        }
        // Atom may have a prefix throughout; names with another one are extensions.
        let own = qualified.prefix().map(|prefix| prefix.as_ref().to_vec()) == self.prefix;
        let name = if own { qualified.local_name().into_inner() } else { qualified.as_ref() };
        if self.depth == 1 && name != b"rss" && name != b"feed" {
            return Err(format!("the document is neither RSS 2.0 nor Atom: <{}>", String::from_utf8_lossy(name)));
        }
        match &mut self.item {
            None if name == b"item" || name == b"entry" => self.item = Some((self.depth, Raw::default())),
            Some((at, raw)) if self.depth == *at + 1 => {
                // The first of its kind counts: an entry of Atom may have two dates.
                self.part = part(name).filter(|part| raw.part(*part).is_empty());
                if let (b"link", Some(address)) = (name, address(tag))
                    && raw.link.is_empty()
                {
                    raw.link = address;
                }
            }
            None | Some(_) => {}
        }
        Ok(())
    }

    fn read(&mut self, text: &str) {
        let (Some((_, raw)), Some(part)) = (&mut self.item, self.part) else { return };
        raw.part(part).push_str(text);
    }

    fn close(&mut self) {
        let at = self.item.as_ref().map(|(at, _)| *at);
        if at.is_some_and(|at| self.depth == at + 1) {
            self.part = None;
        }
        if at == Some(self.depth)
            && let Some((_, mut raw)) = self.item.take()
        {
            raw.text = plain_text(&raw.text);
            self.items.extend(raw.item());
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn end(self) -> Result<Vec<FeedItem>, String> {
        let whole = self.begun && self.depth == 0;
        if whole { Ok(self.items) } else { Err("the document ends before it is complete".to_owned()) }
    }
}

impl Raw {
    fn part(&mut self, part: ItemPart) -> &mut String {
        match part {
            ItemPart::Title => &mut self.title,
            ItemPart::Date => &mut self.date,
            ItemPart::Link => &mut self.link,
            ItemPart::Text => &mut self.text,
        }
    }
}

/// What an element of an item holds. Names with a prefix are extensions, and none of them is read.
fn part(name: &[u8]) -> Option<ItemPart> {
    match name {
        b"title" => Some(ItemPart::Title),
        b"pubDate" | b"published" | b"updated" => Some(ItemPart::Date),
        b"link" => Some(ItemPart::Link),
        b"description" | b"summary" | b"content" => Some(ItemPart::Text),
        _ => None,
    }
}

/// The address of an Atom link to the item itself.
fn address(tag: &BytesStart<'_>) -> Option<String> {
    let value = |name: &str| {
        let attribute = tag.try_get_attribute(name).ok()??;
        Some(attribute.unescape_value().ok()?.into_owned())
    };
    let own = value("rel").is_none_or(|rel| rel == "alternate");
    value("href").filter(|_| own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RSS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand --><rss version="2.0" xmlns:media="m"><channel>
<title>Town news</title><link>https://town.example/</link><description>All of it</description>
<item><title>Trams &amp; buses are back &#8211; at last</title><link>https://town.example/1</link>
<pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate><media:title>no</media:title><guid>1</guid>
<description>&lt;p&gt;Two lines &lt;b&gt;open&lt;/b&gt; in May.&lt;/p&gt;</description></item>
<item><title><![CDATA[Rent < wages?]]></title><description/></item>
<item><description>Only a text.</description></item>
</channel></rss>"#;

    const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Papers</title><link href="https://p.example/"/>
<entry><title type="text">On trams</title><link rel="self" href="https://p.example/self"/>
<link href="https://p.example/1?a=1&amp;b=2"/><published>2026-11-20T08:00:00Z</published>
<updated>2026-11-21T08:00:00Z</updated><author><name>Nobody</name></author><summary>Short.</summary></entry></feed>"#;

    fn item(title: &str, date: &str, link: &str, text: &str) -> FeedItem {
        let part = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        FeedItem { title: title.to_owned(), date: part(date), link: part(link), text: part(text) }
    }

    #[test]
    fn rss_gives_its_items() {
        let first = item(
            "Trams & buses are back – at last",
            "Fri, 20 Nov 2026 08:00:00 GMT",
            "https://town.example/1",
            "Two lines open in May.",
        );
        let all = [first.clone(), item("Rent < wages?", "", "", ""), item("Only a text.", "", "", "")];
        assert_eq!(items(RSS, 10).unwrap(), all);
        assert_eq!(items(&format!("\u{feff}{RSS}"), 1).unwrap(), [first]);
    }

    #[test]
    fn atom_gives_its_entries_with_their_own_links() {
        let entry = item("On trams", "2026-11-20T08:00:00Z", "https://p.example/1?a=1&b=2", "Short.");
        assert_eq!(items(ATOM, 10).unwrap(), [entry]);
    }

    #[test]
    fn atom_may_have_a_prefix_throughout_and_those_of_extensions_are_others() {
        let prefixed = "<a:feed xmlns:a=\"http://www.w3.org/2005/Atom\"><a:entry><m:title>no</m:title><a:title>Trams</a:title>\
                        <a:link href=\"https://p.example/1\"/></a:entry></a:feed>";
        assert_eq!(items(prefixed, 10).unwrap(), [item("Trams", "", "https://p.example/1", "")]);
        let extended = "<rss><channel><item><media:title>no</media:title><title>Trams</title></item></channel></rss>";
        assert_eq!(items(extended, 10).unwrap(), [item("Trams", "", "", "")]);
    }

    #[test]
    fn what_is_no_feed_is_refused() {
        let cut = &RSS[..RSS.len() / 2];
        let crossed = "<rss><channel><item><title>a</item></title></channel></rss>";
        let other = "<html><body>404</body></html>";
        for bad in [other, "{\"items\": []}", "", "hello", cut, crossed, "<rss><item>", "<rss", "</rss>"] {
            assert!(items(bad, 10).is_err(), "{bad}");
        }
        for empty in ["<rss/>", "<feed></feed>", "<rss><channel><title>a</title></channel></rss>"] {
            assert_eq!(items(empty, 10).unwrap(), [], "{empty}");
        }
    }

    #[test]
    fn entities_of_a_document_never_grow() {
        let bomb = "<!DOCTYPE rss [<!ENTITY a \"boom\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]>\
                    <rss><channel><item><title>x&b;&c;</title></item></channel></rss>";
        assert_eq!(items(bomb, 10).unwrap(), [item("x&b;&c;", "", "", "")]);
    }

    #[test]
    fn deep_nesting_is_walked_and_not_recursed() {
        let deep = format!(
            "<rss><item><description>{}a{}</description></item></rss>",
            "<b>".repeat(50_000),
            "</b>".repeat(50_000)
        );
        assert_eq!(items(&deep, 10).unwrap(), [item("a", "", "", "")]);
    }
}
