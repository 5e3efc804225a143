//! The connection: address, TLS, token.
use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::output::OutputMode;
use crate::settings::{ClientSettings, carries_credentials};
use agon_proto::pb::v1::archive_service_client::ArchiveServiceClient;
use agon_proto::pb::v1::cluster_service_client::ClusterServiceClient;
use agon_proto::pb::v1::debate_service_client::DebateServiceClient;
use agon_proto::pb::v1::eval_service_client::EvalServiceClient;
use anyhow::Context as _;
use std::path::Path;
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};
use tonic_health::pb::health_client::HealthClient;

/// How long the server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How often a silent connection is tried, so that a dead one is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// The largest answer that is taken: a long debate as one page.
const LARGEST_ANSWER: usize = 64 << 20;

/// A channel whose calls carry the token.
pub type AuthChannel = InterceptedService<Channel, TokenInterceptor>;

/// A server that can be asked. Nothing is sent before the first question.
#[derive(Clone)]
pub struct Client {
    pub(super) debates: DebateServiceClient<AuthChannel>,
    pub(super) archive: ArchiveServiceClient<AuthChannel>,
    pub(super) evals: EvalServiceClient<AuthChannel>,
    pub(super) cluster: ClusterServiceClient<AuthChannel>,
    pub(super) health: HealthClient<AuthChannel>,
    /// Its address, for messages.
    pub address: String,
    pub(super) timeout: Duration,
    pub(super) patience: Duration,
    /// Where a client that waits for its answers says so.
    pub(super) says: Option<OutputMode>,
}

impl Client {
    /// Prepares the connection. Needs a runtime.
    pub fn open(settings: &ClientSettings, environment: &Environment) -> Result<Self, Stop> {
        let named = settings.server.as_deref().unwrap_or_default();
        let address = address(named).map_err(Stop::usage)?;
        let channel = endpoint(&address, settings)
            .with_context(|| format!("the connection to {address} cannot be set up"))
            .map_err(|error| Stop::new(Exit::Usage, error))?
            .connect_lazy();
        let pass = TokenInterceptor::read(settings, environment).map_err(|error| Stop::new(Exit::Usage, error))?;
        Ok(Self {
            debates: DebateServiceClient::with_interceptor(channel.clone(), pass.clone())
                .max_decoding_message_size(LARGEST_ANSWER),
            archive: ArchiveServiceClient::with_interceptor(channel.clone(), pass.clone())
                .max_decoding_message_size(LARGEST_ANSWER),
            evals: EvalServiceClient::with_interceptor(channel.clone(), pass.clone())
                .max_decoding_message_size(LARGEST_ANSWER),
            health: HealthClient::with_interceptor(channel.clone(), pass.clone()),
            cluster: ClusterServiceClient::with_interceptor(channel, pass).max_decoding_message_size(LARGEST_ANSWER),
            address,
            timeout: settings.timeout.0,
            patience: settings.patience.0,
            says: None,
        })
    }

    /// The same, but it asks until it is answered, for as long as its patience lasts, and says what it waits for.
    pub fn patient(&self, says: OutputMode) -> Self {
        Self { says: Some(says), ..self.clone() }
    }
}

/// The address with its scheme: `http://` where none is given.
pub fn address(named: &str) -> Result<String, String> {
    if carries_credentials(named, true) {
        return Err(
            "the address of a server must not carry a user or a password; name a token with client.token".to_owned()
        );
    }
    let wrong = |why: &str| format!("{named:?} is no address such as gateway:50051 or https://agon.example.org: {why}");
    let full = if named.contains("://") { named.to_owned() } else { format!("http://{named}") };
    let uri: tonic::transport::Uri = full.parse().map_err(|error| wrong(&format!("{error}")))?;
    match uri.scheme_str() {
        Some("http" | "https") => {}
        _ => return Err(wrong("the scheme has to be http or https")),
    }
    match uri.host() {
        Some(host) if !host.is_empty() => {}
        _ => return Err(wrong("it has no host")),
    }
    if !matches!(uri.path(), "" | "/") {
        return Err(wrong("it must not have a path"));
    }
    Ok(full.trim_end_matches('/').to_owned())
}

fn endpoint(address: &str, settings: &ClientSettings) -> anyhow::Result<Endpoint> {
    let endpoint = Endpoint::from_shared(address.to_owned())?
        .user_agent(concat!("agon/", env!("CARGO_PKG_VERSION")))?
        .connect_timeout(CONNECT)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE);
    if !address.starts_with("https://") {
        return Ok(endpoint);
    }
    let mut tls = match &settings.tls_ca {
        Some(path) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(path)?)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    if let (Some(cert), Some(key)) = (&settings.tls_cert, &settings.tls_key) {
        tls = tls.identity(Identity::from_pem(read(cert)?, read(key)?));
    }
    Ok(endpoint.tls_config(tls)?)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    agon_files::read(path, agon_files::MAX_FILE).with_context(|| format!("cannot read {}", path.display()))
}

/// Puts the token into every call.
#[derive(Clone)]
pub struct TokenInterceptor(Option<MetadataValue<Ascii>>);

impl TokenInterceptor {
    fn read(settings: &ClientSettings, environment: &Environment) -> anyhow::Result<Self> {
        use secrecy::ExposeSecret as _;
        let Some(source) = &settings.token else { return Ok(Self(None)) };
        let token = source.read(environment).context("the token of `client.token`")?;
        let value = MetadataValue::try_from(format!("Bearer {}", token.expose_secret()));
        let mut value = value.ok().context("the token of `client.token` has characters that no header can carry")?;
        value.set_sensitive(true);
        Ok(Self(Some(value)))
    }
}

impl Interceptor for TokenInterceptor {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_no_scheme_and_has_no_path() {
        assert_eq!(address("gateway:50051").as_deref(), Ok("http://gateway:50051"));
        assert_eq!(address("https://agon.example.org/").as_deref(), Ok("https://agon.example.org"));
        assert_eq!(address("[::1]:50051").as_deref(), Ok("http://[::1]:50051"));
        for secret in ["http://me:hush@a:1", "me:hush@a:1", "http://me:h/ush@a"] {
            assert!(address(secret).is_err_and(|told| !told.contains("ush")), "{secret}");
        }
        for wrong in ["", "ftp://a:1", "http://a:1/v1", "a b:1"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
