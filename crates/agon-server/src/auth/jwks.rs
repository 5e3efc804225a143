//! The keys of an identity provider, from a file or an address. A task of their own reads them, so that nobody whose key is known
//! ever waits for the provider.
use super::AuthStartError;
use crate::error::Problem;
use jsonwebtoken::jwk::{Jwk, JwkSet, KeyOperations, PublicKeyUse};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Bytes that a key set may have.
const MAX_BYTES: usize = 256 * 1024;
/// Keys that are taken of it.
const MAX_KEYS: usize = 100;
/// How long its server may take.
const FETCH: Duration = Duration::from_secs(5);
/// How soon the first keys are asked for again while there are none; doubles up to the longest pause.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// They are never read more often than this.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// Calls with unknown keys that wait for a fetch at once; further ones are refused.
const MAX_WAITING: usize = 64;

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
    /// A file with a JSON Web Key Set.
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

/// Whether a gateway lacks what it checks credentials with; its process is not ready then.
#[derive(Clone, Debug, Default)]
pub struct CredentialHealth(Arc<AtomicBool>);

impl CredentialHealth {
    /// Why credentials cannot be checked; none when they can.
    pub fn problem(&self) -> Option<&'static str> {
        self.0.load(Ordering::Acquire).then_some("the identity provider has not given its keys (gateway.auth.jwt) yet")
    }
    fn lacks_keys(&self, lacks: bool) {
        self.0.store(lacks, Ordering::Release);
    }
}

/// The keys as they were last read.
#[derive(Debug)]
pub(super) struct Jwks {
    shared: Arc<JwksState>,
    /// Reads them; ends with this.
    _reader: JoinSet<()>,
}

#[derive(Debug)]
struct JwksState {
    source: JwksSource,
    client: Option<reqwest::Client>,
    health: CredentialHealth,
    /// None until they have been read once.
    keys: watch::Sender<Option<Arc<JwkSet>>>,
    wanted: Notify,
    reading: Mutex<KeyRefresh>,
    /// How often they have been read, in vain or not.
    reads: watch::Sender<u64>,
    waiting: Semaphore,
}

/// When the keys were last asked for, and whether they are being read.
#[derive(Debug)]
struct KeyRefresh {
    begun: Option<Instant>,
    now: bool,
}

impl Jwks {
    /// Begins to read the keys. Those of a file have to be there; an identity provider that is away is tried until it is back.
    pub async fn open(source: JwksSource, health: CredentialHealth) -> Result<Self, AuthStartError> {
        let client = match &source.place {
            JwksPlace::File(_) => None,
            JwksPlace::Url(url) => Some(client(url)?),
        };
        let is_file = client.is_none();
        let shared = Arc::new(JwksState {
            source,
            client,
            health,
            keys: watch::Sender::new(None),
            wanted: Notify::new(),
            reading: Mutex::new(KeyRefresh { begun: None, now: false }),
            reads: watch::Sender::new(0),
            waiting: Semaphore::new(MAX_WAITING),
        });
        shared.health.lacks_keys(true);
        if let Err(error) = shared.read().await {
            if is_file {
                return Err(AuthStartError::Jwks(error));
            }
            tracing::warn!(error, "JWKS not read; signed tokens cannot be checked until it is");
        }
        let mut reader = JoinSet::new();
        reader.spawn(shared.clone().keep());
        Ok(Self { shared, _reader: reader })
    }

    /// The key of that id; without an id the only key there is. Keys that cannot be read again are used as they are.
    pub async fn find(&self, id: Option<&str>) -> Result<Jwk, Problem> {
        let shared = &self.shared;
        if let Some(key) = shared.pick(id) {
            return Ok(key);
        }
        let unknown = || match shared.keys.borrow().is_some() {
            true => Problem::Unauthenticated("the bearer token's key is not known"),
            false => Problem::Unavailable("the keys of the identity provider are not there yet".to_owned()),
        };
        let Ok(_place) = shared.waiting.try_acquire() else { return Err(unknown()) };
        let mut reads = shared.reads.subscribe();
        if !shared.is_due() {
            return Err(unknown());
        }
        // a fetch in vain tells as much as one that takes too long
        let _ = tokio::time::timeout(FETCH, reads.changed()).await;
        shared.pick(id).ok_or_else(unknown)
    }
}

