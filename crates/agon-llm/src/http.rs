//! Connection pools, shared by every client, and a client's configuration.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::{Certificate, Client};
use secrecy::SecretString;

use crate::connections::ConnectionHistory;
use crate::transport::transport_error;
use crate::{ChatError, ChatErrorKind, ChatFields, Endpoint, RunnerOptions};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(90);
// More than any sensible number of permits: a turn must not pay for a new connection because others are idle.
const POOL_MAX_IDLE_PER_HOST: usize = 1024;

/// What a client needs to know of its server.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Where the server is.
    pub endpoint: Endpoint,
    /// The key, sent as a bearer token and shown nowhere.
    pub api_key: Option<SecretString>,
    /// The connection pools; share one value among all clients.
    pub http: Http,
    /// What models are launched with on this host, for preloading and for calls that do not say.
    pub runner: RunnerOptions,
    /// Whether answers are asked for piece by piece; without, a gateway that cannot stream can still be used.
    pub stream: bool,
    /// Where the server departs from the usual fields of a chat; for the OpenAI-compatible dialect only.
    pub fields: ChatFields,
    /// How long calls other than chats may take.
    pub deadlines: Deadlines,
}

impl ClientConfig {
    /// The defaults for one server.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            api_key: None,
            http: Http::default(),
            runner: RunnerOptions::default(),
            stream: true,
            fields: ChatFields::default(),
            deadlines: Deadlines::default(),
        }
    }
}

/// How long calls other than chats may take, each as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Lists, versions and model details.
    pub metadata: Duration,
    /// The list of loaded models, which Ollama may hold back for the length of a load.
    pub loaded: Duration,
    /// Computing vectors, loading included.
    pub embed: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { metadata: Duration::from_secs(5), loaded: Duration::from_secs(2), embed: Duration::from_secs(300) }
    }
}

/// Connection pools: clones share their connections.
///
/// There are several because servers nearby are reached without a proxy, and because without TLS no trust store is
/// read, so that a machine with none can still use a server on its own network.
#[derive(Clone, Debug, Default)]
pub struct Http(Arc<Pools>);

#[derive(Debug, Default)]
struct Pools {
    /// The only authorities whose certificates are accepted; empty: those of the system.
    authorities: Vec<Certificate>,
    plain_near: ClientPool,
    plain_far: ClientPool,
    tls_near: ClientPool,
    tls_far: ClientPool,
    connections: ConnectionHistory,
}

/// One way to servers, with and without reuse.
#[derive(Debug, Default)]
struct ClientPool {
    reusing: OnceLock<Client>,
    single: OnceLock<Client>,
}

/// Whether a call may go out on a connection that an earlier one left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// It may, and leaves its own connection to later ones.
    Allowed,
    /// It has a connection of its own.
    Never,
}

impl Http {
    /// Connection pools that accept only server certificates signed by the authorities in `pem`.
    ///
    /// # Errors
    /// When `pem` holds no certificate, or one that cannot be read.
    pub fn trusting(pem: &[u8]) -> Result<Self, ChatError> {
        let authorities = Certificate::from_pem_bundle(pem).map_err(transport_error)?;
        if authorities.is_empty() {
            return Err(ChatError::new(ChatErrorKind::BadRequest, "there is no certificate in it (PEM)"));
        }
        Ok(Self(Arc::new(Pools { authorities, ..Pools::default() })))
    }

    /// What is known of the connections of all pools.
    pub(crate) fn connections(&self) -> &ConnectionHistory {
        &self.0.connections
    }

    /// The pool that serves `endpoint`, made at first use.
    pub(crate) fn client(&self, endpoint: &Endpoint, reuse: Reuse) -> Result<&Client, ChatError> {
        let (near, encrypted) = (endpoint.is_near(), endpoint.is_encrypted());
        let pool = match (encrypted, near) {
            (false, true) => &self.0.plain_near,
            (false, false) => &self.0.plain_far,
            (true, true) => &self.0.tls_near,
            (true, false) => &self.0.tls_far,
        };
        let (place, idle) = match reuse {
            Reuse::Allowed => (&pool.reusing, POOL_MAX_IDLE_PER_HOST),
            Reuse::Never => (&pool.single, 0),
        };
        if let Some(client) = place.get() {
            return Ok(client);
        }
        let client = build(near, encrypted, idle, &self.0.authorities)?;
        Ok(place.get_or_init(|| client))
    }
}

fn build(near: bool, encrypted: bool, idle: usize, authorities: &[Certificate]) -> Result<Client, ChatError> {
    // The first provider of the process stays; whoever installed one before us has decided.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("agon/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .pool_max_idle_per_host(idle)
        .http1_only()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    if near {
        builder = builder.no_proxy();
    }
    if !encrypted {
        builder = builder.tls_certs_only([]);
    } else if !authorities.is_empty() {
        builder = builder.tls_certs_only(authorities.iter().cloned());
    }
    builder.build().map_err(transport_error)
}
