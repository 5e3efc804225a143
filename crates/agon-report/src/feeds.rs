//! What the speakers were given of feeds.
use crate::markdown::escape::inline;
use crate::words;
use agon_core::{Admission, FeedItem, FeedReading};

/// One line of safe Markdown for each item, feed by feed.
pub(crate) fn lines(admission: &Admission) -> Vec<String> {
    admission.feeds.iter().flat_map(|feed| feed.items.iter().map(|item| line(feed, item))).collect()
}

/// `news: **Trams are back** (2026-11-20, https://a.example/1): Two lines open in May.`
fn line(feed: &FeedReading, item: &FeedItem) -> String {
    let about: Vec<String> = [&item.date, &item.link].into_iter().flatten().map(|part| inline(part)).collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let text = item.text.as_ref().map(|text| format!(": {}", inline(text))).unwrap_or_default();
    format!("{}: **{}**{about}{text}", inline(&feed.name), inline(&item.title))
}

/// How much was read of each feed, in one line; none where the file names no feed.
pub(crate) fn told(admission: &Admission) -> Option<String> {
    let one = |feed: &FeedReading| match feed.fault {
        Some(_) => format!("nothing from {}", feed.name),
        None => format!("{} from {}", words::count(feed.items.len() as u64, "item"), feed.name),
    };
    let feeds: Vec<String> = admission.feeds.iter().map(one).collect();
    (!feeds.is_empty()).then(|| format!("told of {}", feeds.join(", ")))
}

/// A warning for each feed that gave nothing.
pub(crate) fn warnings(admission: &Admission) -> Vec<String> {
    let gave_nothing = |feed: &FeedReading| Some((feed.name.clone(), feed.fault?));
    let faults = admission.feeds.iter().filter_map(gave_nothing);
    faults.map(|(name, fault)| format!("The feed {name} {}; the debate went on without it.", fault.as_str())).collect()
}