impl JwksState {
    fn pick(&self, id: Option<&str>) -> Option<Jwk> {
        let keys = self.keys.borrow();
        let keys = keys.as_ref()?;
        match (id, keys.keys.as_slice()) {
            (Some(id), _) => keys.find(id).cloned(),
            (None, [only]) => Some(only.clone()),
            (None, _) => None,
        }
    }

    /// Whether the keys are being read for whom one is unknown, or may be now; then it is begun.
    fn is_due(&self) -> bool {
        let reading = self.state();
        if reading.now {
            return true;
        }
        let due = reading.begun.is_none_or(|begun| begun.elapsed() >= self.source.min_age);
        if due {
            self.wanted.notify_one();
        }
        due
    }

    /// Reads them whenever they are too old or one is unknown.
    async fn keep(self: Arc<Self>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let known = self.keys.borrow().is_some();
            let rest = if known { self.source.max_age.max(SHORTEST_PAUSE) } else { pause };
            tokio::select! {
                () = tokio::time::sleep(rest) => pause = (pause * 2).min(LONGEST_PAUSE),
                () = self.wanted.notified() => {}
            }
            if let Err(error) = self.read().await {
                tracing::warn!(error, "JWKS not read again");
            }
        }
    }

    async fn read(&self) -> Result<(), String> {
        *self.state() = KeyRefresh { begun: Some(Instant::now()), now: true };
        let loaded = load(&self.source, self.client.as_ref()).await;
        self.state().now = false;
        let outcome = loaded.map(|keys| {
            self.keys.send_replace(Some(Arc::new(keys)));
            self.health.lacks_keys(false);
        });
        self.reads.send_modify(|reads| *reads += 1);
        outcome
    }

    fn state(&self) -> MutexGuard<'_, KeyRefresh> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
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
            let named = path.clone();
            let read = tokio::task::spawn_blocking(move || agon_files::read(&named, MAX_BYTES)).await;
            let read = read.map_err(std::io::Error::other).and_then(|bytes| bytes);
            read.map_err(|error| format!("{}: {error}", path.display()))?
        }
        (JwksPlace::Url(url), Some(client)) => fetch(client, url).await?,
        (JwksPlace::Url(_), None) => return Err("no client for the address of the keys".to_owned()),
    };
    keys(&bytes)
}

/// The keys that signatures may be checked with. Others, and those of kinds that are not known, are left out.
fn keys(bytes: &[u8]) -> Result<JwkSet, String> {
    let set: Value = serde_json::from_slice(bytes).map_err(|error| format!("no JWKS: {error}"))?;
    let all = set.get("keys").and_then(Value::as_array).ok_or("no JWKS: it has no list of keys")?;
    let read = all.iter().take(MAX_KEYS).filter_map(|key| serde_json::from_value::<Jwk>(key.clone()).ok());
    Ok(JwkSet { keys: read.filter(verifies).collect() })
}

/// Whether its owner means it for signatures.
fn verifies(key: &Jwk) -> bool {
    let used = match &key.common.public_key_use {
        None | Some(PublicKeyUse::Signature) => true,
        Some(PublicKeyUse::Encryption | PublicKeyUse::Other(_)) => false,
    };
    let operations = key.common.key_operations.as_ref();
    used && operations.is_none_or(|operations| operations.contains(&KeyOperations::Verify))
}

async fn fetch(client: &reqwest::Client, url: &str) -> Result<Vec<u8>, String> {
    // a query may hold a key
    let address = url.split('?').next().unwrap_or_default();
    let told = |error: reqwest::Error| format!("{address}: {}", error.without_url());
    let mut answer = client.get(url).send().await.map_err(told)?.error_for_status().map_err(told)?;
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(told)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_BYTES {
            return Err(format!("{address} is longer than {MAX_BYTES} bytes"));
        }
    }
    Ok(bytes)
}
