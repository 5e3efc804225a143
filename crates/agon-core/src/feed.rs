//! What the feeds of an operator held when a debate was admitted.
use serde::Serialize;

/// One feed that a debate names: its items, or why there are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeedReading {
    /// The feed's name in the settings.
    pub name: String,
    /// Its items, in its own order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<FeedItem>,
    /// Why it gave no items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FeedFault>,
}

/// An item of a feed, as its author wrote it; all texts are bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FeedItem {
    /// Its title, or its first words.
    pub title: String,
    /// When it appeared, in the feed's own form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The beginning of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Why a feed gave no items. The debate goes on without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedFault {
    /// It could not be reached or started.
    Unavailable,
    /// It took too long.
    TimedOut,
    /// It is longer than its limit.
    TooLarge,
    /// The server refused, or the program failed.
    Refused,
    /// It is neither RSS 2.0 nor Atom, or no list of items.
    Malformed,
    /// It has no items.
    Empty,
}

impl FeedFault {
    /// What happened, as the end of "the feed news ...".
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "could not be reached",
            Self::TimedOut => "took too long",
            Self::TooLarge => "is longer than its limit",
            Self::Refused => "answered with an error",
            Self::Malformed => "could not be understood",
            Self::Empty => "has no items",
        }
    }
}

impl FeedReading {
    /// About how many characters its items take in a prompt.
    pub(crate) fn length(&self) -> u64 {
        const MARKS: usize = 16;
        let length = |item: &FeedItem| {
            let parts = [&item.date, &item.link, &item.text].into_iter().flatten().map(String::len);
            item.title.len() + parts.sum::<usize>() + MARKS
        };
        self.items.iter().map(length).sum::<usize>() as u64
    }
}
