//! Signed tokens of an identity provider.
use crate::stage::*;
use agon_core::TenantId;
use agon_proto::pb::v1 as pb;
use agon_server::{AuthConfig, AuthStartError, GatewayConfig, GatewayError, JwksSource, JwtAuth};
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp};
use serde_json::{Value, json};
use std::time::Duration;
use tonic::{Code, Request, Response, Status};

/// A key that only these tests know.
const RSA: &[u8] = include_bytes!("test-rsa-key.pem");

/// What stands before the 32 bytes of an Ed25519 key in its PKCS #8 form.
const ED25519: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

struct Provider {
    id: &'static str,
    algorithm: Algorithm,
    key: EncodingKey,
}

impl Provider {
    fn new(id: &'static str, algorithm: Algorithm) -> Self {
        let pem = |algorithm| rcgen::KeyPair::generate_for(algorithm).unwrap().serialize_pem();
        let key = match algorithm {
            Algorithm::RS256 => EncodingKey::from_rsa_pem(RSA),
            Algorithm::ES256 => EncodingKey::from_ec_pem(pem(&rcgen::PKCS_ECDSA_P256_SHA256).as_bytes()),
            _ => Ok(EncodingKey::from_ed_der(&[ED25519, &rand::random::<[u8; 32]>()[..]].concat())),
        };
        Self { id, algorithm, key: key.unwrap() }
    }
    fn token(&self, claims: &Value) -> String {
        let header = Header { kid: Some(self.id.to_owned()), ..Header::new(self.algorithm) };
        encode(&header, claims, &self.key).unwrap()
    }
    fn public(&self) -> Jwk {
        let mut key = Jwk::from_encoding_key(&self.key, self.algorithm).unwrap();
        key.common.key_id = Some(self.id.to_owned());
        key
    }
}

fn claims() -> Value {
    json!({
        "iss": "https://id.example", "aud": "agon", "sub": "alice", "tenant": "acme", "scope": "openid debates:read",
        "exp": get_current_timestamp() + 600,
    })
}

fn write(path: &std::path::Path, providers: &[&Provider]) {
    let set = JwkSet { keys: providers.iter().map(|provider| provider.public()).collect() };
    std::fs::write(path, serde_json::to_vec(&set).unwrap()).unwrap();
}

fn with_keys(keys: JwksSource) -> GatewayConfig {
    let keys = JwksSource { min_age: Duration::ZERO, ..keys };
    let jwt = JwtAuth::new(keys, "https://id.example", "agon");
    GatewayConfig { auth: AuthConfig { jwt: Some(jwt), ..AuthConfig::default() }, ..config() }
}

async fn list(gateway: &Reached, token: &str) -> Result<Response<pb::ListDebatesResponse>, Status> {
    let mut request = Request::new(pb::ListDebatesRequest::default());
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    gateway.debates.clone().list_debates(request).await
}

#[tokio::test]
async fn tokens_of_every_allowed_algorithm_are_taken() {
    let (stage, folder) = (Stage::new().await, tempfile::tempdir().unwrap());
    let providers = [
        Provider::new("rsa", Algorithm::RS256),
        Provider::new("ec", Algorithm::ES256),
        Provider::new("ed", Algorithm::EdDSA),
    ];
    let path = folder.path().join("jwks.json");
    write(&path, &providers.each_ref());
    let gateway = stage.gateway_before(&stage.idle_node().await, with_keys(JwksSource::file(&path))).await;
    for provider in &providers {
        list(&gateway, &provider.token(&claims())).await.unwrap_or_else(|error| panic!("{}: {error}", provider.id));
    }
}

#[tokio::test]
async fn scopes_tenant_and_principal_come_from_the_claims() {
    let (stage, folder) = (Stage::new().await, tempfile::tempdir().unwrap());
    let provider = Provider::new("ed", Algorithm::EdDSA);
    let path = folder.path().join("jwks.json");
    write(&path, &[&provider]);
    let gateway = stage.gateway_before(&stage.idle_node().await, with_keys(JwksSource::file(&path))).await;
    let create = async |claims: &Value| {
        let mut request = Request::new(wanted("signed"));
        request.metadata_mut().insert("authorization", format!("Bearer {}", provider.token(claims)).parse().unwrap());
        gateway.debates.clone().create_debate(request).await
    };
    let (code, _, details) = refusal(create(&claims()).await);
    assert_eq!(
        (code, details.error_info().unwrap().metadata["scope"].as_str()),
        (Code::PermissionDenied, "debates:write")
    );
    let mut more = claims();
    more["scope"] = json!(["debates:read", "debates:write"]);
    let created = create(&more).await.unwrap().into_inner();
    assert_eq!(created.creator.as_deref(), Some("alice"));
    let log = agon_store::Journal::read(&*stage.store, &id("acme/signed"), agon_core::Position(0)).await.unwrap();
    assert_eq!(log.len(), 1, "the debate is the tenant's");
}

