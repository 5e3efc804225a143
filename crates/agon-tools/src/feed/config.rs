//! What settings say about a feed.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::McpConfig;
use crate::http;

const MAX_NAME_CHARS: usize = 32;
const MAX_WORDS_OF_COMMAND: usize = 64;
/// A server answers a submission within 10 s, feeds included.
const MAX_SECONDS: u64 = 8;
const MAX_ITEMS: usize = 50;
const BYTES: std::ops::RangeInclusive<usize> = 1_024..=16 * 1024 * 1024;

/// A feed: the `url` of RSS or Atom, or a `command` that prints items. `K` is how a key is given, as in [`crate::ToolConfig`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedConfig<K = SecretString> {
    /// The address of an RSS 2.0 or Atom document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The key for `url`, sent as a bearer token.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub bearer_token: Option<K>,
    /// The program that prints the items; no shell is involved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The program's arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables that the program gets besides a few harmless ones of ours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Variables of the program that hold keys.
    #[serde(default = "BTreeMap::new", skip_serializing_if = "BTreeMap::is_empty")]
    pub secret_env: BTreeMap<String, K>,
    /// What the program prints.
    #[serde(default, skip_serializing_if = "FeedFormat::is_lines")]
    pub format: FeedFormat,
    /// How long reading may take.
    #[serde(default = "five")]
    pub timeout_seconds: u64,
    /// The most items that are taken, the first ones.
    #[serde(default = "ten")]
    pub max_items: usize,
    /// The most bytes that are read; a longer feed gives nothing.
    #[serde(default = "mebibyte")]
    pub max_bytes: usize,
}

/// What a feed's program prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedFormat {
    /// One item a line.
    #[default]
    Lines,
    /// A JSON array of texts, or of objects with `title`, `date`, `link` and `text`.
    Json,
}

impl FeedFormat {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
    fn is_lines(&self) -> bool {
        *self == Self::Lines
    }
}

fn none<K>() -> Option<K> {
    None
}
fn five() -> u64 {
    5
}
fn ten() -> usize {
    10
}
fn mebibyte() -> usize {
    1024 * 1024
}

impl<K> FeedConfig<K> {
    /// Reads the keys of a feed with `read`.
    ///
    /// # Errors
    /// The first that `read` gives.
    pub fn with_keys<T, E>(self, mut read: impl FnMut(K) -> Result<T, E>) -> Result<FeedConfig<T>, E> {
        let bearer_token = self.bearer_token.map(&mut read).transpose()?;
        let secrets = self.secret_env.into_iter().map(|(name, key)| Ok((name, read(key)?)));
        Ok(FeedConfig {
            secret_env: secrets.collect::<Result<_, E>>()?,
            bearer_token,
            url: self.url,
            command: self.command,
            args: self.args,
            env: self.env,
            format: self.format,
            timeout_seconds: self.timeout_seconds,
            max_items: self.max_items,
            max_bytes: self.max_bytes,
        })
    }

    /// The keys of a feed with the setting that each stands in.
    pub fn keys(&self) -> Vec<(String, &K)> {
        let secrets = self.secret_env.iter().map(|(name, key)| (format!("secret_env.{name}"), key));
        secrets.chain(self.bearer_token.iter().map(|key| ("bearer_token".to_owned(), key))).collect()
    }

