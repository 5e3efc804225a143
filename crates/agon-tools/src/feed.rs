//! Feeds of the operator: what is read into a debate when it is admitted.

mod command;
mod config;
mod items;
mod xml;

use std::collections::BTreeMap;
use std::time::Duration;

use agon_core::{FeedFault, FeedItem, FeedReading};
use futures_util::future::join_all;
use secrecy::ExposeSecret as _;
use tokio::time::timeout;
use tracing::{debug, warn};

pub use config::{FeedConfig, FeedFormat};

use crate::{ConfigProblems, ToolError, http};

/// The most feeds that settings may define.
const MAX_FEEDS: usize = 64;

/// The feeds that the settings define.
#[derive(Clone, Debug, Default)]
pub struct FeedReader {
    feeds: BTreeMap<String, FeedConfig>,
}

impl FeedReader {
    /// Checks the settings of all feeds; nothing is read.
    ///
    /// # Errors
    /// Everything that is wrong, each with its feed and setting.
    pub fn new(feeds: BTreeMap<String, FeedConfig>) -> Result<Self, ConfigProblems> {
        let mut problems = Vec::new();
        if feeds.len() > MAX_FEEDS {
            problems.push(format!("feeds: {} of them; at most {MAX_FEEDS}", feeds.len()));
        }
        for (name, feed) in &feeds {
            problems.extend(config::name_problem(name).map(|problem| format!("feeds: {problem}")));
            problems.extend(feed.problems().into_iter().map(|problem| format!("feeds.{name}.{problem}")));
        }
        if problems.is_empty() { Ok(Self { feeds }) } else { Err(ConfigProblems(problems)) }
    }

    /// The names that debate files may use.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.feeds.keys().cloned().collect()
    }

    /// Reads these feeds, all at once, each within its own limits. One that gives nothing says why.
    pub async fn read(&self, names: &[String]) -> Vec<FeedReading> {
        join_all(names.iter().map(|name| self.read_one(name))).await
    }

    async fn read_one(&self, name: &str) -> FeedReading {
        let read = match self.feeds.get(name) {
            Some(config) => within(name, config).await,
            None => Err(FeedFault::Unavailable),
        };
        let (items, fault) = match read {
            Ok(items) => (items, None),
            Err(fault) => {
                warn!(feed = name, fault = fault.as_str(), "feed not read");
                (Vec::new(), Some(fault))
            }
        };
        FeedReading { name: name.to_owned(), items, fault }
    }
}

async fn within(name: &str, config: &FeedConfig) -> Result<Vec<FeedItem>, FeedFault> {
    let limit = Duration::from_secs(config.timeout_seconds);
    let items = timeout(limit, items_of(name, config)).await.map_err(|_| FeedFault::TimedOut)??;
    if items.is_empty() { Err(FeedFault::Empty) } else { Ok(items) }
}

async fn items_of(name: &str, config: &FeedConfig) -> Result<Vec<FeedItem>, FeedFault> {
    let Some(url) = &config.url else {
        let output = command::output(name, config).await?;
        return items::of_output(&output, config.format, config.max_items);
    };
    let body = fetch(name, url, config).await?;
    let read = match std::str::from_utf8(&body) {
        Ok(document) => xml::items(document, config.max_items),
        Err(_) => Err("the document is not in UTF-8".to_owned()),
    };
    read.map_err(|error| {
        debug!(feed = name, error, "feed malformed");
        FeedFault::Malformed
    })
}

async fn fetch(name: &str, url: &str, config: &FeedConfig) -> Result<Vec<u8>, FeedFault> {
    let url = http::parse(url).map_err(|_| FeedFault::Unavailable)?;
    let client = http::client(&url).map_err(|_| FeedFault::Unavailable)?;
    let mut request = client.get(url);
    if let Some(token) = &config.bearer_token {
        request = request.bearer_auth(token.expose_secret());
    }
    let response = request.send().await.map_err(|error| {
        debug!(feed = name, error = %error.without_url(), "feed not reached");
        FeedFault::Unavailable
    })?;
    if !response.status().is_success() {
        debug!(feed = name, status = response.status().as_u16(), "feed refused");
        return Err(FeedFault::Refused);
    }
    http::body(name, response, config.max_bytes).await.map_err(|error| match error {
        ToolError::TooLarge { .. } => FeedFault::TooLarge,
        _ => FeedFault::Unavailable,
    })
}
