//! What a host says about its tools.

use std::collections::BTreeMap;
use std::path::PathBuf;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::http;

const MAX_NAME_CHARS: usize = 32;
const MAX_RESULTS: usize = 20;
const MAX_PATHS: usize = 32;
const MAX_WORDS_OF_COMMAND: usize = 64;
const MAX_START_SECONDS: u64 = 600;

/// One tool; `K` is how a key is given: where to find it in settings, the key itself once it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolConfig<K = SecretString> {
    /// Web search by an endpoint that speaks SearXNG's JSON.
    Search(SearchConfig<K>),
    /// Search in the user's own files.
    Rag(RagConfig),
    /// The tools of an MCP server.
    Mcp(McpConfig<K>),
    /// A model that shortens a text.
    Summarizer(ModelConfig),
    /// A model that scores a text.
    Scorer(ModelConfig),
}

/// Where to search the web.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig<K = SecretString> {
    /// The endpoint that takes `?q=...&format=json`, such as `http://127.0.0.1:8888/search`.
    pub url: String,
    /// The most results of one call.
    #[serde(default = "five")]
    pub max_results: usize,
    /// The language to search in, such as `en`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The key, sent as a bearer token.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub api_key: Option<K>,
}

/// Which files to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RagConfig {
    /// Files, and folders with all that is below them.
    pub paths: Vec<PathBuf>,
    /// The model whose vectors find what other words say; without one, words alone decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding_model: Option<String>,
    /// The most passages of one call.
    #[serde(default = "five")]
    pub max_results: usize,
}

/// An MCP server: a `command` to start, or the `url` of one that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpConfig<K = SecretString> {
    /// The program, which speaks MCP over its standard input and output.
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
    /// The address of a server that speaks streamable HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The key for `url`, sent as a bearer token.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub bearer_token: Option<K>,
    /// The server's tools that may be used, by the server's own names; absent is all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// How many seconds the server may take until it has told its tools.
    #[serde(default = "sixty")]
    pub start_timeout_seconds: u64,
}

impl<K> Default for McpConfig<K> {
    fn default() -> Self {
        Self {
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            secret_env: BTreeMap::new(),
            url: None,
            bearer_token: None,
            tools: None,
            start_timeout_seconds: sixty(),
        }
    }
}

/// Which model a tool asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// The model's name as hosts know it.
    pub model: String,
}

fn five() -> usize {
    5
}
fn sixty() -> u64 {
    60
}
fn none<K>() -> Option<K> {
    None
}

/// Everything that is wrong with the tools of a host, one line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigProblems(pub Vec<String>);

impl<K> ToolConfig<K> {
    /// Reads the keys of a tool with `read`.
    ///
    /// # Errors
    /// The first that `read` gives.
    pub fn with_keys<T, E>(self, mut read: impl FnMut(K) -> Result<T, E>) -> Result<ToolConfig<T>, E> {
        Ok(match self {
            Self::Search(SearchConfig { url, max_results, language, api_key }) => {
                let api_key = api_key.map(read).transpose()?;
                ToolConfig::Search(SearchConfig { url, max_results, language, api_key })
            }
            Self::Mcp(config) => {
                let bearer_token = config.bearer_token.map(&mut read).transpose()?;
                let secrets = config.secret_env.into_iter().map(|(name, key)| Ok((name, read(key)?)));
                ToolConfig::Mcp(McpConfig {
                    command: config.command,
                    args: config.args,
                    env: config.env,
                    secret_env: secrets.collect::<Result<_, E>>()?,
                    url: config.url,
                    bearer_token,
                    tools: config.tools,
                    start_timeout_seconds: config.start_timeout_seconds,
                })
            }
            Self::Rag(config) => ToolConfig::Rag(config),
            Self::Summarizer(config) => ToolConfig::Summarizer(config),
            Self::Scorer(config) => ToolConfig::Scorer(config),
        })
    }

    /// The keys of a tool with the setting that each stands in, to be checked by whoever knows what `K` is.
    pub fn keys(&self) -> Vec<(String, &K)> {
        match self {
            Self::Search(config) => config.api_key.iter().map(|key| ("api_key".to_owned(), key)).collect(),
            Self::Mcp(config) => {
                let secrets = config.secret_env.iter().map(|(name, key)| (format!("secret_env.{name}"), key));
                secrets.chain(config.bearer_token.iter().map(|key| ("bearer_token".to_owned(), key))).collect()
            }
            Self::Rag(_) | Self::Summarizer(_) | Self::Scorer(_) => Vec::new(),
        }
    }

    /// What is wrong with it, each with its setting.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        match self {
            Self::Search(config) => [address("url", &config.url), results(config.max_results)].concat(),
            Self::Rag(config) => config.problems(),
            Self::Mcp(config) => config.problems(),
            Self::Summarizer(config) | Self::Scorer(config) => {
                problem(config.model.trim().is_empty(), "model: empty; name a model that a host has")
            }
        }
    }

    /// The word that `kind` takes for it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Search(_) => "search",
            Self::Rag(_) => "rag",
            Self::Mcp(_) => "mcp",
            Self::Summarizer(_) => "summarizer",
            Self::Scorer(_) => "scorer",
        }
    }
}

impl RagConfig {
    fn problems(&self) -> Vec<String> {
        let count = self.paths.len();
        let model = self.embedding_model.as_deref();
        [
            problem(count == 0 || count > MAX_PATHS, &format!("paths: {count} of them; give 1 to {MAX_PATHS}")),
            problem(model.is_some_and(|name| name.trim().is_empty()), "embedding_model: empty; leave it out instead"),
            results(self.max_results),
        ]
        .concat()
    }
}

