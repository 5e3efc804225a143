//! Signed tokens of an identity provider.
use crate::gateway_bench::*;
use agon_core::TenantId;
use agon_proto::pb::v1 as pb;
use agon_server::{AuthConfig, AuthStartError, GatewayConfig, GatewayError, JwksSource, JwtAuth, StoreNeed};
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

struct IdentityProvider {
    id: &'static str,
    algorithm: &'static str,
    secret: Secret,
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// A token of these parts, signed by the function.
fn signed(algorithm: &str, id: &str, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    signed_with(&json!({ "typ": "JWT", "alg": algorithm, "kid": id }), claims, sign)
}

fn signed_with(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let message = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
    let signature = encoded(sign(message.as_bytes()));
    format!("{message}.{signature}")
}

impl IdentityProvider {
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
        signed(self.algorithm, self.id, claims, |message| self.sign(message))
    }
    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.secret {
            Secret::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Secret::P256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Secret::Ed25519(key) => key.sign(message).as_ref().to_vec(),
        }
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

fn keys(providers: &[&IdentityProvider]) -> String {
    json!({ "keys": providers.iter().map(|provider| provider.public()).collect::<Vec<_>>() }).to_string()
}

fn write(path: &std::path::Path, providers: &[&IdentityProvider]) {
    std::fs::write(path, keys(providers)).unwrap();
}

fn with_keys(keys: JwksSource) -> GatewayConfig {
    let keys = JwksSource { min_age: Duration::ZERO, ..keys };
    let jwt = JwtAuth::new(keys, vec!["https://id.example".to_owned(), "id.example".to_owned()], "agon");
    GatewayConfig { auth: AuthConfig { jwt: Some(jwt), ..AuthConfig::default() }, ..config() }
}

async fn list(gateway: &TestGateway, token: &str) -> Result<Response<pb::ListDebatesResponse>, Status> {
    let mut request = Request::new(pb::ListDebatesRequest::default());
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    gateway.debates.clone().list_debates(request).await
}

#[tokio::test]
async fn tokens_of_every_allowed_algorithm_are_taken() {
    let (stage, folder) = (GatewayBench::new().await, tempfile::tempdir().unwrap());
    let providers = [
        IdentityProvider::new("rsa", "RS256"),
        IdentityProvider::new("ec", "ES256"),
        IdentityProvider::new("ed", "EdDSA"),
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
    let (stage, folder) = (GatewayBench::new().await, tempfile::tempdir().unwrap());
    let provider = IdentityProvider::new("ed", "EdDSA");
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
    let (stage, folder) = (GatewayBench::new().await, tempfile::tempdir().unwrap());
    let (provider, stranger) = (IdentityProvider::new("ed", "EdDSA"), IdentityProvider::new("ed", "EdDSA"));
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
    let stage = GatewayBench::new().await;
    let (first, second) = (IdentityProvider::new("one", "ES256"), IdentityProvider::new("two", "ES256"));
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
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    for keys in [JwksSource::file("/nowhere/jwks.json"), JwksSource::url("http://keys.example/jwks.json")] {
        let started = agon_server::Gateway::start(with_keys(keys), stage.ports(&node)).await;
        assert!(matches!(started, Err(GatewayError::Auth(AuthStartError::Jwks(_) | AuthStartError::Setting(_)))));
    }
}

#[tokio::test]
async fn a_default_tenant_is_for_tokens_that_name_none() {
    let (stage, folder) = (GatewayBench::new().await, tempfile::tempdir().unwrap());
    let provider = IdentityProvider::new("ed", "EdDSA");
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

#[tokio::test]
async fn keys_that_are_not_for_signatures_check_none() {
    let (stage, folder) = (GatewayBench::new().await, tempfile::tempdir().unwrap());
    let provider = IdentityProvider::new("rsa", "RS256");
    let path = folder.path().join("jwks.json");
    let marked = |name: &str, value: Value| {
        let mut key = provider.public();
        key[name] = value;
        key
    };
    let unusable = [
        marked("use", json!("enc")),
        marked("use", json!("tls")),
        marked("key_ops", json!(["encrypt", "wrapKey"])),
        marked("key_ops", json!([])),
        marked("alg", json!("RSA-OAEP")),
    ];
    for key in unusable {
        std::fs::write(&path, json!({ "keys": [key] }).to_string()).unwrap();
        let gateway = stage.gateway_before(&stage.idle_node().await, with_keys(JwksSource::file(&path))).await;
        assert_eq!(refusal(list(&gateway, &provider.token(&claims())).await).0, Code::Unauthenticated, "{key}");
    }
    let usable = [marked("use", json!("sig")), marked("key_ops", json!(["verify"]))];
    for key in usable {
        let strange = json!({ "kty": "later-invention", "kid": "x" });
        std::fs::write(&path, json!({ "keys": [strange, key] }).to_string()).unwrap();
        let gateway = stage.gateway_before(&stage.idle_node().await, with_keys(JwksSource::file(&path))).await;
        list(&gateway, &provider.token(&claims())).await.unwrap();
    }
}

#[tokio::test]
async fn critical_headers_and_lists_of_issuers_are_refused_and_lists_of_audiences_and_other_issuers_taken() {
    let (stage, folder) = (GatewayBench::new().await, tempfile::tempdir().unwrap());
    let provider = IdentityProvider::new("ed", "EdDSA");
    let path = folder.path().join("jwks.json");
    write(&path, &[&provider]);
    let gateway = stage.gateway_before(&stage.idle_node().await, with_keys(JwksSource::file(&path))).await;
    let with = |name: &str, value: Value| {
        let mut claims = claims();
        claims[name] = value;
        provider.token(&claims)
    };
    let critical = |crit: Value| {
        let header = json!({ "typ": "JWT", "alg": "EdDSA", "kid": "ed", "crit": crit, "b64": true });
        signed_with(&header, &claims(), |message| provider.sign(message))
    };
    let refused = [
        critical(json!(["b64"])),
        critical(json!(["later-invention"])),
        critical(json!([])),
        with("iss", json!(["https://id.example", "https://evil.example"])),
        with("iss", json!(["https://id.example"])),
        with("iss", json!(7)),
        with("aud", json!(["others", "strangers"])),
        with("aud", json!([])),
    ];
    for (number, token) in refused.iter().enumerate() {
        assert_eq!(refusal(list(&gateway, token).await).0, Code::Unauthenticated, "token {number}");
    }
    for token in [with("aud", json!(["others", "agon"])), with("iss", json!("id.example"))] {
        list(&gateway, &token).await.unwrap();
    }
}

/// An identity provider over HTTP that may be slow or away, and counts how often it is asked.
struct IdentityService {
    url: String,
    asked: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    /// None: it does not answer.
    keys: tokio::sync::watch::Sender<Option<String>>,
    server: tokio::task::JoinHandle<()>,
}

impl IdentityService {
    async fn start(keys: Option<String>) -> Self {
        let (keys, asked) =
            (tokio::sync::watch::Sender::new(keys), std::sync::Arc::<std::sync::atomic::AtomicUsize>::default());
        let (shown, counted) = (keys.clone(), asked.clone());
        let answer = move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let mut shown = shown.subscribe();
            async move { shown.wait_for(Option::is_some).await.unwrap().clone().unwrap() }
        };
        let listener = tokio::net::TcpListener::bind(loopback()).await.unwrap();
        let url = format!("http://{}/jwks.json", listener.local_addr().unwrap());
        let app = axum::Router::new().route("/jwks.json", axum::routing::get(answer));
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, asked, keys, server }
    }
    fn asked(&self) -> usize {
        self.asked.load(std::sync::atomic::Ordering::SeqCst)
    }
}

#[tokio::test]
async fn callers_with_known_keys_do_not_wait_for_a_slow_provider_and_unknown_keys_ask_it_once() {
    let (stage, provider) = (GatewayBench::new().await, IdentityProvider::new("known", "EdDSA"));
    let service = IdentityService::start(Some(keys(&[&provider]))).await;
    let hour = Duration::from_secs(3_600);
    let mut settings = with_keys(JwksSource { max_age: hour, ..JwksSource::url(&service.url) });
    let gateway = stage.gateway_before(&stage.idle_node().await, settings.clone()).await;
    assert_eq!(service.asked(), 1);
    service.keys.send_replace(None);
    let strangers = IdentityProvider::new("unknown", "EdDSA");
    let tokens: Vec<String> = (0..20).map(|_| strangers.token(&claims())).collect();
    let waiting = futures_util::future::join_all(tokens.iter().map(|token| list(&gateway, token)));
    let good = async {
        let asked = async {
            while service.asked() < 2 {
                tokio::task::yield_now().await
            }
        };
        tokio::time::timeout(LIMIT, asked).await.unwrap();
        for _ in 0..20 {
            list(&gateway, &provider.token(&claims())).await.unwrap();
        }
        assert_eq!(service.asked(), 2, "one fetch for all unknown keys, and it has not come back");
        service.keys.send_replace(Some(keys(&[&provider])));
    };
    let (refused, ()) = tokio::join!(waiting, good);
    assert!(refused.into_iter().all(|answer| refusal(answer).0 == Code::Unauthenticated));

    settings.auth.jwt.as_mut().unwrap().keys.min_age = hour;
    let gateway = stage.gateway_before(&stage.idle_node().await, settings).await;
    let before = service.asked();
    for _ in 0..20 {
        assert_eq!(refusal(list(&gateway, &strangers.token(&claims())).await).0, Code::Unauthenticated);
    }
    assert_eq!(service.asked(), before, "not again within the interval");
    service.server.abort();
}

#[tokio::test]
async fn a_gateway_whose_identity_provider_is_away_starts_is_not_ready_and_recovers() {
    let (stage, provider) = (GatewayBench::new().await, IdentityProvider::new("late", "EdDSA"));
    let service = IdentityService::start(Some("<html>not yet</html>".to_owned())).await;
    let node = stage.idle_node().await;
    let ports = stage.ports(&node);
    let started = agon_server::Gateway::start(with_keys(JwksSource::url(&service.url)), ports.clone()).await.unwrap();
    let gateway = TestGateway::of(started);
    let (code, reason, details) = refusal(list(&gateway, &provider.token(&claims())).await);
    assert_eq!((code, reason.as_str()), (Code::Unavailable, "UNAVAILABLE"));
    assert!(details.retry_info().is_some());
    assert!(
        ports.unready(StoreNeed::Answers).await[0].contains("identity provider"),
        "{:?}",
        ports.unready(StoreNeed::Answers).await
    );
    service.keys.send_replace(Some(keys(&[&provider])));
    let recovered = async { while list(&gateway, &provider.token(&claims())).await.is_err() {} };
    tokio::time::timeout(LIMIT, recovered).await.unwrap();
    assert_eq!(ports.unready(StoreNeed::Answers).await, [""; 0]);
    service.server.abort();
}
