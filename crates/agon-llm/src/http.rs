//! Connection pools, shared by every client, and a client's configuration.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Client;
use secrecy::SecretString;

use crate::connections::ConnectionHistory;
use crate::tls::NamedCertificates;
use crate::transport::transport_error;
use crate::{ChatError, ChatFields, Endpoint, RunnerOptions, WellKnownModels};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(90);
// More than any sensible number of permits: a turn must not pay for a new connection because others are idle.
const POOL_MAX_IDLE_PER_HOST: usize = 1024;

/// What a client needs to know of its server.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Where the server is.
    pub endpoint: Endpoint,
    /// The key, shown nowhere: sent as a bearer token, as the password of `user`, or as it is where it names its scheme
    /// (`Basic ...`).
    pub api_key: Option<SecretString>,
    /// Whose password the key is.
    pub user: Option<String>,
    /// More headers of every request, whose values are shown nowhere.
    pub headers: Vec<(String, SecretString)>,
    /// The connection pools; share one value among all clients.
    pub http: Http,
    /// What models are launched with on this host, for preloading and for calls that do not say.
    pub runner: RunnerOptions,
    /// Whether answers are asked for piece by piece; without, a gateway that cannot stream can still be used.
    pub stream: bool,
    /// Where the server departs from the usual fields of a chat; for the OpenAI-compatible dialect only.
    pub fields: ChatFields,
    /// What is known of the models without asking.
    pub known: WellKnownModels,
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
            user: None,
            headers: Vec::new(),
            http: Http::default(),
            runner: RunnerOptions::default(),
            stream: true,
            fields: ChatFields::default(),
            known: WellKnownModels::default(),
            deadlines: Deadlines::default(),
        }
    }
}

/// Whether a header can have this name.
#[must_use]
pub fn is_header(name: &str) -> bool {
    http::HeaderName::try_from(name).is_ok()
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
    certificates: NamedCertificates,
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
    /// Connection pools with certificates of their own, all as PEM: of the servers that are accepted only those in `authorities`
    /// or signed by one of them; `identity` is our own certificate with its key.
    ///
    /// # Errors
    /// When a text holds no certificate or no key, or one that cannot be read.
    pub fn secured(authorities: Option<&[u8]>, identity: Option<Vec<u8>>) -> Result<Self, ChatError> {
        let certificates = NamedCertificates::read(authorities, identity)?;
        Ok(Self(Arc::new(Pools { certificates, ..Pools::default() })))
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
        let client = build(near, encrypted, idle, &self.0.certificates)?;
        Ok(place.get_or_init(|| client))
    }
}

fn build(near: bool, encrypted: bool, idle: usize, certificates: &NamedCertificates) -> Result<Client, ChatError> {
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
    } else if certificates.are_named() {
        builder = builder.tls_backend_preconfigured(certificates.config()?);
    } else if let Some(identity) = certificates.identity()? {
        builder = builder.identity(identity);
    }
    builder.build().map_err(transport_error)
}
