//! How this process faces clients and operators: addresses, TLS, who may do what.
use super::{KeySource, Length, list};
use agon_core::TenantId;
use agon_server::SitePolicy;
use agon_telemetry::LogFormat;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The interfaces for clients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GatewaySettings {
    /// Where gRPC listens.
    pub grpc: SocketAddr,
    /// Where REST, event streams and reports are served.
    pub http: SocketAddr,
    /// Listen where others can reach it although nobody has to prove who they are.
    pub insecure: bool,
    /// Names by which this gateway may be called, beside those of this machine, where nobody has to prove who they are.
    #[serde(deserialize_with = "list::texts", skip_serializing_if = "Vec::is_empty")]
    pub allowed_hosts: Vec<String>,
    /// Other web sites whose pages may call it.
    #[serde(deserialize_with = "list::texts", skip_serializing_if = "Vec::is_empty")]
    pub allowed_origins: Vec<String>,
    /// Connections of one address at once.
    pub connections_per_address: NonZeroUsize,
    /// Debates that may wait for a coordinator; further ones are refused for a while.
    pub max_queued: NonZeroUsize,
    /// Lets tools ask which services there are.
    pub reflection: bool,
    /// Certificates; absent: no TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsSettings>,
    /// How callers prove who they are.
    #[serde(skip_serializing_if = "AuthSettings::is_off")]
    pub auth: AuthSettings,
}
impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            grpc: loopback(50051),
            http: loopback(8080),
            insecure: false,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            connections_per_address: NonZeroUsize::new(1_024).unwrap_or(NonZeroUsize::MIN),
            max_queued: NonZeroUsize::new(10_000).unwrap_or(NonZeroUsize::MIN),
            reflection: true,
            tls: None,
            auth: AuthSettings::default(),
        }
    }
}

/// The port for operators: health and metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdminSettings {
    /// Where it listens; absent: on loopback at 9090, or where that is taken at any free port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<SocketAddr>,
    /// Names by which it may be called, beside those of this machine.
    #[serde(deserialize_with = "list::texts", skip_serializing_if = "Vec::is_empty")]
    pub allowed_hosts: Vec<String>,
}
impl AdminSettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        SitePolicy::parse(&self.allowed_hosts, &[]).err().unwrap_or_default()
    }

    /// The usual place.
    pub fn usual() -> SocketAddr {
        loopback(9090)
    }
}

fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// Certificates of a listener.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSettings {
    /// The certificate chain (PEM).
    pub cert: PathBuf,
    /// Its key (PEM).
    pub key: PathBuf,
    /// The authorities of client certificates (PEM); absent: none is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ca: Option<PathBuf>,
    /// Whether a client must have a certificate where there is a `client_ca`.
    #[serde(default)]
    pub client_required: bool,
}

/// How callers prove who they are; every way that is set counts. None: everybody may do everything, on loopback only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuthSettings {
    /// A file of hashed bearer tokens; `agon token` makes its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_file: Option<PathBuf>,
    /// Signed tokens of an identity provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt: Option<JwtSettings>,
    /// Client certificates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificates: Option<CertificateSettings>,
}

impl AuthSettings {
    /// Whether nobody is asked who they are.
    pub fn is_off(&self) -> bool {
        self.tokens_file.is_none() && self.jwt.is_none() && self.certificates.is_none()
    }
}

/// Signed tokens of an identity provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JwtSettings {
    /// The `iss` that a token must have; a list allows each of them.
    #[serde(deserialize_with = "list::texts")]
    pub issuer: Vec<String>,
    /// The `aud` that a token must have.
    pub audience: String,
    /// Where the provider's keys are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_url: Option<String>,
    /// The provider's keys as a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_file: Option<PathBuf>,
    /// The claim with the scopes.
    #[serde(default = "scope")]
    pub scope_claim: String,
    /// The claim with the tenant.
    #[serde(default = "tenant")]
    pub tenant_claim: String,
    /// The claim with the caller's name.
    #[serde(default = "sub")]
    pub principal_claim: String,
    /// The tenant of tokens without that claim; absent: they are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_tenant: Option<TenantId>,
    /// How far the provider's clock may be off.
    #[serde(default = "leeway")]
    pub leeway: Length,
}

