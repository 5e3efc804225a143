//! What models wrote, as HTML of a few harmless elements.
use crate::speech;
use crate::text::plain;
use ammonia::Builder;
use std::collections::{HashMap, HashSet};

/// Every element that a speech may have. No element may have an attribute, but for the number a list starts with.
const ELEMENTS: [&str; 22] = [
    "p",
    "br",
    "strong",
    "em",
    "del",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "h5",
    "h6",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "hr",
    "sup",
    "sub",
];

/// A model's Markdown as HTML that can be put into a page as it is.
pub(super) fn speech(markdown: &str) -> String {
    let markdown = plain(markdown);
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, speech::events(&markdown).into_iter());
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(ELEMENTS))
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(HashMap::from([("ol", HashSet::from(["start"]))]))
        .link_rel(None);
    builder.clean(&html).to_string()
}
