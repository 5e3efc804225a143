//! Who calls, and what they may do.
mod certificate;
mod jwks;
mod jwt;
mod layer;
mod signatures;
mod stay;
mod tokens;

pub use certificate::{CertificateAuth, CertificateName, CertificateTenant};
pub use jwks::{CredentialHealth, JwksPlace, JwksSource};
pub use jwt::JwtAuth;
pub use stay::Stay;
pub use tokens::{TokenFile, TokenLineError, new_token, token_line};

pub(crate) use layer::{Calls, guard};

use crate::error::Problem;
use crate::net::Peer;
use agon_core::TenantId;
use http::HeaderMap;
use std::collections::BTreeSet;

/// What a caller may be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Reading, listing, watching and exporting the tenant's debates.
    DebatesRead,
    /// Submitting, cancelling and removing them.
    DebatesWrite,
    /// Looking at hosts and draining them.
    ClusterAdmin,
}

impl Scope {
    /// All.
    pub const ALL: [Self; 3] = [Self::DebatesRead, Self::DebatesWrite, Self::ClusterAdmin];
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DebatesRead => "debates:read",
            Self::DebatesWrite => "debates:write",
            Self::ClusterAdmin => "cluster:admin",
        }
    }
    /// The scope of that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Whose debates they see.
    pub tenant: TenantId,
    /// Their name; absent where nobody is asked for one.
    pub principal: Option<String>,
    /// What they may do.
    pub scopes: BTreeSet<Scope>,
}

impl Caller {
    /// Whoever calls a gateway that asks nobody for credentials.
    pub(crate) fn anyone() -> Self {
        Self { tenant: TenantId::default(), principal: None, scopes: Scope::ALL.into() }
    }
    /// Refuses a caller without the scope.
    pub fn require(&self, scope: Scope) -> Result<(), Problem> {
        if self.scopes.contains(&scope) { Ok(()) } else { Err(Problem::MissingScope(scope.as_str())) }
    }
}

/// How callers prove who they are. Without any way, everybody is the default tenant with every scope.
#[derive(Clone, Debug, Default)]
pub struct AuthConfig {
    /// Bearer tokens from a file.
    pub tokens: Option<TokenFile>,
    /// Signed tokens of an identity provider.
    pub jwt: Option<JwtAuth>,
    /// Client certificates; needs TLS with a client CA.
    pub certificates: Option<CertificateAuth>,
    /// BLAKE3 of a token that this process made for whoever started it: the default tenant with every scope.
    pub own_token: Option<[u8; 32]>,
}

impl AuthConfig {
    /// Whether nobody is asked for credentials.
    pub fn is_off(&self) -> bool {
        self.tokens.is_none() && self.jwt.is_none() && self.certificates.is_none() && self.own_token.is_none()
    }
}

/// Why credentials cannot be checked at all.
#[derive(Debug, thiserror::Error)]
pub enum AuthStartError {
    /// The token file is not good.
    #[error(transparent)]
    Tokens(#[from] TokenLineError),
    /// The keys of the identity provider cannot be had.
    #[error("the JWKS cannot be read: {0}")]
    Jwks(String),
    /// A setting is wrong.
    #[error("{0}")]
    Setting(&'static str),
}

/// Checks credentials.
#[derive(Debug)]
pub(crate) struct Authenticator {
    tokens: Option<tokens::TokenTable>,
    jwt: Option<jwt::JwtVerifier>,
    certificates: Option<CertificateAuth>,
    own_token: Option<blake3::Hash>,
}

impl Authenticator {
    /// Whether nobody is asked for credentials.
    pub fn is_off(&self) -> bool {
        self.tokens.is_none() && self.jwt.is_none() && self.certificates.is_none() && self.own_token.is_none()
    }

    /// Whether a token can let somebody in; otherwise only a certificate does.
    pub fn takes_tokens(&self) -> bool {
        self.tokens.is_some() || self.jwt.is_some() || self.own_token.is_some()
    }

    /// Reads what is needed to check.
    pub async fn open(config: AuthConfig, health: CredentialHealth) -> Result<Self, AuthStartError> {
        let tokens = match config.tokens {
            Some(file) => Some(tokens::TokenTable::open(file).await?),
            None => None,
        };
        let jwt = match config.jwt {
            Some(jwt) => Some(jwt::JwtVerifier::open(jwt, health).await?),
            None => None,
        };
        let own_token = config.own_token.map(blake3::Hash::from);
        Ok(Self { tokens, jwt, certificates: config.certificates, own_token })
    }

    /// Who calls.
    pub async fn caller(&self, headers: &HeaderMap, peer: &Peer) -> Result<Caller, Problem> {
        if self.is_off() {
            return Ok(Caller::anyone());
        }
        match (bearer(headers)?, &self.certificates, &peer.certificate) {
            (Some(token), _, _) => self.token(token).await,
            (None, Some(rules), Some(certificate)) => rules.caller(certificate),
            (None, Some(_), None) | (None, None, _) => Err(Problem::Unauthenticated(
                "credentials are needed: send `authorization: Bearer TOKEN`, or a client certificate if the gateway accepts them",
            )),
        }
    }

    async fn token(&self, token: &str) -> Result<Caller, Problem> {
        // compared in constant time, as hashes are
        if self.own_token.is_some_and(|own| own == blake3::hash(token.as_bytes())) {
            return Ok(Caller::anyone());
        }
        if let Some(verifier) = self.jwt.as_ref().filter(|_| token.bytes().filter(|byte| *byte == b'.').count() == 2) {
            return verifier.caller(token).await;
        }
        match &self.tokens {
            Some(tokens) => tokens.caller(token).await,
            None => Err(Problem::Unauthenticated("the bearer token is not known")),
        }
    }
}

/// The bearer token of a call.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(http::header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Problem::Unauthenticated("there is more than one authorization header"));
    }
    let refused = || Problem::Unauthenticated("the authorization header is not `Bearer TOKEN`");
    let (scheme, token) = value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(refused)?;
    let token = token.trim();
    if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() { Ok(Some(token)) } else { Err(refused()) }
}
