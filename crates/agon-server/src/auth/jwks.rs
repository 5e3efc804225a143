//! The keys of an identity provider, from a file or an address, kept for a while.
use super::AuthStartError;
use crate::error::Problem;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Bytes that a key set may have.
const MAX_BYTES: usize = 256 * 1024;
/// How long its server may take.
const FETCH: Duration = Duration::from_secs(5);

/// Where the keys are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwksSource {
    /// The file or address.
    pub place: JwksPlace,
    /// How old they may grow before they are read again.
    pub max_age: Duration,
    /// How soon at most they are read again for a token whose key is unknown.
    pub min_age: Duration,
}

/// A file, or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JwksPlace {
    /// A file.
    File(PathBuf),
    /// An `https` address, or `http` on loopback.
    Url(String),
}

impl JwksSource {
    /// Keys of a file, read again after a minute.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let age = Duration::from_secs(60);
        Self { place: JwksPlace::File(path.into()), max_age: age, min_age: Duration::from_secs(1) }
    }
    /// Keys of an address, read again after ten minutes.
    pub fn url(url: impl Into<String>) -> Self {
        let age = Duration::from_secs(600);
        Self { place: JwksPlace::Url(url.into()), max_age: age, min_age: Duration::from_secs(10) }
    }
}

/// The keys as they were last read.
#[derive(Debug)]
pub(super) struct Jwks {
    source: JwksSource,
    client: Option<reqwest::Client>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    keys: Arc<JwkSet>,
    read: Instant,
}

impl Jwks {
    pub async fn open(source: JwksSource) -> Result<Self, AuthStartError> {
        let client = match &source.place {
            JwksPlace::File(_) => None,
            JwksPlace::Url(url) => Some(client(url)?),
        };
        let keys = load(&source, client.as_ref()).await.map_err(AuthStartError::Jwks)?;
        let state = Mutex::new(State { keys: keys.into(), read: Instant::now() });
        Ok(Self { source, client, state })
    }

    /// The key of that id; without an id the only key there is. Keys that cannot be read again are used as they are.
    pub async fn find(&self, id: Option<&str>) -> Result<Jwk, Problem> {
        let mut state = self.state.lock().await;
        let age = state.read.elapsed();
        let unknown = pick(&state.keys, id).is_none();
        if age >= self.source.max_age || (unknown && age >= self.source.min_age) {
            state.read = Instant::now();
            match load(&self.source, self.client.as_ref()).await {
                Ok(keys) => state.keys = keys.into(),
                Err(error) => tracing::warn!(error, "JWKS not read again"),
            }
        }
        pick(&state.keys, id).cloned().ok_or(Problem::Unauthenticated("the bearer token's key is not known"))
    }
}

fn pick<'a>(keys: &'a JwkSet, id: Option<&str>) -> Option<&'a Jwk> {
    match (id, keys.keys.as_slice()) {
        (Some(id), _) => keys.find(id),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

fn client(url: &str) -> Result<reqwest::Client, AuthStartError> {
    let parsed = reqwest::Url::parse(url).map_err(|error| AuthStartError::Jwks(format!("{url:?}: {error}")))?;
    let loopback = matches!(parsed.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    if parsed.scheme() != "https" && !(parsed.scheme() == "http" && loopback) {
        return Err(AuthStartError::Setting("the address of a JWKS must be https, or http on loopback"));
    }
    crate::net::use_ring();
    let client = reqwest::Client::builder().timeout(FETCH).redirect(reqwest::redirect::Policy::none()).build();
    client.map_err(|error| AuthStartError::Jwks(error.to_string()))
}

async fn load(source: &JwksSource, client: Option<&reqwest::Client>) -> Result<JwkSet, String> {
    let bytes = match (&source.place, client) {
        (JwksPlace::File(path), _) => {
            tokio::fs::read(path).await.map_err(|error| format!("{}: {error}", path.display()))?
        }
        (JwksPlace::Url(url), Some(client)) => fetch(client, url).await?,
        (JwksPlace::Url(url), None) => return Err(format!("no client for {url}")),
    };
    serde_json::from_slice(&bytes).map_err(|error| format!("no JWKS: {error}"))
}

async fn fetch(client: &reqwest::Client, url: &str) -> Result<Vec<u8>, String> {
    let told = |error: reqwest::Error| error.to_string();
    let mut answer = client.get(url).send().await.map_err(told)?.error_for_status().map_err(told)?;
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(told)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_BYTES {
            return Err(format!("{url} is longer than {MAX_BYTES} bytes"));
        }
    }
    Ok(bytes)
}