#[tokio::test]
async fn tokens_that_are_old_foreign_forged_or_without_a_tenant_are_refused() {
    let (stage, folder) = (Stage::new().await, tempfile::tempdir().unwrap());
    let (provider, stranger) = (Provider::new("ed", Algorithm::EdDSA), Provider::new("ed", Algorithm::EdDSA));
    let path = folder.path().join("jwks.json");
    write(&path, &[&provider]);
    let gateway = stage.gateway_before(&stage.idle_node().await, with_keys(JwksSource::file(&path))).await;
    let with = |name: &str, value: Value| {
        let mut claims = claims();
        claims[name] = value;
        provider.token(&claims)
    };
    let shared = EncodingKey::from_secret(&serde_json::to_vec(&provider.public()).unwrap());
    let confused =
        encode(&Header { kid: Some("ed".into()), ..Header::new(Algorithm::HS256) }, &claims(), &shared).unwrap();
    let refused = [
        with("exp", json!(get_current_timestamp() - 3_600)),
        with("nbf", json!(get_current_timestamp() + 3_600)),
        with("iss", json!("https://other.example")),
        with("aud", json!("others")),
        with("tenant", json!("Not A Tenant")),
        with("sub", Value::Null),
        stranger.token(&claims()),
        confused,
        "a.b.c".to_owned(),
    ];
    for (number, token) in refused.iter().enumerate() {
        let (code, _, _) = refusal(list(&gateway, token).await);
        assert_eq!(code, Code::Unauthenticated, "token {number}");
    }
    list(&gateway, &provider.token(&claims())).await.unwrap();
}

#[tokio::test]
async fn a_new_key_of_the_provider_is_fetched_and_an_outage_of_the_provider_is_survived() {
    let stage = Stage::new().await;
    let (first, second) = (Provider::new("one", Algorithm::ES256), Provider::new("two", Algorithm::ES256));
    let keys = |providers: &[&Provider]| {
        serde_json::to_string(&JwkSet { keys: providers.iter().map(|one| one.public()).collect() }).unwrap()
    };
    let served = std::sync::Arc::new(std::sync::Mutex::new(Some(keys(&[&first]))));
    let shown = served.clone();
    let answer = move || {
        let text = shown.lock().unwrap().clone();
        async move { text.ok_or(http::StatusCode::BAD_GATEWAY) }
    };
    let listener = tokio::net::TcpListener::bind(loopback()).await.unwrap();
    let url = format!("http://{}/jwks.json", listener.local_addr().unwrap());
    let app = axum::Router::new().route("/jwks.json", axum::routing::get(answer));
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    let source = JwksSource { max_age: Duration::ZERO, ..JwksSource::url(url) };
    let gateway = stage.gateway_before(&stage.idle_node().await, with_keys(source)).await;
    list(&gateway, &first.token(&claims())).await.unwrap();
    assert_eq!(refusal(list(&gateway, &second.token(&claims())).await).0, Code::Unauthenticated);
    *served.lock().unwrap() = Some(keys(&[&first, &second]));
    list(&gateway, &second.token(&claims())).await.unwrap();
    *served.lock().unwrap() = None;
    list(&gateway, &second.token(&claims())).await.unwrap();
    server.abort();
}

#[tokio::test]
async fn a_provider_without_keys_or_encryption_stops_the_start() {
    let stage = Stage::new().await;
    let node = stage.idle_node().await;
    for keys in [JwksSource::file("/nowhere/jwks.json"), JwksSource::url("http://keys.example/jwks.json")] {
        let started = agon_server::Gateway::start(with_keys(keys), stage.ports(&node)).await;
        assert!(matches!(started, Err(GatewayError::Auth(AuthStartError::Jwks(_) | AuthStartError::Setting(_)))));
    }
}

#[tokio::test]
async fn a_default_tenant_is_for_tokens_that_name_none() {
    let (stage, folder) = (Stage::new().await, tempfile::tempdir().unwrap());
    let provider = Provider::new("ed", Algorithm::EdDSA);
    let path = folder.path().join("jwks.json");
    write(&path, &[&provider]);
    let mut settings = with_keys(JwksSource::file(&path));
    let mut without = claims();
    without.as_object_mut().unwrap().remove("tenant");
    let strict = stage.gateway_before(&stage.idle_node().await, settings.clone()).await;
    assert_eq!(refusal(list(&strict, &provider.token(&without)).await).0, Code::Unauthenticated);
    settings.auth.jwt.as_mut().unwrap().default_tenant = Some(TenantId::default());
    let lenient = stage.gateway_before(&stage.idle_node().await, settings).await;
    list(&lenient, &provider.token(&without)).await.unwrap();
}
