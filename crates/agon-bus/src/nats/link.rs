//! One connection, shared by all that use it.
use super::config::NatsConfig;
use super::error::NatsError;
use super::hearing;
use super::state::{Access, ECHO_PREFIX, LinkState, PermissionViolation, Tracker};
use super::streams::QUEUE_STREAM;
use super::{auth, config::NatsTls};
use async_nats::client::{Request, RequestErrorKind};
use async_nats::connection::State;
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{self, ErrorCode, context::ContextBuilder};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr, rustls};
use serde::de::IgnoredAny;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

/// A connection to NATS. Clones share it. It reconnects by itself for as long as it lives.
#[derive(Clone)]
pub struct NatsLink {
    client: Client,
    tracker: Arc<Tracker>,
    servers: Arc<str>,
    request_timeout: Duration,
    /// Under which name this user finds JetStream's API.
    api: &'static str,
    /// What the subjects of answers to the bus's own requests start with.
    answers: Arc<str>,
    /// Ends with the last clone.
    _hearing: Arc<JoinSet<()>>,
}

/// JetStream's API in the account that has the streams.
pub const API: &str = "$JS.API";
/// The same in the account of hosts, which has no streams and is lent what hosts need.
pub const HOSTS_API: &str = "agon.v1.js";
/// The token that tells answers of Agon's own processes from those of the server.
pub const ANSWERS: &str = "$app";

/// The pause between the first attempts to connect.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// Connects. Refused credentials and unusable certificates fail at once; a server that is not there is waited for as configured.
pub async fn connect(config: NatsConfig) -> Result<NatsLink, NatsError> {
    let addresses = addresses(&config.urls)?;
    check_inbox_prefix(&config.inbox_prefix)?;
    check_tls(&config.tls)?;
    // an installed one is as good
    rustls::crypto::ring::default_provider().install_default().ok();
    let started = Instant::now();
    loop {
        let tracker = Arc::new(Tracker::new());
        // the library logs in its own words what is returned as an error too; what happens later, it logs as ever
        let attempt = options(&config, &tracker)?.connect(addresses.as_slice());
        let attempt = attempt.with_subscriber(NoSubscriber::default()).await;
        let error = match attempt {
            Ok(client) => {
                let servers = config.urls.join(", ").into();
                let (request_timeout, answers) = (config.request_timeout, answers_of(&config.inbox_prefix).into());
                let mut hearing = JoinSet::new();
                hearing.spawn(hearing::keep(client.clone(), Arc::clone(&tracker)));
                let _hearing = Arc::new(hearing);
                return Ok(NatsLink { client, tracker, servers, request_timeout, api: API, answers, _hearing });
            }
            Err(error) => error,
        };
        let waited = started.elapsed();
        if is_final(&error) || waited + FIRST_PAUSE > config.wait {
            return Err(explain(&config, error, waited));
        }
        tokio::time::sleep(FIRST_PAUSE).await;
    }
}

fn addresses(urls: &[String]) -> Result<Vec<ServerAddr>, NatsError> {
    if urls.is_empty() {
        return Err(NatsError::NoAddress);
    }
    urls.iter()
        .map(|url| {
            let address: ServerAddr = url
                .parse()
                .map_err(|e: std::io::Error| NatsError::Address { url: without_user(url), reason: e.to_string() })?;
            match address.has_user_pass() {
                true => Err(NatsError::UserInAddress { host: address.host().to_owned() }),
                false => Ok(address),
            }
        })
        .collect()
}

/// An address that cannot be read, without what may be a password in it.
fn without_user(url: &str) -> String {
    url.rsplit('@').next().unwrap_or_default().to_owned()
}

fn check_inbox_prefix(prefix: &str) -> Result<(), NatsError> {
    let plain = |token: &str| !token.is_empty() && token.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    match prefix.split('.').all(plain) {
        true => Ok(()),
        false => Err(NatsError::InboxPrefix(prefix.to_owned())),
    }
}

/// Where answers to the bus's own requests come: apart from those of the server, because other users may send there.
fn answers_of(inbox_prefix: &str) -> String {
    match inbox_prefix.split_once('.') {
        Some((role, node)) => format!("{role}.{ANSWERS}.{node}"),
        None => format!("{inbox_prefix}.{ANSWERS}"),
    }
}

