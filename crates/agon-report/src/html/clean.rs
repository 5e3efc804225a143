//! What models wrote, as HTML of a few harmless elements.
use crate::speech;
use crate::text::plain;
use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd, html::push_html};

/// A model's Markdown as HTML that can be put into a page as it is: no element but those that [`bare`] lets through, and no
/// attribute but the number that a list starts with.
pub(super) fn speech(markdown: &str) -> String {
    let markdown = plain(markdown);
    let mut html = String::new();
    push_html(&mut html, speech::events(&markdown).into_iter().filter_map(harmless));
    // A heading that names nothing is none.
    html.replace("<th></th>", "<td></td>")
}

/// The event if all that it writes is escaped text and bare elements. HTML becomes the text that it looks like.
fn harmless(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Start(tag) => bare(tag).map(Event::Start),
        Event::End(end) => stays(end).then_some(Event::End(end)),
        Event::Html(text) | Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
            Some(Event::Text(text))
        }
        Event::Text(_) | Event::Code(_) | Event::SoftBreak | Event::HardBreak | Event::Rule => Some(event),
        Event::FootnoteReference(_) | Event::TaskListMarker(_) => None,
    }
}

/// The element without anything that would become an attribute of it; `None` if it is none that a speech may have.
fn bare(tag: Tag<'_>) -> Option<Tag<'_>> {
    match tag {
        Tag::Heading { level, .. } => Some(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }),
        Tag::BlockQuote(_) => Some(Tag::BlockQuote(None)),
        Tag::CodeBlock(_) => Some(Tag::CodeBlock(CodeBlockKind::Indented)),
        Tag::Table(_) => Some(Tag::Table(Vec::new())),
        tag => stays(tag.to_end()).then_some(tag),
    }
}

fn stays(end: TagEnd) -> bool {
    match end {
        TagEnd::Paragraph
        | TagEnd::Heading(_)
        | TagEnd::BlockQuote(_)
        | TagEnd::CodeBlock
        | TagEnd::List(_)
        | TagEnd::Item
        | TagEnd::Table
        | TagEnd::TableHead
        | TagEnd::TableRow
        | TagEnd::TableCell
        | TagEnd::Emphasis
        | TagEnd::Strong
        | TagEnd::Strikethrough
        | TagEnd::Superscript
        | TagEnd::Subscript => true,
        TagEnd::HtmlBlock
        | TagEnd::FootnoteDefinition
        | TagEnd::DefinitionList
        | TagEnd::DefinitionListTitle
        | TagEnd::DefinitionListDefinition
        | TagEnd::Link
        | TagEnd::Image
        | TagEnd::MetadataBlock(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_elements_are_written() {
        let markdown = "# Title {#id .class onclick=x}\n\n```js\"onload=x\n<b>\n```\n\n> [!NOTE]\n> a<br>b<script>\n\n3. [x](javascript:y)\n\n\
            | a | b |\n| :-: | --: |\n| ~~c~~ | ![d](e) |\n\n<div onclick=x>\n";
        let html = speech(markdown);
        let mut elements: Vec<&str> = html
            .split('<')
            .skip(1)
            .filter_map(|rest| rest.split('>').next())
            .filter(|name| !name.starts_with('/'))
            .collect();
        elements.sort_unstable();
        elements.dedup();
        let expected = [
            "blockquote",
            "code",
            "del",
            "h5",
            "ol start=\"3\"",
            "p",
            "pre",
            "table",
            "tbody",
            "td",
            "th",
            "thead",
            "tr",
        ];
        assert!(elements.iter().all(|element| expected.contains(element) || *element == "li"), "{elements:?}\n{html}");
        assert!(html.contains("&lt;script&gt;") && html.contains("&lt;div onclick=x&gt;"), "{html}");
    }

    #[test]
    fn html_that_would_reach_the_writer_is_text() {
        let mut html = String::new();
        let events = [Event::Html("<a>".into()), Event::InlineHtml("<i>".into()), Event::DisplayMath("<m>".into())];
        let link = Tag::Link {
            link_type: pulldown_cmark::LinkType::Inline,
            dest_url: "x".into(),
            title: "t".into(),
            id: "i".into(),
        };
        let all = events.into_iter().chain([Event::Start(link), Event::End(TagEnd::Link)]);
        push_html(&mut html, all.filter_map(harmless));
        assert_eq!(html, "&lt;a&gt;&lt;i&gt;&lt;m&gt;");
    }
}
