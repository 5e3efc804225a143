//! Signed tokens of an identity provider.
use super::jwks::{CredentialHealth, Jwks, JwksSource};
use super::{AuthStartError, Caller, Scope};
use crate::error::Problem;
use agon_core::TenantId;
use jsonwebtoken::jwk::{Jwk, KeyAlgorithm};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Map, Value};
use std::time::Duration;

/// The algorithms that are taken; none of them works with a shared secret.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];

/// How signed tokens are checked, and what is read from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwtAuth {
    /// The provider's keys.
    pub keys: JwksSource,
    /// The `iss` that a token must have: one of these.
    pub issuers: Vec<String>,
    /// The `aud` that a token must have.
    pub audience: String,
    /// The claim with the scopes: a text parted by blanks, or a list.
    pub scope_claim: String,
    /// The claim with the tenant.
    pub tenant_claim: String,
    /// The claim with the principal's name.
    pub principal_claim: String,
    /// The tenant of tokens without that claim; without one they are refused.
    pub default_tenant: Option<TenantId>,
    /// How far the provider's clock may be off.
    pub leeway: Duration,
}

impl JwtAuth {
    /// The usual claims (`scope`, `tenant`, `sub`), no default tenant, 30 s for the clocks.
    pub fn new(keys: JwksSource, issuers: Vec<String>, audience: impl Into<String>) -> Self {
        Self {
            keys,
            issuers,
            audience: audience.into(),
            scope_claim: "scope".to_owned(),
            tenant_claim: "tenant".to_owned(),
            principal_claim: "sub".to_owned(),
            default_tenant: None,
            leeway: Duration::from_secs(30),
        }
    }
}

/// Checks tokens.
#[derive(Debug)]
pub(super) struct JwtVerifier {
    rules: JwtAuth,
    keys: Jwks,
}

impl JwtVerifier {
    pub async fn open(rules: JwtAuth, health: CredentialHealth) -> Result<Self, AuthStartError> {
        if rules.issuers.is_empty() || rules.issuers.iter().any(String::is_empty) || rules.audience.is_empty() {
            return Err(AuthStartError::Setting("signed tokens need an issuer and an audience to be checked against"));
        }
        let keys = Jwks::open(rules.keys.clone(), health).await?;
        super::signatures::use_ring();
        Ok(Self { rules, keys })
    }

    /// Who holds the token.
    pub async fn caller(&self, token: &str) -> Result<Caller, Problem> {
        let refused = |_| Problem::Unauthenticated("the bearer token is no signed token");
        let header = decode_header(token).map_err(refused)?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(Problem::Unauthenticated("the bearer token's algorithm is none of RS256, ES256, EdDSA"));
        }
        if header.crit.is_some() {
            return Err(Problem::Unauthenticated(
                "the bearer token has critical header fields (crit), of which none is known",
            ));
        }
        let key = self.keys.find(header.kid.as_deref()).await?;
        let claims = self.claims(token, header.alg, &key)?;
        self.read(&claims)
    }

    fn claims(&self, token: &str, algorithm: Algorithm, key: &Jwk) -> Result<Map<String, Value>, Problem> {
        if key.common.key_algorithm.is_some_and(|known| !is_for(known, algorithm)) {
            return Err(Problem::Unauthenticated("the bearer token's key is for another algorithm"));
        }
        let unusable = |_| Problem::Unauthenticated("the bearer token's key cannot be used");
        let key = DecodingKey::from_jwk(key).map_err(unusable)?;
        let mut validation = Validation::new(algorithm);
        validation.leeway = self.rules.leeway.as_secs();
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.set_issuer(&self.rules.issuers);
        validation.set_audience(&[&self.rules.audience]);
        let decoded = decode::<Map<String, Value>>(token, &key, &validation);
        let decoded = decoded.map(|token| token.claims).map_err(|error| {
            tracing::debug!(%error, "signed token refused");
            Problem::Unauthenticated("the bearer token is not valid: signature, issuer, audience or time")
        })?;
        // a list of issuers would pass with one that is known among others
        match decoded.get("iss") {
            Some(Value::String(_)) => Ok(decoded),
            Some(_) | None => Err(Problem::Unauthenticated("the bearer token does not name one issuer")),
        }
    }

    fn read(&self, claims: &Map<String, Value>) -> Result<Caller, Problem> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let tenant = match text(&self.rules.tenant_claim) {
            Some(name) => TenantId::parse(name).ok(),
            None => self.rules.default_tenant.clone(),
        };
        let tenant = tenant.ok_or(Problem::Unauthenticated("the bearer token names no tenant"))?;
        let principal = text(&self.rules.principal_claim).map(str::to_owned);
        let principal = principal.ok_or(Problem::Unauthenticated("the bearer token names no principal"))?;
        let scopes = match claims.get(&self.rules.scope_claim) {
            Some(Value::String(text)) => text.split_whitespace().filter_map(Scope::parse).collect(),
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).filter_map(Scope::parse).collect(),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Default::default(),
        };
        Ok(Caller { tenant, principal: Some(principal), scopes })
    }
}

fn is_for(known: KeyAlgorithm, algorithm: Algorithm) -> bool {
    let wanted = match algorithm {
        Algorithm::RS256 => KeyAlgorithm::RS256,
        Algorithm::ES256 => KeyAlgorithm::ES256,
        Algorithm::EdDSA => KeyAlgorithm::EdDSA,
        _ => return false,
    };
    known == wanted
}