fn check_tls(tls: &NatsTls) -> Result<(), NatsError> {
    match (&tls.cert_file, &tls.key_file) {
        (Some(_), None) => return Err(NatsError::HalfCertificate("the certificate")),
        (None, Some(_)) => return Err(NatsError::HalfCertificate("the key")),
        (Some(_), Some(_)) | (None, None) => {}
    }
    let files = [("CA file", &tls.ca_file), ("client certificate", &tls.cert_file), ("client key", &tls.key_file)];
    for (what, path) in files {
        if let Some(path) = path {
            let read = agon_files::read(path, agon_files::MAX_FILE);
            read.map_err(|source| NatsError::File { what, path: path.clone(), source })?;
        }
    }
    Ok(())
}

fn options(config: &NatsConfig, tracker: &Arc<Tracker>) -> Result<ConnectOptions, NatsError> {
    let longest = config.reconnect_pause;
    let tracker = tracker.clone();
    let mut options = auth::options(config)?
        .name(&config.name)
        .custom_inbox_prefix(&config.inbox_prefix)
        .ping_interval(config.ping_interval)
        .connection_timeout(config.connect_timeout)
        .request_timeout(Some(config.request_timeout))
        .subscription_capacity(config.subscription_capacity.get())
        .client_capacity(config.client_capacity.get())
        .reconnect_delay_callback(move |attempts| reconnect_pause(attempts, longest))
        .event_callback(move |event| {
            tracker.take(&event);
            std::future::ready(())
        })
        .require_tls(config.tls.require);
    if let Some(ca) = &config.tls.ca_file {
        options = options.add_root_certificates(ca.clone());
    }
    if let (Some(cert), Some(key)) = (&config.tls.cert_file, &config.tls.key_file) {
        options = options.add_client_certificate(cert.clone(), key.clone());
    }
    Ok(options)
}

/// At once, then doubling from 100 ms, up to a tenth shorter by chance, so that not all clients come at the same moment.
fn reconnect_pause(attempts: usize, longest: Duration) -> Duration {
    let Some(doublings) = attempts.checked_sub(2) else { return Duration::ZERO };
    let factor = 1_u32.checked_shl(u32::try_from(doublings).unwrap_or(u32::MAX)).unwrap_or(u32::MAX);
    let pause = Duration::from_millis(100).saturating_mul(factor).min(longest);
    let (random, _) = uuid::Uuid::new_v4().as_u64_pair();
    let tenths = u32::try_from(random % 100).unwrap_or_default();
    pause - pause / 1_000 * tenths
}

/// Whether trying again would end the same way.
fn is_final(error: &ConnectError) -> bool {
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation
        | ConnectErrorKind::Authentication
        | ConnectErrorKind::ServerParse
        | ConnectErrorKind::Tls => true,
        ConnectErrorKind::Io => is_tls(error),
        ConnectErrorKind::Dns | ConnectErrorKind::TimedOut | ConnectErrorKind::MaxReconnects => false,
    }
}

fn is_tls(error: &ConnectError) -> bool {
    let mut source = error.source();
    while let Some(error) = source {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if error.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>()) {
            return true;
        }
        source = error.source();
    }
    false
}

fn explain(config: &NatsConfig, source: ConnectError, waited: Duration) -> NatsError {
    let servers = config.urls.join(", ");
    match source.kind() {
        // this is all that the server says
        ConnectErrorKind::AuthorizationViolation => {
            NatsError::Refused { servers, who: auth::who(&config.auth), source: None }
        }
        ConnectErrorKind::Authentication => {
            NatsError::Refused { servers, who: auth::who(&config.auth), source: Some(source) }
        }
        ConnectErrorKind::Tls => NatsError::Tls { servers, source },
        ConnectErrorKind::Io if is_tls(&source) => NatsError::Tls { servers, source },
        ConnectErrorKind::Io
        | ConnectErrorKind::ServerParse
        | ConnectErrorKind::Dns
        | ConnectErrorKind::TimedOut
        | ConnectErrorKind::MaxReconnects => NatsError::Unreachable { servers, waited, source },
    }
}

