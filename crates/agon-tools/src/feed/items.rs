//! Items of feeds, cut to what a prompt can take.

use agon_core::{FeedFault, FeedItem};
use serde::Deserialize;

use super::FeedFormat;
use crate::text::one_line;

const MAX_TITLE_CHARS: usize = 200;
const MAX_DATE_CHARS: usize = 40;
const MAX_LINK_CHARS: usize = 300;
const MAX_TEXT_CHARS: usize = 400;

/// An item as it was read.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Raw {
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) date: String,
    #[serde(default)]
    pub(super) link: String,
    #[serde(default)]
    pub(super) text: String,
}

impl Raw {
    /// The item on lines of its own, if it says anything. Without a title, its text is one.
    pub(super) fn item(&self) -> Option<FeedItem> {
        let part = |text: &str, most| Some(one_line(text, most)).filter(|text| !text.is_empty());
        let (title, text) = (part(&self.title, MAX_TITLE_CHARS), part(&self.text, MAX_TEXT_CHARS));
        let (title, text) = match (title, text) {
            (Some(title), text) => (title, text),
            (None, Some(_)) => (one_line(&self.text, MAX_TITLE_CHARS), None),
            (None, None) => return None,
        };
        Some(FeedItem { title, date: part(&self.date, MAX_DATE_CHARS), link: part(&self.link, MAX_LINK_CHARS), text })
    }
}

/// An entry of a program's JSON.
#[derive(Deserialize)]
#[serde(untagged)]
enum Printed {
    Title(String),
    Item(Raw),
}

/// The first items of what a program printed.
pub(super) fn of_output(output: &[u8], format: FeedFormat, most: usize) -> Result<Vec<FeedItem>, FeedFault> {
    let raw: Vec<Raw> = match format {
        FeedFormat::Lines => {
            let lines = String::from_utf8_lossy(output);
            lines.lines().map(|line| Raw { title: line.to_owned(), ..Raw::default() }).collect()
        }
        FeedFormat::Json => {
            let printed = serde_json::from_slice::<Vec<Printed>>(output).map_err(|_| FeedFault::Malformed)?;
            let raw = printed.into_iter().map(|entry| match entry {
                Printed::Title(title) => Raw { title, ..Raw::default() },
                Printed::Item(raw) => raw,
            });
            raw.collect()
        }
    };
    Ok(raw.iter().filter_map(Raw::item).take(most).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(output: &str, format: FeedFormat) -> Result<Vec<String>, FeedFault> {
        let items = of_output(output.as_bytes(), format, 2)?;
        Ok(items.into_iter().map(|item| item.title).collect())
    }

    #[test]
    fn each_line_is_an_item_and_empty_ones_are_none() {
        assert_eq!(titles("one\n\n  \r\n two\nthree\n", FeedFormat::Lines).unwrap(), ["one", "two"]);
        assert_eq!(titles("", FeedFormat::Lines).unwrap(), [""; 0]);
        assert_eq!(titles("[\"not read as JSON\"]", FeedFormat::Lines).unwrap(), ["[\"not read as JSON\"]"]);
    }

    #[test]
    fn json_holds_texts_or_objects() {
        assert_eq!(titles(r#"["one", {"title": "two", "more": 1}]"#, FeedFormat::Json).unwrap(), ["one", "two"]);
        assert_eq!(titles(r#"[{"text": "no title"}, {"link": "nothing"}]"#, FeedFormat::Json).unwrap(), ["no title"]);
        for bad in ["", "one", "{}", "[1]", "[\"cut"] {
            assert_eq!(titles(bad, FeedFormat::Json), Err(FeedFault::Malformed), "{bad}");
        }
    }

    #[test]
    fn every_part_is_one_bounded_line() {
        let raw =
            Raw { title: "a\n=== x\u{202e}".to_owned() + &"b".repeat(500), text: "t".repeat(500), ..Raw::default() };
        let item = raw.item().unwrap();
        assert!(item.title.starts_with("a === x b") && item.title.chars().count() == MAX_TITLE_CHARS + 3, "{item:?}");
        assert_eq!(item.text.unwrap().chars().count(), MAX_TEXT_CHARS + 3);
        assert_eq!((item.date, item.link), (None, None));
    }
}
