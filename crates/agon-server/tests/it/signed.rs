//! Signed tokens of an identity provider.
use crate::stage::*;
use agon_core::TenantId;
use agon_proto::pb::v1 as pb;
use agon_server::{AuthConfig, AuthStartError, GatewayConfig, GatewayError, JwksSource, JwtAuth};
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use jsonwebtoken::get_current_timestamp;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
    RsaPublicKeyComponents,
};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};
use std::time::Duration;
use tonic::{Code, Request, Response, Status};

/// A key that only these tests know.
const RSA: &[u8] = include_bytes!("test-rsa-key.pem");

/// What a provider signs with.
enum Secret {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

struct Provider {
    id: &'static str,
    algorithm: &'static str,
    secret: Secret,
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// A token of these parts, signed by the function.
fn signed(algorithm: &str, id: &str, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let header = json!({ "typ": "JWT", "alg": algorithm, "kid": id });
    let message = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
    let signature = encoded(sign(message.as_bytes()));
    format!("{message}.{signature}")
}

impl Provider {
    fn new(id: &'static str, algorithm: &'static str) -> Self {
        let (curve, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let secret = match algorithm {
            "RS256" => Secret::Rsa(
                RsaKeyPair::from_pkcs8(PrivatePkcs8KeyDer::from_pem_slice(RSA).unwrap().secret_pkcs8_der()).unwrap(),
            ),
            "ES256" => {
                let key = EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap();
                Secret::P256(EcdsaKeyPair::from_pkcs8(curve, key.as_ref(), &random).unwrap())
            }
            _ => Secret::Ed25519(
                Ed25519KeyPair::from_pkcs8(Ed25519KeyPair::generate_pkcs8(&random).unwrap().as_ref()).unwrap(),
            ),
        };
        Self { id, algorithm, secret }
    }
    fn token(&self, claims: &Value) -> String {
        let random = SystemRandom::new();
        signed(self.algorithm, self.id, claims, |message| match &self.secret {
            Secret::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Secret::P256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Secret::Ed25519(key) => key.sign(message).as_ref().to_vec(),
        })
    }
    fn public(&self) -> Value {
        let mut key = match &self.secret {
            Secret::Rsa(key) => {
                let RsaPublicKeyComponents { n, e } = RsaPublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({ "kty": "RSA", "n": encoded(n), "e": encoded(e) })
            }
            Secret::P256(key) => {
                // one byte that says that both coordinates follow
                let (x, y) = key.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y) })
            }
            Secret::Ed25519(key) => json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(key.public_key()) }),
        };
        key["alg"] = self.algorithm.into();
        key["kid"] = self.id.into();
        key
    }
}

fn claims() -> Value {
    json!({
        "iss": "https://id.example", "aud": "agon", "sub": "alice", "tenant": "acme", "scope": "openid debates:read",
        "exp": get_current_timestamp() + 600,
    })
}

fn keys(providers: &[&Provider]) -> String {
    json!({ "keys": providers.iter().map(|provider| provider.public()).collect::<Vec<_>>() }).to_string()
}

fn write(path: &std::path::Path, providers: &[&Provider]) {
    std::fs::write(path, keys(providers)).unwrap();
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
    let providers = [Provider::new("rsa", "RS256"), Provider::new("ec", "ES256"), Provider::new("ed", "EdDSA")];
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
    let provider = Provider::new("ed", "EdDSA");
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
    let (provider, stranger) = (Provider::new("ed", "EdDSA"), Provider::new("ed", "EdDSA"));
    let path = folder.path().join("jwks.json");
    write(&path, &[&provider]);
    let gateway = stage.gateway_before(&stage.idle_node().await, with_keys(JwksSource::file(&path))).await;
    let with = |name: &str, value: Value| {
        let mut claims = claims();
        claims[name] = value;
        provider.token(&claims)
    };
    let shared = hmac::Key::new(hmac::HMAC_SHA256, provider.public().to_string().as_bytes());
    let confused = signed("HS256", "ed", &claims(), |message| hmac::sign(&shared, message).as_ref().to_vec());
    let unsigned = signed("none", "ed", &claims(), |_| Vec::new());
    let otherwise = signed("RS256", "ed", &claims(), |_| vec![7; 256]);
    let refused = [
        with("exp", json!(get_current_timestamp() - 3_600)),
        with("nbf", json!(get_current_timestamp() + 3_600)),
        with("iss", json!("https://other.example")),
        with("aud", json!("others")),
        with("tenant", json!("Not A Tenant")),
        with("sub", Value::Null),
        stranger.token(&claims()),
        confused,
        unsigned,
        otherwise,
        format!("{}x", provider.token(&claims())),
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
    let (first, second) = (Provider::new("one", "ES256"), Provider::new("two", "ES256"));
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
    let provider = Provider::new("ed", "EdDSA");
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