impl NatsLink {
    /// The client, for what this crate does not wrap.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// JetStream over this connection; every call ends within the request timeout.
    pub fn jetstream(&self) -> jetstream::Context {
        let context = ContextBuilder::new().timeout(self.request_timeout).ack_timeout(self.request_timeout);
        context.api_prefix(self.api).build(self.client.clone())
    }

    /// The first tokens of every request to JetStream.
    pub fn api(&self) -> &'static str {
        self.api
    }

    /// Whether this user is one of the account of hosts, and may create nothing.
    pub fn is_lent(&self) -> bool {
        self.api == HOSTS_API
    }

    /// The link as it is in this user's account: where that has no JetStream of its own, the API is asked under [`HOSTS_API`].
    pub async fn in_its_account(mut self) -> Self {
        let request = Request::new().timeout(Some(self.request_timeout));
        let asking = self.client.send_request(format!("{API}.STREAM.INFO.{QUEUE_STREAM}"), request);
        if let Ok(answer) = asking.await
            && let Ok(Response::Err { error }) = serde_json::from_slice::<Response<IgnoredAny>>(&answer.payload)
            && error.error_code() == ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT
        {
            self.api = HOSTS_API;
        }
        self
    }

    /// A subject for the answer to one request of the bus.
    pub(super) fn new_answer(&self) -> String {
        format!("{}.{}", self.answers, uuid::Uuid::new_v4().simple())
    }

    /// How the connection is.
    pub fn state(&self) -> LinkState {
        let info = self.client.server_info();
        let mut state = LinkState {
            connected: self.is_connected(),
            server_version: info.version,
            server_name: info.server_name,
            ..LinkState::default()
        };
        self.tracker.describe(&mut state);
        state
    }

    /// Which connection stands now: their number so far, none where it is broken.
    pub(super) fn connection(&self) -> Option<u64> {
        self.is_connected().then(|| *self.tracker.connects().borrow())
    }

    /// Whether it stands now.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Whether the server that it leads to now is of this version or newer.
    pub fn server_at_least(&self, major: u32, minor: u32, patch: u32) -> bool {
        let version = self.client.server_info().version;
        let numbers = version.trim_start_matches('v').split(['.', '-', '+']);
        let mut numbers = numbers.map(|number| number.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        (next(), next(), next()) >= (major, minor, patch)
    }

    /// The addresses that it was made with.
    pub fn servers(&self) -> &str {
        &self.servers
    }

    /// How long an answer may take where the caller does not say.
    pub fn request_timeout(&self) -> Duration {
        self.request_timeout
    }

    /// Does something that sends to `subject`, and ends at once where the server refuses that. Only the refusal of this
    /// very subject counts.
    pub async fn unless_denied<T>(
        &self,
        subject: &str,
        what: impl Future<Output = T>,
    ) -> Result<T, PermissionViolation> {
        let mut violations = self.tracker.violations();
        let denied = async {
            loop {
                match violations.recv().await {
                    Ok(violation) if violation.access == Access::Publish && violation.subject == subject => {
                        return violation;
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => std::future::pending::<()>().await,
                }
            }
        };
        tokio::select! {
            biased;
            done = what => Ok(done),
            violation = denied => Err(violation),
        }
    }

    /// Returns when the server has handled everything that was sent before.
    pub(super) async fn round_trip(&self) -> Result<(), NatsError> {
        let subject = format!("{ECHO_PREFIX}{}", uuid::Uuid::new_v4().simple());
        let request = self.client.send_request(subject.clone(), Request::new().timeout(Some(self.request_timeout)));
        match self.unless_denied(&subject, request).await {
            // nobody is there, or the subject is refused: either way the server has spoken
            Ok(Ok(_)) | Err(_) => Ok(()),
            Ok(Err(error)) if error.kind() == RequestErrorKind::NoResponders => Ok(()),
            Ok(Err(_)) => Err(NatsError::Silent { servers: self.servers.to_string() }),
        }
    }

    pub(super) fn tracker(&self) -> &Arc<Tracker> {
        &self.tracker
    }

    /// Sends what is still to be sent and closes the connection, for everybody who shares it.
    pub async fn close(&self) {
        // closed already, or cut: nothing is left to do
        if self.is_connected() {
            tokio::time::timeout(self.request_timeout, self.client.flush()).await.ok();
        }
        self.client.drain().await.ok();
    }
}