impl<K> McpConfig<K> {
    fn problems(&self) -> Vec<String> {
        let mut problems = match (&self.command, &self.url) {
            (Some(command), None) => problem(command.trim().is_empty(), "command: empty"),
            (None, Some(url)) => address("url", url),
            (None, None) | (Some(_), Some(_)) => vec!["give either a command to start or the url of a server".into()],
        };
        if self.command.is_some() {
            problems.extend(problem(self.bearer_token.is_some(), "bearer_token: goes with a url; use secret_env here"));
        } else {
            let process = !self.args.is_empty() || !self.env.is_empty() || !self.secret_env.is_empty();
            problems.extend(problem(process, "args, env and secret_env go with a command"));
        }
        let words = self.args.len() + self.env.len() + self.secret_env.len();
        let too_many = words > MAX_WORDS_OF_COMMAND;
        problems.extend(problem(too_many, &format!("args and env: {words}; at most {MAX_WORDS_OF_COMMAND}")));
        let none = self.tools.as_ref().is_some_and(Vec::is_empty);
        problems.extend(problem(none, "tools: empty; name some, or leave it out to allow all"));
        let start = self.start_timeout_seconds;
        let out = start == 0 || start > MAX_START_SECONDS;
        problems.extend(problem(out, &format!("start_timeout_seconds: {start}; give 1 to {MAX_START_SECONDS}")));
        problems
    }
}

/// What is wrong with the name of a tool or a verifier. A tool's becomes part of the function names that models see.
pub(crate) fn name_problem(what: &str, name: &str) -> Option<String> {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let good = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(legal)
        && name.len() <= MAX_NAME_CHARS
        && !name.contains("__")
        && !name.ends_with('_');
    (!good).then(|| {
        format!(
            "the name `{}`: a {what}'s name starts with a small letter, goes on with small letters, digits, `-` and single \
             `_`, and has at most {MAX_NAME_CHARS} characters",
            name.escape_default()
        )
    })
}

fn address(setting: &str, url: &str) -> Vec<String> {
    http::parse(url).err().map(|problem| format!("{setting}: {problem}")).into_iter().collect()
}

fn results(count: usize) -> Vec<String> {
    let text = format!("max_results: {count}; give 1 to {MAX_RESULTS}");
    problem(count == 0 || count > MAX_RESULTS, &text)
}

pub(crate) fn problem(is: bool, text: &str) -> Vec<String> {
    if is { vec![text.to_owned()] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: serde_json::Value) -> Result<ToolConfig<String>, serde_json::Error> {
        serde_json::from_value(value)
    }

    #[test]
    fn each_kind_reads_with_its_defaults() {
        let search = read(serde_json::json!({"kind": "search", "url": "http://s/search"})).unwrap();
        let mcp = read(serde_json::json!({"kind": "mcp", "command": "server"})).unwrap();

        assert!(matches!(search, ToolConfig::Search(SearchConfig { max_results: 5, .. })));
        assert!(matches!(mcp, ToolConfig::Mcp(McpConfig { start_timeout_seconds: 60, .. })));
    }

    #[test]
    fn unknown_keys_and_kinds_are_refused_by_name() {
        let key = read(serde_json::json!({"kind": "rag", "paths": ["a"], "chunk": 3})).unwrap_err().to_string();
        let kind = read(serde_json::json!({"kind": "shell"})).unwrap_err().to_string();

        assert!(key.contains("chunk"), "{key}");
        assert!(kind.contains("shell") && kind.contains("summarizer"), "{kind}");
    }

    #[test]
    fn a_server_is_started_or_reached_and_never_both() {
        let both =
            McpConfig::<String> { command: Some("a".into()), url: Some("http://b".into()), ..Default::default() };
        let neither = McpConfig::<String>::default();
        let started = McpConfig::<String> { command: Some("a".into()), ..Default::default() };

        assert_eq!(both.problems().len(), 1);
        assert_eq!(neither.problems().len(), 1);
        assert_eq!(started.problems(), Vec::<String>::new());
    }

    #[test]
    fn keys_are_read_wherever_they_stand() {
        let config =
            read(serde_json::json!({"kind": "mcp", "command": "a", "secret_env": {"TOKEN": "place"}})).unwrap();
        assert_eq!(config.keys(), [("secret_env.TOKEN".to_owned(), &"place".to_owned())]);

        let read = config.with_keys(|place| Ok::<_, ()>(SecretString::from(format!("key at {place}")))).unwrap();

        assert!(!format!("{read:?}").contains("key at place"));
    }

    #[test]
    fn addresses_must_be_http_and_carry_no_credentials() {
        for url in ["ftp://a/search", "http://me:pw@a/", "no address"] {
            let config = SearchConfig::<String> { url: url.into(), max_results: 5, language: None, api_key: None };
            let problems = ToolConfig::Search(config).problems();
            assert_eq!(problems.len(), 1, "{url}: {problems:?}");
            assert!(!problems.concat().contains("pw"), "{problems:?}");
        }
    }

    #[test]
    fn names_that_models_could_not_call_are_refused() {
        for good in ["docs", "web-search", "a_b2"] {
            assert_eq!(name_problem("tool", good), None);
        }
        for bad in ["", "Docs", "2a", "a__b", "a_", "a b", &"a".repeat(33)] {
            assert!(name_problem("tool", bad).is_some(), "{bad}");
        }
    }
}