    /// What is wrong with it, each with its setting.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut refuse = |wrong: bool, text: String| problems.extend(wrong.then_some(text));
        match (&self.command, &self.url) {
            (Some(command), None) => refuse(command.trim().is_empty(), "command: empty".to_owned()),
            (None, Some(url)) => {
                if let Err(problem) = http::parse(url) {
                    refuse(true, format!("url: {problem}"));
                }
            }
            (None, None) | (Some(_), Some(_)) => {
                refuse(true, "url: give either the url of a feed or a command that prints one".to_owned());
            }
        }
        let process = !self.args.is_empty() || !self.env.is_empty() || !self.secret_env.is_empty();
        let process = process || self.format != FeedFormat::Lines;
        refuse(self.command.is_none() && process, "command: args, env, secret_env and format go with one".to_owned());
        let token = self.url.is_none() && self.bearer_token.is_some();
        refuse(token, "bearer_token: goes with a url; use secret_env here".to_owned());
        let words = self.args.len() + self.env.len() + self.secret_env.len();
        let most = MAX_WORDS_OF_COMMAND;
        refuse(words > most, format!("args: {words} words and variables; at most {most}"));
        let seconds = self.timeout_seconds;
        refuse(!(1..=MAX_SECONDS).contains(&seconds), format!("timeout_seconds: {seconds}; give 1 to {MAX_SECONDS}"));
        let items = self.max_items;
        refuse(!(1..=MAX_ITEMS).contains(&items), format!("max_items: {items}; give 1 to {MAX_ITEMS}"));
        let (bytes, least, most) = (self.max_bytes, BYTES.start(), BYTES.end());
        refuse(!BYTES.contains(&bytes), format!("max_bytes: {bytes}; give {least} to {most}"));
        problems
    }
}

impl FeedConfig {
    /// The program as the one that starts MCP servers takes it.
    pub(super) fn program(&self) -> McpConfig {
        McpConfig {
            command: self.command.clone(),
            args: self.args.clone(),
            env: self.env.clone(),
            secret_env: self.secret_env.clone(),
            ..McpConfig::default()
        }
    }
}

/// What is wrong with the name of a feed.
pub(super) fn name_problem(name: &str) -> Option<String> {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let good = !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(legal);
    (!good).then(|| {
        let name = name.escape_default();
        format!("the name `{name}`: give small letters, digits, `-` and `_`, {MAX_NAME_CHARS} characters at most")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: serde_json::Value) -> FeedConfig<String> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_feed_is_fetched_or_printed_and_never_both() {
        let cases = [
            (serde_json::json!({}), "either"),
            (serde_json::json!({"url": "http://a/", "command": "b"}), "either"),
            (serde_json::json!({"url": "file:///etc/passwd"}), "neither http nor https"),
            (serde_json::json!({"url": "http://me:pw@a/"}), "user name or password"),
            (serde_json::json!({"command": " "}), "command: empty"),
            (serde_json::json!({"url": "http://a/", "args": ["b"]}), "go with one"),
            (serde_json::json!({"url": "http://a/", "format": "json"}), "go with one"),
            (serde_json::json!({"command": "b", "bearer_token": "k"}), "goes with a url"),
            (serde_json::json!({"url": "http://a/", "timeout_seconds": 9}), "give 1 to 8"),
            (serde_json::json!({"url": "http://a/", "max_items": 0}), "give 1 to 50"),
            (serde_json::json!({"url": "http://a/", "max_bytes": 10}), "give 1024 to"),
        ];
        for (value, wanted) in cases {
            let problems = read(value.clone()).problems();
            assert!(problems.len() == 1 && problems[0].contains(wanted), "{value}: {problems:?}");
            assert!(!problems[0].contains("pw"), "{problems:?}");
        }
        assert_eq!(read(serde_json::json!({"url": "https://a/rss"})).problems(), [""; 0]);
        assert_eq!(read(serde_json::json!({"command": "b", "format": "json"})).problems(), [""; 0]);
    }

    #[test]
    fn an_unknown_setting_is_refused_by_name() {
        let refused = serde_json::from_value::<FeedConfig<String>>(serde_json::json!({"url": "http://a/", "max": 3}));
        assert!(refused.unwrap_err().to_string().contains("max"));
    }

    #[test]
    fn names_are_those_that_debate_files_can_write() {
        for good in ["news", "x-2", "a_b"] {
            assert_eq!(name_problem(good), None);
        }
        for bad in ["", "News", "a b", "é", &"a".repeat(33)] {
            assert!(name_problem(bad).is_some(), "{bad}");
        }
    }
}
