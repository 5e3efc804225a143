//! Feeds that debates may read where this process admits them.
use super::{KeySource, keyed};
use crate::environment::Environment;
use crate::exit::Stop;
use agon_tools::{FeedConfig, FeedReader};
use std::collections::BTreeMap;

/// One feed, with the places of its keys.
pub type FeedSettings = FeedConfig<KeySource>;

/// What is wrong with the feeds, each with its setting.
pub fn problems(feeds: &BTreeMap<String, FeedSettings>) -> Vec<String> {
    let wrong = FeedReader::new(keyed::without_keys(feeds)).err().map(|found| found.0);
    [keyed::problems(feeds), wrong.unwrap_or_default()].concat()
}

/// What reads the feeds, with their keys.
pub fn reader(feeds: &BTreeMap<String, FeedSettings>, environment: &Environment) -> Result<FeedReader, Stop> {
    FeedReader::new(keyed::with_keys(feeds, environment)?).map_err(Stop::usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn settings(text: &str) -> Settings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_mistakes_of_all_feeds_are_told_with_their_settings() {
        let settings = settings(
            "[feeds.news]\nurl = \"ftp://a\"\nbearer_token = {}\n[feeds.x]\ncommand = \"x\"\nmax_items = 0\n[feeds.\"A B\"]\ncommand = \"y\"",
        );

        let said = settings.problems().join("\n");

        for wanted in ["feeds.news.bearer_token", "feeds.news.url: ", "feeds.x.max_items: 0", "`A B`"] {
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
    }

    #[test]
    fn keys_are_read_and_never_printed() {
        let settings = settings("[feeds.x]\ncommand = \"x\"\nsecret_env = { TOKEN = { env = \"KEY\" } }");
        let environment = Environment::from([("KEY", "of gold")]);

        assert_eq!(settings.problems(), [""; 0]);
        let reader = reader(&settings.feeds, &environment).unwrap();
        assert!(!format!("{reader:?}").contains("gold"));
        assert!(toml::to_string(&settings).unwrap().contains("env = \"KEY\""));
        assert!(super::reader(&settings.feeds, &Environment::default()).is_err());
    }
}
