//! What the feeds of a debate held, as the data of others that it is.
use crate::template::{self, fill};
use crate::text::quoted_line;
use agon_core::{FeedItem, FeedReading};

/// The section on feeds; none where no feed gave an item. Why one gave none is not for models.
pub(super) fn section(feeds: &[FeedReading], marker: &str) -> Option<String> {
    let filled = feeds.iter().filter(|feed| !feed.items.is_empty());
    let feeds: Vec<String> = filled.map(told).collect();
    let items = feeds.join("\n\n");
    (!feeds.is_empty()).then(|| fill(template::FEEDS, &[("marker", marker), ("items", &items)]))
}

/// A header that no item can forge, and each item on lines of its own.
fn told(feed: &FeedReading) -> String {
    let mut text = format!("### Feed {}", feed.name);
    for item in &feed.items {
        text.push('\n');
        text.push_str(&line(item));
    }
    text
}

/// `- Trams are back (2026-11-20, https://a.example/1): Two lines open in May.`
fn line(item: &FeedItem) -> String {
    let about: Vec<String> = [&item.date, &item.link].into_iter().flatten().map(|part| quoted_line(part)).collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let text = item.text.as_deref().map(|text| format!(": {}", quoted_line(text))).unwrap_or_default();
    format!("- {}{about}{text}", quoted_line(&item.title))
}
