//! What the feeds of a debate held, as the data of others that it is.
use crate::template::{self, fill};
use agon_core::fence::{Fence, FenceKind, Foreign, Mark, Written};
use agon_core::{FeedItem, FeedReading};

/// The section on feeds; none where no feed gave an item. Why one gave none is not for models.
pub(crate) fn section(feeds: &[FeedReading], mark: &Mark) -> Option<Written> {
    let filled: Vec<&FeedReading> = feeds.iter().filter(|feed| !feed.items.is_empty()).collect();
    if filled.is_empty() {
        return None;
    }
    let mut section = fill(template::FEEDS, &[("marker", mark.into())]);
    section.push("\n");
    let mut fence = Fence::open(&mut section, FenceKind::Feeds, mark);
    for (at, feed) in filled.into_iter().enumerate() {
        fence
            .ours(if at == 0 { "### Feed " } else { "\n### Feed " })
            .line(&Foreign::new(feed.name.as_str()))
            .ours("\n");
        feed.items.iter().for_each(|item| push_item(&mut fence, item));
    }
    fence.close(FenceKind::Feeds);
    Some(section)
}

/// `- Trams are back (2026-11-20, https://a.example/1): Two lines open in May.`
fn push_item(fence: &mut Fence<'_>, item: &FeedItem) {
    fence.ours("- ").line(&Foreign::new(item.title.as_str()));
    let about = [&item.date, &item.link].into_iter().flatten();
    for (at, part) in about.clone().enumerate() {
        fence.ours(if at == 0 { " (" } else { ", " }).line(&Foreign::new(part.as_str()));
    }
    if about.count() > 0 {
        fence.ours(")");
    }
    if let Some(text) = &item.text {
        fence.ours(": ").line(&Foreign::new(text.as_str()));
    }
    fence.ours("\n");
}
