//! Web search by an endpoint that speaks SearXNG's JSON.

use std::fmt::Write as _;
use std::sync::OnceLock;

use reqwest::{Client, StatusCode};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::text::one_line;
use crate::{SearchConfig, ToolError, http};

const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
const MAX_TITLE_CHARS: usize = 200;
const MAX_URL_CHARS: usize = 500;
const MAX_CONTENT_CHARS: usize = 600;

pub(crate) const DESCRIPTION: &str = "Searches the web. Gives titles, addresses and excerpts of the best results.";

/// A search engine, and the connections to it.
pub(crate) struct Search {
    config: SearchConfig,
    client: OnceLock<Client>,
}

/// The schema of its arguments.
pub(crate) fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "What to search for, as keywords."}},
        "required": ["query"],
        "additionalProperties": false
    })
}

#[derive(Deserialize)]
struct SearchArguments {
    query: String,
}

#[derive(Deserialize)]
struct SearchResponse {
    results: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    #[serde(default)]
    title: Option<String>,
    url: String,
    #[serde(default)]
    content: Option<String>,
}

impl Search {
    pub(crate) fn new(config: SearchConfig) -> Self {
        Self { config, client: OnceLock::new() }
    }

    pub(crate) async fn run(&self, tool: &str, arguments: Value) -> Result<String, ToolError> {
        let SearchArguments { query } =
            serde_json::from_value(arguments).map_err(|error| ToolError::malformed(tool, error.to_string()))?;
        let body = self.fetch(tool, &query).await?;
        let answer = serde_json::from_slice::<SearchResponse>(&body)
            .map_err(|_| ToolError::malformed(tool, "no list of results; does the endpoint allow format=json?"))?;
        Ok(self.words(&answer.results))
    }

    async fn fetch(&self, tool: &str, query: &str) -> Result<Vec<u8>, ToolError> {
        let url = http::parse(&self.config.url).map_err(|problem| ToolError::unavailable(tool, problem))?;
        let client = match self.client.get() {
            Some(client) => client,
            None => {
                let client = http::client(&url).map_err(|error| ToolError::unavailable(tool, error.to_string()))?;
                self.client.get_or_init(|| client)
            }
        };
        let mut request = client.get(url).query(&[("q", query), ("format", "json")]);
        if let Some(language) = &self.config.language {
            request = request.query(&[("language", language)]);
        }
        if let Some(key) = &self.config.api_key {
            request = request.bearer_auth(key.expose_secret());
        }
        let sent = request.send().await;
        let response = sent.map_err(|error| {
            let reason = if error.is_connect() { "its server cannot be reached" } else { "its server hung up" };
            ToolError::unavailable(tool, reason)
        })?;
        status(tool, response.status())?;
        http::body(tool, response, MAX_BODY_BYTES).await
    }

    fn words(&self, hits: &[Hit]) -> String {
        if hits.is_empty() {
            return "Nothing was found.".to_owned();
        }
        let mut text = String::new();
        for (number, hit) in (1..).zip(hits.iter().take(self.config.max_results)) {
            let title = one_line(hit.title.as_deref().unwrap_or("(no title)"), MAX_TITLE_CHARS);
            let content = one_line(hit.content.as_deref().unwrap_or_default(), MAX_CONTENT_CHARS);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{number}. {title}\n   {}\n   {content}", one_line(&hit.url, MAX_URL_CHARS));
        }
        text
    }
}

fn status(tool: &str, status: StatusCode) -> Result<(), ToolError> {
    if status.is_success() {
        return Ok(());
    }
    let hint = match status {
        StatusCode::FORBIDDEN => "; SearXNG says so where `json` is not among its `search.formats`",
        StatusCode::TOO_MANY_REQUESTS => "; it limits how often it may be asked",
        _ => "",
    };
    Err(ToolError::unavailable(tool, format!("its server answered {}{hint}", status.as_u16())))
}