fn scope() -> String {
    "scope".to_owned()
}
fn tenant() -> String {
    "tenant".to_owned()
}
fn sub() -> String {
    "sub".to_owned()
}
fn leeway() -> Length {
    Length::seconds(30)
}

/// What a client certificate stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateSettings {
    /// Where the caller's name stands.
    #[serde(default)]
    pub principal: PrincipalField,
    /// The tenant of every holder; absent: the certificate's organisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<TenantId>,
    /// What every holder may do.
    #[serde(deserialize_with = "list::texts")]
    pub scopes: Vec<String>,
}

/// A name in a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalField {
    /// The subject's common name.
    #[default]
    CommonName,
    /// The first DNS name among the alternative names.
    Dns,
    /// The first URI among the alternative names.
    Uri,
    /// The first mail address among the alternative names.
    Email,
}

impl GatewaySettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let sites = SitePolicy::parse(&self.allowed_hosts, &self.allowed_origins);
        let mut problems = sites.err().unwrap_or_default();
        if let Some(jwt) = &self.auth.jwt {
            if jwt.jwks_url.is_some() == jwt.jwks_file.is_some() {
                problems.push("auth.jwt: give either jwks_url or jwks_file".to_owned());
            }
            if jwt.issuer.is_empty() || jwt.issuer.iter().any(String::is_empty) || jwt.audience.is_empty() {
                problems.push("auth.jwt: issuer and audience must not be empty".to_owned());
            }
        }
        if let Some(certificates) = &self.auth.certificates {
            if self.tls.as_ref().is_none_or(|tls| tls.client_ca.is_none()) {
                problems.push("auth.certificates: needs tls.client_ca".to_owned());
            }
            let unknown = certificates.scopes.iter().filter(|scope| agon_server::Scope::parse(scope).is_none());
            let known: Vec<&str> = agon_server::Scope::ALL.iter().map(|scope| scope.as_str()).collect();
            problems.extend(
                unknown.map(|scope| format!("auth.certificates.scopes: {scope:?} is none of {}", known.join(", "))),
            );
        }
        if self.tls.as_ref().is_some_and(|tls| tls.client_required && tls.client_ca.is_none()) {
            problems.push("tls.client_required: needs tls.client_ca".to_owned());
        }
        if self.grpc == self.http && self.grpc.port() != 0 {
            problems.push("http: the same address as grpc".to_owned());
        }
        problems
    }
}

/// What is told about debates to those who look after the machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetrySettings {
    /// Where spans go (OTLP over gRPC); absent: nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otlp_endpoint: Option<String>,
    /// How often metrics go there, too; absent: they are only there to be fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_metrics: Option<Length>,
    /// The share of debates that are traced, 0 to 1.
    pub sampling: f64,
    /// The share of calls to the server that are traced where the caller does not say, 0 to 1.
    pub call_sampling: f64,
    /// Put prompts and answers into spans.
    pub capture_content: bool,
    /// The form of the log.
    pub log_format: LogFormat,
    /// What is sent along to the collector, keys and tokens: where each header's value is.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub otlp_headers: BTreeMap<String, KeySource>,
}
impl Default for TelemetrySettings {
    fn default() -> Self {
        Self {
            otlp_endpoint: None,
            sampling: 1.0,
            call_sampling: 0.05,
            capture_content: false,
            log_format: LogFormat::Text,
            push_metrics: None,
            otlp_headers: BTreeMap::new(),
        }
    }
}
impl TelemetrySettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, share) in [("sampling", self.sampling), ("call_sampling", self.call_sampling)] {
            if !(0.0..=1.0).contains(&share) {
                problems.push(format!("{name}: not between 0 and 1"));
            }
        }
        if self.push_metrics == Some(Length::default()) {
            problems.push("push_metrics: must be longer than 0".to_owned());
        }
        if self.otlp_endpoint.as_deref().is_some_and(|url| crate::client::address(url).is_err()) {
            problems.push("otlp_endpoint: not an address such as http://jaeger:4317".to_owned());
        }
        for (name, source) in &self.otlp_headers {
            problems.extend(source.problem().map(|problem| format!("otlp_headers.{name}: {problem}")));
        }
        problems
    }
}
