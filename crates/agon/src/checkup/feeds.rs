//! Feeds that debates may read.
use super::CheckupFinding;
use crate::commands::Context;
use crate::exit::Stop;
use crate::settings::{Settings, feed_reader};
use agon_core::{FeedFault, FeedReading};

/// Reads every feed of the settings once.
pub async fn check(context: &Context, settings: &Settings) -> Result<Vec<CheckupFinding>, Stop> {
    let feeds = feed_reader(&settings.feeds, &context.environment)?;
    Ok(feeds.read(&feeds.names()).await.iter().map(finding).collect())
}

fn finding(feed: &FeedReading) -> CheckupFinding {
    let (what, section) = (format!("feed {}", feed.name), format!("[feeds.{}]", feed.name));
    let Some(fault) = feed.fault else {
        let count = feed.items.len();
        let first = feed.items.first().map(|item| item.title.as_str()).unwrap_or_default();
        let s = if count == 1 { "" } else { "s" };
        return CheckupFinding::ok(what, format!("{count} item{s}, the first: {first}"));
    };
    let fix = match fault {
        FeedFault::Unavailable => format!("check url or command of {section}, and whether this machine can reach it"),
        FeedFault::TimedOut => format!("raise timeout_seconds of {section}, 8 at most, or name a faster one"),
        FeedFault::TooLarge => format!("raise max_bytes of {section}"),
        FeedFault::Refused => {
            format!("call it manually: {section} needs its final address, or a program that ends with 0")
        }
        FeedFault::Malformed => {
            format!("{section} needs RSS 2.0 or Atom; a command prints lines, or JSON with format = \"json\"")
        }
        FeedFault::Empty => format!("nothing to do if it is sometimes empty; otherwise check {section}"),
    };
    CheckupFinding::warn(what, format!("it {}; debates continue without it", fault.as_str()), fix)
}
