//! Feeds that debates may read where this process admits them.
use super::KeySource;
use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use agon_tools::{FeedConfig, FeedReader};
use anyhow::Context;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// One feed, with the places of its keys.
pub type FeedSettings = FeedConfig<KeySource>;

/// What is wrong with the feeds, each with its setting.
pub fn problems(feeds: &BTreeMap<String, FeedSettings>) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, feed) in feeds {
        let keys = feed.keys().into_iter().filter_map(|(setting, key)| Some((setting, key.problem()?)));
        problems.extend(keys.map(|(setting, problem)| format!("feeds.{name}.{setting}: {problem}")));
    }
    let keyless = feeds.iter().map(|(name, feed)| (name.clone(), without_keys(feed))).collect();
    problems.extend(FeedReader::new(keyless).err().map(|found| found.0).unwrap_or_default());
    problems
}

/// The feed with something in the places of its keys: what is checked here does not depend on them.
fn without_keys(feed: &FeedSettings) -> FeedConfig {
    let Ok(feed) = feed.clone().with_keys(|_| Ok::<_, Infallible>(String::new().into()));
    feed
}

/// What reads the feeds, with their keys.
pub fn reader(feeds: &BTreeMap<String, FeedSettings>, environment: &Environment) -> Result<FeedReader, Stop> {
    let read = |(name, feed): (&String, &FeedSettings)| {
        let feed = feed.clone().with_keys(|key| key.read(environment));
        let feed = feed.with_context(|| format!("a key of the feed {name}"));
        Ok((name.clone(), feed.map_err(|error| Stop::new(Exit::Usage, error))?))
    };
    let feeds = feeds.iter().map(read).collect::<Result<_, Stop>>()?;
    FeedReader::new(feeds).map_err(Stop::usage)
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
