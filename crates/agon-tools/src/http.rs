//! The HTTP client of tools, which reads no more than it was allowed to.

use std::time::Duration;

use agon_llm::Endpoint;
use reqwest::{Client, Response, Url};

use crate::ToolError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads an address; the message names no credentials.
pub(crate) fn parse(url: &str) -> Result<Url, String> {
    let url = Url::parse(url.trim()).map_err(|_| "not an address; write http://HOST/PATH".to_owned())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("the scheme `{}` is neither http nor https", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address must not carry a user name or password; give the key on its own".to_owned());
    }
    Ok(url)
}

/// A client for `url` alone: no redirects, and no proxy for what is nearby.
pub(crate) fn client(url: &Url) -> Result<Client, reqwest::Error> {
    // The first provider of the process stays; whoever installed one before us has decided.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("agon/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    let origin = url.origin().ascii_serialization();
    if Endpoint::ollama(&origin).is_ok_and(|endpoint| endpoint.is_near()) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        builder = builder.tls_certs_only([]);
    }
    builder.build()
}

/// The whole body, unless it is longer than `limit` bytes.
pub(crate) async fn body(tool: &str, mut response: Response, limit: usize) -> Result<Vec<u8>, ToolError> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|_| ToolError::Died { tool: tool.to_owned() })? {
        if body.len() + piece.len() > limit {
            return Err(ToolError::TooLarge { tool: tool.to_owned(), limit });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}
